// Axis values, presets, --sweep: what is asked for is what runs, and wrong words are refused with right ones.
#include "harness/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "families/pipeline/chunks.hpp"
#include "harness/options.hpp"

namespace overlap {
namespace {

using Values = std::vector<std::string>;

const Axis kNumber{.name = "streams", .help = "", .quick = "1,2", .paper = "4", .full = "8"};
const Axis kWord{.name = "order",
                 .help = "",
                 .choices = {"sequential", "depth_first", "breadth_first"},
                 .quick = "depth_first"};

/// The message of the UsageError that `action` throws; empty if it throws none.
template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

TEST(ParseValues, ReadsEveryNotation) {
  EXPECT_EQ(parse_values(kNumber, "1,2,4"), (Values{"1", "2", "4"}));
  EXPECT_EQ(parse_values(kNumber, "2^20"), (Values{"1048576"}));
  EXPECT_EQ(parse_values(kNumber, "64Ki,3M,1Gi"), (Values{"65536", "3000000", "1073741824"}));
  EXPECT_EQ(parse_values(kNumber, "1..32*2"), (Values{"1", "2", "4", "8", "16", "32"}));
  EXPECT_EQ(parse_values(kNumber, "1..8+3"), (Values{"1", "4", "7"}));
  EXPECT_EQ(parse_values(kNumber, "n/16"), (Values{"n/16"}));
  EXPECT_EQ(parse_values(kNumber, "0,-3"), (Values{"0", "-3"}));  // for the row to refuse, with a failed row
  EXPECT_EQ(parse_values(kWord, "sequential,depth_first"), (Values{"sequential", "depth_first"}));
}

TEST(ParseValues, RefusesWhatIsNone) {
  for (const char* bad : {"", "1,", "x", "1.5", "2^64", "2^-1", "99999999999999999999", "8Gi^2", "1..8",
                          "8..1*2", "1..8*1", "0..8*2", "1..8+0", "n/0", "n/x", "1..9999999+1", "4Ti"})
    EXPECT_NE(refusal([&] { parse_values(kNumber, bad); }), "") << bad;
}

TEST(ParseValues, NamesTheNearestWord) {
  EXPECT_NE(refusal([] { parse_values(kWord, "depht_first"); }).find("'depth_first'"), std::string::npos);
  EXPECT_NE(refusal([] { parse_values(kWord, "qqqqqqqq"); }).find("sequential, depth_first"),
            std::string::npos);
}

/// Two families that share axes, without a device behind them.
std::vector<Family> families() {
  Family chunked;
  chunked.name = "chunked";
  chunked.axes = {kWord,
                  kNumber,
                  {.name = "chunk", .help = "", .quick = "n/4,n/3", .paper = "n/4", .round = rounded_chunk},
                  {.name = "n", .help = "", .quick = "10,100", .paper = "1000", .host_quick = "7"}};
  chunked.data_axes = {"n"};
  chunked.canonical = [](Point& point) {
    if (point.text("order") == "sequential") point.set("streams", "1");
  };
  Family small;
  small.name = "small";
  small.axes = {{.name = "n", .help = "", .quick = "5,6", .paper = "5", .full = "5"}};
  small.wanted = [](const Point& point, const Asked& asked) { return point.number("n") == 5 || asked("n"); };
  return {chunked, small};
}

std::vector<std::string> names(SweepRequest request, bool host = false) {
  static const std::vector<Family> all = families();
  std::vector<std::string> result;
  request.host = host;
  for (const PlannedRow& row : plan_rows(all, request, {})) result.push_back(row.name());
  return result;
}

TEST(PlanRows, NamesEveryAxisAndGroupsByData) {
  const auto rows = names({});
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(rows[0], "chunked/order:depth_first/streams:1/chunk:3/n:10");
  EXPECT_EQ(rows[1], "chunked/order:depth_first/streams:1/chunk:4/n:10");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(rows[i].ends_with("/n:10")) << rows[i];
  for (std::size_t i = 4; i < 8; ++i) EXPECT_TRUE(rows[i].ends_with("/n:100")) << rows[i];
  EXPECT_EQ(rows[8], "small/n:5");
}

TEST(PlanRows, KnowsPresetsAndTheHost) {
  EXPECT_EQ(names({.preset = "paper"}).front(), "chunked/order:depth_first/streams:4/chunk:250/n:1000");
  EXPECT_TRUE(names({}, true).front().ends_with("/n:7"));
  EXPECT_NE(refusal([] { names({.preset = "quikc"}); }).find("'quick'"), std::string::npos);
}

TEST(PlanRows, PresetsLeaveOutWhatTheDeviceHasNot) {
  Family family;
  family.name = "f";
  family.axes = {{.name = "mem",
                  .help = "",
                  .choices = {"a", "b"},
                  .available = [](const std::string& value, const DeviceInfo& device) {
                    return value != "b" || device.write_combined;
                  }}};
  const auto count = [&](bool has, const std::vector<std::string>& overrides) {
    DeviceInfo device;
    device.write_combined = has;
    return plan_rows({family}, {.overrides = overrides}, device).size();
  };
  EXPECT_EQ(count(true, {}), 2U);
  EXPECT_EQ(count(false, {}), 1U);
  EXPECT_EQ(count(false, {"mem=a,b"}), 2U);  // asked for: it will say itself why it cannot
}

TEST(PlanRows, SweepReplacesAnAxisEverywhereOrInOneFamily) {
  const auto everywhere = names({.overrides = {"n=1..4*4", "streams=3", "chunk=2"}});
  EXPECT_EQ(everywhere,
            (Values{"chunked/order:depth_first/streams:3/chunk:2/n:1",
                    "chunked/order:depth_first/streams:3/chunk:2/n:4", "small/n:1", "small/n:4"}));
  const auto one = names({.overrides = {"small.n=9", "chunk=5", "streams=1", "chunked.n=20"}});
  EXPECT_EQ(one, (Values{"chunked/order:depth_first/streams:1/chunk:5/n:20", "small/n:9"}));
}

TEST(PlanRows, OtherAxesKeepThePresetsChoice) {
  // `small` wants n:5 only, and is not asked about another axis.
  const auto rows = names({.overrides = {"streams=1"}});
  EXPECT_EQ(std::ranges::count(rows, "small/n:5"), 1);
  EXPECT_EQ(std::ranges::count(rows, "small/n:6"), 0);
}

TEST(PlanRows, EqualRowsAreOne) {
  const auto rows =
      names({.overrides = {"order=sequential", "streams=1,2,4,8", "chunk=n/2", "chunked.n=8", "small.n=1"}});
  EXPECT_EQ(rows, (Values{"chunked/order:sequential/streams:1/chunk:4/n:8", "small/n:1"}));
}

TEST(PlanRows, RefusesUnknownWordsWithTheNearest) {
  EXPECT_NE(refusal([] { names({.overrides = {"steams=1"}}); }).find("'streams'"), std::string::npos);
  EXPECT_NE(refusal([] { names({.overrides = {"chunkd.n=1"}}); }).find("'chunked'"), std::string::npos);
  EXPECT_NE(refusal([] { names({.overrides = {"small.streams=1"}}); }).find("in family small"),
            std::string::npos);
  EXPECT_NE(refusal([] { names({.overrides = {"order=sequentail"}}); }).find("'sequential'"),
            std::string::npos);
  EXPECT_NE(refusal([] { names({.overrides = {"streams"}}); }).find("AXIS=VALUE"), std::string::npos);
  EXPECT_NE(refusal([] { names({.overrides = {"streams="}}); }), "");
}

TEST(PlanRows, CutChunksAreRound) {
  const auto chunks = [](const std::string& n) {
    return names({.overrides = {"chunked.n=" + n, "chunk=n/15", "streams=1", "small.n=1"}}).front();
  };
  EXPECT_EQ(chunks("16777216"), "chunked/order:depth_first/streams:1/chunk:1179648/n:16777216");
  EXPECT_EQ(chunks("10007"), "chunked/order:depth_first/streams:1/chunk:668/n:10007");
}

TEST(PlanRows, BigNumbersStayExact) {
  const auto rows = names({.overrides = {"chunked.n=2^62", "chunk=n/3", "streams=1", "small.n=1"}});
  EXPECT_EQ(rows.front(),
            "chunked/order:depth_first/streams:1/chunk:1585267068834414592/n:4611686018427387904");
}

TEST(PlanRows, OnlyAxesThatWantItGetRoundParts) {
  EXPECT_EQ(names({.overrides = {"streams=n/15", "chunk=n", "chunked.n=16777216", "small.n=1"}}).front(),
            "chunked/order:depth_first/streams:1118482/chunk:16777216/n:16777216");
}

TEST(PlanRows, PartsOfNNeedAnN) {
  Family with, without;
  with.name = "with";
  with.axes = {kNumber, {.name = "n", .help = "", .quick = "8"}};
  without.name = "without";
  without.axes = {kNumber, {.name = "dim", .help = "", .quick = "4"}};
  const auto rows = [&](const std::string& sweep) {
    Values result;
    for (const PlannedRow& row : plan_rows({with, without}, {.overrides = {sweep}}, {}))
      result.push_back(row.name());
    return result;
  };
  EXPECT_EQ(rows("streams=n/4,3"),
            (Values{"with/streams:2/n:8", "with/streams:3/n:8", "without/streams:3/dim:4"}));
  for (const char* wrong : {"dim=n/4", "without.dim=n", "without.streams=n/2"})
    EXPECT_NE(refusal([&] { rows(wrong); }).find("without has no n"), std::string::npos) << wrong;
  EXPECT_NE(refusal([&] { rows("n=n/2"); }), "");
}

TEST(PlanRows, PresetsFallBackToOneAnother) {
  const Axis numbers{.name = "x", .help = "", .quick = "1,2", .host_quick = "1"};
  EXPECT_EQ(numbers.values("quick", false), "1,2");
  EXPECT_EQ(numbers.values("quick", true), "1");
  EXPECT_EQ(numbers.values("paper", true), "1,2");
  EXPECT_EQ(numbers.values("full", false), "1,2");
  const Axis words{.name = "x", .help = "", .choices = {"a", "b"}, .paper = "a"};
  EXPECT_EQ(words.values("quick", true), "a,b");
  EXPECT_EQ(words.values("paper", false), "a");
  EXPECT_EQ(words.values("full", false), "a");
}

TEST(PlanRows, ALateAxisIsNotInTheNameAtItsDefault) {
  Family family;
  family.name = "f";
  family.axes = {
      kNumber,
      {.name = "alloc", .help = "", .choices = {"kept", "pool"}, .quick = "kept", .late_default = "kept"}};
  const auto rows = [&](std::vector<std::string> overrides) {
    Values result;
    for (const PlannedRow& row : plan_rows({family}, {.overrides = std::move(overrides)}, {})) {
      EXPECT_FALSE(row.point.text("alloc").empty());
      result.push_back(row.name());
    }
    return result;
  };
  EXPECT_EQ(rows({"streams=1"}), (Values{"f/streams:1"}));
  EXPECT_EQ(rows({"streams=1", "alloc=kept,pool"}), (Values{"f/streams:1", "f/streams:1/alloc:pool"}));
}

TEST(PlanRows, GroupsThatLaunchSideBySideComeLast) {
  Family family;
  family.name = "f";
  family.axes = {{.name = "how", .help = "", .choices = {"beside", "after"}},
                 {.name = "n", .help = "", .quick = "1,2"}};
  family.side_by_side = [](const Point& point) {
    return point.is("how", "beside") && point.number("n") == 2;
  };
  const auto rows = [&] {
    Values result;
    for (const PlannedRow& row : plan_rows({family}, {}, {})) result.push_back(row.name());
    return result;
  };
  EXPECT_EQ(rows(), (Values{"f/how:beside/n:1", "f/how:after/n:1", "f/how:after/n:2", "f/how:beside/n:2"}));
  family.data_axes = {"n"};  // rows that share data stay together
  EXPECT_EQ(rows(), (Values{"f/how:beside/n:1", "f/how:after/n:1", "f/how:beside/n:2", "f/how:after/n:2"}));
}

TEST(PlanRows, AnAxisCanFollowOthers) {
  Family source, reference;
  source.name = "source";
  source.axes = {{.name = "n", .help = "", .quick = "5,600", .paper = "7"}};
  reference.name = "reference";
  reference.axes = {{.name = "n", .help = "", .follows = {"source"}}};
  reference.wanted = [](const Point& point, const Asked& asked) {
    return asked("n") ||
           (asked.has("source", "n", point.text("n")) && (asked("source", "n") || point.number("n") < 100));
  };
  const auto rows = [&](const SweepRequest& request) {
    Values result;
    for (const PlannedRow& row : plan_rows({source, reference}, request, {}))
      if (row.id.family == "reference") result.push_back(row.name());
    return result;
  };
  EXPECT_EQ(rows({}), (Values{"reference/n:5"}));
  EXPECT_EQ(rows({.preset = "paper"}), (Values{"reference/n:7"}));
  EXPECT_EQ(rows({.overrides = {"source.n=900,3"}}), (Values{"reference/n:900", "reference/n:3"}));
  EXPECT_EQ(rows({.overrides = {"reference.n=4"}}), (Values{"reference/n:4"}));
}

TEST(Point, ChecksLimits) {
  Point point;
  point.set("streams", "0");
  EXPECT_THROW(point.count("streams", 8), std::invalid_argument);
  point.set("streams", "9");
  EXPECT_THROW(point.count("streams", 8), std::invalid_argument);
  point.set("streams", "8");
  EXPECT_EQ(point.count("streams", 8), 8U);
}

Options options(std::vector<const char*> words) {
  words.insert(words.begin(), "overlap-bench");
  return parse_options(static_cast<int>(words.size()), words.data(), "cuda");
}

TEST(Options, GoogleBenchmarksFlagsKeepTheirMeaning) {
  EXPECT_DOUBLE_EQ(options({"--benchmark_min_time=0.5"}).measure.min_time_s, 0.5);
  EXPECT_DOUBLE_EQ(options({"--benchmark_min_time=0.5s"}).measure.min_time_s, 0.5);
  EXPECT_EQ(options({"--benchmark_min_time=100x"}).measure.fixed_operations, 100U);
  EXPECT_DOUBLE_EQ(options({"--benchmark_min_warmup_time=0.3"}).measure.warm_up_s, 0.3);
  EXPECT_EQ(options({"--benchmark_repetitions=7"}).repetitions, 7);
  EXPECT_EQ(options({"--benchmark_out=x.json"}).out, "x.json");
  EXPECT_FALSE(options({"--benchmark_out_format=csv"}).json_out);
  EXPECT_TRUE(options({"--benchmark_list_tests"}).list_rows);
  EXPECT_FALSE(options({"--benchmark_list_tests=false"}).list_rows);
  const auto passed = options({"--benchmark_counters_tabular=true"}).for_google_benchmark;
  EXPECT_EQ(passed.front(), "--benchmark_counters_tabular=true");
}

TEST(Options, RefusesWithTheNearestFlag) {
  EXPECT_NE(refusal([] { options({"--benchmark_filtr=x"}); }).find("--benchmark_filter"), std::string::npos);
  EXPECT_NE(refusal([] { options({"--swep=n=1"}); }).find("--sweep"), std::string::npos);
  EXPECT_NE(refusal([] { options({"--benchmark_format=jsn"}); }).find("'json'"), std::string::npos);
  for (const char* bad : {"--benchmark_repetitions=x", "--benchmark_min_time=-1", "--benchmark_min_time=soon",
                          "--benchmark_min_time=nan", "--benchmark_color", "extra", "--device=one",
                          "--wall-budget=0", "--benchmark_min_time=0x"})
    EXPECT_NE(refusal([&] { options({bad}); }), "") << bad;
}

TEST(Selected, SearchesAndInverts) {
  Family family;
  family.name = "a";
  family.axes = {{.name = "n", .help = "", .quick = "1"}};
  const auto matches = [&](const std::string& filter) {
    return selected(plan_rows({family}, {}, {}), filter).size() == 1;
  };
  for (const char* filter : {"", "all", "n:1/", "-n:2/", "^a/n:1/manual_time$"})
    EXPECT_TRUE(matches(filter)) << filter;
  for (const char* filter : {"n:1$", "-n:1/", "-all"}) EXPECT_FALSE(matches(filter)) << filter;
  EXPECT_NE(refusal([&] { matches("(("); }), "");
}

TEST(Options, KnowInterleavingAndTheBackend) {
  EXPECT_TRUE(options({"--benchmark_enable_random_interleaving=true"}).interleaved);
  EXPECT_FALSE(options({}).interleaved);
  EXPECT_FALSE(options({}).sweep.host);
}

}  // namespace
}  // namespace overlap
