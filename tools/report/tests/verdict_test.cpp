// Verdicts on made-up runs whose truth is known.
#include "judge/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "judge/statistics.hpp"
#include "names/counters.hpp"
#include "run_text.hpp"

namespace overlap::report {
namespace {

report::Run run_of(const std::vector<std::string>& rows, const std::string& context = "") {
  return parse_run(run_text(fmt::format("{}", fmt::join(rows, ",")), context), "made-up.json");
}

/// Runs of one row, a time each.
std::vector<report::Run> runs_of(const std::vector<double>& times, const std::string& name = "a/n:1") {
  std::vector<report::Run> runs;
  for (const double time : times) runs.push_back(run_of({row_text(name, time)}));
  return runs;
}

Comparison compared(const std::vector<double>& before, const std::vector<double>& after,
                    CompareOptions options = {}) {
  return judge(runs_of(before), runs_of(after), options).rows.at(0);
}

TEST(Statistics, StudentsTIsAsTabled) {
  EXPECT_NEAR(student_quantile(0.05, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_quantile(0.05, 4), 2.77645, 1e-5);
  EXPECT_NEAR(student_quantile(0.05, 8), 2.30600, 1e-5);
  EXPECT_NEAR(student_quantile(0.01, 30), 2.74999, 1e-5);
  EXPECT_NEAR(student_quantile(0.05, 1e6), 1.95996, 1e-4);
  EXPECT_NEAR(student_two_sided(2.306, 8), 0.05, 1e-4);
  EXPECT_NEAR(student_two_sided(0, 8), 1, 1e-12);
  EXPECT_NEAR(student_two_sided(10, 8), 8.49e-6, 1e-8);
}

TEST(Statistics, FalseDiscoveryRatesAreAsInThePaper) {
  const auto q = adjusted({0.01, 0.04, 0.03, 0.5});
  EXPECT_NEAR(q[0], 0.04, 1e-12);
  EXPECT_NEAR(q[1], 0.16 / 3, 1e-12);
  EXPECT_NEAR(q[2], 0.16 / 3, 1e-12);
  EXPECT_NEAR(q[3], 0.5, 1e-12);
  EXPECT_TRUE(adjusted({}).empty());
}

TEST(Verdict, CallsWhatIsClearAndNothingElse) {
  EXPECT_EQ(compared({100, 101, 99, 100, 100}, {110, 111, 109, 110, 110}).verdict, Verdict::regressed);
  EXPECT_EQ(compared({100, 101, 99, 100, 100}, {90, 91, 89, 90, 90}).verdict, Verdict::improved);
  EXPECT_EQ(compared({100, 101, 99, 100, 100}, {100, 101, 99, 100, 100}).verdict, Verdict::same);
  // A clear difference within the tolerance is no change that anybody asked about.
  EXPECT_EQ(compared({100, 100.1, 99.9, 100, 100}, {101, 101.1, 100.9, 101, 101}).verdict, Verdict::same);
  const Comparison noisy = compared({100, 120, 80, 100, 95}, {105, 125, 85, 105, 100});
  EXPECT_EQ(noisy.verdict, Verdict::inconclusive);
  EXPECT_GT(noisy.runs_to_settle, 5U);
}

// One row of 300, slower by 4 %: its interval lies beyond the tolerance, and its p is not small enough.
TEST(Verdict, TheFalseDiscoveryRateAsksForMoreRuns) {
  const auto side = [](const std::vector<double>& times) {
    std::vector<report::Run> runs;
    for (const double time : times) {
      runs.emplace_back();
      for (int i = 0; i < 300; ++i) {
        Row row;
        row.id = {.family = "row", .axes = {{"n", std::to_string(i)}}};
        row.times_us = {i == 0 ? time : 100};
        runs.back().rows.push_back(row);
      }
    }
    return runs;
  };
  const Judgement judgement =
      judge(side({100, 101.2, 98.8, 100.3, 99.7}), side({104.2, 105.4, 103, 104.4, 103.9}), {});
  const auto row = std::ranges::find(judgement.rows, "row/n:0", &Comparison::name);
  ASSERT_EQ(row->verdict, Verdict::inconclusive) << *row->q;
  EXPECT_GT(*row->low, 1.02);
  EXPECT_GE(row->runs_to_settle, 7U);
}

TEST(Verdict, OneRunASideSettlesNothing) {
  const Comparison row = compared({100}, {200});
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_FALSE(row.low || row.p);
  EXPECT_GE(row.runs_to_settle, 4U);
}

TEST(Verdict, IdenticalTimesAreNoDivisionByZero) {
  EXPECT_EQ(compared({5, 5, 5}, {5, 5, 5}).verdict, Verdict::same);
  EXPECT_EQ(compared({5, 5, 5}, {6, 6, 6}).verdict, Verdict::regressed);
  EXPECT_EQ(compared({0, 0}, {0, 0}).verdict, Verdict::same);
  EXPECT_EQ(compared({0, 0}, {1, 1}).verdict, Verdict::invalid);
  EXPECT_EQ(compared({1, 1}, {0, 1}).verdict, Verdict::invalid);
}

TEST(Verdict, UnitsAreConvertedBeforeAnythingIsDivided) {
  const auto in = [](double time, const char* unit) { return run_of({row_text("a/n:1", time, unit)}); };
  const auto judgement = judge({in(100, "us"), in(101, "us")}, {in(0.1, "ms"), in(101'000, "ns")}, {});
  EXPECT_NEAR(judgement.rows[0].ratio, 1, 1e-9);
}

TEST(Verdict, RowsThatComeGoAndFailAreNamed) {
  const std::string failed =
      R"({"name": "c/n:1", "error_occurred": true, "error_message": "lost", "real_time": 0, "time_unit": "us"})";
  const std::string broken = R"({"name": "d/n:1", "real_time": "x", "time_unit": "us"})";
  const std::vector<report::Run> before = {
      run_of({row_text("a/n:1", 1), row_text("c/n:1", 1), row_text("d/n:1", 1)})};
  const std::vector<report::Run> after = {run_of({row_text("b/n:1", 1), failed, broken})};
  const Judgement judgement = judge(before, after, {});
  std::map<std::string, Verdict> verdicts;
  for (const Comparison& row : judgement.rows) verdicts[row.name] = row.verdict;
  EXPECT_EQ(verdicts, (std::map<std::string, Verdict>{{"a/n:1", Verdict::removed},
                                                      {"b/n:1", Verdict::added},
                                                      {"c/n:1", Verdict::failed},
                                                      {"d/n:1", Verdict::invalid}}));
  EXPECT_TRUE(judgement.bad());
  EXPECT_EQ(judgement.geomean_rows, 0U);
  EXPECT_EQ(judge(after, before, {}).count(Verdict::added), 3U)
      << "what failed before has nothing to be compared with";
}

TEST(Verdict, AnotherClockIsAnotherRow) {
  const auto judgement =
      judge({run_of({row_text("a/n:1/manual_time", 1)})}, {run_of({row_text("a/n:1/real_time", 1)})}, {});
  EXPECT_EQ(judgement.count(Verdict::removed), 1U);
  EXPECT_EQ(judgement.count(Verdict::added), 1U);
  // So are those at other settings: one benchmark may be registered at several, in any order.
  const std::vector<std::string> names = {"a/n:1", "a/n:1/min_time:2.000", "a/n:1/iterations:10",
                                          "a/n:1/manual_time"};
  std::vector<std::string> rows, reversed;
  for (std::size_t i = 0; i < names.size(); ++i)
    rows.push_back(row_text(names[i], 10.0 * static_cast<double>(i + 1)));
  reversed.assign(rows.rbegin(), rows.rend());
  const std::vector<report::Run> before(3, run_of(rows)), after(3, run_of(reversed));
  EXPECT_EQ(judge(before, after, {}).count(Verdict::same), names.size());
  const Judgement fewer = judge(before, {3, run_of({rows[1], rows[2], rows[3], row_text("a/n:1", 10)})}, {});
  EXPECT_EQ(fewer.count(Verdict::same), 4U);
  const Judgement none = judge({3, run_of({rows[0], rows[1], rows[2]})}, {3, run_of({rows[1], rows[2]})}, {});
  EXPECT_EQ(none.count(Verdict::same), 2U);
  EXPECT_EQ(none.rows[0].name, names[0]);
  EXPECT_EQ(none.rows[0].verdict, Verdict::removed);
}

TEST(Verdict, CountersHaveTheirDirection) {
  const auto with = [](const std::vector<double>& rates) {
    std::vector<report::Run> runs;
    for (const double rate : rates)
      runs.push_back(run_of({row_text("a/n:1", 1, "us", fmt::format(R"(, "bytes_per_second": {})", rate)),
                             row_text("b/n:1", 1)}));
    return runs;
  };
  CompareOptions options;
  options.metric = "bytes_per_second";
  options.lower_is_better = *lower_is_better(options.metric);
  const Judgement judgement = judge(with({100, 101, 99}), with({50, 51, 49}), options);
  EXPECT_EQ(judgement.rows[0].verdict, Verdict::regressed);
  EXPECT_EQ(judgement.rows[1].verdict, Verdict::not_measured) << "has no such counter";
  EXPECT_EQ(judgement.geomean_rows, 1U);
  EXPECT_TRUE(*lower_is_better("submit_us"));
  EXPECT_FALSE(*lower_is_better("bound_pct"));
  EXPECT_FALSE(lower_is_better("chunks"));
}

TEST(Verdict, TolerancesGoByPattern) {
  CompareOptions options;
  options.tolerances = {{"^a/", 0.5}, {"^nothing$", 0.1}};
  const std::string name = "a/" + std::string(300'000, 'x') + "/y";
  EXPECT_EQ(judge(runs_of({1, 1, 1}, name), runs_of({1, 1, 1}, name), {.tolerances = {{"a.*y$", 0.5}}})
                .rows[0]
                .tolerance,
            0.5);
  const Judgement judgement = judge(runs_of({100, 101, 99}), runs_of({120, 121, 119}), options);
  EXPECT_EQ(judgement.rows[0].verdict, Verdict::same);
  EXPECT_EQ(judgement.tolerances_fitted, 1U);
  ASSERT_EQ(judgement.warnings.size(), 1U);
  EXPECT_TRUE(contains(judgement.warnings[0], "^nothing$"));
}

TEST(Verdict, TheLastToleranceThatFitsCounts) {
  const auto tolerance = [](std::vector<Tolerance> tolerances) {
    CompareOptions options;
    options.tolerances = std::move(tolerances);
    return judge(runs_of({100, 101, 99}), runs_of({100, 101, 99}), options).rows[0].tolerance;
  };
  EXPECT_EQ(tolerance({{"a/n:1", 0.1, true}, {"^a", 0.2}}), 0.2);
  EXPECT_EQ(tolerance({{"^a", 0.2}, {"a/n:1", 0.1, true}}), 0.1);
  EXPECT_EQ(tolerance({{"a/n:", 0.1, true}}), CompareOptions().tolerance) << "a name is a whole name";
}

TEST(Verdict, DifferencesBelowTheTimersResolutionAreNone) {
  const auto with_batch = [](const std::vector<double>& times, int batch) {
    std::vector<report::Run> runs;
    for (const double time : times)
      runs.push_back(run_of({row_text("a/n:1", time, "us", fmt::format(R"(, "batch": {})", batch))}));
    return runs;
  };
  EXPECT_EQ(judge(with_batch({1.0, 1.0, 1.0}, 1), with_batch({1.4, 1.4, 1.4}, 1), {}).rows[0].verdict,
            Verdict::same);
  EXPECT_EQ(judge(with_batch({1.0, 1.0, 1.0}, 100), with_batch({1.4, 1.4, 1.4}, 100), {}).rows[0].verdict,
            Verdict::regressed);
}

TEST(Verdict, OtherMachinesAreIncomparableUnlessAllowed) {
  const std::string one = R"("gpu": "H100", "driver": "1", "host_name": "a")",
                    other = R"("gpu": "H200", "driver": "1", "host_name": "b")";
  const std::vector<report::Run> before = {run_of({row_text("a/n:1", 1)}, one)},
                                 after = {run_of({row_text("a/n:1", 1)}, other)};
  const Judgement judgement = judge(before, after, {});
  EXPECT_FALSE(judgement.comparable());
  EXPECT_EQ(judgement.context.size(), 2U);  // gpu, and the host as a note
  CompareOptions options;
  options.allowed_differences = {"gpu"};
  EXPECT_TRUE(judge(before, after, options).comparable());
}

TEST(Verdict, SidesOfOneOrTwoRunsAreNeverCalled) {
  EXPECT_EQ(compared({100, 100}, {200, 200, 200, 200, 200}).verdict, Verdict::inconclusive);
  EXPECT_EQ(compared({100, 100, 100, 100}, {200}).verdict, Verdict::inconclusive);
  EXPECT_EQ(compared({100, 100}, {100, 100}).verdict, Verdict::inconclusive);
}

TEST(Verdict, OneSlowRunIsNamedAndHidesNothing) {
  const Comparison hidden = compared({100, 101, 99, 100, 100}, {130, 131, 129, 300, 130});
  EXPECT_EQ(hidden.verdict, Verdict::regressed);
  EXPECT_EQ(hidden.fresh.outlier, std::optional<std::size_t>(3));
  EXPECT_NEAR(hidden.ratio, 1.3, 0.01);
  EXPECT_NEAR(hidden.ratio, hidden.fresh.judged / hidden.baseline.judged, 1e-12) << "what is shown is judged";
  const Comparison faster = compared({100, 101, 300, 100, 99}, {110, 109, 111, 110, 110});
  EXPECT_EQ(faster.verdict, Verdict::regressed) << "the slow run of the baseline does not make it slower";
  const Comparison both = compared({100, 101, 300, 100, 99}, {100, 99, 101, 250, 100});
  EXPECT_NEAR(both.ratio, 1, 0.01);
  EXPECT_TRUE(both.baseline.outlier && both.fresh.outlier);
  EXPECT_EQ(compared({100, 101, 300}, {100, 99, 101, 100}).verdict, Verdict::inconclusive)
      << "two runs are left";
}

TEST(Verdict, TwoLevelsHaveNoVerdict) {
  const Comparison row = compared({100, 100.5, 99.5, 100, 100.2}, {100, 130, 100.4, 130.5, 99.7});
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_TRUE(contains(row.reason, "two levels")) << row.reason;
  EXPECT_FALSE(row.fresh.outlier);
  // A lone run that lies where the other side does is no accident.
  const Comparison shared = compared({1.0, 1.0, 1.0, 1.0, 1.1}, {1.0, 1.1, 1.1, 1.1, 1.1});
  EXPECT_EQ(shared.verdict, Verdict::inconclusive);
  EXPECT_TRUE(contains(shared.reason, "two levels")) << shared.reason;
  const Comparison few = compared({100, 100.2, 100.1, 180}, {130, 130.2, 129.9, 130, 130.1});
  EXPECT_EQ(few.verdict, Verdict::regressed) << "not where the other side lies";
}

TEST(Verdict, RowsThatSomeRunsLackAreInconclusive) {
  std::vector<report::Run> after = runs_of({100, 101, 99, 100, 100});
  for (std::size_t i = 0; i < 3; ++i) after[i] = run_of({row_text("other/n:1", 1)});
  const Judgement judgement = judge(runs_of({100, 101, 99, 100, 100}), after, {});
  const auto row = std::ranges::find(judgement.rows, "a/n:1", &Comparison::name);
  EXPECT_EQ(row->verdict, Verdict::inconclusive);
  EXPECT_EQ(row->reason, "3 of 5 new runs do not have it");
}

TEST(Verdict, RowsOfOneNameInUnlikeNumbersAreNotGuessed) {
  const std::string rows[] = {row_text("a", 10), row_text("a", 20), row_text("a", 30), row_text("b", 1)};
  const std::vector<report::Run> before(3, run_of({rows[0], rows[1], rows[2], rows[3]})),
      after(3, run_of({rows[1], rows[2], rows[3]}));
  const Judgement judgement = judge(before, after, {});
  EXPECT_EQ(judgement.count(Verdict::inconclusive), 3U);
  EXPECT_EQ(judgement.count(Verdict::same), 1U) << "b";
  EXPECT_TRUE(contains(judgement.rows[0].reason, "which row is which")) << judgement.rows[0].reason;
  EXPECT_EQ(judge(before, before, {}).count(Verdict::same), 4U);
  EXPECT_EQ(judge(before, {3, run_of({rows[3]})}, {}).count(Verdict::removed), 3U);
}

TEST(Verdict, WhatACutOffRunLacksIsNotRemoved) {
  std::vector<report::Run> after = runs_of({100, 100, 100}, "b");
  EXPECT_EQ(judge(runs_of({100, 100, 100}), after, {}).count(Verdict::removed), 1U);
  after[1].cut_off = "offset 7";
  const Judgement judgement = judge(runs_of({100, 100, 100}), after, {});
  EXPECT_EQ(judgement.count(Verdict::removed), 0U);
  EXPECT_EQ(judgement.count(Verdict::inconclusive), 1U);
}

TEST(Verdict, WhatIsSkippedOrFailsOnBothSidesFailsNothing) {
  const std::string failed =
      R"({"name": "c/n:1", "error_occurred": true, "error_message": "lost", "real_time": 0, "time_unit": "us"})";
  const std::string skipped =
      R"({"name": "c/n:1", "skipped": true, "skip_message": "no such device", "real_time": 0, "time_unit": "us"})";
  const auto verdict = [](const std::string& before, const std::string& after) {
    return judge({run_of({before})}, {run_of({after})}, {}).rows[0].verdict;
  };
  EXPECT_EQ(verdict(failed, failed), Verdict::not_measured);
  EXPECT_EQ(verdict(row_text("c/n:1", 1), skipped), Verdict::not_measured);
  EXPECT_EQ(verdict(skipped, failed), Verdict::failed) << "it did not fail before";
  EXPECT_EQ(verdict(skipped, row_text("c/n:1", 1)), Verdict::added);
  EXPECT_EQ(verdict(row_text("c/n:1", 1), failed), Verdict::failed);
  // Some runs of a side: bad is what fails more often than before, and nothing else is known.
  const auto some = [&](int before, int after, const std::string& how) {
    const auto side = [&](int count, double time) {
      std::vector<report::Run> runs;
      for (int i = 0; i < 5; ++i) runs.push_back(run_of({i < count ? how : row_text("c/n:1", time)}));
      return runs;
    };
    return judge(side(before, 100), side(after, 150), {}).rows[0];
  };
  const std::string broken = R"({"name": "c/n:1", "real_time": -1, "time_unit": "us"})";
  for (const std::string& how : {failed, broken}) {
    const Verdict bad = how == failed ? Verdict::failed : Verdict::invalid;
    EXPECT_EQ(some(0, 1, how).verdict, bad);
    EXPECT_EQ(some(1, 5, how).verdict, bad);
    EXPECT_EQ(some(1, 1, how).verdict, Verdict::inconclusive) << "neither measured nor the same";
    EXPECT_EQ(some(3, 0, how).verdict, Verdict::inconclusive);
    EXPECT_EQ(some(5, 0, how).verdict, Verdict::added);
    EXPECT_EQ(some(5, 3, how).verdict, Verdict::not_measured);
  }
  EXPECT_EQ(some(0, 2, skipped).verdict, Verdict::inconclusive);
  EXPECT_EQ(some(0, 2, skipped).reason, "no time in 2 of 5 new runs: skipped: no such device");
}

TEST(Verdict, ThreadsAcrossTheirChangeOfMeaningAreNotJudged) {
  const auto runs = [](const char* version, const char* row) {
    const std::string context = fmt::format(R"("library_version": "{}")", version);
    return std::vector<report::Run>(4, run_of({row_text(row, 100)}, context));
  };
  const auto verdict = [&](const char* row) {
    return judge(runs("v1.8.3", row), runs("v1.9.0", row), {}).rows[0].verdict;
  };
  EXPECT_EQ(verdict("BM_x/real_time/threads:4"), Verdict::inconclusive);
  EXPECT_EQ(verdict("BM_x/real_time/threads:1"), Verdict::same);
  EXPECT_EQ(verdict("BM_x/real_time"), Verdict::same);
}

TEST(Verdict, TheSameRunGivenTwiceCountsOnce) {
  const auto made = [](const std::string& path, double time) {
    report::Run run = run_of({row_text("a/n:1", 100), row_text("a/n:2", 200), row_text("a/n:3", time)},
                             R"("date": "2026-01-01T00:00:00+00:00")");
    run.path = path;
    return run;
  };
  std::vector<report::Run> runs = {made("a.json", 300), made("a.json", 300), made("copy.json", 300),
                                   made("other.json", 301)};
  EXPECT_EQ(drop_copies(runs).size(), 2U);
  EXPECT_EQ(runs.size(), 2U);
  std::vector<report::Run> small = runs_of({100, 100, 100});
  for (std::size_t i = 0; i < small.size(); ++i) small[i].path = fmt::format("{}.json", i);
  EXPECT_TRUE(drop_copies(small).empty()) << "one row may agree by chance";
}

}  // namespace
}  // namespace overlap::report
