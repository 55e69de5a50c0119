// Which runs belong together: those of one machine, one build and one revision. Commands that take several
// files ask here.
#pragma once

#include <string>
#include <vector>

#include "read/results.hpp"

namespace overlap::report {

/// A key of the context under which two runs say different things.
struct Difference {
  std::string key, first, second;  ///< a value is empty if the run does not say
};

/// In what two runs are not of one machine (GPU UUID where both have one, else host name, GPU and CPUs;
/// backend and driver), one build and one revision; empty: they are. Programs of others that do not
/// say their revision also have to be one executable. When they were made does not matter.
std::vector<Difference> differences(const Run& a, const Run& b);

/// Joins a run to an earlier one that it complements: without differences, and without a row in common, such
/// as overlap-bench and its PyTorch companion. Others stay apart, to be shown side by side.
std::vector<Run> merged(std::vector<Run> runs);

/// "a.json and b.json differ in host_name (x / y)"; empty if all are of one machine, build and revision.
/// @param allowed  keys in which they may differ.
std::string why_apart(const std::vector<Run>& runs, const std::vector<std::string>& allowed = {});

}  // namespace overlap::report
