// The phases of a graph's life, and the loop of launches that it replaces, over kernels that do nothing: what
// is left is the cost of launching.
#include <fmt/format.h>

#include <optional>

#include "families/catalogue.hpp"
#include "harness/expected.hpp"
#include "harness/fixture.hpp"
#include "harness/stopwatch.hpp"
#include "overlap/kernels.hpp"
#include "overlap/probes.hpp"

namespace overlap {
namespace {

constexpr std::int64_t kMostKernels = 1 << 20;
constexpr std::int64_t kMostWidth = 256;

/// So many empty kernels in so many chains.
struct Topology {
  std::size_t kernels, width;

  /// @throws std::invalid_argument
  explicit Topology(const Point& point)
      : kernels(point.count("kernels", kMostKernels)), width(point.count("width", kMostWidth)) {
    if (width > kernels)
      throw std::invalid_argument(
          fmt::format("width:{} is above kernels:{}: a branch would stay empty", width, kernels));
  }

  /// Enqueues the kernels in chains on forked streams.
  void enqueue(const ForkJoin& streams) const {
    for (std::size_t i = 0; i < kernels; ++i) launch_empty(streams[i % streams.size()]);
  }
  /// Captures the chains; nothing runs.
  GraphBuilder capture(ForkJoin& streams) const {
    return GraphBuilder(streams[0], [&] {
      streams.fork();
      enqueue(streams);
      streams.join();
    });
  }
  /// Kernels that do nothing have no output; what can be wrong with them is how many there are.
  void verify(const GraphBuilder& builder) const {
    if (builder.node_count() != kernels)
      throw WrongResult(fmt::format("the graph has {} nodes, expected {}", builder.node_count(), kernels));
  }
};

/// phase:loop and phase:replay, back to back on the device.
class LaunchFixture : public DeviceFixture {
 public:
  LaunchFixture(Session& session, const Point& point, const Topology& topology)
      : DeviceFixture(session, topology.width, point.is("phase", "replay") ? Submit::graph : Submit::launch),
        topology_(topology) {}

  void verify(std::size_t) override {
    ForkJoin streams(session(), topology_.width);
    topology_.verify(topology_.capture(streams));
  }
  std::vector<Load> loads(const Measurement& measured) const override {
    return {{"kernel", is_graph() ? measured.p50_us : 0}};
  }

 private:
  void enqueue(std::size_t) override { topology_.enqueue(streams()); }
  Topology topology_;
};

/// The other phases, by the wall clock: each operation gets what it needs ready-made, outside its time.
class PhaseFixture : public Fixture {
 public:
  PhaseFixture(Session& session, const Point& point, const Topology& topology)
      : stream_(session.origin()),
        phase_(point.text("phase")),
        runs_(phase_ == "upload" || phase_ == "first_launch"),
        topology_(topology),
        streams_(session, topology.width),
        builder_(topology_.capture(streams_)),
        other_(topology_.capture(streams_)),
        graph_(builder_) {}

  Sample take(std::size_t operations, Phase) override {
    Sample all;
    for (std::size_t i = 0; i < operations; ++i) {
      if (phase_ == "capture") {
        time(all, [this] { const GraphBuilder captured = topology_.capture(streams_); });
      } else if (phase_ == "instantiate") {
        std::optional<Graph> graph;
        time(all, [&] { graph.emplace(builder_); });
      } else if (phase_ == "update") {
        time(all, [&] { graph_.update(i % 2 == 0 ? other_ : builder_); });
      } else {
        Graph graph(builder_);
        time(all, [&] { phase_ == "upload" ? graph.upload(stream_) : graph.launch(stream_); });
      }
    }
    return all;
  }

  void verify(std::size_t) override {
    topology_.verify(builder_);
    graph_.launch(stream_);  // still whole, whatever it was updated with
    stream_.synchronize();
  }
  bool keeps_device_busy() const override { return false; }

 private:
  /// Adds the time of `call` and of what it set going.
  template <class Call>
  void time(Sample& sample, const Call& call) {
    const Stopwatch calling;
    call();
    sample.submit_seconds += calling.seconds();
    if (runs_) stream_.synchronize();
    sample.seconds += calling.seconds();
  }

  Stream& stream_;
  std::string phase_;
  bool runs_;  ///< whether the phase sets something going that takes time on the device
  Topology topology_;
  ForkJoin streams_;
  GraphBuilder builder_, other_;
  Graph graph_;
};

}  // namespace

Family graph_cost_family() {
  Family family;
  family.name = "graph_cost";
  family.summary = "one phase in the life of a graph of kernels that do nothing";
  family.axes = {
      {.name = "phase",
       .help = "capture to first_launch: once for each graph, by the wall clock; update: new parameters; "
               "replay, and loop, the launches that it replaces: back to back on the device",
       .choices = {"capture", "instantiate", "upload", "first_launch", "update", "replay", "loop"}},
      {.name = "width",
       .help = "1: a chain; more: so many chains side by side, forked and joined",
       .quick = "1,4",
       .full = "1,2,4,8"},
      {.name = "kernels",
       .help = "kernels in the graph",
       .quick = "1,10,100,1000",
       .paper = "1,3,10,30,100,300,1000",
       .full = "1,3,10,30,100,300,1000,10000",
       .host_quick = "1,10,100"},
  };
  family.wanted = [](const Point& point, const Asked& asked) {
    const std::int64_t width = point.number("width"), kernels = point.number("kernels");
    if (width > kernels) return asked("width") && asked("kernels");
    return width == 1 || kernels >= 10 * width || asked("width");
  };
  family.side_by_side = [](const Point& point) {
    return point.is("phase", "loop") && point.number("width") > 1;
  };
  family.make = [](const Point& point, Session& session) -> std::unique_ptr<Fixture> {
    const Topology topology(point);
    if (point.is("phase", "replay") || point.is("phase", "loop"))
      return std::make_unique<LaunchFixture>(session, point, topology);
    return std::make_unique<PhaseFixture>(session, point, topology);
  };
  return family;
}

}  // namespace overlap
