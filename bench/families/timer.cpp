// The floor of the method: what two events, an empty kernel and an empty fork and join take by themselves.
#include "families/catalogue.hpp"
#include "harness/fixture.hpp"

namespace overlap {
namespace {

constexpr std::int64_t kMostStreams = 1024;

/// Operations that do nothing, so that only the method is left.
class TimerFixture : public DeviceFixture {
 public:
  TimerFixture(Session& session, const Point& point)
      : DeviceFixture(session, point.count("streams", kMostStreams), Submit::launch),
        empty_kernel_(point.is("what", "empty_kernel")),
        event_pair_(point.is("what", "event_pair")) {}

  void verify(std::size_t) override {}  // there is no output; errors surface when the region is waited for

  MeasureSettings settings(const MeasureSettings& usual) const override {
    MeasureSettings mine = usual;
    if (event_pair_) mine.most_batch = 1;  // two events with nothing between do not repeat inside a region
    return mine;
  }

 private:
  void enqueue(std::size_t) override {
    if (empty_kernel_) launch_empty(origin());
  }

  bool empty_kernel_, event_pair_;
};

}  // namespace

Family timer_family() {
  Family family;
  family.name = "timer";
  family.summary = "the floor of the method itself: subtract nothing, but believe nothing near it";
  family.axes = {
      {.name = "what",
       .help = "two events; a kernel that does nothing; streams forked and joined with nothing on them",
       .choices = {"event_pair", "empty_kernel", "fork_join"}},
      streams_axis("streams of fork_join"),
  };
  family.canonical = [](Point& point) {
    if (!point.is("what", "fork_join")) point.set("streams", "1");
  };
  family.wanted = [](const Point& point, const Asked& asked) {  // one stream has nobody to join
    return !point.is("what", "fork_join") || point.number("streams") > 1 || asked("what");
  };
  family.make = made_of<TimerFixture>;
  return family;
}

}  // namespace overlap
