// Streams forked from the origin and joined back to it: what makes two events on the origin enclose all that
// an operation does.
#pragma once

#include <vector>

#include "harness/session.hpp"

namespace overlap {

/// So many streams of a session, with the events that tie them together.
class ForkJoin {
 public:
  /// `streams` >= 1; the first is the origin itself. @throws DeviceError
  ForkJoin(Session& session, std::size_t streams);

  void fork();  ///< all streams follow what the origin has enqueued so far; enqueues only
  void join();  ///< the origin follows all streams; enqueues only
  Stream& operator[](std::size_t i) const { return *streams_[i]; }
  std::size_t size() const { return streams_.size(); }

 private:
  std::vector<Stream*> streams_;
  Event forked_;
  std::vector<Event> joined_;
};

}  // namespace overlap
