// What only the host backend promises: streams that survive an error, errors that follow dependencies, and
// graph branches that really run at the same time.
#include <barrier>

#include "device_fixture.hpp"
#include "host/runtime.hpp"
#include "overlap/kernels.hpp"
#include "overlap/probes.hpp"

namespace overlap {
namespace {

TEST(HostRuntime, StreamIsUsableAfterItsErrorWasThrown) {
  Stream stream;
  bool ran = false;
  launch_trap(stream);
  stream.impl().enqueue([&ran] { ran = true; });
  EXPECT_THROW(stream.synchronize(), DeviceError);
  EXPECT_FALSE(ran) << "work behind a failure must not run";
  stream.impl().enqueue([&ran] { ran = true; });
  stream.synchronize();
  EXPECT_TRUE(ran);
}

TEST(HostRuntime, BorrowedStreamsWorkAtOnce) {
  Stream stream = Stream::borrow(nullptr);
  const auto caller = std::this_thread::get_id();
  std::thread::id worker;
  stream.impl().enqueue([&worker] { worker = std::this_thread::get_id(); });
  EXPECT_EQ(worker, caller);
  EXPECT_THROW(launch_trap(stream), DeviceError) << "the caller gets the error";
  Event event;
  event.record(stream);
  event.synchronize();
  Stream following;
  wait(following, event);
  following.synchronize();
  stream.synchronize();
  int somebody_elses = 0;
  EXPECT_THROW(Stream::borrow(&somebody_elses), DeviceError);
}

TEST(HostRuntime, ErrorsFollowEvents) {
  Stream failing, following;
  Event event;
  launch_trap(failing);
  event.record(failing);
  wait(following, event);
  EXPECT_THROW(following.synchronize(), DeviceError);
  EXPECT_THROW(event.synchronize(), DeviceError);
  EXPECT_THROW(failing.synchronize(), DeviceError);
}

TEST(HostRuntime, ErrorInAGraphReachesItsStream) {
  Stream origin, side;
  bool ran = false;
  Graph graph(GraphBuilder(origin, [&] {
    Event forked, joined;
    forked.record(origin);
    wait(side, forked);
    launch_trap(side);
    joined.record(side);
    wait(origin, joined);
    origin.impl().enqueue([&ran] { ran = true; });
  }));
  graph.launch(origin);
  EXPECT_THROW(origin.synchronize(), DeviceError);
  EXPECT_FALSE(ran);
}

TEST(HostRuntime, BranchesOfAGraphRunAtTheSameTime) {
  Stream origin, side;
  std::barrier meeting(2);  // never passed unless both branches are inside at once
  Graph graph(GraphBuilder(origin, [&] {
    Event forked, joined;
    forked.record(origin);
    wait(side, forked);
    origin.impl().enqueue([&] { meeting.arrive_and_wait(); });
    side.impl().enqueue([&] { meeting.arrive_and_wait(); });
    joined.record(side);
    wait(origin, joined);
  }));
  for (int i = 0; i < 10; ++i) graph.launch(origin);
  origin.synchronize();
}

TEST(HostRuntime, WaitOnAnEventOfAnEndedCaptureIsRefused) {
  Stream origin;
  Event event;
  const GraphBuilder builder(origin, [&] { event.record(origin); });
  EXPECT_THROW(wait(origin, event), DeviceError);
  EXPECT_THROW(event.synchronize(), DeviceError);
}

TEST(HostRuntime, OutsideEventBreaksACapture) {
  Stream origin, other;
  Event event;
  event.record(other);
  EXPECT_THROW(GraphBuilder(origin, [&] { wait(origin, event); }), DeviceError);
  origin.synchronize();
}

}  // namespace
}  // namespace overlap
