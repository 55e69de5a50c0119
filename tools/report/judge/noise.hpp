// How far a row may be off by chance, from the samples of one run, and what a gain is worth with it. Pure.
#pragma once

#include "read/results.hpp"

namespace overlap::report {

/// How far two runs of a row may differ by chance: twice the standard error of its median, relative; at least
/// half a percent.
double noise_of(const Row& row);

/// Of two rows together: beyond it they differ.
/// Relative, like that of one.
double noise_of(const Row& a, const Row& b);

/// A ratio of two times, and the interval in which it lies by the spread of their samples in this run.
struct Gain {
  double ratio = 1, low = 1, high = 1;
};
/// How many times as fast `row` is as `baseline`: above 1 it is faster.
Gain gain_over(const Row& baseline, const Row& row);

}  // namespace overlap::report
