#include "harness/fixture.hpp"

#include <algorithm>
#include <chrono>

namespace overlap {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

Counters limit_counters(double serial_us, double bound_us, const Measurement& measured) {
  Counters counters{
      {"serial_us", serial_us}, {"bound_us", bound_us}, {"bound_pct", percent_of(bound_us, measured.p50_us)}};
  if (const auto hidden = overlap_percent(serial_us, bound_us, measured.p50_us))
    counters.emplace_back("overlap_pct", *hidden);
  return counters;
}

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
    throw DeviceError("the device was not held until all was enqueued: too much work for one operation");
  sample.seconds = elapsed(start_, stop_).count();
  return sample;
}

void DeviceFixture::run_trial(std::size_t trial) {
  if (trial > 0) latch_.hold(session_.stream(trial));  // take() lets go once all is enqueued
  take(1, Phase::warm_up);
}

Sample CpuFixture::take(std::size_t operations, Phase) {
  const auto start = Clock::now();
  for (std::size_t i = 0; i < operations; ++i) run();
  const double seconds = seconds_since(start);
  return {seconds, seconds};
}

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

Measurement measure_alone(Session& session, const std::function<void(std::size_t index)>& submit,
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
  return measure(take, plan_measurement(take, settings), settings);
}

double least_us(Session& session, const std::function<void(std::size_t)>& enqueue,
                const MeasureSettings& settings) {
  constexpr double kShortUs = 200;  // above, a call is less than measuring can tell
  constexpr std::size_t kNodes = 16;
  const double called = measure_alone(session, enqueue, settings).min_us;
  if (called > kShortUs) return called;
  Stream& stream = session.origin();
  Graph graph(GraphBuilder(stream, [&] {
    for (std::size_t i = 0; i < kNodes; ++i) enqueue(i);
  }));
  const auto launch = [&](std::size_t) { graph.launch(stream); };
  return std::min(called, measure_alone(session, launch, settings).min_us / kNodes);
}

Duplex take_duplex(Session& session, const std::function<void(Stream&)>& copy_in, double in_alone_us,
                   const std::function<void(Stream&)>& copy_out, double out_alone_us,
                   std::size_t operations) {
  ForkJoin streams(session, 3);  // neither direction on the origin: both start by the same event
  TimingEvent start, in_done, out_done, stop;
  Stream& origin = session.origin();
  start.record(origin);
  const auto submitting = Clock::now();
  streams.fork();
  for (std::size_t i = 0; i < operations; ++i) {
    copy_in(streams[1]);
    copy_out(streams[2]);
  }
  const double submit_s = seconds_since(submitting);
  in_done.record(streams[1]);
  out_done.record(streams[2]);
  streams.join();
  stop.record(origin);
  stop.synchronize();
  const auto n = static_cast<double>(operations);
  const double in_us = elapsed(start, in_done).count() * 1e6 / n;
  const double out_us = elapsed(start, out_done).count() * 1e6 / n;
  Duplex result{in_us, out_us, std::max(in_us, out_us), submit_s * 1e6 / n};
  // By the time the first has ended, the other has done all but what fits into the rest at its own pace.
  if (in_us < out_us && out_us - in_us < out_alone_us)
    result.out_us = in_us / (1 - (out_us - in_us) / out_alone_us);
  if (out_us < in_us && in_us - out_us < in_alone_us)
    result.in_us = out_us / (1 - (in_us - out_us) / in_alone_us);
  return result;
}

}  // namespace overlap
