// The store under two writers and torn lines, and what its series say.
#include "judge/history.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "run_text.hpp"
#include "show/findings.hpp"
#include "show/json.hpp"
#include "show/render.hpp"

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

TEST(History, TimesOfThreadsThatMeanSomethingElseAreAnotherSeries) {
  Store store;
  for (std::size_t i = 0; i < 20; ++i)
    store.runs.push_back(
        parse_run(run_text(row_text("m/threads:4", i < 10 ? 100 : 400) + "," + row_text("m", 100),
                           fmt::format(R"("gpu": "G", "date": "2026-01-{:02}", "library_version": "{}")",
                                       i + 1, i < 10 ? "v1.8.5" : "v1.9.4")),
                  "run.json"));
  const std::vector<Series> all = analyse(store, {});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(std::ranges::none_of(all, has_changed));
  EXPECT_EQ(all[2].before, "times of threads divided by threads");
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

/// Times of a slope of +12 % up to a run, with a step on the way, and 0.3 % of noise.
std::vector<double> slope_with_step(int n, int until, int step, double ratio) {
  std::vector<double> times = level(100, n);
  for (int i = 0; i < n; ++i)
    times[static_cast<std::size_t>(i)] *=
        (1 + 0.12 * std::min(1.0, i / static_cast<double>(until))) * (i >= step ? ratio : 1);
  return times;
}

TEST(History, AStepOnTheWayOfADriftIsNoPartOfIt) {
  for (const Series& series :
       {series_of(slope_with_step(40, 39, 20, 0.9)), series_of(slope_with_step(60, 30, 15, 0.85))}) {
    ASSERT_EQ(series.drifts.size(), 1U);
    EXPECT_NEAR(series.drifts[0].after_us / series.drifts[0].before_us, 1.12, 0.015);
    EXPECT_FALSE(series.drifts[0].recovered) << "what made it faster came on the way";
    ASSERT_EQ(series.changes.size(), 1U);
    EXPECT_NEAR(series.changes[0].after_us / series.changes[0].before_us,
                series.times_us.size() == 40 ? 0.9 : 0.85, 0.01);
    EXPECT_TRUE(is_bad(series));
  }
  std::vector<double> faster = slope_with_step(60, 30, 15, 0.85);  // upside down: it drifts down and steps up
  for (double& time : faster) time = 1e4 / time;
  const Series series = series_of(faster);
  ASSERT_EQ(series.drifts.size(), 1U);
  EXPECT_NEAR(series.drifts[0].after_us / series.drifts[0].before_us, 1 / 1.12, 0.015);
  ASSERT_EQ(series.changes.size(), 1U);
  EXPECT_TRUE(is_bad(series)) << "by its step";
  const auto fixed = joined({slope_with_step(40, 39, 99, 1), level(100, 10)});
  ASSERT_EQ(series_of(fixed).drifts.size(), 1U);
  EXPECT_TRUE(series_of(fixed).drifts[0].recovered) << "what is behind it takes it back";
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

TEST(History, AnotherDriverIsSaid) {
  const auto run = [](std::size_t day, double time, const std::string& driver) {
    return parse_run(
        run_text(row_text("a/n:1", time),
                 fmt::format(R"("gpu": "G", "driver": "{}", "host_name": "x", "date": "2026-01-{:02}")",
                             driver, day + 1)),
        "run.json");
  };
  Store store;
  for (std::size_t i = 0; i < 20; ++i) store.runs.push_back(run(i, i < 10 ? 100 : 105, i < 10 ? "1" : "2"));
  auto all = analyse(store, {});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].before.empty());
  EXPECT_EQ(all[1].before, "driver 1");
  for (const std::string& text : {to_text(history(all)), to_markdown(history(all)), to_html(history(all))})
    EXPECT_TRUE(contains(text, "1 series begins with another context; before: driver 1"))
        << text.substr(0, 2000);
  EXPECT_TRUE(contains(history_json(all), R"("before": "driver 1")"));
  store.runs.push_back(run(20, 100, "1"));
  all = analyse(store, {});
  EXPECT_TRUE(all[1].before.empty()) << "both go on side by side";
}

