// The catalogue. To add a family: write bench/<family>.cpp with its Family and fixture, declare it here, list
// it in all_families() and in bench/CMakeLists.txt.
#pragma once

#include <vector>

#include "sweep.hpp"

namespace overlap {

Family transfer_family();
Family pipeline_family();
Family double_buffer_family();
Family concurrent_family();
Family sequence_family();
Family graph_cost_family();
Family swish_family();
Family timer_family();
Family cpu_family();

/// In the order they run.
inline std::vector<Family> all_families() {
  return {timer_family(),         transfer_family(),   pipeline_family(),
          double_buffer_family(), concurrent_family(), graph_cost_family(),
          sequence_family(),      swish_family(),      cpu_family()};
}

}  // namespace overlap
