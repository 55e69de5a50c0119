// The floor of the method: what two events, an empty kernel and an empty fork and join take by themselves.
#include <optional>

#include "families/catalogue.hpp"
#include "harness/fixture.hpp"
#include "overlap/kernels.hpp"
#include "overlap/probes.hpp"

namespace overlap {
namespace {

class TimerFixture : public DeviceFixture {
 public:
  TimerFixture(Session& session, const Point& point)
      : DeviceFixture(session),
        what_(point.text("what")),
        streams_(session, static_cast<std::size_t>(point.number("streams", 1, 1024))) {}

  void verify(std::size_t) override {}  // there is no output; errors surface when the region is waited for

  MeasureSettings settings(const MeasureSettings& usual) const override {
    MeasureSettings mine = usual;
    if (what_ == "event_pair")
      mine.most_batch = 1;  // two events with nothing between do not repeat inside a region
    return mine;
  }

 private:
  void submit(std::size_t) override {
    if (what_ == "empty_kernel") launch_empty(origin());
    if (what_ != "fork_join") return;
    streams_.fork();
    streams_.join();
  }

  std::string what_;
  ForkJoin streams_;
};

}  // namespace

Family timer_family() {
  Family family;
  family.name = "timer";
  family.summary = "the floor of the method itself: subtract nothing, but believe nothing near it";
  family.axes = {
      {.name = "what",
       .help = "two events; a kernel that does nothing; streams forked and joined with nothing on them",
       .quick = "event_pair,empty_kernel,fork_join",
       .paper = "event_pair,empty_kernel,fork_join",
       .full = "event_pair,empty_kernel,fork_join",
       .choices = {"event_pair", "empty_kernel", "fork_join"}},
      {.name = "streams",
       .help = "streams of fork_join",
       .quick = "1,2,4,8",
       .paper = "1,2,4,8,16",
       .full = "1..32*2"},
  };
  family.canonical = [](Point& point) {
    if (point.text("what") != "fork_join") point.set("streams", "1");
  };
  family.wanted = [](const Point& point, const AskedFor& asked) {  // one stream has nobody to join
    return point.text("what") != "fork_join" || point.number("streams") > 1 || asked("what");
  };
  family.make = [](const Point& point, Session& session) -> std::unique_ptr<Fixture> {
    return std::make_unique<TimerFixture>(session, point);
  };
  return family;
}

}  // namespace overlap
