// C = A sin(B) + B cos(A) over arrays in host memory: copy A and B in, kernel, copy C out, by chunks. The
// orders differ only in who waits for whom; the work is the same.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "data.hpp"
#include "families.hpp"
#include "fixture.hpp"
#include "reference.hpp"

namespace overlap {
namespace {

constexpr std::int64_t kMostStreams = 1024;
constexpr std::int64_t kMostChunks = 1 << 20;
constexpr std::size_t kInBytes = 8, kOutBytes = 4;  // per element

HostMemory host_memory(const std::string& name) {
  if (name == "pageable") return HostMemory::pageable;
  if (name == "registered") return HostMemory::registered;
  if (name == "write_combined") return HostMemory::write_combined;
  return HostMemory::pinned;
}

/// What rows of equal n, mem and work share: the arrays, and what each stage takes alone.
struct PipelineData {
  HostBuffer<float> a, b, c;
  DeviceBuffer<float> device_a, device_b, device_c;
  Expected expected;
  double h2d_us = 0, kernel_us = 0, d2h_us = 0;

  PipelineData(Session& session, std::size_t n, HostMemory memory, int work) {
    const std::size_t bytes = checked_bytes(n, 3 * sizeof(float));
    session.require_memory(bytes, bytes);
    Stream& stream = session.origin();
    for (HostBuffer<float>* buffer : {&a, &b, &c}) *buffer = HostBuffer<float>(n, memory);
    for (DeviceBuffer<float>* buffer : {&device_a, &device_b, &device_c}) *buffer = DeviceBuffer<float>(n);
    const auto pattern_a = random_pattern(n, 1, -3, 3), pattern_b = random_pattern(n, 2, -3, 3);
    tile_host(a.span(), pattern_a);
    tile_host(b.span(), pattern_b);
    std::vector<float> result(pattern_a.size());
    reference::map<double>(std::span(result), reference::trig<double>, pattern_a, pattern_b);
    // A few roundings of numbers up to 6, and one more for each repeat that is averaged.
    expected = Expected(result, {1e-6F + 1e-7F * static_cast<float>(work), 4e-6F}, stream);
    measure_stages(session, work);
  }

  void copy_in(std::size_t at, std::size_t count, Stream& stream) const {
    copy_h2d(device_a.span().subspan(at, count), a.span().subspan(at, count), stream);
    copy_h2d(device_b.span().subspan(at, count), b.span().subspan(at, count), stream);
  }
  void compute(std::size_t at, std::size_t count, int work, Stream& stream) const {
    launch_trig(device_a.span().subspan(at, count), device_b.span().subspan(at, count),
                device_c.span().subspan(at, count), work, Impl::vector, stream);
  }
  void copy_out(std::size_t at, std::size_t count, Stream& stream) const {
    copy_d2h(c.span().subspan(at, count), device_c.span().subspan(at, count), stream);
  }

 private:
  void measure_stages(Session& session, int work) {
    MeasureSettings brief = session.settings();
    brief.warm_up_s = std::min(brief.warm_up_s, 0.02);
    brief.min_time_s = std::min(brief.min_time_s, 0.02);
    Stream& stream = session.origin();
    const std::size_t n = a.span().size();
    h2d_us = median_us(
        session, [&](std::size_t) { copy_in(0, n, stream); }, brief);
    kernel_us = median_us(
        session, [&](std::size_t) { compute(0, n, work, stream); }, brief);
    d2h_us = median_us(
        session, [&](std::size_t) { copy_out(0, n, stream); }, brief);
  }
};

/// A piece of the arrays.
struct Chunk {
  std::size_t at;
  std::size_t count;
};

class PipelineFixture : public DeviceFixture {
 public:
  PipelineFixture(Session& session, const Point& point)
      : DeviceFixture(session),
        order_(point.text("order")),
        work_(static_cast<int>(point.number("work", 1, 1 << 20))),
        streams_(session, static_cast<std::size_t>(point.number("streams", 1, kMostStreams))) {
    const std::int64_t n = point.number("n", 1, std::numeric_limits<std::int64_t>::max());
    const std::int64_t chunk = point.number("chunk", 1, n);
    if (n / chunk >= kMostChunks)
      throw std::invalid_argument(
          fmt::format("chunk:{} cuts n:{} into over {} chunks", chunk, n, kMostChunks));
    for (std::int64_t at = 0; at < n; at += chunk)
      chunks_.push_back({static_cast<std::size_t>(at), static_cast<std::size_t>(std::min(chunk, n - at))});
    if (order_ == "engine_streams") {
      copied_in_ = std::vector<Event>(chunks_.size());
      computed_ = std::vector<Event>(chunks_.size());
    }
    const std::string& mem = point.text("mem");
    data_ = session.data<PipelineData>(fmt::format("pipeline/{}/{}/{}", n, mem, work_), [&] {
      return std::make_shared<PipelineData>(session, static_cast<std::size_t>(n), host_memory(mem), work_);
    });
    if (point.text("submit") == "graph") {
      graph_.emplace(GraphBuilder(origin(), [this] { enqueue(); }));
      graph_->upload(origin());
    }
  }

  void poison() override {
    for (const auto* buffer : {&data_->device_a, &data_->device_b, &data_->device_c})
      overlap::poison(buffer->span(), origin());
    data_->copy_out(0, n(), origin());  // the NaNs
    origin().synchronize();
  }

