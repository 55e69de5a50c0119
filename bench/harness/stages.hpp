// What rows are compared with, measured in the same process: stages alone, copies in both directions.
#pragma once

#include <functional>

#include "harness/measure.hpp"
#include "harness/session.hpp"

namespace overlap {

using Enqueue = std::function<void(std::size_t index)>;

/// Measures what `enqueue` puts on the origin, alone, as a row would be. Waits.
Measurement measure_alone(Session& session, const Enqueue& enqueue, const MeasureSettings& settings);

/// Measures `count` operations captured as one graph: what the device needs, without the launches. Waits.
/// Times are those of the graph, not of one operation.
Measurement measure_graph(Session& session, const Enqueue& enqueue, std::size_t count,
                          const MeasureSettings& settings);

/// Least time of the work that `enqueue` puts on the origin, in microseconds. The smaller of two times: as
/// separate calls and, if shorter than 200 us, as 16 nodes of a graph, where a call costs almost nothing. It
/// bounds rows of either kind. Waits.
double least_us(Session& session, const Enqueue& enqueue, const MeasureSettings& settings);

/// What both directions of the link take while the other one is busy.
struct Duplex {
  double in_us = 0, out_us = 0;  ///< per operation, as if the other direction never ended
  double both_us = 0;            ///< makespan per operation of each
  double submit_us = 0;          ///< CPU time to enqueue one of each
};

/// Runs `copy_in` on one stream and `copy_out` on another, `operations` times each at the same time, and
/// waits. The one that ends first was under load throughout; what the other did alone, at `alone_us` per
/// operation, is taken off.
Duplex take_duplex(Session& session, const std::function<void(Stream&)>& copy_in, double in_alone_us,
                   const std::function<void(Stream&)>& copy_out, double out_alone_us, std::size_t operations);

}  // namespace overlap
