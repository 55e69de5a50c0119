// Student's t by the incomplete beta function, for which a continued fraction is enough; its quantile by
// bisection. No library: it is a page, and the same on every machine.
#include "judge/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace overlap::report {
namespace {

/// The continued fraction of the incomplete beta function, by Lentz's method (Abramowitz and Stegun 26.5.8).
/// Terms come in pairs, an even and an odd one. kTiny stands in for a divisor of 0, as the method has it. It
/// ends when a pair changes nothing that a double shows, after kMostTerms pairs at the latest.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostTerms = 500;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::fabs(d) < kTiny ? kTiny : d);
  double fraction = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    for (const double term : {even, odd}) {
      d = 1 + term * d;
      d = 1 / (std::fabs(d) < kTiny ? kTiny : d);
      c = 1 + term / c;
      if (std::fabs(c) < kTiny) c = kTiny;
      fraction *= c * d;
    }
    if (std::fabs(c * d - 1) < 1e-15) break;
  }
  return fraction;
}

/// Regularised incomplete beta function I_x(a, b).
/// For x in 0 to 1, and a, b > 0; beyond, it is 0 or 1. The factor in front is computed by logarithms, since
/// its gamma functions overflow for many degrees of freedom.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast on this side only; on the other, the function is one less its mirror image.
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/// Sum of squares about the mean.
double squares_of(const std::vector<double>& values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares;
}

}  // namespace

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  return std::sqrt(squares_of(values, mean_of(values)) / static_cast<double>(values.size() - 1));
}

std::optional<double> spread_of(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const double spread = deviation_of(values) / mean_of(values);
  return std::isfinite(spread) && mean_of(values) > 0 ? std::optional(spread) : std::nullopt;
}

std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

std::optional<Line> fit_line(const std::vector<std::pair<double, double>>& points) {
  // Minimises the sum of ((a + b x - y) / y)^2: a weighted line with weights 1 / y^2.
  // The determinant below is 0 where all x are the same; rounding leaves a little, hence the limit.
  double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;
  for (const auto& [x, y] : points) {
    if (!(y > 0)) continue;
    const double weight = 1 / (y * y);
    w += weight;
    wx += weight * x;
    wxx += weight * x * x;
    wy += weight * y;
    wxy += weight * x * y;
  }
  const double determinant = w * wxx - wx * wx;
  if (!(determinant > 1e-12 * w * wxx)) return std::nullopt;
  const double slope = (w * wxy - wx * wy) / determinant;
  return Line{(wy - slope * wx) / w, slope};
}

// The identity of Abramowitz and Stegun 26.7.1: the tails are I_x(df / 2, 1 / 2) with x = df / (df + t^2).
double student_two_sided(double t, double df) { return incomplete_beta(df / 2, 0.5, df / (df + t * t)); }

// The probability falls with t: a bracket first, by doubling, then halves of it until it is 1e-12 wide.
// Whoever judges many rows asks for the same few over and over.
double student_quantile(double alpha, double df) {
  thread_local std::map<std::pair<double, double>, double> known;
  const auto [at, added] = known.try_emplace({alpha, df}, 0);
  if (!added) return at->second;
  double low = 0, high = 1;
  while (student_two_sided(high, df) > alpha && high < 1e12) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (student_two_sided(middle, df) > alpha ? low : high) = middle;
  }
  return at->second = (low + high) / 2;
}

// From the largest p down, each q is the least of p * count / rank so far: q never falls as p rises.
std::vector<double> adjusted(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> q(p.size());
  double least = 1;
  for (std::size_t rank = p.size(); rank > 0; --rank) {
    const std::size_t i = order[rank - 1];
    least = std::min(least, p[i] * static_cast<double>(p.size()) / static_cast<double>(rank));
    q[i] = least;
  }
  return q;
}

}  // namespace overlap::report
