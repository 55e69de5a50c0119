// How often history finds what is there, and what is not: 40 runs of 1 % noise, 200 series of each kind.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "judge/history.hpp"
#include "run_text.hpp"

namespace overlap::report {
namespace {

constexpr int kSeries = many(200);
constexpr std::size_t kRuns = 40, kStep = 20;
constexpr double kNoise = 0.01;

using Random = std::mt19937;

double normal(Random& random) { return std::normal_distribution<double>(0, kNoise)(random); }
double between(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

/// Series whose logarithms `log_of` makes, run by run.
std::vector<Series> made(unsigned seed, const std::function<std::vector<double>(Random&)>& logs_of) {
  Random random(seed);
  Store store;
  store.runs.resize(kRuns);
  for (std::size_t i = 0; i < kRuns; ++i)
    store.runs[i].context = {{"date", fmt::format("2026-01-{:02}T{:02}:00:00+00:00", 1 + i / 24, i % 24)},
                             {"revision", fmt::format("c{}", i)}};
  for (int s = 0; s < kSeries; ++s) {
    const std::vector<double> logs = logs_of(random);
    for (std::size_t i = 0; i < kRuns; ++i) {
      Row row;
      row.id = {.family = "row", .axes = {{"n", std::to_string(s)}}};
      row.times_us = {100 * std::exp(logs[i])};
      store.runs[i].rows.push_back(std::move(row));
    }
  }
  return analyse(store, {});
}

double percent(const std::vector<Series>& all, const std::function<bool(const Series&)>& is) {
  double count = 0;
  for (const Series& series : all) count += is(series) ? 1 : 0;
  return 100 * count / static_cast<double>(all.size());
}

/// A step at kStep; `slow` adds to one run.
std::vector<double> step(Random& random, double ratio, double least_slow, double most_slow) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < kRuns; ++i) logs.push_back(normal(random) + (i >= kStep ? std::log(ratio) : 0));
  if (most_slow > 1)
    logs[std::uniform_int_distribution<std::size_t>(0, kRuns - 1)(random)] +=
        std::log(between(random, least_slow, most_slow));
  return logs;
}

bool any_finding(const Series& series) { return has_changed(series) || !series.unsettled.empty(); }

TEST(SeriesRates, StepsAreFoundWhereTheyBegin) {
  struct Case {
    const char* what;
    double ratio, least_slow, most_slow;
  };
  for (const Case& each :
       {Case{"a step of 3 %", 1.03, 1, 1}, Case{"a step of 3 %, one run x 1.5", 1.03, 1.5, 1.5},
        Case{"a step of 10 %, one run x 1.2 to 2", 1.1, 1.2, 2.0}}) {
    const auto all =
        made(1, [&](Random& random) { return step(random, each.ratio, each.least_slow, each.most_slow); });
    const double found = percent(all, [](const Series& series) { return series.changes.size() == 1; });
    const double near = percent(all, [](const Series& series) {
      return series.changes.size() == 1 && series.changes[0].at + 2 >= kStep &&
             series.changes[0].at <= kStep + 2;
    });
    fmt::print("{}: found in {:.1f} %, within two commits in {:.1f} %\n", each.what, found, near);
    EXPECT_GE(found, kSanitized ? 80 : 98) << each.what;
    EXPECT_GE(near, kSanitized ? 80 : 95) << each.what;
  }
}

TEST(SeriesRates, SlowDriftIsOneFindingAndNoStep) {
  const auto all = made(2, [](Random& random) {
    std::vector<double> logs;
    for (std::size_t i = 0; i < kRuns; ++i) logs.push_back(normal(random) + 0.0015 * static_cast<double>(i));
    return logs;
  });
  const double one =
      percent(all, [](const Series& series) { return series.drifts.size() == 1 && series.changes.empty(); });
  fmt::print("drift of 0.15 % a commit: one drift and no step in {:.1f} %\n", one);
  EXPECT_GE(one, kSanitized ? 80 : 95);
}

TEST(SeriesRates, NoiseOfManyKindsIsNoFinding) {
  const auto levels = [](double share) {
    return [share](Random& random) {
      std::vector<double> logs;
      for (std::size_t i = 0; i < kRuns; ++i)
        logs.push_back(normal(random) + (between(random, 0, 1) < share ? std::log(1.1) : 0));
      return logs;
    };
  };
  const auto correlated = [](Random& random) {
    std::vector<double> logs = {normal(random)};
    while (logs.size() < kRuns) logs.push_back(0.7 * logs.back() + std::sqrt(1 - 0.49) * normal(random));
    return logs;
  };
  struct Case {
    const char* what;
    double most;
    std::function<std::vector<double>(Random&)> logs_of;
  };
  for (const Case& each : {Case{"stable", 2, [](Random& random) { return step(random, 1, 1, 1); }},
                           Case{"two random levels, half each", 2, levels(0.5)},
                           Case{"two random levels, one in five", 2, levels(0.2)},
                           Case{"neighbours correlated by 0.7", 5, correlated}}) {
    const double found = percent(made(3, each.logs_of), any_finding);
    fmt::print("{}: {:.1f} % have a finding\n", each.what, found);
    EXPECT_LE(found, kSanitized ? 20 : each.most) << each.what;
  }
}

// A step each 50 runs, up and down, and one drift over all of a long series: both are found as they are, with
// no part that only helps another one.
TEST(SeriesRates, LongSeriesOfManyPartsAreExplainedToo) {
  constexpr std::size_t kLong = kSanitized ? 200 : 800, kEach = 50;
  Random random(4);
  Store store;
  for (std::size_t i = 0; i < kLong; ++i) {
    report::Run run;
    run.context = {{"date", fmt::format("{}-01-{:02}", 1970 + i / 28, 1 + i % 28)}};
    Row jumping, drifting;
    jumping.id = {.family = "jumping", .axes = {}};
    jumping.times_us = {100 * std::exp(normal(random) + (i / kEach % 2 == 0 ? 0 : std::log(1.1)))};
    drifting.id = {.family = "drifting", .axes = {}};
    drifting.times_us = {100 * std::exp(normal(random) + 0.3 * static_cast<double>(i) / kLong)};
    run.rows = {jumping, drifting};
    store.runs.push_back(std::move(run));
  }
  const auto all = analyse(store, {});
  ASSERT_EQ(all.size(), 2U);
  ASSERT_EQ(all[0].changes.size(), kLong / kEach - 1);
  for (std::size_t i = 0; i < all[0].changes.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(all[0].changes[i].at), static_cast<double>((i + 1) * kEach), 1);
    EXPECT_NEAR(std::log(all[0].changes[i].after_us / all[0].changes[i].before_us),
                std::log(i % 2 == 0 ? 1.1 : 1 / 1.1), 0.01);
  }
  EXPECT_TRUE(all[0].drifts.empty() && all[0].outliers.empty());
  ASSERT_EQ(all[1].drifts.size(), 1U);
  EXPECT_TRUE(all[1].changes.empty());
  EXPECT_NEAR(std::log(all[1].drifts[0].after_us / all[1].drifts[0].before_us), 0.3, 0.02);
}

}  // namespace
}  // namespace overlap::report
