// From one run alone: how far its median may be off, by the spread of its own samples. It says nothing of how
// far the next run will be off; comparisons of runs do (verdict.cpp).
#include "judge/noise.hpp"

#include <algorithm>
#include <cmath>

#include "names/counters.hpp"

namespace overlap::report {

// A row without a spread or a count of samples (another program's) gets the least.
double noise_of(const Row& row) {
  constexpr double kLeast = 0.005;
  // A median's standard error is 1.25 times the mean's, where the samples are normal.
  const double samples = std::max(1.0, row.counter(counter::kSamples).value_or(1));
  return std::max(kLeast, 2 * 1.25 * row.counter(counter::kCv).value_or(0) / std::sqrt(samples));
}

// Independent errors add by their squares.
double noise_of(const Row& a, const Row& b) { return std::hypot(noise_of(a), noise_of(b)); }

// A row that took no time has no ratio: 1 claims nothing.
Gain gain_over(const Row& baseline, const Row& row) {
  const double ratio = row.time_us() > 0 ? baseline.time_us() / row.time_us() : 1;
  const double noise = noise_of(baseline, row);
  return {ratio, ratio * (1 - noise), ratio * (1 + noise)};
}

}  // namespace overlap::report
