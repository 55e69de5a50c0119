// What a series of times is made of: a level with noise, and as few parts as explain it. Pure.
//
// A series is a level plus parts plus a residual in which neighbours are correlated. Parts are outliers (one
// run), steps (from one run on) and drifts (a straight slope between two runs). A set of parts costs -2 log
// L, the likelihood of a first-order autoregression (at the correlation in 0 to 0.95 that suits the set best:
// what is correlated anyway need not be a change), plus a price for each part, since it was chosen among
// many. The cheapest set that a greedy search finds is the explanation: add the part that pays best, move the
// four next to it to where they fit best beside it (what lies farther away hardly hangs on it), and drop at
// last what does not pay. A set has at most 64 parts, so that time grows no faster than the series. Prices
// were set by simulation, for false findings in 2 % of series of 40 runs or less, 5 % where neighbours are
// correlated by 0.7 (history_test.cpp shows them); as in Chakar, Lebarbier, Levy-Leduc and Robin 2017
// (Bernoulli 23) steps are sought at an estimated correlation. If outliers are many and alike, or the
// residual has tails that no outlier explains, the series jumps between levels: then the ranks of the values
// are explained instead, which only ask for exchangeable runs (Pettitt 1979), and sizes are medians of
// differences (Hodges and Lehmann 1963).
#pragma once

#include <cstddef>
#include <vector>

namespace overlap::report {

/// Something that happened to a series, at indices of its runs.
/// From `begin`, the last run at the old level, to `end`, the first one at the new: neighbours for a step,
/// farther apart for a drift. Of an outlier both are the run itself.
struct Part {
  enum class Kind { outlier, step, drift };
  Kind kind = Kind::step;
  std::size_t begin = 0, end = 0;
  double size = 0;  ///< what it adds to the values
  double p = 1;     ///< of a part of this size at this place, which was chosen: compare it with small numbers
};

/// Parts in the order of their ends, and the level that they make at each run, outliers left out.
struct Explanation {
  std::vector<Part> parts;
  std::vector<double> levels;
};

/// Runs that a series needs for anything to be explained.
inline constexpr std::size_t kLeastExplained = 5;

/// Runs that a level needs before it counts as one.
inline constexpr std::size_t kLeastStretch = 4;

/// The ends of drifts in a series of `n` runs are sought this many runs apart, and known to no less. `n` > 0.
std::size_t drift_grid(std::size_t n);

/// Explains `values`, such as logarithms of times, oldest first. Fewer than 5 explain nothing. A step may be
/// one that fewer than kLeastStretch runs follow: it may yet turn out to be outliers.
/// @param same_commit  for each run, whether it is of the same commit as the run before it: a step is less
/// likely there.
Explanation explain(const std::vector<double>& values, const std::vector<bool>& same_commit);

}  // namespace overlap::report
