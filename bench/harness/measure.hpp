// How often an operation is run and what is made of the times. Knows nothing of devices or of Google
// Benchmark: whatever can time a region of several operations can be measured, a test's fake clock as well.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

namespace overlap {

/// The times of one region: `operations` run back to back.
struct Sample {
  double seconds = 0;         ///< makespan of the region
  double submit_seconds = 0;  ///< CPU time until all of it was enqueued
};

/// Runs a region. In warm-up it may leave out what only measuring needs (a latch, say).
enum class Phase { warm_up, measure };
using TakeSample = std::function<Sample(std::size_t operations, Phase phase)>;

struct MeasureSettings {
  double warm_up_s = 0.2;     ///< wall time of warm-up: an idle GPU needs that long to raise its clock
  double min_time_s = 0.2;    ///< sum of measured time per row
  double wall_budget_s = 10;  ///< wall time of measuring per row, after which it makes do with what it has
  double least_region_s = 200e-6;  ///< a region lasts at least this long: events resolve about 0.5 us
  std::size_t most_batch = std::numeric_limits<std::size_t>::max();  ///< operations per region at most
  std::size_t fixed_operations = 0;  ///< if not 0: run so many, whatever the time

  /// The same for what is measured beside the rows: with less time for warm-up and for measuring, where they
  /// have more.
  MeasureSettings at_most(double most_warm_up_s, double most_time_s) const {
    MeasureSettings brief = *this;
    brief.warm_up_s = std::min(brief.warm_up_s, most_warm_up_s);
    brief.min_time_s = std::min(brief.min_time_s, most_time_s);
    return brief;
  }
};

/// How a row is measured. Made once and kept for its repetitions, which Google Benchmark wants equally long.
struct MeasurePlan {
  std::size_t batch = 1;    ///< operations per region
  std::size_t samples = 1;  ///< regions
  bool cut_short = false;   ///< fewer regions than min_time asks for, because the wall clock is short
  std::size_t operations() const { return batch * samples; }
};

/// What a row's times come to. Per operation, in microseconds where the name says so.
struct Measurement {
  double seconds = 0;  ///< for all planned operations; if the budget ended it early, as if at the same pace
  double min_us = 0, p50_us = 0, p95_us = 0;
  double cv = 0;         ///< standard deviation over mean of the samples
  double submit_us = 0;  ///< median
  std::size_t samples = 0;
  std::size_t operations = 0;  ///< that were run for them
  bool over_budget = false;    ///< fewer samples than planned
};

/// Warms up for at least warm_up_s, and finds from the last regions how many operations make one long enough.
MeasurePlan plan_measurement(const TakeSample& take, const MeasureSettings& settings);

/// Takes the planned samples.
Measurement measure(const TakeSample& take, const MeasurePlan& plan, const MeasureSettings& settings);

/// Value below which `fraction` of the samples lie, between the two nearest; samples may not be empty.
double percentile(std::vector<double> samples, double fraction);

}  // namespace overlap
