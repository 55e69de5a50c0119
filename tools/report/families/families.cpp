// The list, and nothing else.
#include "families/families.hpp"

namespace overlap::report {

const Families& known_families() {
  static const Families all = {transfer_report(),     sequence_report(),
                               swish_report(),        graph_cost_report(),
                               pipeline_report(),     double_buffer_report(),
                               concurrent_report(),   cpu_report(),
                               torch_swish_report(),  torch_double_buffer_report(),
                               torch_streams_report()};
  return all;
}

}  // namespace overlap::report
