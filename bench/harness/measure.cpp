// Warm-up doubles the batch until a region is long enough, which also says how long one operation takes. From
// that come the batch and the number of regions: as many as fill min_time, at least five, fewer where the
// wall clock would run away.
#include "harness/measure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/stopwatch.hpp"

namespace overlap {
namespace {

constexpr double kLeastSeconds = 1e-9;    // what a time is taken to be if the clock saw none
constexpr std::size_t kLeastSamples = 5;  // below which no spread can be told
/// However short a region is.
constexpr std::size_t kMostSamples = 20'000;
// Regions aim this much above the least length, so that a slightly faster run is not too short.
constexpr double kRegionMargin = 1.25;
// Where most of the wall time is not measured time (an empty event pair), stop at this multiple of min_time.
constexpr double kMostWallPerMinTime = 4;

/// Upwards, and at least 1. Infinity and what no counter holds become 1e15.
std::size_t rounded_up(double value) {
  return static_cast<std::size_t>(std::ceil(std::clamp(value, 1.0, 1e15)));
}

}  // namespace

// Each rule caps the one before: enough regions for min_time, not more wall time than a multiple of it, not
// more than the budget.
MeasurePlan plan_measurement(const TakeSample& take, const MeasureSettings& settings) {
  const Stopwatch warm_up;
  std::size_t batch = 1;
  Sample last;
  double wall = 0;  // of the last region
  bool grown = false;
  do {
    const Stopwatch region;
    last = take(batch, Phase::warm_up);
    wall = region.seconds();
    grown = last.seconds < settings.least_region_s && batch < settings.most_batch && batch < (1U << 20);
    if (grown) batch = std::min(settings.most_batch, batch * 2);
  } while (grown || warm_up.seconds() < settings.warm_up_s);

  const double each = std::max(kLeastSeconds, last.seconds / static_cast<double>(batch));
  MeasurePlan plan;
  plan.batch = std::min(settings.most_batch, rounded_up(kRegionMargin * settings.least_region_s / each));
  if (last.seconds >= settings.least_region_s && batch == 1) plan.batch = 1;
  if (settings.fixed_operations > 0) {
    plan.batch = std::min(plan.batch, settings.fixed_operations);
    plan.samples = (settings.fixed_operations + plan.batch - 1) / plan.batch;
    return plan;
  }
  const double scale = static_cast<double>(plan.batch) / static_cast<double>(batch);
  const double region_s = each * static_cast<double>(plan.batch);
  const double region_wall_s = std::max(region_s, wall * scale);
  plan.samples = std::clamp(rounded_up(settings.min_time_s / region_s), kLeastSamples, kMostSamples);
  plan.samples = std::min(
      plan.samples,
      std::max(kLeastSamples, rounded_up(kMostWallPerMinTime * settings.min_time_s / region_wall_s)));
  const std::size_t within_budget = rounded_up(settings.wall_budget_s / region_wall_s);
  plan.cut_short = within_budget < plan.samples;
  plan.samples = std::min(plan.samples, within_budget);
  return plan;
}

Measurement measure(const TakeSample& take, const MeasurePlan& plan, const MeasureSettings& settings) {
  const Stopwatch wall;
  const auto batch = static_cast<double>(plan.batch);
  std::vector<double> us, submit_us;
  Measurement result;
  result.over_budget = plan.cut_short;
  for (std::size_t i = 0; i < plan.samples; ++i) {
    const Sample sample = take(plan.batch, Phase::measure);
    us.push_back(sample.seconds / batch * 1e6);
    submit_us.push_back(sample.submit_seconds / batch * 1e6);
    if (i + 1 < plan.samples && wall.seconds() > settings.wall_budget_s) {
      result.over_budget = true;
      break;
    }
  }
  const double mean = std::accumulate(us.begin(), us.end(), 0.0) / static_cast<double>(us.size());
  double squares = 0;
  for (double t : us) squares += (t - mean) * (t - mean);
  result.samples = us.size();
  result.operations = us.size() * plan.batch;
  result.seconds = mean * 1e-6 * static_cast<double>(plan.operations());
  result.cv = us.size() > 1 && mean > 0 ? std::sqrt(squares / static_cast<double>(us.size() - 1)) / mean : 0;
  result.min_us = *std::ranges::min_element(us);
  result.p50_us = percentile(us, 0.50);
  result.p95_us = percentile(us, 0.95);
  result.submit_us = percentile(submit_us, 0.50);
  return result;
}

// Between two samples, in proportion to where the fraction falls.
double percentile(std::vector<double> samples, double fraction) {
  std::ranges::sort(samples);
  const double at = fraction * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (at - static_cast<double>(below)) * (samples[above] - samples[below]);
}

}  // namespace overlap
