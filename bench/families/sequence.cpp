// G = (A + B) D + F as a chain of small kernels on device data: what a launch costs, and what a graph saves.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "families/catalogue.hpp"
#include "harness/expected.hpp"
#include "harness/fixture.hpp"
#include "reference.hpp"

namespace overlap {
namespace {

// A held stream takes only so many launches before the next one blocks the host, which is to let go of it.
constexpr std::int64_t kMostLatchedLaunches = 512;
constexpr std::int64_t kMostKernels = 1 << 20;

struct SequenceData {
  DeviceBuffer<float> a, b, d, f, g;
  Expected expected;
  double kernel_us = 0;  ///< of the chain, back to back as a graph: what the device needs

  SequenceData(Session& session, std::size_t n, int kernels) {
    session.require_memory(checked_bytes(n, 5 * sizeof(float)), 0);
    Stream& stream = session.origin();
    const auto pattern_a = random_pattern(n, 1, -1, 1), pattern_b = random_pattern(n, 2, -1, 1);
    const auto pattern_d = random_pattern(n, 3, -0.9F, 0.9F);  // below 1: the longest chain stays bounded
    const auto pattern_f = random_pattern(n, 4, -1, 1);
    const std::pair<DeviceBuffer<float>*, const std::vector<float>*> inputs[] = {
        {&a, &pattern_a}, {&b, &pattern_b}, {&d, &pattern_d}, {&f, &pattern_f}};
    for (const auto& [buffer, pattern] : inputs) {
      *buffer = DeviceBuffer<float>(n);
      tile_device(buffer->span(), *pattern, stream);
    }
    g = DeviceBuffer<float>(n);
    std::vector<float> result(pattern_a.size());
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<float>(
          reference::sequence<double>(pattern_a[i], pattern_b[i], pattern_d[i], pattern_f[i], kernels));
    expected = Expected(result, {1e-5F, 1e-5F}, stream);
    const MeasureSettings brief = session.settings().at_most(0.02, 0.02);
    Graph graph(GraphBuilder(stream, [&] { enqueue(kernels, stream); }));
    kernel_us = measure_alone(
                    session, [&](std::size_t) { graph.launch(stream); }, brief)
                    .p50_us;
  }

  /// Enqueues the chain.
  void enqueue(int kernels, Stream& stream) const {
    const auto out = g.span();
    launch_add(a.span(), b.span(), out, Variant::vector, stream);
    for (int k = 1; k < kernels; ++k) {
      if (k % 2 == 1) {
        launch_mul(out, d.span(), out, Variant::vector, stream);
      } else {
        launch_add(out, f.span(), out, Variant::vector, stream);
      }
    }
  }
};

class SequenceFixture : public DeviceFixture {
 public:
  SequenceFixture(Session& session, const Point& point)
      : DeviceFixture(session),
        timing_(point.text("timing")),
        kernels_(static_cast<int>(point.number("kernels", 1, kMostKernels))) {
    const std::int64_t n = point.number("n", 1, std::numeric_limits<std::int64_t>::max());
    const std::string& submit = point.text("submit");
    const bool graph = submit != "launch";
    launches_ = graph ? 1 : kernels_;
    if (latched() && launches_ > kMostLatchedLaunches)
      throw std::invalid_argument(
          fmt::format("timing:latched can queue at most {} launches behind the latch, not kernels:{}: use "
                      "submit:graph or timing:steady",
                      kMostLatchedLaunches, kernels_));
    data_ = session.data<SequenceData>(fmt::format("sequence/{}/{}", n, kernels_), [&] {
      return std::make_shared<SequenceData>(session, static_cast<std::size_t>(n), kernels_);
    });
    if (graph) {
      graph_.emplace(GraphBuilder(origin(), [&] {
        std::optional<ProgrammaticLaunch> programmatic;
        if (submit == "graph_pdl") programmatic.emplace(origin());
        enqueue();
      }));
      graph_->upload(origin());
    }
  }

  void poison() override {
    overlap::poison(data_->g.span(), origin());
    origin().synchronize();
  }
  void verify(std::size_t) override { data_->expected.verify(data_->g.span(), origin()); }

  MeasureSettings settings(const MeasureSettings& usual) const override {
    MeasureSettings mine = usual;
    if (timing_ == "single") mine.most_batch = 1;
    if (latched()) mine.most_batch = static_cast<std::size_t>(std::max<std::int64_t>(1, 96 / launches_));
    return mine;
  }
  std::size_t bytes() const override {
    return data_->g.span().size() * kAddBytes * static_cast<std::size_t>(kernels_);
  }

  std::vector<Load> loads(const Measurement&) const override { return {{"kernel", data_->kernel_us}}; }

 private:
  bool latched() const override { return timing_ == "latched"; }
  void submit(std::size_t) override { graph_ ? graph_->launch(origin()) : enqueue(); }

  void enqueue() { data_->enqueue(kernels_, origin()); }

  std::string timing_;
  int kernels_;
  std::int64_t launches_ = 0;  ///< per operation
  std::shared_ptr<SequenceData> data_;
  std::optional<Graph> graph_;
};

}  // namespace

Family sequence_family() {
  Family family;
  family.name = "sequence";
  family.summary = "G = (A+B) D + F over n floats on the device, as a chain of kernels";
  family.axes = {
      {.name = "submit",
       .help = "kernel by kernel; captured once and launched as a graph; graph_pdl: that with programmatic "
               "dependent "
               "launches, where a kernel starts while the one ahead ends",
       .quick = "launch,graph,graph_pdl",
       .paper = "launch,graph,graph_pdl",
       .full = "launch,graph,graph_pdl",
       .choices = {"launch", "graph", "graph_pdl"},
       .available =
           [](const std::string& value, const DeviceInfo& device) {
             return value != "graph_pdl" || device.programmatic_launch;
           }},
      {.name = "timing",
       .help = "single: one operation, submission included; steady: back to back; latched: enqueued before "
               "it may start",
       .quick = "single,steady,latched",
       .paper = "single,steady,latched",
       .full = "single,steady,latched",
       .choices = {"single", "steady", "latched"}},
      {.name = "kernels",
       .help = "chain length: add, then mul and add in turn",
       .quick = "3",
       .paper = "3",
       .full = "1,3,10,30,100"},
      {.name = "n",
       .help = "elements",
       .quick = "1000,100000,10000000",
       .paper = "1000,10000,100000,1000000,10000000",
       .full = "1000,10000,100000,1000000,10000000,100000000",
       .host_quick = "1000,100000,1000000"},
  };
  family.data_axes = {"kernels", "n"};
  family.make = [](const Point& point, Session& session) -> std::unique_ptr<Fixture> {
    return std::make_unique<SequenceFixture>(session, point);
  };
  return family;
}

}  // namespace overlap
