// What other trackers get.
#include "show/export.hpp"

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

TEST(Export, OtavaGetsALineARunInTheOrderOfTime) {
  EXPECT_EQ(export_otava(runs()),
            "time,commit,a/n:1,\"b,c/n:2\"\n"
            "2026-01-01,earlier,10,\n"
            "2026-02-02,later,12,5\n");
}

class ExportTest : public CommandTest {};

TEST_F(ExportTest, SaysThatRowsFailed) {
  const std::string file =
      write("run.json", run_text(row_text("a/n:1", 1) + R"(,{"name": "f", "skipped": true})"));
  const std::string command = std::string(OVERLAP_REPORT) + " export " + file;
  for (const char* format : {"gbench", "github-action", "bencher", "otava"})
    EXPECT_EQ(run_command(command + " --format " + format).exit_code, 1) << format;
  EXPECT_EQ(run_command(command + " --format csv").exit_code, 2);
}

}  // namespace
}  // namespace overlap::report
