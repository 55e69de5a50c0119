// Runs of different programs on one machine, seen as one: overlap-bench and its PyTorch companion.
#pragma once

#include <vector>

#include "read/results.hpp"

namespace overlap::report {

/// Joins a run to an earlier one that it complements: of the same machine (GPU, driver, backend), and without
/// a row in common. Runs of equal rows stay apart, to be shown side by side.
std::vector<Run> merged(std::vector<Run> runs);

}  // namespace overlap::report
