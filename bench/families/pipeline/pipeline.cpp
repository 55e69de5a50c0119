// C = A sin(B) + B cos(A) over arrays in host memory: copy A and B in, kernel, copy C out, by chunks. The
// orders differ only in who waits for whom; the work is the same.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "families/catalogue.hpp"
#include "families/pipeline/data.hpp"

namespace overlap {
namespace {

constexpr std::int64_t kMostStreams = 1024;
constexpr std::int64_t kMostChunks = 1 << 20;
constexpr std::size_t kBytes = 12;  // of payload per element: A and B in, C out

class PipelineFixture : public DeviceFixture {
 public:
  PipelineFixture(Session& session, const Point& point)
      : DeviceFixture(session),
        order_(point.text("order")),
        streams_(session, static_cast<std::size_t>(point.number("streams", 1, kMostStreams))) {
    const std::int64_t n = point.number("n", 1, std::numeric_limits<std::int64_t>::max());
    const std::int64_t chunk = point.number("chunk", 1, n);
    if (n / chunk >= kMostChunks)
      throw std::invalid_argument(
          fmt::format("chunk:{} cuts n:{} into over {} chunks", chunk, n, kMostChunks));
    const auto cut = point.text("schedule") == "tapered" ? tapered_chunks : even_chunks;
    chunks_ = cut(static_cast<std::size_t>(n), static_cast<std::size_t>(chunk));
    least_chunk_ = std::ranges::min(chunks_, {}, &Chunk::count).count;
    if (order_ == "engine_streams") {
      copied_in_ = std::vector<Event>(chunks_.size());
      computed_ = std::vector<Event>(chunks_.size());
    }
    const std::string& mem = point.text("mem");
    pageable_ = mem == "pageable";
    if (zero_copy() && pageable_)
      throw std::invalid_argument(
          "order:zero_copy needs host memory that kernels can reach: mem:pinned, registered or "
          "write_combined");
    const auto work = static_cast<int>(point.number("work", 1, 1 << 20));
    data_ = session.data<PipelineData>(fmt::format("pipeline/{}/{}/{}", n, mem, work), [&] {
      return std::make_shared<PipelineData>(session, static_cast<std::size_t>(n), host_memory(mem), work);
    });
    data_->arrange(point.text("layout") == "packed" ? chunks_ : std::vector<Chunk>());
    if (point.text("submit") == "graph") {
      graph_.emplace(GraphBuilder(origin(), [this] { enqueue(); }));
      graph_->upload(origin());
    }
  }

  void poison() override { data_->poison(least_chunk_, verified_); }

  void verify(std::size_t) override {
    data_->verify(least_chunk_, verified_, !zero_copy());
    verified_ = true;
  }

  void reconsider(const Measurement& measured) override {
    constexpr double kOfMeasuring = 0.99;  // closer to the bound than that is noise
    if (measured.p50_us < kOfMeasuring * bound_us(costs())) data_->measure_again();
  }

  std::size_t bytes() const override { return data_->n() * kBytes; }

  Counters counters(const Measurement& measured) const override {
    const PipelineCosts& staged = data_->costs();
    const PipelineCosts mine = costs();
    const Chunking best = best_chunking(staged);
    Counters result = limit_counters(serial_us(staged), bound_us(mine), measured);
    for (const auto& [name, value] : Counters{{"chunks", static_cast<double>(chunks_.size())},
                                              {"h2d_us", staged.in.full_us},
                                              {"kernel_us", staged.kernel.full_us},
                                              {"d2h_us", staged.out.full_us},
                                              {"link_us", link_us(mine)},
                                              {"predicted_us", predicted()},
                                              {"best_chunks", static_cast<double>(best.pieces)},
                                              {"best_streams", static_cast<double>(best.streams)}})
      result.emplace_back(name, value);
    return result;
  }

  std::vector<Load> loads(const Measurement&) const override {
    const PipelineCosts costs = this->costs();
    const auto more = static_cast<double>(chunks_.size() - 1);
    const auto all = [more](const Stage& stage) { return stage.full_us + more * stage.per_piece_us; };
    std::vector<Load> loads = {
        {"copy_in", all(costs.in)}, {"kernel", all(costs.kernel)}, {"copy_out", all(costs.out)}};
    // Where the directions overlap, it is the link that they share which is busy for longer than either.
    if (chunks_.size() > 1 && streams_.size() > 1) loads.emplace_back("duplex_link", link_us(costs));
    return loads;
  }

 private:
  static constexpr std::size_t kMostHeld = 64;  // chunks that a held stream's queue takes without a doubt

  std::size_t streams_to_hold() const override {
    const bool possible = !graph_ && chunks_.size() <= kMostHeld && order_ == "engine_streams" && !pageable_;
    return possible ? streams_.size() - 1 : 0;
  }

  /// What the stages cost at least, whatever the order makes of them.
  PipelineCosts costs() const { return zero_copy() ? without_copies(data_->costs()) : data_->costs(); }

  double predicted() const {
    PipelineCosts expected = costs();
    if (zero_copy()) return bound_us(expected);                 // all stages at once, element by element
    if (order_ == "engine_streams") expected.kernel_share = 1;  // all kernels are on one stream
    return predicted_us(expected, chunks_.size(), streams_.size());
  }

