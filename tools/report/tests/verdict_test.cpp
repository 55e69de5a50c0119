// Verdicts on made-up runs whose truth is known.
#include "judge/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "judge/statistics.hpp"
#include "judge/tolerances.hpp"
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

TEST(Statistics, WelchIsAsWorkedOut) {
  const Welch result = welch({1, 2, 3, 4}, {2, 4, 6, 8});  // variances 5/3 and 20/3
  EXPECT_DOUBLE_EQ(result.difference, 2.5);
  EXPECT_NEAR(result.standard_error, std::sqrt(25.0 / 12), 1e-12);
  EXPECT_NEAR(result.df, 4.41176, 1e-5);
  EXPECT_EQ(welch({1}, {2, 3}).df, 0);
  EXPECT_EQ(welch({1, 1}, {2, 2}).standard_error, 0);
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
  EXPECT_EQ(judge({run_of({row_text("a/n:1/iterations:5/manual_time", 1)})},
                  {run_of({row_text("a/n:1/iterations:9/manual_time", 1)})}, {})
                .rows.size(),
            1U);
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
  EXPECT_EQ(judgement.rows[1].verdict, Verdict::same) << "has no such counter";
  EXPECT_EQ(judgement.geomean_rows, 1U);
  EXPECT_TRUE(*lower_is_better("submit_us"));
  EXPECT_FALSE(*lower_is_better("bound_pct"));
  EXPECT_FALSE(lower_is_better("chunks"));
}

TEST(Verdict, TolerancesGoByPattern) {
  CompareOptions options;
  options.tolerances = {{"^a/", 0.5}, {"^nothing$", 0.1}};
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
}

TEST(Verdict, RowsThatSomeRunsLackAreInconclusive) {
  std::vector<report::Run> after = runs_of({100, 101, 99, 100, 100});
  for (std::size_t i = 0; i < 3; ++i) after[i] = run_of({row_text("other/n:1", 1)});
  const Judgement judgement = judge(runs_of({100, 101, 99, 100, 100}), after, {});
  const auto row = std::ranges::find(judgement.rows, "a/n:1", &Comparison::name);
  EXPECT_EQ(row->verdict, Verdict::inconclusive);
  EXPECT_EQ(row->reason, "3 of 5 new runs do not have it");
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

TEST(Tolerances, ComeFromRunsOfTheSameProgram) {
  const auto runs = runs_of({100, 110, 105}, "a(b)/n:1");
  const auto tolerances = tolerances_from(runs, 0.02).tolerances;
  ASSERT_EQ(tolerances.size(), 1U);
  EXPECT_NEAR(tolerances[0].relative, std::expm1(3 * std::sqrt(2.0) * 0.04766), 2e-3);
  CompareOptions options;
  options.tolerances = tolerances;
  EXPECT_TRUE(judge(runs, runs, options).warnings.empty()) << "it must fit its own row, brackets and all";
  EXPECT_DOUBLE_EQ(tolerances_from(runs_of({100, 100, 100}), 0.02).tolerances[0].relative, 0.02);
}

class CompareTest : public CommandTest {
 protected:
  std::string side(const std::string& name, const std::vector<double>& times,
                   const std::string& context = "") {
    std::string files;
    for (std::size_t i = 0; i < times.size(); ++i)
      files += " " + write(fmt::format("{}{}.json", name, i), run_text(row_text("a/n:1", times[i]), context));
    return files;
  }
  static int code(const std::string& arguments) {
    return run_command(std::string(OVERLAP_REPORT) + " compare" + arguments).exit_code;
  }
};

TEST_F(CompareTest, ExitCodesAreAsDocumented) {
  const std::string old = " --baseline" + side("old", {100, 101, 99, 100});
  const std::string same = " --new" + side("same", {100, 101, 99, 100});
  const std::string slow = " --new" + side("slow", {200, 201, 199, 200});
  const std::string noisy = " --new" + side("noisy", {70, 150, 99, 120});
  const std::string other = " --new" + side("other", {100, 101}, R"("gpu": "another")");
  EXPECT_EQ(code(old + same), 0);
  EXPECT_EQ(code(old + slow), 1);
  EXPECT_EQ(code(old + slow + " --advisory"), 0);
  EXPECT_EQ(code(old + noisy), 0);
  EXPECT_EQ(code(old + noisy + " --fail-on-inconclusive"), 4);
  EXPECT_EQ(code(old + other), 5);
  EXPECT_EQ(code(old + other + " --allow-context-diff=gpu --allow-context-diff=backend"), 0);
  EXPECT_EQ(code(old), 2);
  EXPECT_EQ(code(old + same + " --metric chunks"), 2);
  EXPECT_EQ(code(old + same + " --metric chunks:up"), 2);
  EXPECT_EQ(code(old + same + " --metric chunks:higher"), 2) << "no row has it";
  EXPECT_EQ(code(old + same + " --metric cpu_tme:lower"), 2);
  EXPECT_EQ(code(old + slow + " --tolerance 5"), 2) << "5 % or 500 %?";
  EXPECT_EQ(code(old + slow + " --tolerance 5%"), 1);
  EXPECT_EQ(code(old + slow + " --tolerance 150%"), 0);
  EXPECT_EQ(code(old + slow + " --tolerance nan"), 2);
  EXPECT_EQ(code(old + same + " --allow-context-diff=gpuu"), 2);
  EXPECT_EQ(code(old + same + " --last 3"), 2);
  EXPECT_EQ(code(old + same + " --baseline-store " + path("store.jsonl") + " --last 3"), 2);
  EXPECT_EQ(code(old + same + " --tolerances " + write("idle.json", R"({"schema": "overlap-tolerances-1",
                                        "tolerances": [{"row": "b/n:1", "tolerance": 0.1}]})")),
            2);
  EXPECT_EQ(code(old + same + " --tolerances " + write("bad.json", "{}")), 3);
  EXPECT_EQ(
      code(old + same + " --tolerances " +
           write("worse.json",
                 R"({"schema": "overlap-tolerances-1", "tolerances": [{"pattern": "((", "tolerance": 1}]})")),
      3);
  EXPECT_EQ(code(old + " --new /nosuch.json"), 3);
}

TEST_F(CompareTest, NoiseOfRunsBecomesAToleranceFile) {
  const std::string files = side("run", {100, 110, 105});
  const std::string report = OVERLAP_REPORT;
  EXPECT_EQ(run_command(report + " noise" + files + " -o " + path("noise.json")).exit_code, 0);
  EXPECT_EQ(run_command(report + " noise" + side("few", {1, 2})).exit_code, 2);
  EXPECT_EQ(code(" --baseline" + files + " --new" + side("slow", {115, 125, 120}) + " --tolerances " +
                 path("noise.json")),
            0);
  // Rows that take next to nothing move by any factor on a busy machine; what is written must be readable.
  const std::string wild = side("wild", {1, 100, 10000});
  EXPECT_EQ(run_command(report + " noise" + wild + " -o " + path("wild.json")).exit_code, 0);
  EXPECT_EQ(code(" --baseline" + wild + " --new" + files + " --tolerances " + path("wild.json")), 0);
}

}  // namespace
}  // namespace overlap::report
