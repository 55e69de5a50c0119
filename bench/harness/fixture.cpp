// A region is: start event, operations, stop event, all on the origin; a held latch before it where only
// device time is to remain. Each operation is forked to the other streams and joined back. What is captured
// replays with the same forks and joins inside.
#include "harness/fixture.hpp"

#include "harness/stopwatch.hpp"

namespace overlap {

void DeviceFixture::enqueue_all(std::size_t index) {
  streams_.fork();
  enqueue(index);
  streams_.join();
}

void DeviceFixture::prepare() {
  if (!is_graph()) return;
  graph_.emplace(GraphBuilder(origin(), [this] { enqueue_all(0); }));
  graph_->upload(origin());
}

std::size_t DeviceFixture::trials() const {
  return streams_wait_for_each_other() && !is_graph() ? streams_.size() : 1;
}

Sample DeviceFixture::take(std::size_t operations, Phase phase) {
  const bool hold = latched() && phase == Phase::measure;
  Stream& stream = origin();
  if (hold) latch_.hold(stream);
  start_.record(stream);
  Sample sample;
  const Stopwatch submitting;
  try {
    for (std::size_t i = 0; i < operations; ++i) {
      if (graph_)
        graph_->launch(stream);
      else
        enqueue_all(index_++);
    }
  } catch (...) {
    latch_.release();  // or the device would sit held until the latch times out
    throw;
  }
  sample.submit_seconds = submitting.seconds();
  stop_.record(stream);
  latch_.release();
  stop_.synchronize();
  if (latch_.timed_out())
    throw DeviceError("the device was not held until all was enqueued: too much work for one operation");
  sample.seconds = elapsed(start_, stop_).count();
  return sample;
}

void DeviceFixture::run_trial(std::size_t trial) {
  if (trial > 0) latch_.hold(streams_[trial]);  // take() lets go once all is enqueued
  take(1, Phase::warm_up);
}

Sample CpuFixture::take(std::size_t operations, Phase) {
  const Stopwatch running;
  for (std::size_t i = 0; i < operations; ++i) run();
  const double seconds = running.seconds();
  return {seconds, seconds};
}

}  // namespace overlap
