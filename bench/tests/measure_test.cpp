// The sampler against fake clocks: regions long enough, totals right, budgets kept.
#include "harness/measure.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace overlap {
namespace {

/// Operations that take a fixed time, without taking it.
struct FakeWork {
  double each_s;
  std::size_t regions = 0, operations = 0, shortest = ~std::size_t{0}, longest = 0;

  TakeSample take() {
    return [this](std::size_t count, Phase phase) {
      if (phase == Phase::measure) {
        ++regions;
        operations += count;
        shortest = std::min(shortest, count);
        longest = std::max(longest, count);
      }
      return Sample{each_s * static_cast<double>(count), 0.1 * each_s * static_cast<double>(count)};
    };
  }
};

MeasureSettings brief() {
  MeasureSettings settings;
  settings.warm_up_s = 0;
  settings.min_time_s = 0.01;
  return settings;
}

TEST(Measure, BatchesShortWorkToLongRegions) {
  FakeWork work{2e-6};
  const auto plan = plan_measurement(work.take(), brief());
  EXPECT_GE(static_cast<double>(plan.batch) * work.each_s, 200e-6);
  EXPECT_LE(static_cast<double>(plan.batch) * work.each_s, 400e-6);
  EXPECT_GE(static_cast<double>(plan.operations()) * work.each_s, 0.01);
}

TEST(Measure, RunsLongWorkOneByOne) {
  FakeWork work{3e-3};
  const auto plan = plan_measurement(work.take(), brief());
  EXPECT_EQ(plan.batch, 1U);
  EXPECT_EQ(plan.samples, 5U);  // the fewest that have a spread
}

TEST(Measure, KeepsToTheLargestBatch) {
  FakeWork work{2e-6};
  MeasureSettings settings = brief();
  settings.most_batch = 3;
  EXPECT_EQ(plan_measurement(work.take(), settings).batch, 3U);
}

TEST(Measure, RunsExactlyWhatWasPlanned) {
  FakeWork work{50e-6};
  const auto plan = plan_measurement(work.take(), brief());
  const auto result = measure(work.take(), plan, brief());
  EXPECT_EQ(work.operations, plan.operations());
  EXPECT_EQ(work.regions, plan.samples);
  EXPECT_EQ(work.shortest, work.longest);
  EXPECT_EQ(result.samples, plan.samples);
  EXPECT_NEAR(result.seconds, static_cast<double>(plan.operations()) * work.each_s, 1e-9);
}

TEST(Measure, FixedOperationsAreFixed) {
  FakeWork work{2e-6};
  MeasureSettings settings = brief();
  settings.fixed_operations = 7;
  const auto plan = plan_measurement(work.take(), settings);
  EXPECT_EQ(plan.operations(), 7U);
}

TEST(Measure, SurvivesAClockThatReadsNothing) {
  FakeWork work{0};
  MeasureSettings settings = brief();
  settings.fixed_operations = 1;
  const auto plan = plan_measurement(work.take(), settings);
  const auto result = measure(work.take(), plan, settings);
  EXPECT_EQ(result.p50_us, 0);
  EXPECT_EQ(result.cv, 0);
}

TEST(Measure, ReportsPerOperationWhateverTheBatch) {
  const MeasurePlan plan{10, 5};
  int i = 0;
  const double region_us[] = {100, 200, 300, 400, 1000};
  const auto result = measure(
      [&](std::size_t, Phase) {
        return Sample{region_us[i++] * 1e-6, 20e-6};
      },
      plan, brief());
  EXPECT_NEAR(result.min_us, 10, 1e-9);
  EXPECT_NEAR(result.p50_us, 30, 1e-9);
  EXPECT_NEAR(result.p95_us, 88, 1e-9);
  EXPECT_NEAR(result.seconds, 2000e-6, 1e-12);
  EXPECT_NEAR(result.cv, 0.8838834764831844, 1e-9);
  EXPECT_NEAR(result.submit_us, 2, 1e-9);
}

TEST(Measure, StopsAtTheWallBudgetAndSaysSo) {
  MeasureSettings settings = brief();
  settings.wall_budget_s = 0.02;
  const MeasurePlan plan{1, 1000};
  const auto result = measure(
      [](std::size_t, Phase) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return Sample{1e-6, 0};
      },
      plan, settings);
  EXPECT_TRUE(result.over_budget);
  EXPECT_GE(result.samples, 1U);
  EXPECT_LT(result.samples, 1000U);
  EXPECT_NEAR(result.seconds, 1000e-6, 1e-9);  // for as many operations as the library was told
}

TEST(Measure, WarmsUpByTime) {
  MeasureSettings settings = brief();
  settings.warm_up_s = 0.03;
  const auto start = std::chrono::steady_clock::now();
  FakeWork work{1e-3};
  plan_measurement(work.take(), settings);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(30));
}

TEST(Measure, PassesErrorsOn) {
  const TakeSample failing = [](std::size_t, Phase) -> Sample { throw std::runtime_error("device gone"); };
  EXPECT_THROW(plan_measurement(failing, brief()), std::runtime_error);
  EXPECT_THROW(measure(failing, {1, 1}, brief()), std::runtime_error);
}

TEST(Percentile, InterpolatesBetweenSamples) {
  EXPECT_DOUBLE_EQ(percentile({5}, 0.95), 5);
  EXPECT_DOUBLE_EQ(percentile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(percentile({1, 2, 3}, 1.0), 3);
}

TEST(Plan, SaysWhereTheBudgetCutItShort) {
  const TakeSample take = [](std::size_t operations, Phase) {
    return Sample{1e-3 * static_cast<double>(operations), 0};
  };
  MeasureSettings settings;
  settings.warm_up_s = 0;
  settings.min_time_s = 0.1;
  EXPECT_FALSE(plan_measurement(take, settings).cut_short);
  EXPECT_FALSE(measure(take, plan_measurement(take, settings), settings).over_budget);
  settings.wall_budget_s = 0.01;
  const MeasurePlan plan = plan_measurement(take, settings);
  EXPECT_TRUE(plan.cut_short);
  EXPECT_TRUE(measure(take, plan, settings).over_budget);
}

}  // namespace
}  // namespace overlap
