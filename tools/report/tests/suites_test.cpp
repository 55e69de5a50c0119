// Whole suites of made-up rows: how often a comparison is wrong, and what it finds.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "judge/verdict.hpp"
#include "run_text.hpp"

namespace overlap::report {
namespace {

constexpr int kSuites = many(400);

/// Runs of `rows` rows with a run-to-run deviation; those below `slowed` take 5 % longer.
std::vector<report::Run> simulated(std::mt19937& generator, int runs, int rows, double deviation,
                                   int slowed) {
  std::normal_distribution<double> noise(0, deviation);
  std::vector<report::Run> all(static_cast<std::size_t>(runs));
  for (report::Run& run : all) {
    for (int i = 0; i < rows; ++i) {
      Row row;
      row.id = {.family = "row", .axes = {{"n", std::to_string(i)}}};
      row.times_us = {100 * std::exp(noise(generator)) * (i < slowed ? 1.05 : 1)};
      run.rows.push_back(std::move(row));
    }
  }
  return all;
}

/// Suites of 300 rows: in how many any row is called though nothing changed, and how often a row that is 5 %
/// slower is found.
struct Rates {
  double false_suites = 0, found = 0;
};
Rates rates_of(int runs, int more_runs, double deviation, double ratio, int slowed, int suites,
               unsigned seed) {
  std::mt19937 generator(seed);
  Rates rates;
  for (int suite = 0; suite < suites; ++suite) {
    const Judgement judgement = judge(simulated(generator, runs, 300, deviation, 0),
                                      simulated(generator, more_runs, 300, deviation * ratio, slowed), {});
    bool wrong = false;
    for (const Comparison& row : judgement.rows) {
      if (row.verdict != Verdict::regressed && row.verdict != Verdict::improved) continue;
      if (slowed > 0 && row.name == "row/n:0")
        rates.found += row.verdict == Verdict::regressed ? 1.0 / suites : 0;
      else
        wrong = true;
    }
    rates.false_suites += wrong ? 1.0 / suites : 0;
  }
  return rates;
}

// 5 % and two standard errors of so many suites; half of them where so few say next to nothing.
TEST(Suites, SidesOfAnySizeAreRarelyCalledByChance) {
  const double kMost = kSanitized ? 0.5 : 0.05 + 2 * std::sqrt(0.05 * 0.95 / kSuites);
  unsigned seed = 100;
  for (const auto& [runs, more] : {std::pair(3, 3), {3, 20}, {20, 3}, {4, 4}, {5, 10}}) {
    for (const double ratio : {1.0, 2.0}) {
      const double rate = rates_of(runs, more, 0.03, ratio, 0, kSuites, ++seed).false_suites;
      fmt::print("{} v {} runs, 3 % noise, {:.0f} times as much on the new side: {:.1f} % false suites\n",
                 runs, more, ratio, 100 * rate);
      EXPECT_LE(rate, kMost) << runs << " v " << more << ", noise ratio " << ratio;
    }
  }
}

TEST(Suites, OneRowOfManyThatIsSlowerIsFound) {
  for (const auto& [runs, least] : {std::pair(5, 0.56), {8, 0.95}}) {
    const Rates rates = rates_of(runs, runs, 0.01, 1, 1, kSuites, 7);
    fmt::print("{} v {} runs, 1 % noise, one row of 300 slower by 5 %: found in {:.1f} %\n", runs, runs,
               100 * rates.found);
    EXPECT_GE(rates.found, kSanitized ? least / 2 : least);
  }
}

TEST(Suites, SameAgainstSameIsQuietAndFivePercentIsSeen) {
  std::mt19937 generator(1);
  std::size_t false_calls = 0, seen = 0, wrong = 0;
  constexpr int kRows = 277, kSlowed = 28, kTrials = kSuites / 4;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Judgement same =
        judge(simulated(generator, 5, kRows, 0.005, 0), simulated(generator, 5, kRows, 0.005, 0), {});
    if (same.count(Verdict::regressed) + same.count(Verdict::improved) > 0) ++false_calls;
    const Judgement slowed =
        judge(simulated(generator, 5, kRows, 0.005, 0), simulated(generator, 5, kRows, 0.005, kSlowed), {});
    for (const Comparison& row : slowed.rows) {
      const bool is_slowed = std::stoi(row.name.substr(row.name.find(':') + 1)) < kSlowed;
      if (row.verdict == Verdict::regressed) ++(is_slowed ? seen : wrong);
    }
  }
  EXPECT_LE(false_calls, 2U);
  EXPECT_GE(seen, static_cast<std::size_t>(0.95 * kSlowed * kTrials));
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace overlap::report
