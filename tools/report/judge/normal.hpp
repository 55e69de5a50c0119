// Runs as they are compared: names without what goes without saying, rows of the same data with one bound.
// Pure; done once, after a run has been read.
#pragma once

#include "judge/family_report.hpp"

namespace overlap::report {

/// Takes late axes at their default off the names, so that rows have the names of older runs; and gives rows
/// that share data the stage times of the one with the least bound among them. A row carries the stage times
/// that were measured beside it; a slow spell of the machine then makes its bound too large, never too small.
/// Rows that failed or have no bound stay as they are.
void normalise(Run& run, const Families& families);

/// Counters that normalise() reads and writes.
const std::vector<std::string>& bound_counters();

}  // namespace overlap::report
