// Independent matrix products, one after the other or on several streams: streams can only help where one
// product leaves room on the device, and how much room it leaves is known before any has run.
#include <fmt/format.h>

#include <algorithm>

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
    // As a graph: what the device needs for a product, not what launching it takes.
    const MeasureSettings brief = session.settings().at_most(0.05, 0.1);
    kernel_us = measure_graph(session, multiply, tasks, brief).min_us / static_cast<double>(tasks);
  }

  /// The matrix that a task multiplies.
  std::span<float> input(std::size_t task) const {
    return inputs.span().subspan(task * products.elements(), products.elements());
  }
};

/// Products on streams in turn. Each stream has a Gemm of its own: they must not share a workspace.
class ConcurrentFixture : public DeviceFixture {
 public:
  ConcurrentFixture(Session& session, const Point& point)
      : DeviceFixture(session, point.count("streams", kMostTasks), submit_of(point.text("submit"))) {
    const std::size_t tasks = point.count("tasks", kMostTasks), dim = point.count("dim", kMostDim);
    if (streams().size() > tasks)
      throw std::invalid_argument(
          fmt::format("streams:{} is above tasks:{}: a stream would stay empty", streams().size(), tasks));
    data_ =
        session.data<ConcurrentData>([&] { return std::make_shared<ConcurrentData>(session, dim, tasks); });
    for (std::size_t i = 0; i < streams().size(); ++i) gemms_.emplace_back(streams()[i]);
  }

  void poison() override {
    data_->products.poison();
    origin().synchronize();
  }
  void verify(std::size_t) override { data_->products.verify(); }

  /// One product alone, as many times as there are tasks; at best their blocks fill the device together.
  Stages stages(const Measurement&) override {
    Stages stages{.alone = {{counter::kKernelUs, data_->kernel_us}}};
    // Where the device cannot say how many blocks it holds, nobody knows what room there is.
    if (data_->shape.resident == 0) return stages;
    stages.serial_us = static_cast<double>(data_->products.count()) * data_->kernel_us;
    stages.bound_us = share() * stages.serial_us;
    return stages;
  }

  std::vector<Load> loads(const Measurement&) const override {
    return {{"kernel", static_cast<double>(data_->products.count()) * data_->kernel_us}};
  }

  Counters counters(const Measurement& measured) const override {
    const auto [blocks, resident] = data_->shape;
    Counters result{{counter::kGflopPerS, data_->products.flops() / measured.p50_us * 1e-3},
                    {counter::kBlocks, static_cast<double>(blocks)},
                    {counter::kResidentBlocks, static_cast<double>(resident)}};
    if (resident > 0) result.emplace_back(counter::kPossibleSpeedup, 1 / share());
    return result;
  }

 private:
  /// Least share of their time one by one that the products take together.
  double share() const {
    return concurrent_share(data_->products.count(), data_->shape.blocks, data_->shape.resident);
  }

  void enqueue(std::size_t) override {
    const Products& products = data_->products;
    for (std::size_t i = 0; i < products.count(); ++i)
      gemms_[i % gemms_.size()].multiply(data_->input(i), products.weights(), products.output(i),
                                         products.dim());
  }

  std::shared_ptr<ConcurrentData> data_;
  std::vector<Gemm> gemms_;  ///< one for each stream: they must not share a workspace
};

}  // namespace

Family concurrent_family() {
  Family family;
  family.name = "concurrent";
  family.summary = "independent products of dim x dim matrices on the device";
  Axis streams = streams_axis("streams that products go to in turn");
  streams.quick = "1,2";
  streams.paper = "1,2,4";
  streams.full = "1..8*2";
  family.axes = {
      {.name = "tasks", .help = "products per operation", .quick = "2", .paper = "2,4", .full = "2,4,8"},
      streams,
      submit_axis(),
      {.name = "dim",
       .help = "rows and columns of a matrix",
       .quick = "256,1024,5000",
       .paper = "256,512,1024,2048,5000",
       .full = "128,256,512,1024,2048,4096,5000,8192",
       .host_quick = "64,256"},
  };
  family.data_axes = {"tasks", "dim"};
  family.wanted = [](const Point& point, const Asked& asked) {
    return point.number("streams") <= point.number("tasks") || (asked("streams") && asked("tasks"));
  };
  family.side_by_side = [](const Point& point) {
    return point.number("streams") > 1 && point.is("submit", "launch");
  };
  family.make = made_of<ConcurrentFixture>;
  return family;
}

}  // namespace overlap
