// What is left of a series beside its level and some parts, as far as neighbours do not predict it. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "judge/explanation.hpp"

namespace overlap::report {

/// What a part of size 1 adds to each of `n` runs.
std::vector<double> shape_of(const Part& part, std::size_t n);

/// Takes `rho` times the value before from each value, so that what is left of a first-order autoregression
/// is independent (Prais and Winsten 1954). There must be a value, and -1 < rho < 1.
void whiten(std::vector<double>& values, double rho);

/// The level of values in which neighbours are correlated by `rho`, by generalised least squares.
double level_of(std::vector<double> values, double rho);

/// The least-squares residual of a series beside a level and parts, at one correlation of neighbours. Says
/// what a further part would explain, without fitting the others again: what they make of its shape is taken
/// from the shape (Frisch and Waugh 1933).
class Residual {
 public:
  /// `values` has at least one; parts that others make up already count for nothing.
  Residual(const std::vector<double>& values, const std::vector<Part>& parts, double rho);

  /// Their sum, of the whitened residual.
  double squares() const { return squares_; }

  /// A further shape's size by least squares, and the squares that it takes away.
  struct Fit {
    double size = 0, gain = 0;
  };
  /// Both are 0 for a shape that the parts make up already.
  Fit fit(std::vector<double> shape) const;

  /// The gains of an outlier at each run, and of a step before each (0 for the first), in O(runs x parts).
  std::vector<double> outlier_gains() const;
  std::vector<double> step_gains() const;

 private:
  void add(std::vector<double> shape);
  double rho_, squares_ = 0;
  std::vector<double> rest_;                ///< whitened
  std::vector<std::vector<double>> basis_;  ///< orthonormal: the level and the parts, whitened
};

}  // namespace overlap::report
