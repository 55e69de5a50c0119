// How far a row may be off by chance, from the samples of one run, which rows are ties, and what a gain is
// worth with it. Pure.
#pragma once

#include <optional>

#include "read/results.hpp"

namespace overlap::report {

/// Rows this close are equally good, however quiet the machine.
inline constexpr double kTie = 0.02;
/// From there on noise hides any gain worth having: nothing is said of such rows but how to measure them.
inline constexpr double kTooNoisy = 0.10;

/// How far two runs of a row may differ by chance, relative: twice the spread of its samples, or what three
/// and more repetitions leave open of their middle; at least half a percent.
/// @return nothing of a single sample, and of a row that does not say how its samples spread.
std::optional<double> noise_of(const Row& row);

/// Of two rows together: beyond it they differ.
/// Relative, like that of one; nothing if one of them has none.
std::optional<double> noise_of(const Row& a, const Row& b);

/// Up to which ratio of their times less 1 two rows are ties: kTie, or their noise where that is more.
double tolerance_of(const Row& a, const Row& b);

/// A ratio of two times, and the interval in which it lies by the spread of their samples in this run.
/// Above 0; without an interval where a row has no spread.
struct Gain {
  double ratio = 1;
  std::optional<double> low{}, high{};
};
/// How many times as fast `row` is as `baseline`: above 1 it is faster.
Gain gain_over(const Row& baseline, const Row& row);

}  // namespace overlap::report
