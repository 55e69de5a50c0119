// Batches copied in and multiplied by resident weights, through a few device buffers. What differs is what
// the next copy waits for. Waiting for the whole stream hides nothing; waiting for the buffer's last reader
// hides all.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "families/catalogue.hpp"
#include "families/products.hpp"
#include "harness/expected.hpp"
#include "harness/fixture.hpp"
#include "harness/stages.hpp"
#include "names/counters.hpp"
#include "overlap/gemm.hpp"

namespace overlap {
namespace {

constexpr std::int64_t kMostDim = 1 << 16;
constexpr std::int64_t kMostBatches = 4096;
constexpr std::int64_t kMostBuffers = 64;

/// What rows of equal dim and batches share: the matrices, and what each stage of one batch takes alone.
struct DoubleBufferData {
  Products products;
  HostBuffer<float> results;  ///< in host memory, if they are copied back
  double copy_us = 0, kernel_us = 0, out_us = 0;

  DoubleBufferData(Session& session, std::size_t dim, std::size_t batches, bool copy_back)
      : products(session, dim, batches, checked_bytes(dim * dim, 4 * sizeof(float))) {
    if (copy_back) results = HostBuffer<float>(products.elements() * batches, HostMemory::pinned);
    const MeasureSettings brief = session.settings().at_most(0.05, 0.1);
    Stream& stream = session.origin();
    const DeviceBuffer<float> input(products.elements());
    Gemm gemm(stream);
    const auto least = [&](const Enqueue& enqueue) { return least_us(session, enqueue, brief); };
    copy_us = least([&](std::size_t i) { copy_h2d(input.span(), products.host_input(i % batches), stream); });
    // As a graph of all batches: what the device needs, and not the time until the first launch arrives.
    const auto multiply = [&](std::size_t i) {
      gemm.multiply(input.span(), products.weights(), products.output(i), dim);
    };
    kernel_us = measure_graph(session, multiply, batches, brief).min_us / static_cast<double>(batches);
    if (copy_back)
      out_us =
          least([&](std::size_t i) { copy_d2h(result(i % batches), products.output(i % batches), stream); });
  }

  /// Where a batch's product is copied back to.
  std::span<float> result(std::size_t batch) const {
    return results.span().subspan(batch * products.elements(), products.elements());
  }
};

/// What the next copy waits for; the values of `sync`.
enum class Sync { serial, whole_stream, per_buffer, none };
const std::vector<std::string> kSyncs = {"serial", "whole_stream", "per_buffer", "none"};

/// One way to wait, through so many buffers. Batch i uses buffer i mod buffers; copies, products and, where
/// results are copied back, those copies each have a stream.
class DoubleBufferFixture : public DeviceFixture {
 public:
  DoubleBufferFixture(Session& session, const Point& point)
      : DeviceFixture(session, streams_for(point), submit_of(point.text("submit"))),
        sync_(point.choice<Sync>("sync", kSyncs)),
        copy_back_(point.is("result", "host")),
        buffers_(point.count("buffers", kMostBuffers)) {
    const std::size_t dim = point.count("dim", kMostDim), batches = point.count("batches", kMostBatches);
    if (buffers_ > batches)
      throw std::invalid_argument(
          fmt::format("buffers:{} is above batches:{}: a buffer would stay empty", buffers_, batches));
    data_ = session.data<DoubleBufferData>(
        [&] { return std::make_shared<DoubleBufferData>(session, dim, batches, copy_back_); });
    inputs_ = DeviceBuffer<float>(buffers_ * products().elements());
    gemm_.emplace(compute_stream());
    full_ = std::vector<Event>(buffers_);
    free_ = std::vector<Event>(buffers_);
    computed_ = std::vector<Event>(batches);
  }

  /// The buffers as well: what is left in them from the operation before would be right.
  void poison() override {
    overlap::poison(inputs_.span(), origin());
    products().poison();
    for (std::size_t i = 0; copy_back_ && i < batches(); ++i)
      copy_d2h(data_->result(i), products().output(i), origin());  // the NaNs
    origin().synchronize();
  }

  void verify(std::size_t) override {
    for (std::size_t i = 0; copy_back_ && i < batches(); ++i)
      copy_h2d(products().output(i), data_->result(i), origin());
    products().verify();
  }

  /// Every batch in, and out where results are copied back.
  std::size_t bytes() const override {
    return batches() * products().elements() * sizeof(float) * (copy_back_ ? 2 : 1);
  }

  /// Copies, products and copies back, each alone; at best the longest of them follows itself without a gap.
  Stages stages(const Measurement&) override {
    const double copy = data_->copy_us, kernel = data_->kernel_us, out = data_->out_us;
    return {.alone = {{counter::kH2dUs, copy}, {counter::kKernelUs, kernel}, {counter::kD2hUs, out}},
            .serial_us = static_cast<double>(batches()) * (copy + kernel + out),
            .bound_us = double_buffer_bound_us(copy, kernel, out, batches())};
  }

