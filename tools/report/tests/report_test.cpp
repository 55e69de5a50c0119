// Reading and arranging results, on small inputs written by hand.
#include "command.hpp"
#include "judge/view.hpp"
#include "known.hpp"
#include "read/results.hpp"
#include "run_text.hpp"
#include "show/render.hpp"

namespace overlap::report {
namespace {

const std::string kData = OVERLAP_TEST_DATA;
const std::string kReport = OVERLAP_REPORT;

const Cell& cell(const std::vector<View>& views, std::size_t row, std::size_t file = 0) {
  return views.at(0).rows.at(row).cells.at(file);
}

TEST(Results, TakesNamesApart) {
  const report::Run run = parse_run(
      run_text(row_text(
          "pipeline/order:sequential/n:16/min_time:0.1/iterations:5/repeats:2/manual_time/threads:1", 3)),
      "x");
  const Row& row = run.rows.at(0);
  EXPECT_EQ(row.family(), "pipeline");
  EXPECT_EQ(row.name(), "pipeline/order:sequential/n:16/min_time:0.1/iterations:5/repeats:2/threads:1");
  EXPECT_EQ(row.axis("order"), "sequential");
  EXPECT_EQ(row.axis("n"), "16");
  EXPECT_EQ(row.axis("streams"), "");
}

TEST(Results, ForeignBenchmarksKeepTheirNames) {
  const report::Run run =
      parse_run(run_text(row_text("BM_copy<float>/8/1024", 3) + "," + row_text("BM/a:1/2", 3)), "x");
  EXPECT_EQ(run.rows[0].name(), "BM_copy<float>/8/1024");
  EXPECT_EQ(run.rows[0].family(), "BM_copy<float>");
  EXPECT_EQ(run.rows[0].axis("arg2"), "1024");
  EXPECT_EQ(run.rows[1].axis("a"), "1");
  EXPECT_EQ(run.rows[1].axis("arg1"), "2");
}

TEST(Results, ConvertsUnits) {
  for (const auto& [unit, us] :
       std::map<std::string, double>{{"ns", 2e-3}, {"us", 2}, {"ms", 2e3}, {"s", 2e6}})
    EXPECT_DOUBLE_EQ(parse_run(run_text(row_text("a/n:1", 2, unit)), "x").rows[0].times_us.at(0), us) << unit;
}

TEST(Results, GathersRepetitionsAndPrefersTheMedianOfSamples) {
  const report::Run run = parse_run(
      run_text(row_text("a/n:1", 9, "us", R"(, "family_index": 0, "p50_us": 1.0, "cv": 0.5)") + "," +
               row_text("a/n:1", 9, "us", R"(, "family_index": 0, "p50_us": 3.0, "cv": 0.1)") + "," +
               row_text("a/n:1", 9, "us", R"(, "family_index": 0, "p50_us": 2.0, "cv": 0.2)")),
      "x");
  ASSERT_EQ(run.rows.size(), 1U);
  EXPECT_EQ(run.rows[0].times_us, (std::vector<double>{1, 3, 2}));
  EXPECT_EQ(run.rows[0].counter("cv"), 0.2);
}

TEST(Results, ShuffledRowsComeInTheOrderOfRegistration) {
  const report::Run run = parse_run(run_text(row_text("a/n:2", 2, "us", R"(, "family_index": 1)") + "," +
                                             row_text("a/n:1", 1, "us", R"(, "family_index": 0)") + "," +
                                             row_text("a/n:3", 3, "us", R"(, "family_index": 2)")),
                                    "x");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(run.rows[i].times_us.at(0), static_cast<double>(i + 1));
}

TEST(Results, ReadsFilesThatKeptOnlyAggregates) {
  const std::string rows =
      R"({"name": "a/n:1_mean", "run_name": "a/n:1", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 9, "time_unit": "us"},
         {"name": "a/n:1_median", "run_name": "a/n:1", "run_type": "aggregate", "aggregate_name": "median", "real_time": 5, "time_unit": "us"},
         {"name": "a/n:1_cv", "run_name": "a/n:1", "run_type": "aggregate", "aggregate_name": "cv", "real_time": 0.1, "time_unit": "us"})";
  EXPECT_EQ(parse_run(run_text(rows), "x").rows.at(0).times_us, (std::vector<double>{5}));
}

TEST(Results, FailedAndSkippedRowsHaveNoTime) {
  const std::string rows =
      R"({"name": "a/n:1", "run_name": "a/n:1", "run_type": "iteration", "error_occurred": true, "error_message": "out of memory", "real_time": 0.0, "time_unit": "us"},
         {"name": "a/n:2", "run_name": "a/n:2", "run_type": "iteration", "skipped": true, "skip_message": "budget", "real_time": 0.0, "time_unit": "us"},
         {"name": "a/n:3", "run_name": "a/n:3", "run_type": "iteration", "family_index": 2, "real_time": 4.0, "time_unit": "us"},
         {"name": "a/n:3", "run_name": "a/n:3", "run_type": "iteration", "family_index": 2, "error_occurred": true, "error_message": "second failed", "real_time": 0.0, "time_unit": "us"})";
  const report::Run run = parse_run(run_text(rows), "x");
  ASSERT_EQ(run.rows.size(), 3U);
  EXPECT_EQ(run.rows[0].failure, "out of memory");
  EXPECT_EQ(run.rows[1].failure, "skipped: budget");
  EXPECT_EQ(run.rows[2].failure, "second failed") << "half a row is no row";
  EXPECT_FALSE(run.rows[0].skipped);
  EXPECT_TRUE(run.rows[1].skipped) << "on purpose";
  EXPECT_FALSE(run.rows[2].skipped);
  for (const Row& row : run.rows) EXPECT_TRUE(row.times_us.empty());
}

