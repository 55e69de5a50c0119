// The little statistics that verdicts need. Pure.
#pragma once

#include <cstddef>
#include <vector>

namespace overlap::report {

/// Probability that Student's t with `df` > 0 degrees of freedom lies beyond +-t.
double student_two_sided(double t, double df);

/// t beyond which Student's distribution with `df` has `alpha` of its weight, both sides together.
double student_quantile(double alpha, double df);

/// Welch's comparison of two samples' means: their difference, its standard error and degrees of freedom.
struct Welch {
  double difference = 0;  ///< of the second over the first
  double standard_error = 0;
  double df = 0;  ///< 0: too few values to tell
};
Welch welch(const std::vector<double>& first, const std::vector<double>& second);

/// Benjamini and Hochberg 1995: for each p, the false discovery rate at which it would just be called.
std::vector<double> adjusted(const std::vector<double>& p);

}  // namespace overlap::report
