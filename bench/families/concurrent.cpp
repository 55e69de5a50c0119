// Independent matrix products, one after the other or on several streams: streams can only help where one
// product leaves room on the device, and how much room it leaves is known before any has run.
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
constexpr std::int64_t kMostTasks = 256;

/// What rows of equal dim and tasks share: the matrices, what one product takes alone, how it fills the
/// device.
struct ConcurrentData {
  Products products;
  DeviceBuffer<float> inputs;
  KernelShape shape;
  double kernel_us = 0;

  ConcurrentData(Session& session, std::size_t dim, std::size_t tasks)
      : products(session, dim, tasks, checked_bytes(dim * dim, tasks * sizeof(float))),
        inputs(products.elements() * tasks) {
    Stream& stream = session.origin();
    for (std::size_t i = 0; i < tasks; ++i) copy_h2d(input(i), products.host_input(i), stream);
    stream.synchronize();
    Gemm gemm(stream);
    const auto multiply = [&](std::size_t i) {
      gemm.multiply(input(i), products.weights(), products.output(i), products.dim());
    };
    // The kernel with the most blocks is the product; others only prepare or reduce.
    for (const KernelShape& each : GraphBuilder(stream, [&] { multiply(0); }).kernels())
      if (each.blocks > shape.blocks) shape = each;
    const MeasureSettings brief = session.settings().at_most(0.05, 0.1);
    // As a graph: what the device needs for a product, not what launching it takes.
    Graph graph(GraphBuilder(stream, [&] {
      for (std::size_t i = 0; i < tasks; ++i) multiply(i);
    }));
    const auto launch = [&](std::size_t) { graph.launch(stream); };
    kernel_us = measure_alone(session, launch, brief).min_us / static_cast<double>(tasks);
  }

  std::span<float> input(std::size_t task) const {
    return inputs.span().subspan(task * products.elements(), products.elements());
  }
};

class ConcurrentFixture : public DeviceFixture {
 public:
  ConcurrentFixture(Session& session, const Point& point)
      : DeviceFixture(session),
        streams_(session, static_cast<std::size_t>(point.number("streams", 1, kMostTasks))) {
    const auto tasks = static_cast<std::size_t>(point.number("tasks", 1, kMostTasks));
    const auto dim = static_cast<std::size_t>(point.number("dim", 1, kMostDim));
    if (streams_.size() > tasks)
      throw std::invalid_argument(
          fmt::format("streams:{} is above tasks:{}: a stream would stay empty", streams_.size(), tasks));
    data_ = session.data<ConcurrentData>(fmt::format("concurrent/{}/{}", dim, tasks), [&] {
      return std::make_shared<ConcurrentData>(session, dim, tasks);
    });
    for (std::size_t i = 0; i < streams_.size(); ++i) gemms_.emplace_back(streams_[i]);
    if (point.text("submit") == "graph") {
      graph_.emplace(GraphBuilder(origin(), [this] { enqueue(); }));
      graph_->upload(origin());
    }
  }

  void poison() override {
    data_->products.poison();
    origin().synchronize();
  }
  void verify(std::size_t) override { data_->products.verify(); }

  Counters counters(const Measurement& measured) const override {
    const std::size_t tasks = data_->products.count();
    const auto [blocks, resident] = data_->shape;
    const double serial = static_cast<double>(tasks) * data_->kernel_us;
    const auto dim = static_cast<double>(data_->products.dim());
    const double flops = 2 * dim * dim * dim * static_cast<double>(tasks);
    // Where the device cannot say how many blocks it holds, nobody knows what room there is.
    const double share = concurrent_share(tasks, blocks, resident);
    Counters result;
    if (resident > 0) result = limit_counters(serial, share * serial, measured);
    if (resident > 0) result.emplace_back("possible_speedup", 1 / share);
    for (const auto& [name, value] : Counters{{"kernel_us", data_->kernel_us},
                                              {"gflop_per_s", flops / measured.p50_us * 1e-3},
                                              {"blocks", static_cast<double>(blocks)},
                                              {"resident_blocks", static_cast<double>(resident)}})
      result.emplace_back(name, value);
    return result;
  }

  std::vector<Load> loads(const Measurement&) const override {
    return {{"kernel", static_cast<double>(data_->products.count()) * data_->kernel_us}};
  }

 private:
  void submit(std::size_t) override { graph_ ? graph_->launch(origin()) : enqueue(); }

  void enqueue() {
    const Products& products = data_->products;
    streams_.fork();
    for (std::size_t i = 0; i < products.count(); ++i)
      gemms_[i % gemms_.size()].multiply(data_->input(i), products.weights(), products.output(i),
                                         products.dim());
    streams_.join();
  }

  ForkJoin streams_;
  std::shared_ptr<ConcurrentData> data_;
  std::vector<Gemm> gemms_;  ///< one for each stream: they must not share a workspace
  std::optional<Graph> graph_;
};

}  // namespace

Family concurrent_family() {
  Family family;
  family.name = "concurrent";
  family.summary = "independent products of dim x dim matrices on the device";
  family.axes = {
      {.name = "tasks", .help = "products per operation", .quick = "2", .paper = "2,4", .full = "2,4,8"},
      {.name = "streams",
       .help = "streams that products go to in turn",
       .quick = "1,2",
       .paper = "1,2,4",
       .full = "1..8*2"},
      {.name = "submit",
       .help = "call by call, or captured once and launched as a graph",
       .quick = "launch,graph",
       .paper = "launch,graph",
       .full = "launch,graph",
       .choices = {"launch", "graph"}},
      {.name = "dim",
       .help = "rows and columns of a matrix",
       .quick = "256,1024,5000",
       .paper = "256,512,1024,2048,5000",
       .full = "128,256,512,1024,2048,4096,5000,8192",
       .host_quick = "64,256"},
  };
  family.data_axes = {"tasks", "dim"};
  family.wanted = [](const Point& point, const AskedFor& asked) {
    return point.number("streams") <= point.number("tasks") || (asked("streams") && asked("tasks"));
  };
  family.make = [](const Point& point, Session& session) -> std::unique_ptr<Fixture> {
    return std::make_unique<ConcurrentFixture>(session, point);
  };
  return family;
}

}  // namespace overlap