TEST(Results, RefusesWithFilePlaceAndReason) {
  EXPECT_TRUE(contains(refusal(""), "some.json: offset 0: is empty"));
  EXPECT_TRUE(contains(refusal(" \n"), "some.json: "));
  EXPECT_TRUE(contains(refusal("[1, 2]"), "not Google Benchmark's"));
  EXPECT_FALSE(refusal(R"({"benchmarks": [{"name": "a"}]})").empty());
  EXPECT_TRUE(contains(refusal(run_text("")), "no rows"));
  EXPECT_TRUE(contains(refusal(run_text("7")), "benchmarks[0]"));
  EXPECT_TRUE(contains(refusal(run_text(row_text("a/n:1", 1), R"("json_schema_version": 2)")),
                       "json_schema_version"));
  const std::string nameless = R"({"context": {}, "benchmarks": [{"x": NaN}]})";
  EXPECT_TRUE(contains(refusal(nameless),
                       "offset " + std::to_string(nameless.find("{\"x\"")) + ": benchmarks[0] has no name"));
}

TEST(Results, OfEveryTruncationTheCompleteRowsAreLeft) {
  const std::string whole = run_text(row_text("a/n:1", 1) + "," + row_text("a/n:2", 2));
  const std::size_t first = whole.find("}", whole.find("a/n:1")) + 1, second = whole.find("}", first) + 1;
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    if (length < first) {
      ASSERT_TRUE(contains(refusal(cut), "some.json: ")) << length;
      continue;
    }
    const report::Run run = parse_run(cut, "some.json");
    ASSERT_EQ(run.rows.size(), length < second ? 1U : 2U) << length;
    ASSERT_TRUE(contains(run.cut_off, "cut off")) << length;
  }
  EXPECT_TRUE(parse_run(whole, "x").cut_off.empty());
}

TEST(Results, MissingFilesAndFoldersAreRefused) {
  EXPECT_THROW(read_run("/nosuch/file.json"), InputError);
  EXPECT_THROW(read_run("/tmp"), InputError);
}

TEST(Results, ReadsEveryVersionOfTheLibrary) {
  for (const char* file : {"gbench-1.7.1.json", "gbench-1.8.3.json", "gbench-1.9.4.json"}) {
    const report::Run run = read_run(kData + "/" + file);
    EXPECT_GE(run.rows.size(), 2U) << file;
    for (const Row& row : run.rows)
      EXPECT_EQ(row.failed(), contains(row.name(), "fails")) << file << " " << row.name();
  }
}

/// Sequential at 40 us, two depth-first rows, a CPU reference; optionally slower by a factor.
std::string pipeline(double factor = 1) {
  const auto name = [](const std::string& rest) {
    return "pipeline/order:" + rest + "/n:100/work:1/manual_time";
  };
  return row_text(name("sequential/mem:pinned/submit:launch/streams:1"), 40 * factor) + "," +
         row_text(name("sequential/mem:pinned/submit:graph/streams:1"), 50 * factor) + "," +
         row_text(name("depth_first/mem:pinned/submit:launch/streams:4"), 20 * factor, "us",
                  R"(, "submit_us": 19.0, "host_bound": 1.0, "cv": 0.01, "bytes_per_second": 2e9)") +
         "," + row_text(name("depth_first/mem:pinned/submit:graph/streams:4"), 10 * factor) + "," +
         row_text("cpu/op:trig/n:100/manual_time", 4, "ms");
}

