// The little statistics that findings need; the median is the reader's (read/results.hpp). Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace overlap::report {

/// Of one value at least.
double mean_of(const std::vector<double>& values);

/// Standard deviation of a sample (n - 1); 0 of fewer than two values.
double deviation_of(const std::vector<double>& values);

/// Standard deviation over mean; nothing where there is none.
/// There is none of fewer than two values, and of values whose mean is not above 0.
std::optional<double> spread_of(const std::vector<double>& values);

/// The natural logarithm of each value, all above 0.
std::vector<double> logarithms(std::vector<double> values);

/// y = at_zero + slope * x.
/// A line; `slope` is in units of y per unit of x.
struct Line {
  double at_zero = 0, slope = 0;
};

/// The line of least squares of the relative error, so that small values count as much as large ones. Points
/// are (x, y); those with y <= 0 do not count.
/// @return nothing without two different x.
std::optional<Line> fit_line(const std::vector<std::pair<double, double>>& points);

/// Probability that Student's t with `df` > 0 degrees of freedom lies beyond +-t.
/// 1 for t = 0.
double student_two_sided(double t, double df);

/// t beyond which Student's distribution with `df` has `alpha` of its weight, both sides together.
double student_quantile(double alpha, double df);

/// Benjamini and Hochberg 1995: for each p, the false discovery rate at which it would just be called.
std::vector<double> adjusted(const std::vector<double>& p);

}  // namespace overlap::report
