// Thresholds are probabilities of Student's t, so that three runs need a far clearer case than twenty.
#include "judge/two_sides.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "judge/statistics.hpp"

namespace overlap::report {
namespace {

// Of a row of normal noise that is as large on both sides.
constexpr double kOutlierP = 1e-6;
constexpr double kLevelsP = 3e-5;  // of one gap: the widest one is beyond it in up to 0.13 % of rows
constexpr double kUsualDeviation =
    0.6931471805599453;                        // of the logarithm of the ratio: a factor of 2 in variance
constexpr double kRowsOfUsual = 8;             // how many rows that is worth
constexpr double kReach = 2.4;                 // deviations on either side
constexpr double kDeviationOfMiddle = 1.4826;  // a normal's, over its median distance from the middle

double mean_square(const std::vector<double>& values) {
  const double deviation = deviation_of(values);
  return deviation * deviation;
}

/// Values without the one at `index`.
std::vector<double> without(std::vector<double> values, std::size_t index) {
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(index));
  return values;
}

/// A side taken apart in one of two ways: what is left without its farthest run, or two groups of runs.
struct Apart {
  double squares = 0;  ///< sum of squares about the means of the parts
  double df = 0;
};

/// The median; of at least one value.
double middle_of(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// Index of the value that lies farthest from the middle; of at least one.
std::size_t farthest(const std::vector<double>& logs) {
  const double middle = middle_of(logs);
  const auto found = std::ranges::max_element(logs, {}, [=](double log) { return std::fabs(log - middle); });
  return static_cast<std::size_t>(found - logs.begin());
}

Apart without_farthest(const std::vector<double>& logs) {
  if (logs.size() < 3) return {};
  const std::vector<double> rest = without(logs, farthest(logs));
  const auto df = static_cast<double>(rest.size() - 1);
  return {mean_square(rest) * df, df};
}

/// Whether the farthest run lies too far from the others for the noise of both sides.
bool is_outlier(const std::vector<double>& logs, double noise, double df, double tolerance) {
  if (logs.size() < 3 || df <= 0) return false;
  const std::size_t at = farthest(logs);
  const std::vector<double> rest = without(logs, at);
  const double distance = std::fabs(logs[at] - mean_of(rest));
  if (distance <= std::log1p(tolerance)) return false;
  const double error = noise * std::sqrt(1 + 1 / static_cast<double>(rest.size()));
  const double p = error > 0 ? student_two_sided(distance / error, df) : 0;
  return p * static_cast<double>(logs.size()) < kOutlierP;
}

/// Whether a run that lies far from its own side lies where the other one does: then it is no accident, but
/// at a level that both sides know.
bool lies_at(double log, const std::vector<double>& other, double noise, double tolerance) {
  constexpr double kReachOfLevel = 3;  // deviations
  if (other.size() < kLeastRuns) return false;
  const std::vector<double> rest = without(other, farthest(other));
  const double reach = kReachOfLevel * noise * std::sqrt(1 + 1 / static_cast<double>(rest.size()));
  return std::fabs(log - mean_of(rest)) <= std::max(reach, std::log1p(tolerance));
}

/// The widest gap that leaves two runs or more on either side.
struct Gap {
  double width = 0;
  Apart groups;
};
Gap widest_gap(std::vector<double> logs) {
  Gap gap;
  const std::size_t n = logs.size();
  std::ranges::sort(logs);
  std::size_t at = 0;
  for (std::size_t k = 2; k + 2 <= n; ++k) {
    if (logs[k] - logs[k - 1] <= gap.width) continue;
    gap.width = logs[k] - logs[k - 1];
    at = k;
  }
  const auto middle = logs.begin() + static_cast<std::ptrdiff_t>(at);
  for (const std::vector<double>& part :
       {std::vector<double>(logs.begin(), middle), std::vector<double>(middle, logs.end())}) {
    if (part.empty()) continue;
    const auto df = static_cast<double>(part.size() - 1);
    gap.groups.squares += mean_square(part) * df;
    gap.groups.df += df;
  }
  return gap;
}

/// Both functions of x = k / 2 for whole k > 0: by recurrence to where the asymptotic series is exact enough
/// (Abramowitz and Stegun 6.3.5, 6.3.18; 6.4.6, 6.4.12).
double digamma(double x) {
  double below = 0;
  for (; x < 8; ++x) below += 1 / x;
  const double square = 1 / (x * x);
  return std::log(x) - 0.5 / x - square * (1.0 / 12 - square * (1.0 / 120 - square / 252)) - below;
}
double trigamma(double x) {
  double below = 0;
  for (; x < 8; ++x) below += 1 / (x * x);
  const double square = 1 / (x * x);
  return 1 / x + square / 2 + square / x * (1.0 / 6 - square * (1.0 / 30 - square / 42)) + below;
}

}  // namespace

bool TwoSides::can_be_judged() const {
  return baseline.logs.size() >= kLeastRuns && fresh.logs.size() >= kLeastRuns && !baseline.two_levels &&
         !fresh.two_levels;
}

TwoSides look_at(const std::vector<double>& baseline, const std::vector<double>& fresh, double tolerance) {
  TwoSides row{{logarithms(baseline), std::nullopt, false}, {logarithms(fresh), std::nullopt, false}};
  // The noise is that of both sides together, each without what is in question: an outlier of one side must
  // not hide one of the other.
  const Apart a = without_farthest(row.baseline.logs), b = without_farthest(row.fresh.logs);
  const double df = a.df + b.df, noise = df > 0 ? std::sqrt((a.squares + b.squares) / df) : 0;
  const Gap before = widest_gap(row.baseline.logs), now = widest_gap(row.fresh.logs);
  const double levels_df = before.groups.df + now.groups.df;
  const double within =
      levels_df > 0 ? std::sqrt((before.groups.squares + now.groups.squares) / levels_df) : 0;
  const double least_gap = levels_df > 0 ? within * student_quantile(kLevelsP, levels_df) : HUGE_VAL;
  const std::vector<double> logs_before = row.baseline.logs, logs_now = row.fresh.logs;
  const auto look = [&](SideRuns& side, const Gap& gap, const std::vector<double>& other) {
    side.two_levels = gap.width > std::max(least_gap, std::log1p(tolerance));
    if (side.two_levels || !is_outlier(side.logs, noise, df, tolerance)) return;
    const std::size_t far = farthest(side.logs);
    side.two_levels = lies_at(side.logs[far], other, noise, tolerance);
    if (side.two_levels) return;
    side.outlier = far;
    side.logs = without(side.logs, far);
  };
  look(row.baseline, before, logs_now);
  look(row.fresh, now, logs_before);
  return row;
}

// The logarithm of a ratio of two sample variances has a known mean and variance, whatever the noise. What
// rows scatter beyond that is how far their true ratios differ. The usual ratio, 1 within a factor of two, is
// worth a few rows: it decides where there are few, and vanishes where there are many (a normal prior on a
// normal mean).
NoiseRatio noise_ratio(std::span<const TwoSides> rows) {
  std::vector<double> ratios;
  double chance = 0;  // variance of a ratio that small samples explain
  for (const TwoSides& row : rows) {
    if (!row.can_be_judged()) continue;
    const double before = mean_square(row.baseline.logs), now = mean_square(row.fresh.logs);
    if (!(before > 0) || !(now > 0)) continue;
    const double a = static_cast<double>(row.baseline.logs.size() - 1) / 2,
                 b = static_cast<double>(row.fresh.logs.size() - 1) / 2;
    ratios.push_back(std::log(now / before) - (digamma(b) - std::log(b)) + (digamma(a) - std::log(a)));
    chance += trigamma(a) + trigamma(b);
  }
  if (ratios.empty()) return {};
  const auto count = static_cast<double>(ratios.size());
  chance /= count;
  constexpr double kUsualVariance = kUsualDeviation * kUsualDeviation;
  const double middle_ratio = middle_of(ratios);
  std::vector<double> distances;
  for (const double each : ratios) distances.push_back(std::fabs(each - middle_ratio));
  const double scatter = kDeviationOfMiddle * middle_of(distances);
  const double seen = std::max(0.0, scatter * scatter - chance);
  const double between = (kUsualVariance * kRowsOfUsual + seen * count) / (kRowsOfUsual + count);
  const double error = (chance + between) / count;  // of the mean, squared
  const double known = 1 / (1 / kUsualVariance + 1 / error);
  const double middle = known * middle_ratio / error,
               reach = std::min(2 * kUsualDeviation, kReach * std::sqrt(known + between));
  return {std::exp(middle - reach), std::exp(middle + reach)};
}

// As a function of the ratio the squared error is a + b ratio + c / ratio, so its largest value lies at an
// end.
Difference difference_of(const TwoSides& row, const NoiseRatio& ratio) {
  const std::vector<double>&baseline = row.baseline.logs, &fresh = row.fresh.logs;
  const auto n = static_cast<double>(baseline.size()), m = static_cast<double>(fresh.size());
  const double before = mean_square(baseline), now = mean_square(fresh), df = n + m - 2;
  double most = 0;
  for (const double each : {ratio.low, ratio.high}) {
    const double pooled = ((n - 1) * before + (m - 1) * now / each) / df;  // of the baseline's noise
    most = std::max(most, pooled * (1 / n + each / m));
  }
  return {mean_of(fresh) - mean_of(baseline), std::sqrt(most), df};
}

}  // namespace overlap::report