TEST(View, SpeedupsAreOverTheBaselineOfTheGroup) {
  const auto views = make_views({parse_run(run_text(pipeline()), "x")}, {});
  ASSERT_EQ(views.size(), 2U);
  EXPECT_EQ(views[0].family, "pipeline");
  EXPECT_EQ(views[0].columns, (std::vector<std::string>{"order", "submit", "streams"}));
  EXPECT_DOUBLE_EQ(*cell(views, 0).number("speedup"), 1);
  EXPECT_DOUBLE_EQ(*cell(views, 1).number("speedup"), 0.8);
  EXPECT_DOUBLE_EQ(*cell(views, 2).number("speedup"), 2);
  EXPECT_DOUBLE_EQ(*cell(views, 3).number("speedup"), 4);
  EXPECT_DOUBLE_EQ(*cell(views, 2).number("times_cpu"), 200);
  EXPECT_DOUBLE_EQ(*cell(views, 2).number("gb_per_s"), 2);
  EXPECT_TRUE(cell(views, 2).host_bound);
}

TEST(View, BaselineCanBeChosen) {
  const auto views = make_views({parse_run(run_text(pipeline()), "x")}, {{"submit", "graph"}});
  EXPECT_DOUBLE_EQ(*cell(views, 0).number("speedup"), 50.0 / 40);  // sequential over sequential
  EXPECT_DOUBLE_EQ(*cell(views, 2).number("speedup"), 10.0 / 20);  // four streams over four streams
}

TEST(View, FailedBaselineGivesNoSpeedup) {
  const std::string failed =
      R"({"name": "sequence/submit:launch/n:1", "error_occurred": true, "error_message": "no", "real_time": 0, "time_unit": "us"},)" +
      row_text("sequence/submit:graph/n:1", 5);
  const auto views = make_views({parse_run(run_text(failed), "x")}, {});
  EXPECT_EQ(cell(views, 0).failure, "no");
  EXPECT_FALSE(cell(views, 1).number("speedup"));
}

TEST(View, ZeroTimesGiveNoRatio) {
  const auto views = make_views({parse_run(run_text(row_text("sequence/submit:launch/n:1", 0) + "," +
                                                    row_text("sequence/submit:graph/n:1", 0)),
                                           "x")},
                                {});
  EXPECT_FALSE(cell(views, 0).number("speedup"));
  EXPECT_FALSE(cell(views, 1).number("speedup"));
}

TEST(View, NothingDividesOneFileByAnother) {
  // A host run ten times slower, without its own baseline: no speedup may appear for it.
  const report::Run cuda = parse_run(run_text(pipeline()), "cuda.json");
  const report::Run host = parse_run(
      run_text(
          row_text("pipeline/order:depth_first/mem:pinned/submit:launch/streams:4/n:100/work:1/manual_time",
                   200),
          R"("backend": "host", "gpu": "CPU")"),
      "host.json");
  const auto views = make_views({cuda, host}, {});
  EXPECT_DOUBLE_EQ(*cell(views, 2, 0).number("speedup"), 2);
  EXPECT_TRUE(cell(views, 2, 1).present);
  EXPECT_FALSE(cell(views, 2, 1).number("speedup"));
  EXPECT_FALSE(cell(views, 2, 1).number("times_cpu"));
  EXPECT_FALSE(cell(views, 0, 1).present);
}

class ReportTest : public CommandTest {};

TEST_F(ReportTest, ExitCodesAreAsDocumented) {
  const std::string good = write("good.json", run_text(pipeline()));
  const std::string failed = write(
      "failed.json",
      run_text(
          R"({"name": "a/n:1", "error_occurred": true, "error_message": "no", "real_time": 0, "time_unit": "us"})"));
  EXPECT_EQ(run_command(kReport + " table " + good).exit_code, 0);
  EXPECT_EQ(run_command(kReport + " table " + failed).exit_code, 1);
  const std::string skipped = write(
      "skipped.json",
      run_text(
          R"({"name": "a/n:1", "skipped": true, "skip_message": "no cores", "real_time": 0, "time_unit": "us"})"));
  EXPECT_EQ(run_command(kReport + " table " + skipped).exit_code, 0) << "on purpose";
  for (const char* usage :
       {"", " tabel", " table", " table --nosuch", " table --format=pdf", " table --baseline=order"})
    EXPECT_EQ(run_command(kReport + usage + (contains(usage, "--") ? " " + good : "")).exit_code, 2) << usage;
  EXPECT_EQ(run_command(kReport + " table " + good + " --baseline order=nosuch").exit_code, 2);
  EXPECT_EQ(run_command(kReport + " table " + good + " -o /nosuch/folder/t").exit_code, 2);
  EXPECT_EQ(run_command(kReport + " table " + good + " > /dev/full").exit_code, 2);
  EXPECT_EQ(run_command(kReport + " table " + path("none.json")).exit_code, 3);
  EXPECT_EQ(run_command(kReport + " table " + write("empty.json", "")).exit_code, 3);
  EXPECT_EQ(run_command(kReport + " table " + good + " " + write("cut.json", "{\"context\": ")).exit_code, 3);
}

}  // namespace
}  // namespace overlap::report
