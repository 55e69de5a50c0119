#include "fixture.hpp"

#include <chrono>

namespace overlap {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

Sample DeviceFixture::take(std::size_t operations, Phase phase) {
  const bool hold = latched() && phase == Phase::measure;
  Stream& stream = origin();
  if (hold) latch_.hold(stream);
  start_.record(stream);
  Sample sample;
  const auto start = Clock::now();
  try {
    for (std::size_t i = 0; i < operations; ++i) submit(index_++);
  } catch (...) {
    latch_.release();  // or the device would sit held until the latch times out
    throw;
  }
  sample.submit_seconds = seconds_since(start);
  stop_.record(stream);
  latch_.release();
  stop_.synchronize();
  if (latch_.timed_out())
    throw DeviceError("the device was not held until all was enqueued: too many kernels for timing:latched");
  sample.seconds = elapsed(start_, stop_).count();
  return sample;
}

Sample CpuFixture::take(std::size_t operations, Phase) {
  const auto start = Clock::now();
  for (std::size_t i = 0; i < operations; ++i) run();
  const double seconds = seconds_since(start);
  return {seconds, seconds};
}

ForkJoin::ForkJoin(Session& session, std::size_t streams)
    : streams_(session.streams(streams)), joined_(streams) {}

void ForkJoin::fork() {
  if (size() == 1) return;
  forked_.record(streams_[0]);
  for (std::size_t i = 1; i < size(); ++i) wait(streams_[i], forked_);
}

void ForkJoin::join() {
  for (std::size_t i = 1; i < size(); ++i) {
    joined_[i].record(streams_[i]);
    wait(streams_[0], joined_[i]);
  }
}

double median_us(Session& session, const std::function<void(std::size_t index)>& submit,
                 const MeasureSettings& settings) {
  class Alone : public DeviceFixture {
   public:
    Alone(Session& s, const std::function<void(std::size_t)>& work) : DeviceFixture(s), submit_(work) {}
    void verify(std::size_t) override {}

   private:
    void submit(std::size_t index) override { submit_(index); }
    const std::function<void(std::size_t)>& submit_;
  };
  Alone alone(session, submit);
  const TakeSample take = [&alone](std::size_t operations, Phase phase) {
    return alone.take(operations, phase);
  };
  return measure(take, plan_measurement(take, settings), settings).p50_us;
}

}  // namespace overlap
