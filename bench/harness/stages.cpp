// Stages are measured by the same regions and the same plan as rows, so that a bound and a row are
// comparable.
#include "harness/stages.hpp"

#include <algorithm>

#include "harness/fixture.hpp"
#include "harness/stopwatch.hpp"

namespace overlap {
namespace {

/// Work that nobody checks.
class Alone : public DeviceFixture {
 public:
  Alone(Session& session, const Enqueue& enqueue) : DeviceFixture(session), enqueue_(enqueue) {}
  void verify(std::size_t) override {}

 private:
  void enqueue(std::size_t index) override { enqueue_(index); }
  const Enqueue& enqueue_;
};

}  // namespace

Measurement measure_alone(Session& session, const Enqueue& enqueue, const MeasureSettings& settings) {
  Alone alone(session, enqueue);
  const TakeSample take = [&alone](std::size_t operations, Phase phase) {
    return alone.take(operations, phase);
  };
  return measure(take, plan_measurement(take, settings), settings);
}

Measurement measure_graph(Session& session, const Enqueue& enqueue, std::size_t count,
                          const MeasureSettings& settings) {
  Stream& stream = session.origin();
  Graph graph(GraphBuilder(stream, [&] {
    for (std::size_t i = 0; i < count; ++i) enqueue(i);
  }));
  return measure_alone(
      session, [&](std::size_t) { graph.launch(stream); }, settings);
}

// A graph of several leaves the call out of the time of a short operation.
double least_us(Session& session, const Enqueue& enqueue, const MeasureSettings& settings) {
  constexpr double kShortUs = 200;  // above, a call is less than measuring can tell
  constexpr std::size_t kNodes = 16;
  const double called = measure_alone(session, enqueue, settings).min_us;
  if (called > kShortUs) return called;
  return std::min(called, measure_graph(session, enqueue, kNodes, settings).min_us / kNodes);
}

// Both directions start by one event and are timed by one each. When the first has ended the other goes on
// alone, at its own pace: that part is taken out again below.
Duplex take_duplex(Session& session, const std::function<void(Stream&)>& copy_in, double in_alone_us,
                   const std::function<void(Stream&)>& copy_out, double out_alone_us,
                   std::size_t operations) {
  ForkJoin streams(session, 3);  // neither direction on the origin: both start by the same event
  TimingEvent start, in_done, out_done, stop;
  Stream& origin = session.origin();
  start.record(origin);
  const Stopwatch submitting;
  streams.fork();
  for (std::size_t i = 0; i < operations; ++i) {
    copy_in(streams[1]);
    copy_out(streams[2]);
  }
  const double submit_s = submitting.seconds();
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
