// G = (A + B) D + F as a chain of small kernels on device data: what a launch costs, and what a graph saves.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "families/catalogue.hpp"
#include "harness/expected.hpp"
#include "harness/fixture.hpp"
#include "harness/stages.hpp"
#include "names/counters.hpp"
#include "reference.hpp"

namespace overlap {
namespace {

// A held stream takes only so many launches before the next one blocks the host, which is to let go of it.
constexpr int kMostLatchedLaunches = 512;
constexpr std::int64_t kMostKernels = 1 << 20;

/// What rows of equal n and chain length share. The inputs are bounded, so the longest chain stays finite.
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
    kernel_us = measure_graph(
                    session, [&](std::size_t) { enqueue(kernels, stream); }, 1, brief)
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

/// The chain, submitted in one way and timed in one way.
class SequenceFixture : public DeviceFixture {
 public:
  SequenceFixture(Session& session, const Point& point)
      : DeviceFixture(session, 1, submit_of(point.text("submit"))),
        single_(point.is("timing", "single")),
        latched_(point.is("timing", "latched")),
        programmatic_(point.is("submit", "graph_pdl")),
        kernels_(static_cast<int>(point.count("kernels", kMostKernels))),
        launches_(is_graph() ? 1 : kernels_) {
    const std::size_t n = point.count("n");
    if (latched_ && launches_ > kMostLatchedLaunches)
      throw std::invalid_argument(
          fmt::format("timing:latched can queue at most {} launches behind the latch, not kernels:{}: use "
                      "submit:graph or timing:steady",
                      kMostLatchedLaunches, kernels_));
    data_ = session.data<SequenceData>([&] { return std::make_shared<SequenceData>(session, n, kernels_); });
    if (compares()) plain_out_ = DeviceBuffer<float>(n);
  }

  void begin() override { plain_us_.clear(); }

  /// Rows of launches back to back take turns with a plain loop of the same: every gain of a graph stands on
  /// them, and the loop shows that it is not this harness that makes them slow.
  Sample take(std::size_t operations, Phase phase) override {
    if (!compares() || phase != Phase::measure) return DeviceFixture::take(operations, phase);
    const auto plain = [&] {
      plain_us_.push_back(plain_.take(operations, phase).seconds / static_cast<double>(operations) * 1e6);
    };
    const bool plain_first = plain_us_.size() % 2 == 0;  // neither always follows the other
    if (plain_first) plain();
    const Sample sample = DeviceFixture::take(operations, phase);
    if (!plain_first) plain();
    return sample;
  }

  void poison() override {
    overlap::poison(data_->g.span(), origin());
    origin().synchronize();
  }
  void verify(std::size_t) override { data_->expected.verify(data_->g.span(), origin()); }

  /// A single operation is a region of its own; behind a latch only so many launches can be queued.
  MeasureSettings settings(const MeasureSettings& usual) const override {
    MeasureSettings mine = usual;
    if (single_) mine.most_batch = 1;
    if (latched_) mine.most_batch = static_cast<std::size_t>(std::max(1, 96 / launches_));
    return mine;
  }
  std::size_t bytes() const override {
    return data_->g.span().size() * kAddBytes * static_cast<std::size_t>(kernels_);
  }

  std::vector<Load> loads(const Measurement&) const override { return {{"kernel", data_->kernel_us}}; }

  Counters counters(const Measurement& measured) const override {
    if (plain_us_.empty()) return {};
    const double plain_us = percentile(plain_us_, 0.5);
    return {{counter::kPlainLoopUs, plain_us}, {counter::kOverPlainLoop, measured.p50_us / plain_us}};
  }

 private:
  /// Whether the row is launches back to back, of which a plain loop makes the same.
  bool compares() const { return !is_graph() && !single_ && !latched_; }

  /// The same chain in a loop of bare launches, with an output of its own: the row's is checked.
  class PlainLoop : public DeviceFixture {
   public:
    explicit PlainLoop(SequenceFixture& row) : DeviceFixture(row.session()), row_(row) {}
    void verify(std::size_t) override {}

   private:
    void enqueue(std::size_t) override {
      const SequenceData& data = *row_.data_;
      launch_plain_chain(data.a.span(), data.b.span(), data.d.span(), data.f.span(), row_.plain_out_.span(),
                         row_.kernels_, origin());
    }
    SequenceFixture& row_;
  };

  bool latched() const override { return latched_; }

  void enqueue(std::size_t) override {
    std::optional<ProgrammaticLaunch> programmatic;
    if (programmatic_) programmatic.emplace(origin());
    data_->enqueue(kernels_, origin());
  }

  bool single_, latched_, programmatic_;
  int kernels_;
  int launches_;  ///< per operation
  std::shared_ptr<SequenceData> data_;
  DeviceBuffer<float> plain_out_;
  PlainLoop plain_{*this};
  std::vector<double> plain_us_;  ///< of this repetition's regions, per operation
};

}  // namespace

Family sequence_family() {
  Family family;
  family.name = "sequence";
  family.summary = "G = (A+B) D + F over n floats on the device, as a chain of kernels";
  Axis submit = submit_axis();
  submit.help =
      "kernel by kernel; captured once and launched as a graph; graph_pdl: that with programmatic dependent "
      "launches, where a kernel starts while the one ahead ends";
  submit.choices.emplace_back("graph_pdl");
  submit.available = [](const std::string& value, const DeviceInfo& device) {
    return value != "graph_pdl" || device.programmatic_launch;
  };
  family.axes = {
      submit,
      {.name = "timing",
       .help = "single: one operation, submission included; steady: back to back; latched: enqueued before "
               "it may start",
       .choices = {"single", "steady", "latched"}},
      {.name = "kernels",
       .help = "chain length: add, then mul and add in turn",
       .quick = "3",
       .full = "1,3,10,30,100"},
      {.name = "n",
       .help = "elements",
       .quick = "1000,100000,10000000",
       .paper = "1000,10000,100000,1000000,10000000",
       .full = "1000,10000,100000,1000000,10000000,100000000",
       .host_quick = "1000,100000,1000000"},
  };
  family.data_axes = {"kernels", "n"};
  family.make = made_of<SequenceFixture>;
  return family;
}

}  // namespace overlap
