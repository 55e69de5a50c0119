// The phases of a graph's life, and the loop of launches that it replaces, over kernels that do nothing: what
// is left is the cost of launching.
#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "families/catalogue.hpp"
#include "harness/expected.hpp"
#include "harness/fixture.hpp"
#include "overlap/kernels.hpp"
#include "overlap/probes.hpp"

namespace overlap {
namespace {

constexpr std::int64_t kMostKernels = 1 << 20;
constexpr std::int64_t kMostWidth = 256;

/// `kernels` empty kernels in chains on `width` streams, forked and joined.
class Topology {
 public:
  Topology(Session& session, const Point& point)
      : kernels_(static_cast<std::size_t>(point.number("kernels", 1, kMostKernels))),
        streams_(session, static_cast<std::size_t>(point.number("width", 1, kMostWidth))) {
    if (streams_.size() > kernels_)
      throw std::invalid_argument(
          fmt::format("width:{} is above kernels:{}: a branch would stay empty", streams_.size(), kernels_));
  }

  void enqueue() {
    streams_.fork();
    for (std::size_t i = 0; i < kernels_; ++i) launch_empty(streams_[i % streams_.size()]);
    streams_.join();
  }
  GraphBuilder capture() {
    return GraphBuilder(streams_[0], [this] { enqueue(); });
  }
  /// Kernels that do nothing have no output; what can be wrong with them is how many there are.
  void verify(const GraphBuilder& builder) const {
    if (builder.node_count() != kernels_)
      throw WrongResult(fmt::format("the graph has {} nodes, expected {}", builder.node_count(), kernels_));
  }

 private:
  std::size_t kernels_;
  ForkJoin streams_;
};

/// phase:loop and phase:replay, back to back on the device.
class LaunchFixture : public DeviceFixture {
 public:
  LaunchFixture(Session& session, const Point& point) : DeviceFixture(session), topology_(session, point) {
    if (point.text("phase") != "replay") return;
    graph_.emplace(topology_.capture());
    graph_->upload(origin());
  }
  void verify(std::size_t) override { topology_.verify(topology_.capture()); }
  std::vector<Load> loads(const Measurement& measured) const override {
    return {{"kernel", graph_ ? measured.p50_us : 0}};
  }

 private:
  void submit(std::size_t) override { graph_ ? graph_->launch(origin()) : topology_.enqueue(); }
  Topology topology_;
  std::optional<Graph> graph_;
};

/// The other phases, by the wall clock: each operation gets what it needs ready-made, outside its time.
class PhaseFixture : public Fixture {
 public:
  PhaseFixture(Session& session, const Point& point)
      : stream_(session.origin()),
        phase_(point.text("phase")),
        topology_(session, point),
        builder_(topology_.capture()),
        other_(topology_.capture()),
        graph_(builder_) {}

  Sample take(std::size_t operations, Phase) override {
    Sample all;
    for (std::size_t i = 0; i < operations; ++i) {
      if (phase_ == "capture") {
        time(all, [this] { const GraphBuilder captured = topology_.capture(); });
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
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    call();
    const auto called = Clock::now();
    if (phase_ == "upload" || phase_ == "first_launch") stream_.synchronize();
    sample.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    sample.submit_seconds += std::chrono::duration<double>(called - start).count();
  }

  Stream& stream_;
  std::string phase_;
  Topology topology_;
  GraphBuilder builder_, other_;
  Graph graph_;
};

}  // namespace

Family graph_cost_family() {
  Family family;
  family.name = "graph_cost";
  family.summary = "one phase in the life of a graph of kernels that do nothing";
  family.axes = {
      // The loop comes last: its wide rows launch side by side, which slows what follows (see all_families).
      {.name = "phase",
       .help = "capture to first_launch: once for each graph, by the wall clock; update: new parameters; "
               "replay, and "
               "loop, the launches that it replaces: back to back on the device",
       .quick = "capture,instantiate,upload,first_launch,update,replay,loop",
       .paper = "capture,instantiate,upload,first_launch,update,replay,loop",
       .full = "capture,instantiate,upload,first_launch,update,replay,loop",
       .choices = {"capture", "instantiate", "upload", "first_launch", "update", "replay", "loop"}},
      {.name = "width",
       .help = "1: a chain; more: so many chains side by side, forked and joined",
       .quick = "1,4",
       .paper = "1,4",
       .full = "1,2,4,8"},
      {.name = "kernels",
       .help = "kernels in the graph",
       .quick = "1,10,100,1000",
       .paper = "1,3,10,30,100,300,1000",
       .full = "1,3,10,30,100,300,1000,10000",
       .host_quick = "1,10,100"},
  };
  family.wanted = [](const Point& point, const AskedFor& asked) {
    const std::int64_t width = point.number("width"), kernels = point.number("kernels");
    if (width > kernels) return asked("width") && asked("kernels");
    return width == 1 || kernels >= 10 * width || asked("width");
  };
  family.make = [](const Point& point, Session& session) -> std::unique_ptr<Fixture> {
    const std::string& phase = point.text("phase");
    if (phase == "replay" || phase == "loop") return std::make_unique<LaunchFixture>(session, point);
    return std::make_unique<PhaseFixture>(session, point);
  };
  return family;
}

}  // namespace overlap
