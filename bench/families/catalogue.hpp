// The catalogue. To add a family: write bench/<family>.cpp with its Family and fixture, declare it here, list
// it in all_families() and in bench/CMakeLists.txt.
#pragma once

#include <vector>

#include "harness/sweep.hpp"

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

/// In the order they run. Families whose kernels follow each other come before those that launch kernels into
/// several streams side by side: the driver answers some hundred such launches by making every later boundary
/// between kernels slower, in all streams, until the process ends. On an H200 (driver 580) that costs 0.18 us
/// a kernel: a graph of 1000 empty ones takes 502 us before and 679 us after.
inline std::vector<Family> all_families() {
  return {timer_family(),    transfer_family(),      sequence_family(),   swish_family(), graph_cost_family(),
          pipeline_family(), double_buffer_family(), concurrent_family(), cpu_family()};
}

}  // namespace overlap
