// The store under two writers and torn lines, and what its series say.
#include "judge/history.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "run_text.hpp"

namespace overlap::report {
namespace {

report::Run run_at(std::size_t day, double time, const std::string& more = "", const std::string& gpu = "G") {
  return parse_run(
      run_text(row_text("a/n:1/manual_time", time) + more,
               fmt::format(R"("gpu": "{}", "date": "2026-01-{:02}", "revision": "c{}")", gpu, day + 1, day)),
      "run.json");
}

Store store_of(const std::vector<double>& times) {
  Store store;
  for (std::size_t i = 0; i < times.size(); ++i) store.runs.push_back(run_at(i, times[i]));
  return store;
}

Series series_of(const std::vector<double>& times, const HistoryOptions& options = {}) {
  return analyse(store_of(times), options).at(0);
}

/// `n` values about `level` that repeat a fixed small pattern.
std::vector<double> level(double level, int n) {
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back(level * (1 + 0.002 * ((i * 7) % 5 - 2)));
  return values;
}

std::vector<double> joined(std::initializer_list<std::vector<double>> parts) {
  std::vector<double> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(History, FindsWhereAStepBegins) {
  const Series series = series_of(joined({level(100, 10), level(105, 8)}));
  ASSERT_EQ(series.changes.size(), 1U);
  EXPECT_EQ(series.changes[0].commit, "c10");
  EXPECT_EQ(series.changes[0].date, "2026-01-11");
  EXPECT_NEAR(series.changes[0].before_us, 100, 0.5);
  EXPECT_NEAR(series.changes[0].after_us, 105, 0.5);
  EXPECT_TRUE(is_bad(series));
  EXPECT_TRUE(series.drifts.empty()) << "a step is no drift";
  EXPECT_FALSE(is_bad(series_of(joined({level(100, 10), level(90, 8)})))) << "faster is not bad";
}

TEST(History, KnowsWhatHasRecovered) {
  const Series series = series_of(joined({level(100, 10), level(110, 8), level(100, 8)}));
  ASSERT_EQ(series.changes.size(), 2U);
  EXPECT_TRUE(series.changes[0].recovered);
  EXPECT_FALSE(is_bad(series));
  EXPECT_EQ(series_of(joined({level(100, 8), level(110, 8), level(121, 8)})).changes.size(), 2U);
}

TEST(History, SeesSlowDriftThatNoStepShows) {
  std::vector<double> times = level(100, 30);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] *= 1 + 0.004 * static_cast<double>(i);
  const Series series = series_of(times);
  ASSERT_EQ(series.drifts.size(), 1U);
  EXPECT_TRUE(series.changes.empty()) << "no commit is to blame by itself";
  EXPECT_NEAR(series.drifts[0].after_us / series.drifts[0].before_us, 1.116, 0.01);
  EXPECT_TRUE(is_bad(series));
  HistoryOptions options;
  options.acknowledged = {{"", "^a/", "a slower algorithm, piece by piece", "2026-12-31"}};
  EXPECT_FALSE(is_bad(series_of(times, options)));
  EXPECT_TRUE(series_of({100, 103, 106}).drifts.empty()) << "too short to tell";
}

TEST(History, TheLastRunsSettleNothing) {
  const Series series = series_of(joined({level(100, 20), level(110, 2)}));
  EXPECT_TRUE(series.changes.empty());
  ASSERT_EQ(series.unsettled.size(), 1U);
  EXPECT_EQ(series.unsettled[0].commit, "c20");
  EXPECT_GT(series.unsettled[0].more_runs, 0U);
  EXPECT_FALSE(is_bad(series));
}

TEST(History, ALateBackfillChangesNothing) {
  const auto times = joined({level(100, 10), level(110, 8)});
  Store in_order = store_of(times), late = in_order;
  std::ranges::rotate(late.runs, late.runs.begin() + 12);
  const Series one = analyse(in_order, {}).at(0), other = analyse(late, {}).at(0);
  EXPECT_EQ(one.commits, other.commits);
  ASSERT_EQ(other.changes.size(), 1U);
  EXPECT_EQ(other.changes[0].commit, "c10");
  EXPECT_EQ(last_runs(late, 1).at(0).about("revision"), "c17");
}

TEST(History, MachinesAreNeverPooled) {
  const auto run = [](std::size_t day, double time, const std::string& host, const std::string& uuid) {
    return parse_run(
        run_text(row_text("a/n:1", time),
                 fmt::format(R"("gpu": "G", "host_name": "{}", "num_cpus": 8, {}"date": "2026-01-{:02}")",
                             host, uuid.empty() ? "" : "\"gpu_uuid\": \"" + uuid + "\", ", day + 1)),
        "run.json");
  };
  Store store;
  for (std::size_t i = 0; i < 20; ++i)
    store.runs.push_back(run(i, i % 2 == 0 ? 100 : 120, i % 2 == 0 ? "x" : "y", ""));
  const auto hosts = analyse(store, {});
  ASSERT_EQ(hosts.size(), 2U);
  for (const Series& series : hosts) EXPECT_FALSE(has_changed(series));
  Store cards;
  for (std::size_t i = 0; i < 20; ++i)
    cards.runs.push_back(run(i, i % 2 == 0 ? 100 : 120, "x", i % 2 == 0 ? "GPU-1" : "GPU-2"));
  EXPECT_EQ(analyse(cards, {}).size(), 2U);
}

TEST(History, AnotherCardIsAnotherSeries) {
  Store store = store_of(level(100, 8));
  for (std::size_t i = 8; i < 16; ++i) store.runs.push_back(run_at(i, 50, "", "H"));
  const auto all = analyse(store, {});
  ASSERT_EQ(all.size(), 2U);
  for (const Series& series : all) EXPECT_TRUE(series.changes.empty());
  EXPECT_EQ(last_runs(store, 100).size(), 8U) << "of the newest run's card";
  EXPECT_EQ(runs_of_commit(store, "c9").size(), 1U);
  EXPECT_TRUE(runs_of_commit(store, "c2").empty());
}

TEST(History, AcknowledgedChangesAreMeantUntilTheDatePasses) {
  const auto times = joined({level(100, 10), level(110, 8)});
  HistoryOptions options;
  options.acknowledged = {{"c10", "^a/", "more work", "2026-12-31"}};
  EXPECT_FALSE(is_bad(series_of(times, options)));
  EXPECT_EQ(series_of(times, options).changes[0].acknowledged, "more work");
  options.acknowledged[0].until = "2026-01-15";  // the store goes to the 18th
  EXPECT_TRUE(is_bad(series_of(times, options)));
  options.acknowledged = {{"c10", "^b/", "another row", "2026-12-31"}};
  EXPECT_TRUE(is_bad(series_of(times, options)));
}

class StoreTest : public CommandTest {
 protected:
  static CommandResult report(const std::string& arguments) {
    return run_command(std::string(OVERLAP_REPORT) + " " + arguments);
  }
  std::string run_file(std::size_t day, double time) {
    return write(
        fmt::format("run{}.json", day),
        run_text(row_text("a/n:1/manual_time", time),
                 fmt::format(R"("gpu": "G", "date": "2026-01-{:02}", "revision": "c{}")", day + 1, day)));
  }
};

TEST_F(StoreTest, KeepsWhatItWasGiven) {
  append_to_store(path("store"),
                  {run_at(0, 10),
                   run_at(1, 11, R"(,{"name": "f/n:1", "error_occurred": true, "error_message": "lost"})")});
  append_to_store(path("store"), {run_at(2, 12)});
  const Store store = read_store(path("store"));
  EXPECT_TRUE(store.warnings.empty());
  ASSERT_EQ(store.runs.size(), 3U);
  EXPECT_EQ(store.runs[1].about("revision"), "c1");
  EXPECT_EQ(store.runs[1].rows[1].failure, "lost");
  EXPECT_DOUBLE_EQ(store.runs[2].rows[0].time_us(), 12);
}

TEST_F(StoreTest, TornAndForeignLinesStayOutOfTheWay) {
  append_to_store(path("store"), {run_at(0, 10)});
  const std::string whole = read_file(path("store"));
  write("store", whole + "{\"schema\": \"other\"}\n" + whole.substr(0, whole.size() / 2));
  append_to_store(path("store"), {run_at(1, 11)});
  const Store store = read_store(path("store"));
  ASSERT_EQ(store.runs.size(), 2U);
  EXPECT_EQ(store.warnings.size(), 2U);
  EXPECT_TRUE(contains(store.warnings[1], "line 3"));
}

TEST_F(StoreTest, ADeepLineCostsThatLineAlone) {
  append_to_store(path("store"), {run_at(0, 10)});
  const std::string whole = read_file(path("store"));
  const std::string deep = std::string(300'000, '[') + std::string(300'000, ']');
  write("store", whole.substr(0, whole.size() - 2) + ", \"x\": " + deep + "}\n" + whole);
  const Store store = read_store(path("store"));
  EXPECT_EQ(store.runs.size(), 1U);
  ASSERT_EQ(store.warnings.size(), 1U);
  EXPECT_TRUE(contains(store.warnings[0], "line 1 left out: nested too deeply")) << store.warnings[0];
}

TEST_F(StoreTest, TwoWritersDoNotDisturbEachOther) {
  constexpr int kWriters = 4, kEach = 25;
  for (int writer = 0; writer < kWriters; ++writer) {
    if (fork() == 0) {
      for (int i = 0; i < kEach; ++i)
        append_to_store(path("store"), {run_at(static_cast<std::size_t>(writer), i + 1)});
      _exit(0);
    }
  }
  for (int writer = 0; writer < kWriters; ++writer) wait(nullptr);
  const Store store = read_store(path("store"));
  EXPECT_TRUE(store.warnings.empty());
  EXPECT_EQ(store.runs.size(), static_cast<std::size_t>(kWriters * kEach));
}

TEST_F(StoreTest, CommandsAndExitCodes) {
  const auto times = joined({level(100, 8), level(110, 8)});
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(report("history add " + path("store") + " " + run_file(i, times[i])).exit_code, 0);
  EXPECT_EQ(report("history show " + path("store")).exit_code, 0);
  const std::string fresh =
      " --new " + run_file(20, 120) + " " + run_file(21, 120.1) + " " + run_file(22, 119.9);
  const std::string compare = "compare --baseline-store " + path("store") + fresh;
  EXPECT_EQ(report(compare + " --last 5").exit_code, 1);
  EXPECT_TRUE(contains(report(compare + " --last 5").output, "REGRESSED     a/n:1\n"))
      << report(compare + " --last 5").output;
  EXPECT_EQ(report(compare + " --commit c3").exit_code, 0) << "one run settles nothing";
  EXPECT_TRUE(contains(report(compare + " --commit c99").output, "c0, c1"));
  EXPECT_EQ(report(compare).exit_code, 2);
  for (std::size_t i = 8; i < 16; ++i) report("history add " + path("store") + " " + run_file(i, times[i]));
  const CommandResult changed = report("history show " + path("store"));
  EXPECT_EQ(changed.exit_code, 1);
  EXPECT_TRUE(contains(changed.output, "at c8 (2026-01-09): 100 us -> 110 us")) << changed.output;
  EXPECT_EQ(report("history show --advisory " + path("store")).exit_code, 0);
  const std::string meant = write(
      "meant.json",
      R"({"schema": "overlap-acknowledged-1", "changes": [{"commit": "c8", "pattern": "a/", "reason": "meant", "until": "2026-06-01"}]})");
  EXPECT_EQ(report("history show " + path("store") + " --acknowledged " + meant).exit_code, 0);
  EXPECT_EQ(report("history show " + path("store") + " --acknowledged " +
                   write("bad.json", R"({"schema": "overlap-acknowledged-1", "changes": [{}]})"))
                .exit_code,
            3);
  EXPECT_EQ(report("history show /nosuch/store").exit_code, 3);
  EXPECT_EQ(report("history add /nosuch/store " + run_file(0, 1)).exit_code, 3);
  const auto json =
      nlohmann::json::parse(report("history show --advisory --format json " + path("store")).output);
  EXPECT_EQ(json["series"][0]["times_us"].size(), 16U);
  EXPECT_EQ(json["series"][0]["changes"][0]["commit"], "c8");
}

}  // namespace
}  // namespace overlap::report