TEST(History, AFewSlowRunsAreNamedThoughTheyAreMany) {
  auto times = joined({level(100, 20), level(110, 20)});
  for (const std::size_t slow : {3U, 9U, 25U, 33U}) times[slow] *= 1.4;
  const Series series = series_of(times);
  ASSERT_EQ(series.changes.size(), 1U);
  EXPECT_NEAR(static_cast<double>(series.changes[0].at), 20, 1);
  ASSERT_EQ(series.outliers.size(), 4U);
  EXPECT_EQ(series.outliers[2].at, 25U);
  EXPECT_NEAR(series.outliers[2].time_us / series.outliers[2].level_us, 1.4, 0.02);
  for (std::size_t i = 0; i < times.size(); i += 3) times[i] *= 1.2;
  EXPECT_TRUE(series_of(times).outliers.empty()) << "that many are a level";
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

TEST_F(StoreTest, ARunIsThereOnce) {
  const std::string one = run_file(0, 10), two = run_file(1, 10), store = path("store");
  const auto lines = [&] { return std::ranges::count(read_file(store), '\n'); };
  EXPECT_TRUE(contains(report("history add " + store + " " + one + " " + one).output, "is the same run as"));
  EXPECT_EQ(lines(), 1);
  const CommandResult again = report("history add " + store + " " + one + " " + two);
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_TRUE(contains(again.output, "run0.json is the same run as line 1 of " + store)) << again.output;
  EXPECT_EQ(lines(), 2) << "another day is another run, though it took as long";
  const std::string dated = "history add --date 2026-03-01 --commit x " + store + " ";
  report(dated + one), report(dated + one);
  EXPECT_EQ(lines(), 3);
  write("store", read_file(store) + read_file(store));  // as older versions added it
  const Store read = read_store(store);
  EXPECT_EQ(read.runs.size(), 3U);
  ASSERT_EQ(read.warnings.size(), 1U);
  EXPECT_TRUE(contains(read.warnings[0], "3 lines left out, whose runs the store has already: line 4, 5, 6"));
  const std::string nameless = write("nameless.json", run_text(row_text("a/n:1", 10), R"("gpu": "H")"));
  std::filesystem::copy_file(nameless, path("equal.json"));
  report("history add " + store + " " + nameless + " " + path("equal.json"));
  EXPECT_EQ(read_store(store).runs.size(), 5U) << "without a date nobody knows";
}

TEST_F(StoreTest, WordsThatSayNothingAreRefused) {
  const std::string run = run_file(0, 10), store = path("store");
  const std::string add = "history add " + store + " " + run;
  for (const auto& [words, why] : {std::pair{" --date ''", "is empty"},
                                   {" --commit ''", "is empty"},
                                   {" --commit \"$(printf 'a\\nb')\"", "control characters"},
                                   {" --date 2026-02-30", "is no date"}}) {
    const CommandResult result = report(add + words);
    EXPECT_EQ(result.exit_code, 2) << words << result.output;
    EXPECT_TRUE(contains(result.output, why)) << words << result.output;
  }
  EXPECT_FALSE(std::filesystem::exists(store));
  ASSERT_EQ(report(add).exit_code, 0);
  for (const char* words : {" --last -1", " --last 0", " --commit ''"})
    EXPECT_EQ(report("compare --baseline-store " + store + words + " --new " + run).exit_code, 2) << words;
  EXPECT_TRUE(contains(report("compare --baseline-store " + store + " --last -1 --new " + run).output,
                       "--last: -1 is no number of 1 or more"));
  for (const char* until : {"2099-99-01", "2026-02-30", "2026/03/01", "2026-3-1", "2026-03-01T10:00", ""}) {
    const std::string meant = write(
        "meant.json",
        fmt::format(
            R"({{"schema": "overlap-acknowledged-1", "changes": [{{"pattern": "a", "reason": "r", "until": "{}"}}]}})",
            until));
    EXPECT_EQ(report("history show " + store + " --acknowledged " + meant).exit_code, 3) << until;
  }
}

TEST_F(StoreTest, AStoreMayBeStandardInputAndRunsWithoutADate) {
  std::string text;
  const auto times = joined({level(100, 10), level(110, 8)});
  for (const double time : times)
    text += fmt::format(
        R"({{"schema":"overlap-history-1","context":{{"revision":"c{}"}},"rows":{{"a/n:1":{{"us":{}}}}}}})"
        "\n",
        std::ranges::count(text, '\n'), time);
  const std::string store = write("store", text);
  const CommandResult result = report("history show - < " + store);
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_TRUE(contains(result.output, "at c10: 100 us -> 110 us")) << result.output;
}

}  // namespace
}  // namespace overlap::report
