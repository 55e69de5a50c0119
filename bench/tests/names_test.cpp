// Names of rows go through the parser and the printer unchanged, whoever made them.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "names/context_keys.hpp"
#include "names/counters.hpp"
#include "names/family_facts.hpp"
#include "names/row_id.hpp"

namespace overlap {
namespace {

TEST(RowId, TakesNamesApart) {
  const RowId id =
      parse_row_id("pipeline/order:sequential/n:16/min_time:0.1/repeats:2/manual_time/threads:4");
  EXPECT_EQ(id.family, "pipeline");
  EXPECT_EQ(id.axes, (Axes{{"order", "sequential"}, {"n", "16"}}));
  EXPECT_EQ(id.axis("n"), "16");
  EXPECT_EQ(id.axis("streams"), "");
  EXPECT_EQ(id.suffix, "/min_time:0.1/repeats:2/manual_time/threads:4");
  EXPECT_EQ(id.key(), "pipeline/order:sequential/n:16/min_time:0.1/repeats:2/threads:4");
  EXPECT_EQ(parse_row_id("a/n:1/manual_time").key(), "a/n:1");
  EXPECT_EQ(parse_row_id("a/n:1/iterations:1/manual_time").key(), "a/n:1");
  EXPECT_EQ(parse_row_id("a/n:1/iterations:1").key(), "a/n:1/iterations:1");
}

TEST(RowId, WhatStandsByItselfIsAnArgument) {
  const std::pair<const char*, RowId> all[] = {
      {"BM_x", {.family = "BM_x"}},
      {"n:5", {.family = "n:5"}},
      {"/x/8", {.family = "/x", .axes = {{"", "8"}}}},
      {"std::vector<int>/8", {.family = "std::vector<int>", .axes = {{"", "8"}}}},
      {"BM_copy<float>/8/1024", {.family = "BM_copy<float>", .axes = {{"", "8"}, {"", "1024"}}}},
      {"BM_copy<a/b>/8", {.family = "BM_copy<a/b>", .axes = {{"", "8"}}}},
      {"read(/dev/null)/8", {.family = "read(/dev/null)", .axes = {{"", "8"}}}},
      {"operator<</8/2", {.family = "operator<<", .axes = {{"", "8"}, {"", "2"}}}},
      {"fam/std::sort/8", {.family = "fam", .axes = {{"", "std::sort"}, {"", "8"}}}},
      {"BM_x/8/threads:4", {.family = "BM_x", .axes = {{"", "8"}}, .suffix = "/threads:4"}},
      {"BM/a:1/2", {.family = "BM", .axes = {{"a", "1"}, {"", "2"}}}},
  };
  for (const auto& [name, id] : all) {
    EXPECT_EQ(parse_row_id(name), id) << name;
    EXPECT_EQ(parse_row_id(name).key(), name);
  }
}

TEST(RowId, EveryValueHasALabelOfItsOwn) {
  const std::pair<const char*, Axes> all[] = {
      {"f/n:4/8/16", {{"n", "4"}, {"arg1", "8"}, {"arg2", "16"}}},
      {"f/-3/1", {{"arg1", "-3"}, {"arg2", "1"}}},
      {"f/arg1:4/8", {{"arg1", "4"}, {"arg2", "8"}}},
      {"f/4/arg1:8/5", {{"arg2", "4"}, {"arg1", "8"}, {"arg3", "5"}}},
      {"f/n:4/n:8", {{"n", "4"}, {"n #2", "8"}}},
  };
  for (const auto& [name, labelled] : all) {
    const RowId id = parse_row_id(name);
    EXPECT_EQ(id.labelled(), labelled) << name;
    for (const auto& [label, value] : labelled) EXPECT_EQ(id.axis(label), value) << name << " " << label;
    EXPECT_EQ(id.axis("arg9"), "");
  }
}

TEST(RowId, SaysHowARowWasTimed) {
  const RowId id = parse_row_id("f/8/min_time:0.1/process_time/real_time/threads:4");
  EXPECT_EQ(id.threads(), "4");
  EXPECT_EQ(id.clock(), "process_time/real_time");
  EXPECT_EQ(id.key(), "f/8/min_time:0.1/process_time/real_time/threads:4");
  EXPECT_EQ(parse_row_id("f/8/manual_time").clock(), "manual_time");
  EXPECT_EQ(parse_row_id("f/8").clock() + parse_row_id("f/8").threads(), "");
}

TEST(RowId, EqualNamesHaveOrdinals) {
  RowId id = parse_row_id("a/n:1/manual_time");
  id.ordinal = 3;
  EXPECT_EQ(print(id), "a/n:1/manual_time #3");
  EXPECT_EQ(parse_row_id(print(id)), id);
  EXPECT_EQ(id.key(), "a/n:1 #3");
  EXPECT_EQ(parse_row_id(id.key()).key(), id.key());
}

TEST(RowId, PrintsWhatItParsed) {
  for (const char* name : {"",
                           "/",
                           "//",
                           "a/",
                           "/a",
                           "a//b:1",
                           ":",
                           "a/:1",
                           "a/b:",
                           "a/b:c:d",
                           "a/n:1/manual_time",
                           "manual_time",
                           "a/manual_time/n:1",
                           "a/real_time/threads:2",
                           "iterations:3/n:1",
                           "a/min_time:0.1",
                           "a #2",
                           "a/n:1 #2",
                           "a #1",
                           "a #02",
                           "a #x",
                           " #2",
                           "a #99999999999999999999999",
                           "a/n:1 #2/manual_time",
                           "a/b:1/2/c:3"})
    EXPECT_EQ(print(parse_row_id(name)), name);
  // Names made of what parsers trip over.
  const char* const kPieces[] = {"/",           "<",        ">", "(", ":",  "n",         "1",   " #2",
                                 "manual_time", "threads:", "#", " ", "::", "real_time", "\xff"};
  std::mt19937 generator(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string name;
    for (std::size_t pieces = generator() % 9; pieces > 0; --pieces)
      name += kPieces[generator() % std::size(kPieces)];
    ASSERT_EQ(print(parse_row_id(name)), name);
  }
}

TEST(Counters, EachIsThereOnceAndSaysWhatItIs) {
  std::set<std::string_view> names;
  for (const Counter& counter : all_counters()) {
    EXPECT_TRUE(names.insert(counter.name).second) << counter.name;
    EXPECT_NE(std::string_view(counter.means), "") << counter.name;
    EXPECT_EQ(find_counter(counter.name), &counter);
    const bool percent = std::string_view(counter.name).ends_with("_pct") ||
                         std::string_view(counter.name).starts_with("pct_");
    EXPECT_EQ(percent, std::string_view(counter.unit) == "%") << counter.name;
  }
  EXPECT_EQ(find_counter("nobody's"), nullptr);
}

TEST(Counters, SayWhichWayIsBetter) {
  EXPECT_EQ(lower_is_better("time"), true);
  EXPECT_EQ(lower_is_better("submit_us"), true);
  EXPECT_EQ(lower_is_better("bytes_per_second"), false);
  EXPECT_EQ(lower_is_better("gflop_per_s"), false);
  EXPECT_EQ(lower_is_better("their_us"), true);
  EXPECT_EQ(lower_is_better("items_per_second"), false);
  EXPECT_EQ(lower_is_better("chunks"), std::nullopt);
  EXPECT_EQ(lower_is_better("theirs"), std::nullopt);
}

TEST(ContextKeys, EachIsThereOnce) {
  std::set<std::string_view> names;
  for (const ContextKey& key : all_context_keys()) EXPECT_TRUE(names.insert(key.name).second) << key.name;
}

TEST(FamilyFacts, AreReadAsTheyWereWritten) {
  const FamilyFacts facts{
      {"n", "mem"}, {{"order", "sequential"}, {"submit", "launch"}}, {{"alloc", "kept"}}, {"toy_us"}};
  EXPECT_EQ(print(facts),
            "work=n,mem; plain=order:sequential,submit:launch; defaults=alloc:kept; columns=toy_us");
  EXPECT_EQ(parse_family_facts(print(facts)), facts);
  EXPECT_EQ(parse_family_facts(""), FamilyFacts());
  EXPECT_EQ(parse_family_facts("later=x; work= a , b ;;=;plain=x"), (FamilyFacts{{"a", "b"}, {}, {}, {}}));
}

}  // namespace
}  // namespace overlap
