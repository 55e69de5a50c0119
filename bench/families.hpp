// The catalogue. To add a family: write bench/<family>.cpp with its Family and fixture, declare it here, list
// it in all_families() and in bench/CMakeLists.txt.
#pragma once

#include <vector>

#include "sweep.hpp"

namespace overlap {

Family pipeline_family();
Family sequence_family();
Family swish_family();
Family timer_family();
Family cpu_family();

/// In the order they run.
inline std::vector<Family> all_families() {
  return {timer_family(), pipeline_family(), sequence_family(), swish_family(), cpu_family()};
}

}  // namespace overlap
