// Tables of many shapes: what their columns are, and what speedups are over.
#include <random>

#include "command.hpp"
#include "judge/format.hpp"
#include "judge/nearest.hpp"
#include "judge/view.hpp"
#include "known.hpp"
#include "run_text.hpp"
#include "show/render.hpp"

namespace overlap::report {
namespace {

constexpr std::size_t kMany = many(100'000);

/// The only view of rows of these names, which take 1, 2, 3 ... us.
View view_of(const std::vector<std::string>& names, const Axes& baseline = {}, const std::string& more = "") {
  std::string rows;
  for (std::size_t i = 0; i < names.size(); ++i)
    rows += (i > 0 ? "," : "") + row_text(names[i], static_cast<double>(i + 1), "us", more);
  std::vector<View> views = make_views({parse_run(run_text(rows), "x")}, baseline);
  EXPECT_EQ(views.size(), 1U) << names[0];
  return views.at(0);
}

using Texts = std::vector<std::string>;
using Table = std::vector<Texts>;

Table values_of(const View& view) {
  Table values;
  for (const ViewRow& row : view.rows) values.push_back(row.values);
  return values;
}

TEST(View, BareArgumentsAreColumnsOfOneTable) {
  const View one = view_of({"BM_x/1/2", "BM_x/2/2", "BM_x/4/2", "BM_x/-8/2"});
  EXPECT_EQ(one.columns, Texts{"arg1"});
  EXPECT_EQ(one.fixed, (Axes{{"arg2", "2"}}));
  EXPECT_EQ(values_of(one), (Table{{"1"}, {"2"}, {"4"}, {"-8"}}));
  const View mixed = view_of({"f/n:4/8/16", "f/n:5/8", "f/32", "f/text/1/n:6"});
  EXPECT_EQ(mixed.columns, (Texts{"n", "arg1", "arg2"}));
  EXPECT_EQ(values_of(mixed), (Table{{"4", "8", "16"}, {"5", "8", ""}, {"", "32", ""}, {"6", "text", "1"}}));
  EXPECT_EQ(mixed.rows[0].name, "f/n:4/8/16");
  EXPECT_EQ(values_of(view_of({"f/n:4/n:8", "f/n:4/n:16"})), (Table{{"8"}, {"16"}}));
}

TEST(View, ABareArgumentCanBeTheBaseline) {
  const View view = view_of({"f/1/8", "f/1/9", "f/2/8", "f/2/9"}, {{"arg1", "1"}});
  EXPECT_DOUBLE_EQ(*view.rows[2].cells[0].number("speedup"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(*view.rows[3].cells[0].number("speedup"), 2.0 / 4);
}

TEST(View, RowsThatLookTheSameAreToldApart) {
  const View threads = view_of({"f/threads:1", "f/threads:2", "f"});
  EXPECT_EQ(threads.columns, Texts{"threads"});
  EXPECT_EQ(values_of(threads), (Table{{"1"}, {"2"}, {"1"}}));
  const View clocks = view_of({"f/1", "f/1/real_time", "f/1/process_time"});
  EXPECT_EQ(clocks.columns, Texts{"clock"});
  EXPECT_EQ(values_of(clocks), (Table{{""}, {"real_time"}, {"process_time"}}));
  EXPECT_EQ(view_of({"f/1/real_time", "f/2/real_time"}).columns, Texts{"arg1"}) << "the same in all of them";
  EXPECT_EQ(view_of({"f/1/threads:4", "f/2/threads:4"}).fixed, (Axes{{"threads", "4"}}));
  const View own = view_of({"f/threads:3/8/threads:1", "f/threads:3/8/threads:2"});
  EXPECT_EQ(own.columns, Texts{"run threads"}) << "an axis of its own has that name";
  const std::string row = row_text("f/n:1", 1, "us", R"(, "family_index": 1)");
  const std::string twin = row_text("f/n:1", 2, "us", R"(, "family_index": 2)");
  const View twins = make_views({parse_run(run_text(row + "," + twin), "x")}, {}).at(0);
  EXPECT_EQ(twins.columns, Texts{"#"});
  EXPECT_EQ(values_of(twins), (Table{{"1"}, {"2"}}));
}

TEST(View, OneSampleHasNoSpread) {
  const auto spread = [](const std::string& more) {
    return view_of({"f/n:1"}, {}, more).rows[0].cells[0].number("spread");
  };
  EXPECT_FALSE(spread(R"(, "cv": 0.0, "samples": 1)"));
  EXPECT_FALSE(spread(R"(, "cv": 0.0)"));
  EXPECT_EQ(spread(R"(, "cv": 0.0, "samples": 5)"), 0.0);
  EXPECT_EQ(spread(R"(, "cv": 0.25, "samples": 5)"), 0.25);
  EXPECT_EQ(spread(R"(, "cv": 0.25)"), 0.25);
}

/// Minutes, if anything looked through all rows for each of them.
TEST(View, ManyRowsAndManyTablesAreNoTrouble) {
  const auto run_of = [](std::size_t count, const auto& name) {
    report::Run run;
    run.rows.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      run.rows[i].id = parse_row_id(name(i));
      run.rows[i].times_us = {1.0 + static_cast<double>(i % 2)};
    }
    return run;
  };
  const auto text = [](std::size_t i) { return std::to_string(i); };
  const report::Run families = run_of(kMany, [&](std::size_t i) { return "f" + text(i) + "/n:1"; });
  EXPECT_EQ(make_views({families}, {}).size(), families.rows.size());
  const report::Run chunks = run_of(kMany, [&](std::size_t i) {
    return "pipeline/order:" + std::string(i % 2 ? "depth_first" : "sequential") +
           "/mem:pinned/submit:launch/streams:" + text(1 + i % 2) + "/chunk:" + text(i / 2) + "/n:8/work:1";
  });
  const View one = make_views({chunks}, {}).at(0);
  EXPECT_DOUBLE_EQ(*one.rows[kMany - 1].cells[0].number("speedup"), 0.5);
  const report::Run sizes = run_of(kMany, [&](std::size_t i) {
    return "pipeline/order:" + std::string(i % 2 ? "depth_first" : "sequential") +
           "/mem:pinned/submit:launch/streams:" + text(1 + i % 2) + "/n:" + text(i / 2 + 1) + "/work:1";
  });
  const std::vector<View> tables_of_two = make_views({sizes}, {});
  EXPECT_EQ(tables_of_two.size(), sizes.rows.size() / 2);
  EXPECT_TRUE(contains(to_text(tables(tables_of_two, {sizes})), format_count(text(kMany / 2))));
  const report::Run references = run_of(kMany / 3 * 3, [&](std::size_t i) {
    const char* const impls[] = {"extension", "silu", "cpu"};
    return "torch_swish/pass:forward/impl:" + std::string(impls[i % 3]) + "/submit:launch/n:8/dtype:d" +
           text(i / 3);
  });
  EXPECT_EQ(make_views({references}, {}).size(), references.rows.size() / 3);
  // No row has the place of a baseline row: another column differs too.
  const report::Run pairs = run_of(kMany, [&](std::size_t i) {
    const std::size_t place = i / 2;
    return std::string("f/k:") + (i % 2 ? "other" : "base") + "/a:" + text(place) +
           "/b:" + text((place + i % 2) % 7);
  });
  const View paired = make_views({pairs}, {{"k", "base"}}).at(0);
  for (const ViewRow& row : paired.rows)
    ASSERT_DOUBLE_EQ(*row.cells[0].number("speedup"), row.values[0] == "base" ? 1 : 0.5) << row.name;
}

/// By looking through all of them: the first of those that share most.
std::size_t nearest_by_hand(const Table& places, const Texts& values) {
  std::size_t best = 0, most = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::size_t shared = 0;
    for (std::size_t c = 0; c < values.size(); ++c) shared += places[i][c] == values[c] ? 1 : 0;
    if (shared > most) most = shared, best = i;
  }
  return best;
}

TEST(View, TheBaselineIsTheFirstThatSharesMost) {
  std::mt19937 generator(1);
  for (const std::size_t columns : {1U, 2U, 4U, 9U}) {
    for (const unsigned values : {2U, 5U, 40U}) {
      const auto place = [&](unsigned more) {
        Texts texts;
        for (std::size_t c = 0; c < columns; ++c)
          texts.push_back(std::to_string(generator() % (values + more)));
        return texts;
      };
      Table places;
      for (int i = 0; i < 200; ++i) places.push_back(place(0));
      std::vector<const Texts*> pointers;
      for (const Texts& each : places) pointers.push_back(&each);
      Nearest nearest(pointers);
      for (int i = 0; i < 300; ++i) {
        const Texts wanted = place(3);
        ASSERT_EQ(nearest.find(wanted), nearest_by_hand(places, wanted)) << columns << " " << values;
      }
    }
  }
}

TEST(View, SettingsTellRowsApartThatDifferInNothingElse) {
  const View view =
      view_of({"f<float>/64", "f<float>/64/min_time:2.000", "f<float>/64/iterations:10/repeats:3"});
  EXPECT_EQ(view.columns, Texts{"settings"});
  EXPECT_EQ(values_of(view), (Table{{""}, {"min_time:2.000"}, {"iterations:10/repeats:3"}}));
  EXPECT_EQ(view_of({"f/1/min_time:2.000", "f/2/repeats:2"}).columns, Texts{"arg1"}) << "told apart already";
  const View same = view_of({"f/repeats:2/min_time:1", "f/repeats:3/min_time:1"});
  EXPECT_EQ(values_of(same), (Table{{"repeats:2"}, {"repeats:3"}})) << "what all have is not said";
}
}  // namespace
}  // namespace overlap::report
