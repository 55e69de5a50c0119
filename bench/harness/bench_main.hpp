// A whole benchmark program: command line in, rows measured, JSON and an exit code out.
#pragma once

#include <vector>

#include "harness/family.hpp"

namespace overlap {

/// Runs the sweep that the command line asks for over these families, on the backend that the program is
/// linked to. Catches everything.
/// @return the exit code: 0 all rows good, 1 a row failed or none ran, 2 usage, 3 no usable device.
int bench_main(int argc, char** argv, const std::vector<Family>& families);

}  // namespace overlap
