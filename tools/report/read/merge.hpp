// Runs of different programs on one machine, seen as one: overlap-bench and its PyTorch companion.
#pragma once

#include <vector>

#include "read/results.hpp"

namespace overlap::report {

/// Joins a run to an earlier one that it complements: of the same machine (GPU, driver, backend), and without
/// a row in common. Runs of equal rows stay apart, to be shown side by side.
std::vector<Run> merged(std::vector<Run> runs);

/// Adds what the C++ program measured of the kernel that the PyTorch extension calls, on the same buffers
/// over and over, to the rows of torch_swish: as impl:kernel, ahead of those of its pass, where any are of as
/// many elements.
void add_raw_kernels(Run& run);

}  // namespace overlap::report
