// Formulas of a pipeline of three stages over a link with two directions. Where a formula comes from somebody
// else, it is said at its declaration.
#include "harness/limits.hpp"

#include <algorithm>
#include <cmath>

namespace overlap {
namespace {

// Beyond these no machine has gained anything.
constexpr std::size_t kMostPieces = 1024;
constexpr double kMostStreams = 32;

}  // namespace

Counters limit_counters(const Stages& stages, double time_us) {
  Counters counters = stages.alone;
  if (!(stages.bound_us > 0)) return counters;
  counters.emplace_back(counter::kSerialUs, stages.serial_us);
  counters.emplace_back(counter::kBoundUs, stages.bound_us);
  counters.emplace_back(counter::kBoundPct, percent_of(stages.bound_us, time_us));
  if (const auto hidden = overlap_percent(stages.serial_us, stages.bound_us, time_us))
    counters.emplace_back(counter::kOverlapPct, *hidden);
  return counters;
}

PipelineCosts without_copies(PipelineCosts costs) {
  for (Stage* copy : {&costs.in, &costs.out}) *copy = {std::max(0.0, copy->full_us - copy->per_piece_us), 0};
  return costs;
}

double serial_us(const PipelineCosts& costs) {
  return costs.in.full_us + costs.kernel.full_us + costs.out.full_us;
}

// Both directions together, each slower while the other is busy.
double link_us(const PipelineCosts& costs) {
  const double in = costs.in.full_us, out = costs.out.full_us;
  const double slow_in = in * costs.in_slowdown, slow_out = out * costs.out_slowdown;
  // The shorter direction is done at its slow pace; by then the longer has done the same span of its own.
  const double both = slow_out <= slow_in ? slow_out + in - slow_out / costs.in_slowdown
                                          : slow_in + out - slow_in / costs.out_slowdown;
  return std::min(both, in + out);  // where the directions only hinder each other, taking turns is faster
}

double bound_us(const PipelineCosts& costs) {
  return std::max(link_us(costs), costs.kernel.full_us * costs.kernel_share);
}

// The first piece passes all stages; each further one adds a period, which is that of the busiest part.
double predicted_us(const PipelineCosts& costs, std::size_t pieces, std::size_t streams) {
  if (pieces == 1) return serial_us(costs);
  const auto n = static_cast<double>(pieces), lanes = static_cast<double>(streams);
  // In the steady state the link's longer direction is slowed down for as long as the other is busy.
  const double link = link_us(costs);
  const bool in_longer = costs.in.full_us * costs.in_slowdown >= costs.out.full_us * costs.out_slowdown;
  const double in_full = in_longer ? link : costs.in.full_us * costs.in_slowdown;
  const double out_full = in_longer ? costs.out.full_us * costs.out_slowdown : link;
  const double in = in_full / n + costs.in.per_piece_us;
  const double kernel = costs.kernel.full_us / n + costs.kernel.per_piece_us;
  const double out = out_full / n + costs.out.per_piece_us;
  const double all = in + kernel + out;
  const double period = std::max(
      {in, kernel * std::max(costs.kernel_share, 1 / lanes), out, all / lanes, costs.submit_us_per_piece});
  return all + (n - 1) * period;
}

Chunking best_chunking(const PipelineCosts& costs) {
  Chunking best{1, 1, serial_us(costs)};
  // More streams than stages, or than kernels that fit, add nothing; fewer are preferred if they do as well.
  const auto fitting = static_cast<std::size_t>(std::lround(std::min(kMostStreams, 1 / costs.kernel_share)));
  for (std::size_t pieces = 2; pieces <= kMostPieces; ++pieces) {
    for (std::size_t streams = 1; streams <= std::max<std::size_t>(3, fitting); ++streams) {
      const double time = predicted_us(costs, pieces, streams);
      if (time < best.time_us * (1 - 1e-9)) best = {pieces, streams, time};
    }
  }
  return best;
}

double double_buffer_bound_us(double copy_us, double kernel_us, double out_us, std::size_t batches) {
  const auto n = static_cast<double>(batches);
  return copy_us + kernel_us + out_us + (n - 1) * std::max({copy_us, kernel_us, out_us});
}

double concurrent_share(std::size_t tasks, std::size_t blocks, std::size_t capacity) {
  if (tasks == 0 || blocks == 0 || capacity == 0) return 1;
  // Blocks do not start and end together: a kernel that ends leaves the device half empty for as long as a
  // block takes, and that is room for the next one too. (Without it, two products of dim 5000 beat this
  // by 2.4 %.)
  constexpr double kRagged = 0.5;
  const double least = 1 / static_cast<double>(tasks);
  const double waves = static_cast<double>(blocks) / static_cast<double>(capacity);
  if (blocks <= capacity) return std::clamp(waves, least, 1.0);
  return std::clamp((waves - kRagged) / std::ceil(waves), least, 1.0);
}

double percent_of(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string longest(const std::vector<Load>& loads) {
  const auto found = std::ranges::max_element(loads, {}, &Load::second);
  return found == loads.end() ? "" : found->first;
}

}  // namespace overlap
