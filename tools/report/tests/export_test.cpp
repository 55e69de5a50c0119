// What other trackers get.
#include "show/export.hpp"

#include <fmt/format.h>

#include "command.hpp"
#include "json_at.hpp"
#include "run_text.hpp"

namespace overlap::report {
namespace {

/// Two runs of a good row, a second one that only the later run has, and a failed one.
std::vector<report::Run> runs() {
  const std::string failed =
      R"({"name": "f/n:1", "error_occurred": true, "error_message": "x", "real_time": 0, "time_unit": "us"})";
  const auto good = [](double time) {
    return row_text("a/n:1/manual_time", time, "us", R"(, "bytes_per_second": 2e9, "x": NaN)");
  };
  return {
      parse_run(
          run_text(good(12) + "," + row_text("b,c/n:2/manual_time", 5) + "," + failed,
                   R"("gpu": "G", "driver": "1", "date": "2026-02-02", "revision": "later", "num_cpus": 4)"),
          "b"),
      parse_run(
          run_text(good(10), R"("gpu": "G", "driver": "1", "date": "2026-01-01", "revision": "earlier")"),
          "a")};
}

TEST(Export, GoogleBenchmarkJsonIsPlainAndReadable) {
  const std::string text = export_gbench(runs());
  const Json json = Json::parse(text);
  ASSERT_EQ(json_at(json, "benchmarks").elements().size(), 2U);
  EXPECT_EQ(json_at(json, "benchmarks", 0U, "name").text(), "a/n:1/manual_time");
  EXPECT_EQ(json_at(json, "benchmarks", 0U, "real_time").number(), 11.0);
  EXPECT_EQ(json_at(json, "benchmarks", 0U, "bytes_per_second").number(), 2e9);
  EXPECT_FALSE(json_at(json, "benchmarks", 0U).find("x"));
  EXPECT_EQ(json_at(json, "context", "num_cpus").number(), 4);
  EXPECT_TRUE(json_at(json, "context", "caches").is_array());
  const report::Run again = parse_run(text, "again");
  EXPECT_TRUE(again.warnings.empty());
  EXPECT_EQ(again.rows.size(), 2U);
  EXPECT_EQ(again.rows[0].name(), "a/n:1");
}

TEST(Export, GoogleBenchmarkJsonKeepsWhatWasWritten) {
  const std::string context =
      R"("num_cpus": 8, "mask": 18446744073709551615, "mhz_per_cpu": 2.5, "cpu_scaling_enabled": false, "load_avg": [1.5, 2], )"
      R"("caches": [{"type": "Data", "level": 1, "sizes": [32, {"a": null}]}], "gpu": "G", "note": null)";
  const auto row = [](const char* name, double time, double batch, const std::string& more) {
    return R"({"name": ")" + std::string(name) +
           R"(", "run_type": "iteration", "threads": 4, "iterations": 7, )" +
           R"("time_unit": "ns", "real_time": )" + fmt::format("{}", time) + R"(, "cpu_time": )" +
           fmt::format("{}", time / 8) + R"(, "batch": )" + fmt::format("{}", batch) + more + "}";
  };
  const std::string bound = R"(, "bound_us": 2.0, "label": "bound_by:kernel")";
  const std::string text = run_text(row("pipeline/n:1/work:1/process_time/threads:4", 1.8, 3, bound) + "," +
                                        row("pipeline/n:1/work:1/chunk:8", 30, 3, R"(, "bound_us": 0.001)") +
                                        "," + row("r/1", 100, 1, R"(, "family_index": 2)") + "," +
                                        row("r/1", 300, 3, R"(, "family_index": 2)") + "," +
                                        row("r/1", 200, 2, R"(, "family_index": 2)"),
                                    context);
  const report::Run run = parse_run(text, "x");
  EXPECT_TRUE(contains(export_gbench({run}), "\"mask\": 18446744073709551615"));
  const Json json = Json::parse(export_gbench({run}));
  EXPECT_EQ(json.at("context").dump(), Json::parse("{" + context + "}").dump());
  const Json& first = json_at(json, "benchmarks", 0U);
  EXPECT_EQ(first.at("name").text(), "pipeline/n:1/work:1/process_time/threads:4");
  for (const auto& [key, value] : {std::pair("real_time", 1.8),
                                   {"cpu_time", 1.8 / 8},
                                   {"threads", 4},
                                   {"iterations", 7},
                                   {"bound_us", 2}})
    EXPECT_EQ(first.at(key).number(), value) << key;
  EXPECT_EQ(first.at("time_unit").text(), "ns");
  EXPECT_EQ(first.at("label").text(), "bound_by:kernel");
  const Json& repeated = json_at(json, "benchmarks", 2U);
  EXPECT_EQ(repeated.at("real_time").number(), 200);
  EXPECT_EQ(repeated.at("cpu_time").number(), 25);
  EXPECT_EQ(repeated.at("batch").number(), 2) << "of the repetition in the middle";
  const report::Run again = parse_run(export_gbench({run}), "again");
  ASSERT_EQ(again.rows.size(), run.rows.size());
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    EXPECT_EQ(again.rows[i].id, run.rows[i].id);
    EXPECT_EQ(again.rows[i].time_us(), run.rows[i].time_us());
  }
  EXPECT_EQ(again.context, run.context);
}

