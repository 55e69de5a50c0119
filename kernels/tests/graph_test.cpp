// The contract of capture and replay. Runs once per backend.
#include "device_fixture.hpp"
#include "overlap/kernels.hpp"

namespace overlap {
namespace {

class GraphTest : public DeviceTest {
 protected:
  static constexpr std::size_t kElements = 50'000;
  Stream& origin() { return *origin_; }
  Stream& side() { return *side_; }

  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    origin_.emplace();
    side_.emplace();
    x_ = on_device(random_floats(kElements, 1), origin());
    y_ = on_device(random_floats(kElements, 2), origin());
    sum_ = DeviceBuffer<float>(kElements);
    product_ = DeviceBuffer<float>(kElements);
    out_ = DeviceBuffer<float>(kElements);
  }

  /// out = (x + y) + (x * y), the two halves on two streams.
  void fork_and_join() {
    Event forked, joined;
    forked.record(origin());
    wait(side(), forked);
    launch_add(x_.span(), y_.span(), sum_.span(), Variant::vector, origin());
    launch_mul(x_.span(), y_.span(), product_.span(), Variant::vector, side());
    joined.record(side());
    wait(origin(), joined);
    launch_add(sum_.span(), product_.span(), out_.span(), Variant::vector, origin());
  }

  std::vector<float> expected() {
    const auto x = on_host(x_.span(), origin()), y = on_host(y_.span(), origin());
    std::vector<float> out(kElements);
    for (std::size_t i = 0; i < kElements; ++i) {
      const float sum = x[i] + y[i], product = x[i] * y[i];
      out[i] = sum + product;
    }
    return out;
  }

  void poison() { fill_bytes(out_.span().data(), 0xFF, out_.span().size_bytes(), origin()); }

  std::optional<Stream> origin_, side_;
  DeviceBuffer<float> x_, y_, sum_, product_, out_;
};

TEST_F(GraphTest, CaptureRunsNothing) {
  poison();
  const GraphBuilder builder(origin(), [this] { fork_and_join(); });
  EXPECT_EQ(builder.node_count(), 3U);
  const auto untouched = on_host(out_.span(), origin());
  EXPECT_TRUE(untouched[0] != untouched[0]);
}

TEST_F(GraphTest, ReplaysForkedWorkInOrder) {
  Graph graph(GraphBuilder(origin(), [this] { fork_and_join(); }));
  graph.upload(origin());
  for (int replay = 0; replay < 20; ++replay) {
    poison();
    graph.launch(origin());
    ASSERT_EQ(on_host(out_.span(), origin()), expected()) << "replay " << replay;
  }
}

TEST_F(GraphTest, ReplayReadsMemoryAgain) {
  const HostBuffer<float> host(kElements, HostMemory::pinned);
  std::ranges::fill(host.span(), 1.0F);
  Graph graph(GraphBuilder(origin(), [&] { copy_h2d(out_.span(), host.span(), origin()); }));
  graph.launch(origin());
  EXPECT_EQ(on_host(out_.span(), origin())[7], 1.0F);
  std::ranges::fill(host.span(), 2.0F);
  graph.launch(origin());
  EXPECT_EQ(on_host(out_.span(), origin())[7], 2.0F);
}

TEST_F(GraphTest, LaunchesOnTwoStreamsOfOneGraphAreRight) {
  Graph graph(GraphBuilder(origin(), [this] { fork_and_join(); }));
  for (int i = 0; i < 10; ++i) {
    graph.launch(origin());
    graph.launch(side());
  }
  side().synchronize();
  EXPECT_EQ(on_host(out_.span(), origin()), expected());
}

TEST_F(GraphTest, MayBeDestroyedBehindItsLaunch) {
  poison();
  {
    Graph graph(GraphBuilder(origin(), [this] { fork_and_join(); }));
    graph.launch(origin());
  }
  EXPECT_EQ(on_host(out_.span(), origin()), expected());
}

TEST_F(GraphTest, RefusesUnjoinedWork) {
  EXPECT_THROW(GraphBuilder(origin(),
                            [this] {
                              Event forked;
                              forked.record(origin());
                              wait(side(), forked);
                              launch_mul(x_.span(), y_.span(), product_.span(), Variant::vector, side());
                            }),
               DeviceError);
  fork_and_join();  // both streams are usable again
  EXPECT_EQ(on_host(out_.span(), origin()), expected());
}

TEST_F(GraphTest, RefusesSynchronisingWhileCapturing) {
  EXPECT_THROW(GraphBuilder(origin(), [this] { origin().synchronize(); }), DeviceError);
  fork_and_join();
  EXPECT_EQ(on_host(out_.span(), origin()), expected());
}

TEST_F(GraphTest, PassesOnWhatTheWorkThrows) {
  EXPECT_THROW(GraphBuilder(origin(),
                            [this] {
                              fork_and_join();
                              throw std::out_of_range("mine");
                            }),
               std::out_of_range);
  fork_and_join();
  EXPECT_EQ(on_host(out_.span(), origin()), expected());
}

TEST_F(GraphTest, UpdateTakesNewParameters) {
  Graph graph(GraphBuilder(
      origin(), [this] { launch_add(x_.span(), y_.span(), out_.span(), Variant::vector, origin()); }));
  graph.update(GraphBuilder(
      origin(), [this] { launch_add(x_.span(), x_.span(), out_.span(), Variant::vector, origin()); }));
  graph.launch(origin());
  const auto x = on_host(x_.span(), origin());
  EXPECT_EQ(on_host(out_.span(), origin())[11], x[11] + x[11]);
}

TEST_F(GraphTest, UpdateRefusesAnotherTopology) {
  Graph graph(GraphBuilder(origin(), [this] { fork_and_join(); }));
  const GraphBuilder other(
      origin(), [this] { launch_add(x_.span(), y_.span(), out_.span(), Variant::vector, origin()); });
  EXPECT_THROW(graph.update(other), DeviceError);
  graph.launch(origin());  // as it was
  EXPECT_EQ(on_host(out_.span(), origin()), expected());
}

TEST_F(GraphTest, AnEmptyCaptureLaunches) {
  const GraphBuilder builder(origin(), [] {});
  EXPECT_EQ(builder.node_count(), 0U);
  Graph graph(builder);
  graph.launch(origin());
  origin().synchronize();
}

}  // namespace
}  // namespace overlap