  std::vector<Load> loads(const Measurement&) const override {
    const auto n = static_cast<double>(batches());
    return {
        {"copy_in", n * data_->copy_us}, {"kernel", n * data_->kernel_us}, {"copy_out", n * data_->out_us}};
  }

  Counters counters(const Measurement& measured) const override {
    const double copies = data_->copy_us + data_->out_us;
    return {{counter::kTransferPct, percent_of(copies, copies + data_->kernel_us)},
            {counter::kGflopPerS, products().flops() / measured.p50_us * 1e-3}};
  }

 private:
  static constexpr std::size_t kMostHeld = 64;  // batches that a held stream's queue takes without a doubt

  /// One for everything in turn; else one for each engine that has work.
  static std::size_t streams_for(const Point& point) {
    return point.is("sync", "serial") ? 1 : point.is("result", "host") ? 3 : 2;
  }
  bool streams_wait_for_each_other() const override { return batches() <= kMostHeld; }
  Products& products() const { return data_->products; }
  std::size_t batches() const { return products().count(); }
  /// With one stream all three are the same, with two the last two are.
  Stream& copy_stream() const { return streams()[0]; }
  Stream& compute_stream() const { return streams()[streams().size() > 1 ? 1 : 0]; }
  Stream& out_stream() const { return streams()[streams().size() - 1]; }

  /// All batches.
  void enqueue(std::size_t) override {
    for (std::size_t i = 0; i < batches(); ++i) {
      const std::size_t buffer = i % buffers_;
      if (sync_ == Sync::per_buffer && i >= buffers_)
        wait(copy_stream(), free_[buffer]);                                     // its last reader is done
      if (sync_ == Sync::whole_stream && i > 0) wait(copy_stream(), free_[0]);  // so is all that was enqueued
      copy_h2d(input(buffer), products().host_input(i), copy_stream());
      if (sync_ == Sync::per_buffer || sync_ == Sync::whole_stream) {
        full_[buffer].record(copy_stream());
        wait(compute_stream(), full_[buffer]);
      }
      gemm_->multiply(input(buffer), products().weights(), products().output(i), products().dim());
      if (sync_ == Sync::per_buffer) free_[buffer].record(compute_stream());
      if (sync_ == Sync::whole_stream) free_[0].record(compute_stream());
      if (copy_back_) copy_back(i);
    }
  }

  /// Copies a product back on its own stream, once it is there.
  void copy_back(std::size_t batch) {
    if (sync_ != Sync::serial) {
      computed_[batch].record(compute_stream());
      wait(out_stream(), computed_[batch]);
    }
    copy_d2h(data_->result(batch), products().output(batch), out_stream());
  }

  /// A device buffer. Batches take them in turn.
  std::span<float> input(std::size_t buffer) const {
    return inputs_.span().subspan(buffer * products().elements(), products().elements());
  }

  Sync sync_;
  bool copy_back_;
  std::size_t buffers_;
  std::shared_ptr<DoubleBufferData> data_;
  DeviceBuffer<float> inputs_;
  std::optional<Gemm> gemm_;
  std::vector<Event> full_, free_;  ///< per buffer: its copy has arrived; its last reader is done
  std::vector<Event> computed_;     ///< per batch
};

}  // namespace

Family double_buffer_family() {
  Family family;
  family.name = "double_buffer";
  family.summary = "batches of dim x dim floats copied in and multiplied by resident weights";
  family.axes = {
      {.name = "sync",
       .help =
           "what the next copy waits for. serial: one stream; whole_stream: all that was enqueued, as many "
           "tutorials do; per_buffer: the last reader of its buffer; none: nothing, which is wrong and fails",
       .choices = kSyncs,
       .quick = "serial,whole_stream,per_buffer"},
      {.name = "buffers", .help = "device buffers that batches go through in turn", .quick = "1,2,3,4"},
      submit_axis(),
      {.name = "result",
       .help = "device: products stay there; host: they are copied back, on a stream of their own",
       .choices = {"device", "host"},
       .quick = "device",
       .paper = "device,host"},
      {.name = "dim",
       .help = "rows and columns of a matrix",
       .quick = "4096",
       .paper = "1024,2048,4096,8192",
       .full = "512,1024,2048,4096,8192",
       .host_quick = "192"},
      {.name = "batches", .help = "matrices per operation", .quick = "10", .full = "10,40"},
  };
  family.data_axes = {"dim", "batches", "result"};
  family.canonical = [](Point& point) {
    if (point.is("sync", "serial")) point.set("buffers", "1");
    // One buffer serves it as well as many: the wait is for the stream, whichever buffer comes next.
    if (point.is("sync", "whole_stream") && point.number("batches") > 1) point.set("buffers", "2");
  };
  family.wanted = [](const Point& point, const Asked& asked) {
    if (point.number("buffers") > point.number("batches")) return asked("buffers") && asked("batches");
    return point.is("result", "device") || point.is("dim", "4096") || asked("result") || asked("dim");
  };
  family.make = made_of<DoubleBufferFixture>;
  return family;
}

}  // namespace overlap
