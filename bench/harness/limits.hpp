// What a row is measured against: the least time that its stages allow, from what each takes alone. Pure
// arithmetic; times in microseconds. bound_us never assumes more than that all stages can run at once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "names/counters.hpp"

namespace overlap {

/// Counters of a row, by the name they have in the JSON (names/counters.hpp).
using Counters = std::vector<std::pair<std::string, double>>;

/// What a row's bound is made of: it travels with the row, so that a reader can take the least of all rows
/// that share their data.
struct Stages {
  Counters alone{};      ///< what each stage takes by itself: h2d_us, kernel_us, d2h_us, link_us
  double serial_us = 0;  ///< all of them, one after the other
  double bound_us = 0;   ///< the least time with everything overlapped; 0: nobody knows
};

/// The counters of a row's stages, and how far its time is from what they allow: bound_pct and, where there
/// is something to hide, overlap_pct.
Counters limit_counters(const Stages& stages, double time_us);

/// A stage of a job that is cut into pieces.
struct Stage {
  double full_us = 0;       ///< all of it, alone, in one piece, at its best
  double per_piece_us = 0;  ///< what a further piece adds
};

/// What copying in, computing and copying out cost a job.
struct PipelineCosts {
  Stage in, kernel, out;
  /// Time of a copy while the other direction is busy, over its time alone; at least 1.
  double in_slowdown = 1, out_slowdown = 1;
  double submit_us_per_piece = 0;  ///< of the submitting thread
  /// Least share of its time that the kernel takes when its pieces run beside each other: 1 where one kernel
  /// fills the device, less where it leaves room.
  double kernel_share = 1;
};

/// The same job where the kernel reaches host memory by itself: the bytes cross the link as before, but no
/// copy has to be started, which is what a further piece of one costs.
PipelineCosts without_copies(PipelineCosts costs);

/// All stages one after the other.
double serial_us(const PipelineCosts& costs);

/// Least time in which the link can move both directions: while both are busy each goes at its slower pace,
/// and what the longer one has left goes at its own.
double link_us(const PipelineCosts& costs);

/// Least time with everything overlapped: the busiest of link and kernel.
double bound_us(const PipelineCosts& costs);

/// Time of `pieces` equal pieces on `streams` streams. After the first piece, one is finished every
/// max(slowest stage, sum of stages / streams, submission). As many kernels as there are streams run beside
/// each other, if the device has the room.
double predicted_us(const PipelineCosts& costs, std::size_t pieces, std::size_t streams);

/// How many pieces and streams the model would take.
struct Chunking {
  std::size_t pieces = 1;
  std::size_t streams = 1;
  double time_us = 0;
};
Chunking best_chunking(const PipelineCosts& costs);

/// `batches` copies of copy_us each, each followed by kernel_us of work and, if out_us > 0, a copy back,
/// through enough buffers: either copies or kernels follow each other without a gap.
double double_buffer_bound_us(double copy_us, double kernel_us, double out_us, std::size_t batches);

/// Least share of their time one by one that `tasks` equal kernels take together, each of `blocks` blocks, of
/// which the device holds `capacity` at once. Alone, a kernel takes as many waves as it needs, the last of
/// them perhaps nearly empty; together, only the blocks count. 1: nothing to gain by running them together.
double concurrent_share(std::size_t tasks, std::size_t blocks, std::size_t capacity);

/// part of whole in percent; 0 if there is no whole. Not capped: over 100 % of a bound means that the bound
/// is wrong, which must show.
double percent_of(double part, double whole);

/// Something that takes so long by itself per operation.
using Load = std::pair<std::string, double>;

/// The name of the longest; the empty string if there is none.
std::string longest(const std::vector<Load>& loads);

}  // namespace overlap
