// The order matters little: the planner moves what launches side by side to the end.
#include "families/catalogue.hpp"

namespace overlap {

std::vector<Family> catalogue() {
  return {timer_family(),    transfer_family(),      sequence_family(),   swish_family(), graph_cost_family(),
          pipeline_family(), double_buffer_family(), concurrent_family(), cpu_family()};
}

}  // namespace overlap