  void submit(std::size_t) override { graph_ ? graph_->launch(origin()) : enqueue(); }

  /// One operation, complete on the origin when it is complete.
  void enqueue() {
    streams_.fork();
    if (order_ == "breadth_first") {
      breadth_first();
    } else if (order_ == "engine_streams") {
      engine_streams();
    } else if (zero_copy()) {
      data_->compute_in_host_memory(origin());
    } else {
      depth_first();  // sequential is this with one stream and one chunk
    }
    streams_.join();
  }

  bool zero_copy() const { return order_ == "zero_copy"; }
  Stream& stream_of(std::size_t chunk) const { return streams_[chunk % streams_.size()]; }

  void depth_first() {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      data_->copy_in(chunks_[i], stream_of(i));
      data_->compute(chunks_[i], stream_of(i));
      data_->copy_out(chunks_[i], stream_of(i));
    }
  }

  void breadth_first() {
    for (std::size_t i = 0; i < chunks_.size(); ++i) data_->copy_in(chunks_[i], stream_of(i));
    for (std::size_t i = 0; i < chunks_.size(); ++i) data_->compute(chunks_[i], stream_of(i));
    for (std::size_t i = 0; i < chunks_.size(); ++i) data_->copy_out(chunks_[i], stream_of(i));
  }

  /// A stream for each engine, tied by an event per chunk and stage.
  void engine_streams() {
    Stream& in = streams_[0];
    Stream& compute = streams_[1];
    Stream& out = streams_[2];
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      data_->copy_in(chunks_[i], in);
      copied_in_[i].record(in);
      wait(compute, copied_in_[i]);
      data_->compute(chunks_[i], compute);
      computed_[i].record(compute);
      wait(out, computed_[i]);
      data_->copy_out(chunks_[i], out);
    }
  }

  std::string order_;
  bool pageable_ = false;
  std::vector<Chunk> chunks_;
  std::size_t least_chunk_ = 1;
  ForkJoin streams_;
  std::vector<Event> copied_in_, computed_;
  std::shared_ptr<PipelineData> data_;
  std::optional<Graph> graph_;
  bool verified_ = false;  ///< once, element by element
};

}  // namespace

Family pipeline_family() {
  Family family;
  family.name = "pipeline";
  family.summary =
      "C = A sin(B) + B cos(A) over n floats in host memory: copy in, kernel, copy out, by chunks";
  family.axes = {
      {.name = "order",
       .help =
           "who waits for whom; sequential: one stream, whole arrays; engine_streams: a stream each for in, "
           "compute and out; zero_copy: the kernel reads and writes host memory",
       .quick = "sequential,depth_first,breadth_first,engine_streams,zero_copy",
       .paper = "sequential,depth_first,breadth_first,engine_streams,zero_copy",
       .full = "sequential,depth_first,breadth_first,engine_streams,zero_copy",
       .choices = {"sequential", "depth_first", "breadth_first", "engine_streams", "zero_copy"}},
      {.name = "mem",
       .help = "kind of host memory",
       .quick = "pinned,pageable,registered,write_combined",
       .paper = "pinned,pageable,registered,write_combined",
       .full = "pinned,pageable,registered,write_combined",
       .choices = {"pinned", "pageable", "registered", "write_combined"},
       .available = has_host_memory},
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
       .help = "elements per chunk, the largest one where they taper; n/K cuts the arrays into K",
       .quick = "n/4,n/13",
       .paper = "n/4,n/8,n/13,n/16,n/32",
       .full = "n/2,n/4,n/8,n/16,n/32,n/64,n/512",
       .host_quick = "n/4,n/16"},
      {.name = "schedule",
       .help = "even: equal chunks; tapered: they double up to the largest and halve again",
       .quick = "even,tapered",
       .paper = "even,tapered",
       .full = "even,tapered",
       .choices = {"even", "tapered"}},
      {.name = "layout",
       .help = "separate: A and B are copied one after the other; packed: side by side, by one copy",
       .quick = "separate,packed",
       .paper = "separate,packed",
       .full = "separate,packed",
       .choices = {"separate", "packed"}},
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
    const std::string& order = point.text("order");
    if (order == "sequential" || order == "zero_copy") {
      point.set("streams", "1");
      point.set("chunk", point.text("n"));
      point.set("schedule", "even");
      point.set("layout", "separate");
    } else if (order == "engine_streams") {
      point.set("streams", "3");
    }
  };
  family.wanted = [](const Point& point, const AskedFor& asked) {
    const std::string &order = point.text("order"), &mem = point.text("mem");
    if (order == "zero_copy" && mem == "pageable") return asked("order") && asked("mem");
    // What other kinds of memory and other ways to cut are worth shows where the rest is at its best.
    const bool at_its_best = order == "engine_streams" || order == "sequential" || order == "zero_copy";
    const bool other_cut = point.text("schedule") != "even" || point.text("layout") != "separate";
    const bool other_mem = mem == "registered" || mem == "write_combined";
    if (other_cut && !asked("schedule") && !asked("layout")) return at_its_best && mem == "pinned";
    return !other_mem || asked("mem") || at_its_best;
  };
  family.make = [](const Point& point, Session& session) -> std::unique_ptr<Fixture> {
    return std::make_unique<PipelineFixture>(session, point);
  };
  return family;
}

}  // namespace overlap
