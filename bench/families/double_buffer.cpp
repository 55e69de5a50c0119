// Batches copied in and multiplied by resident weights, through a few device buffers. What differs is what
// the next copy waits for: nothing to gain from the wrong choice, everything hidden by the right one.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "families/catalogue.hpp"
#include "families/products.hpp"
#include "harness/expected.hpp"
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
    const auto least = [&](const std::function<void(std::size_t)>& enqueue) {
      return least_us(session, enqueue, brief);
    };
    copy_us = least([&](std::size_t i) { copy_h2d(input.span(), products.host_input(i % batches), stream); });
    // As a graph of all batches: what the device needs, and not the time until the first launch arrives.
    Graph kernels(GraphBuilder(stream, [&] {
      for (std::size_t i = 0; i < batches; ++i)
        gemm.multiply(input.span(), products.weights(), products.output(i), dim);
    }));
    const auto launch = [&](std::size_t) { kernels.launch(stream); };
    kernel_us = measure_alone(session, launch, brief).min_us / static_cast<double>(batches);
    if (copy_back)
      out_us =
          least([&](std::size_t i) { copy_d2h(result(i % batches), products.output(i % batches), stream); });
  }

  std::span<float> result(std::size_t batch) const {
    return results.span().subspan(batch * products.elements(), products.elements());
  }
};

class DoubleBufferFixture : public DeviceFixture {
 public:
  DoubleBufferFixture(Session& session, const Point& point)
      : DeviceFixture(session),
        sync_(point.text("sync")),
        copy_back_(point.text("result") == "host"),
        buffers_(static_cast<std::size_t>(point.number("buffers", 1, kMostBuffers))),
        streams_(session, sync_ == "serial" ? 1
                          : copy_back_      ? 3
                                            : 2) {
    const auto dim = static_cast<std::size_t>(point.number("dim", 1, kMostDim));
    const auto batches = static_cast<std::size_t>(point.number("batches", 1, kMostBatches));
    if (buffers_ > batches)
      throw std::invalid_argument(
          fmt::format("buffers:{} is above batches:{}: a buffer would stay empty", buffers_, batches));
    const std::string key = fmt::format("double_buffer/{}/{}/{}", dim, batches, copy_back_);
    data_ = session.data<DoubleBufferData>(
        key, [&] { return std::make_shared<DoubleBufferData>(session, dim, batches, copy_back_); });
    inputs_ = DeviceBuffer<float>(buffers_ * products().elements());
    gemm_.emplace(compute_stream());
    full_ = std::vector<Event>(buffers_);
    free_ = std::vector<Event>(buffers_);
    computed_ = std::vector<Event>(batches);
    if (point.text("submit") == "graph") {
      graph_.emplace(GraphBuilder(origin(), [this] { enqueue(); }));
      graph_->upload(origin());
    }
  }

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

  std::size_t bytes() const override {
    return batches() * products().elements() * sizeof(float) * (copy_back_ ? 2 : 1);
  }

  Counters counters(const Measurement& measured) const override {
    const double copies = data_->copy_us + data_->out_us, each = copies + data_->kernel_us;
    const double serial = static_cast<double>(batches()) * each;
    const double bound = double_buffer_bound_us(data_->copy_us, data_->kernel_us, data_->out_us, batches());
    const auto dim = static_cast<double>(products().dim());
    const double flops = 2 * dim * dim * dim * static_cast<double>(batches());
    Counters result = limit_counters(serial, bound, measured);
    for (const auto& [name, value] : Counters{{"h2d_us", data_->copy_us},
                                              {"kernel_us", data_->kernel_us},
                                              {"d2h_us", data_->out_us},
                                              {"transfer_pct", percent_of(copies, each)},
                                              {"gflop_per_s", flops / measured.p50_us * 1e-3}})
      result.emplace_back(name, value);
    return result;
  }

  std::vector<Load> loads(const Measurement&) const override {
    const auto n = static_cast<double>(batches());
    return {
        {"copy_in", n * data_->copy_us}, {"kernel", n * data_->kernel_us}, {"copy_out", n * data_->out_us}};
  }

 private:
  static constexpr std::size_t kMostHeld = 64;  // batches that a held stream's queue takes without a doubt

