// What is left of a series beside its level and some parts, as far as neighbours do not predict it. Pure.
#pragma once

#include <cstddef>
#include <memory>
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
  /// `values` has at least one.
  Residual(const std::vector<double>& values, const std::vector<Part>& parts, double rho);

  /// One part more, in O(runs x parts). A part that others make up already counts for nothing.
  void add(const Part& part);

  double rho() const { return rho_; }
  /// Their sum, of the whitened residual.
  double squares() const { return squares_; }
  /// What it would be without the part that was added as the `at`-th, the first being 0, in O(parts^2).
  double squares_without(std::size_t at) const;
  /// What is left without it, in O(runs x parts). To be asked only: nothing can be added to it.
  Residual without(std::size_t at) const;

  /// A further part's size by least squares, and the squares that it takes away.
  struct Fit {
    double size = 0, gain = 0;
  };
  /// Both are 0 for a part that the others make up already. In O(parts).
  Fit fit(const Part& part) const;

  /// The gains of an outlier at each run, and of a step before each (0 for the first), in O(runs x parts).
  std::vector<double> outlier_gains() const;
  std::vector<double> step_gains() const;

 private:
  /// The products of a vector with the whitened shapes of all parts. A drift is the mean of steps at the runs
  /// that it takes: its product is a difference of sums.
  struct Products {
    std::vector<double> outliers;  ///< at each run
    std::vector<double> steps;     ///< from each run on; of the first it is the level
    std::vector<double> sums;      ///< of those of steps, from each run on; one more, of none
    double with(const Part& part) const;
  };
  /// A unit vector that is orthogonal to those before it; together they make up the level and the parts.
  struct Direction {
    std::vector<double> unit;
    Products products;
    std::vector<double> along;  ///< of the part's shape, on those before it and on itself
    double of_values = 0;       ///< the values' share of it
    double sign = 1;            ///< -1: it is not among what they make up after all
  };
  /// What only the part of a place in the basis makes up, beside all others: its coordinates there.
  std::vector<double> own_direction(std::size_t place) const;
  Products products_of(const std::vector<double>& vector) const;
  double squares_of(const Part& part) const;
  void put(const Part& part);
  void put(std::vector<double> shape, std::vector<double> along, double whole);
  void settle();  ///< what is known of the rest, after the last part

  double rho_, squares_ = 0;
  std::vector<double> rest_;  ///< whitened
  Products rest_products_;
  /// The level's first. Copies of a residual share them.
  std::vector<std::shared_ptr<const Direction>> basis_;
  std::vector<std::size_t> places_;  ///< of each part in the basis; 0: it is made up by others
};

}  // namespace overlap::report
