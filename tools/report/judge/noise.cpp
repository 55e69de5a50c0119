// From one run alone: how far a row may be off, by the spread of its own samples. It says nothing of how far
// the next run on another day will be off; comparisons of runs do (verdict.cpp).
//
// Samples of a row follow each other, so they share their spell of a busy host or link, and a thousand of
// them say little more than ten: among ten runs on an H200, the ratio of two rows of one run moved by 0.3 to
// 3.7 times their samples' spread, however many there were. Hence the spread and not the standard error.
#include "judge/noise.hpp"

#include <algorithm>
#include <cmath>

#include "judge/statistics.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

/// Standard deviation of a row's samples, relative. Few wild samples move it and not the median, so that it
/// is no more than the distance of the 95th percentile, or of the least of all, makes of it.
std::optional<double> spread_of_samples(const Row& row) {
  const auto cv = row.counter(counter::kCv);
  if (!cv || *cv < 0 || row.counter(counter::kSamples).value_or(2) < 2) return std::nullopt;
  const double middle = row.counter(counter::kP50Us).value_or(0);
  const auto p95 = row.counter(counter::kP95Us), least = row.counter(counter::kMinUs);
  if (!(middle > 0) || !p95 || !least) return cv;
  // Of a normal distribution: the 95th percentile, and about the least of some hundred samples.
  constexpr double kDeviationsTo95 = 1.645, kDeviationsToLeast = 3;
  const double above = (*p95 / middle - 1) / kDeviationsTo95,
               below = (1 - *least / middle) / kDeviationsToLeast;
  return std::min(*cv, std::max({above, below, 0.0}));
}

}  // namespace

std::optional<double> noise_of(const Row& row) {
  constexpr double kLeast = 0.005;
  constexpr double kMedian = 1.25;  // its standard error over the mean's, where values are normal
  if (const auto count = static_cast<double>(row.times_us.size()); count >= 3)
    if (const auto spread = spread_of(row.times_us))
      return std::max(kLeast, kMedian * student_quantile(0.05, count - 1) * *spread / std::sqrt(count));
  const auto spread = spread_of_samples(row);
  return spread ? std::optional(std::max(kLeast, 2 * *spread)) : std::nullopt;
}

// Independent errors add by their squares.
std::optional<double> noise_of(const Row& a, const Row& b) {
  const auto of_a = noise_of(a), of_b = noise_of(b);
  return of_a && of_b ? std::optional(std::hypot(*of_a, *of_b)) : std::nullopt;
}

double tolerance_of(const Row& a, const Row& b) { return std::max(kTie, noise_of(a, b).value_or(0)); }

// A row that took no time has no ratio: 1 claims nothing. Relative errors are errors of the logarithm, on
// which the interval is made, so that it never reaches 0.
Gain gain_over(const Row& baseline, const Row& row) {
  if (!(row.time_us() > 0) || !(baseline.time_us() > 0)) return {};
  Gain gain{.ratio = baseline.time_us() / row.time_us()};
  if (const auto noise = noise_of(baseline, row); noise && baseline.name() != row.name()) {
    gain.low = gain.ratio * std::exp(-*noise);
    gain.high = gain.ratio * std::exp(*noise);
  }
  return gain;
}

}  // namespace overlap::report