  std::size_t streams_to_hold() const override {
    return graph_ || batches() > kMostHeld ? 0 : streams_.size() - 1;
  }
  Products& products() const { return data_->products; }
  std::size_t batches() const { return products().count(); }
  Stream& copy_stream() const { return streams_[0]; }
  Stream& compute_stream() const { return streams_[streams_.size() > 1 ? 1 : 0]; }
  Stream& out_stream() const { return streams_[streams_.size() - 1]; }

  void submit(std::size_t) override { graph_ ? graph_->launch(origin()) : enqueue(); }

  /// One operation: all batches, complete on the origin when they are complete.
  void enqueue() {
    streams_.fork();
    for (std::size_t i = 0; i < batches(); ++i) {
      const std::size_t buffer = i % buffers_;
      if (sync_ == "per_buffer" && i >= buffers_)
        wait(copy_stream(), free_[buffer]);                                 // its last reader is done
      if (sync_ == "whole_stream" && i > 0) wait(copy_stream(), free_[0]);  // so is all that was enqueued
      copy_h2d(input(buffer), products().host_input(i), copy_stream());
      if (sync_ == "per_buffer" || sync_ == "whole_stream") {
        full_[buffer].record(copy_stream());
        wait(compute_stream(), full_[buffer]);
      }
      gemm_->multiply(input(buffer), products().weights(), products().output(i), products().dim());
      if (sync_ == "per_buffer") free_[buffer].record(compute_stream());
      if (sync_ == "whole_stream") free_[0].record(compute_stream());
      if (copy_back_) copy_back(i);
    }
    streams_.join();
  }

  void copy_back(std::size_t batch) {
    if (sync_ != "serial") {
      computed_[batch].record(compute_stream());
      wait(out_stream(), computed_[batch]);
    }
    copy_d2h(data_->result(batch), products().output(batch), out_stream());
  }

  std::span<float> input(std::size_t buffer) const {
    return inputs_.span().subspan(buffer * products().elements(), products().elements());
  }

  std::string sync_;
  bool copy_back_;
  std::size_t buffers_;
  ForkJoin streams_;
  std::shared_ptr<DoubleBufferData> data_;
  DeviceBuffer<float> inputs_;
  std::optional<Gemm> gemm_;
  std::vector<Event> full_, free_;  ///< per buffer: its copy has arrived; its last reader is done
  std::vector<Event> computed_;     ///< per batch
  std::optional<Graph> graph_;
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
       .quick = "serial,whole_stream,per_buffer",
       .paper = "serial,whole_stream,per_buffer",
       .full = "serial,whole_stream,per_buffer",
       .choices = {"serial", "whole_stream", "per_buffer", "none"}},
      {.name = "buffers",
       .help = "device buffers that batches go through in turn",
       .quick = "1,2,3,4",
       .paper = "1,2,3,4",
       .full = "1,2,3,4"},
      {.name = "submit",
       .help = "call by call, or captured once and launched as a graph",
       .quick = "launch,graph",
       .paper = "launch,graph",
       .full = "launch,graph",
       .choices = {"launch", "graph"}},
      {.name = "result",
       .help = "device: products stay there; host: they are copied back, on a stream of their own",
       .quick = "device",
       .paper = "device,host",
       .full = "device,host",
       .choices = {"device", "host"}},
      {.name = "dim",
       .help = "rows and columns of a matrix",
       .quick = "4096",
       .paper = "1024,2048,4096,8192",
       .full = "512,1024,2048,4096,8192",
       .host_quick = "192"},
      {.name = "batches", .help = "matrices per operation", .quick = "10", .paper = "10", .full = "10,40"},
  };
  family.data_axes = {"dim", "batches", "result"};
  family.canonical = [](Point& point) {
    if (point.text("sync") == "serial") point.set("buffers", "1");
    // One buffer serves it as well as many: the wait is for the stream, whichever buffer comes next.
    if (point.text("sync") == "whole_stream" && point.number("batches") > 1) point.set("buffers", "2");
  };
  family.wanted = [](const Point& point, const AskedFor& asked) {
    if (point.number("buffers") > point.number("batches")) return asked("buffers") && asked("batches");
    return point.text("result") == "device" || point.text("dim") == "4096" || asked("result") || asked("dim");
  };
  family.make = [](const Point& point, Session& session) -> std::unique_ptr<Fixture> {
    return std::make_unique<DoubleBufferFixture>(session, point);
  };
  return family;
}

}  // namespace overlap
