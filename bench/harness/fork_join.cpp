// One event marks the fork and one each join. Recording an event again does not disturb waits that are
// enqueued already, so they serve every operation.
#include "harness/fork_join.hpp"

namespace overlap {

ForkJoin::ForkJoin(Session& session, std::size_t streams) : joined_(streams) {
  for (std::size_t i = 0; i < streams; ++i) streams_.push_back(&session.stream(i));
}

void ForkJoin::fork() {
  if (size() == 1) return;
  forked_.record(*streams_[0]);
  for (std::size_t i = 1; i < size(); ++i) wait(*streams_[i], forked_);
}

void ForkJoin::join() {
  for (std::size_t i = 1; i < size(); ++i) {
    joined_[i].record(*streams_[i]);
    wait(*streams_[0], joined_[i]);
  }
}

}  // namespace overlap