TEST(Export, AMedianOverRunsIsReadBackAsOne) {
  std::vector<report::Run> all;
  for (const double time : {10.0, 12.0})
    all.push_back(
        parse_run(run_text(row_text("a/n:1", 99, "us", fmt::format(R"(, "p50_us": {})", time))), "x"));
  EXPECT_EQ(parse_run(export_gbench(all), "x").rows.at(0).time_us(), 11);
}

TEST(Export, GithubActionGetsAList) {
  const Json json = Json::parse(export_github_action(runs()));
  ASSERT_EQ(json.elements().size(), 2U);
  EXPECT_EQ(
      json_at(json, 0U).dump(),
      Json::parse(R"({"name": "a/n:1", "unit": "us", "value": 11.0, "range": "± 1", "extra": "G, driver 1"})")
          .dump());
  EXPECT_FALSE(json_at(json, 1U).find("range")) << "one run has none";
}

TEST(Export, BencherGetsNanosecondsAndRates) {
  const Json json = Json::parse(export_bencher(runs()));
  EXPECT_EQ(json_at(json, "a/n:1", "latency").dump(),
            Json::parse(R"({"value": 11000.0, "lower_value": 10000.0, "upper_value": 12000.0})").dump());
  EXPECT_EQ(json_at(json, "a/n:1", "throughput", "value").number(), 2e9);
  EXPECT_FALSE(json_at(json, "b,c/n:2").find("throughput"));
  EXPECT_FALSE(json.find("f/n:1"));
}

TEST(Export, OtavaOrdersByInstantsWhateverTheirOffsets) {
  const auto run = [](const std::string& date, const std::string& commit) {
    return parse_run(
        run_text(row_text("a", 1), fmt::format(R"("date": "{}", "revision": "{}")", date, commit)),
        "run.json");
  };
  const std::string text =
      export_otava({run("2025-12-31T23:00:00+00:00", "second"), run("2026-01-01T00:30:00+02:00", "first")});
  EXPECT_LT(text.find("first"), text.find("second")) << text;
}

TEST(Export, OtavaGetsALineARunInTheOrderOfTime) {
  EXPECT_EQ(export_otava(runs()),
            "time,commit,a/n:1,\"b,c/n:2\"\n"
            "2026-01-01,earlier,10,\n"
            "2026-02-02,later,12,5\n");
}

class ExportTest : public CommandTest {};

TEST_F(ExportTest, SaysThatRowsFailed) {
  const std::string file =
      write("run.json",
            run_text(row_text("a/n:1", 1) + R"(,{"name": "f", "error_occurred": true, "real_time": 0})"));
  const std::string command = std::string(OVERLAP_REPORT) + " export " + file;
  for (const char* format : {"gbench", "github-action", "bencher", "otava"})
    EXPECT_EQ(run_command(command + " --format " + format).exit_code, 1) << format;
  EXPECT_EQ(run_command(command + " --format csv").exit_code, 2);
}

TEST_F(ExportTest, RefusesRunsThatAreNotOfOneMachineAndBuild) {
  const auto file = [this](const std::string& name, const std::string& context) {
    return " " + write(name, run_text(row_text("a/n:1", 1), context));
  };
  const std::string one = file("one.json", R"("gpu": "G", "build_type": "Release", "revision": "abc")"),
                    later = file("later.json", R"("gpu": "G", "build_type": "Release", "revision": "def")"),
                    debug = file("debug.json", R"("gpu": "G", "build_type": "Debug", "revision": "abc")");
  for (const char* format : {"gbench", "github-action", "bencher", "otava"}) {
    const auto exported = [&](const std::string& files) {
      return run_command(std::string(OVERLAP_REPORT) + " export --format " + format + files);
    };
    const CommandResult refused = exported(one + debug);
    EXPECT_EQ(refused.exit_code, 5) << format;
    EXPECT_TRUE(contains(refused.output, "build_type (Release / Debug)")) << refused.output;
    EXPECT_EQ(exported(one + later).exit_code, std::string(format) == "otava" ? 0 : 5) << format;
    EXPECT_EQ(exported(one + one).exit_code, 0) << format;
  }
  EXPECT_EQ(run_command(std::string(OVERLAP_REPORT) + " noise" + one + one + debug).exit_code, 5);
}

}  // namespace
}  // namespace overlap::report