  void verify(std::size_t) override {
    // Through the device, which compares faster; what is compared is what arrived in host memory.
    copy_h2d(data_->device_c.span(), data_->c.span(), origin());
    data_->expected.verify(data_->device_c.span(), origin());
  }

  std::size_t bytes() const override { return n() * (kInBytes + kOutBytes); }

  Counters counters(const Measurement&) const override {
    return {{"chunks", static_cast<double>(chunks_.size())},
            {"h2d_us", data_->h2d_us},
            {"kernel_us", data_->kernel_us},
            {"d2h_us", data_->d2h_us}};
  }

 private:
  std::size_t n() const { return data_->a.span().size(); }

  void submit(std::size_t) override { graph_ ? graph_->launch(origin()) : enqueue(); }

  /// One operation, complete on the origin when it is complete.
  void enqueue() {
    streams_.fork();
    if (order_ == "breadth_first") {
      breadth_first();
    } else if (order_ == "engine_streams") {
      engine_streams();
    } else {
      depth_first();  // sequential is this with one stream and one chunk
    }
    streams_.join();
  }

  Stream& stream_of(std::size_t chunk) const { return streams_[chunk % streams_.size()]; }

  void depth_first() {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const auto [at, count] = chunks_[i];
      data_->copy_in(at, count, stream_of(i));
      data_->compute(at, count, work_, stream_of(i));
      data_->copy_out(at, count, stream_of(i));
    }
  }

  void breadth_first() {
    for (std::size_t i = 0; i < chunks_.size(); ++i)
      data_->copy_in(chunks_[i].at, chunks_[i].count, stream_of(i));
    for (std::size_t i = 0; i < chunks_.size(); ++i)
      data_->compute(chunks_[i].at, chunks_[i].count, work_, stream_of(i));
    for (std::size_t i = 0; i < chunks_.size(); ++i)
      data_->copy_out(chunks_[i].at, chunks_[i].count, stream_of(i));
  }

  /// A stream for each engine, tied by an event per chunk and stage.
  void engine_streams() {
    Stream& in = streams_[0];
    Stream& compute = streams_[1];
    Stream& out = streams_[2];
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const auto [at, count] = chunks_[i];
      data_->copy_in(at, count, in);
      copied_in_[i].record(in);
      wait(compute, copied_in_[i]);
      data_->compute(at, count, work_, compute);
      computed_[i].record(compute);
      wait(out, computed_[i]);
      data_->copy_out(at, count, out);
    }
  }

  std::string order_;
  int work_;
  std::vector<Chunk> chunks_;
  ForkJoin streams_;
  std::vector<Event> copied_in_, computed_;
  std::shared_ptr<PipelineData> data_;
  std::optional<Graph> graph_;
};

}  // namespace

Family pipeline_family() {
  Family family;
  family.name = "pipeline";
  family.summary =
      "C = A sin(B) + B cos(A) over n floats in host memory: copy in, kernel, copy out, by chunks";
  family.axes = {
      {.name = "order",
       .help = "who waits for whom; sequential is one stream and whole arrays, engine_streams has one each "
               "for in, "
               "compute and out",
       .quick = "sequential,depth_first,breadth_first,engine_streams",
       .paper = "sequential,depth_first,breadth_first,engine_streams",
       .full = "sequential,depth_first,breadth_first,engine_streams",
       .choices = {"sequential", "depth_first", "breadth_first", "engine_streams"}},
      {.name = "mem",
       .help = "kind of host memory",
       .quick = "pinned,pageable",
       .paper = "pinned,pageable",
       .full = "pinned,pageable,registered",
       .choices = {"pinned", "pageable", "registered", "write_combined"}},
      {.name = "submit",
       .help = "call by call, or captured once and launched as a graph",
       .quick = "launch,graph",
       .paper = "launch,graph",
       .full = "launch,graph",
       .choices = {"launch", "graph"}},
      {.name = "streams",
       .help = "streams that chunks go to in turn",
       .quick = "1,2,4,8",
       .paper = "1,2,4,8,16",
       .full = "1..32*2",
       .host_quick = "1,2,4"},
      {.name = "chunk",
       .help = "elements per chunk; n/K cuts the arrays into K",
       .quick = "n/4,n/13",
       .paper = "n/4,n/8,n/13,n/16,n/32",
       .full = "n/2,n/4,n/8,n/16,n/32,n/64,n/512",
       .host_quick = "n/4,n/16"},
      {.name = "n",
       .help = "elements",
       .quick = "16777216",
       .paper = "16777216",
       .full = "262144,1048576,4194304,16777216,67108864",
       .host_quick = "524288"},
      {.name = "work",
       .help = "times the arithmetic is repeated per element",
       .quick = "1",
       .paper = "1",
       .full = "1,16,64"},
  };
  family.data_axes = {"n", "mem", "work"};
  family.canonical = [](Point& point) {
    if (point.text("order") == "sequential") {
      point.set("streams", "1");
      point.set("chunk", point.text("n"));
    } else if (point.text("order") == "engine_streams") {
      point.set("streams", "3");
    }
  };
  family.make = [](const Point& point, Session& session) -> std::unique_ptr<Fixture> {
    return std::make_unique<PipelineFixture>(session, point);
  };
  return family;
}

}  // namespace overlap
