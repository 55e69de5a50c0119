// C = A sin(B) + B cos(A) over arrays in host memory: copy A and B in, kernel, copy C out, by chunks. The
// orders differ only in who waits for whom; the work is the same.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "families/catalogue.hpp"
#include "families/pipeline/data.hpp"
#include "harness/fixture.hpp"
#include "names/counters.hpp"

namespace overlap {
namespace {

constexpr std::int64_t kMostStreams = 1024;
constexpr std::int64_t kMostChunks = 1 << 20;
constexpr std::int64_t kMostWork = 1 << 20;
constexpr std::size_t kBytes = 12;  // of payload per element: A and B in, C out

/// Who waits for whom; the values of `order`.
enum class Order { sequential, depth_first, breadth_first, engine_streams, zero_copy };
const std::vector<std::string> kOrders = {"sequential", "depth_first", "breadth_first", "engine_streams",
                                          "zero_copy"};

/// How the arrays are cut. @throws std::invalid_argument
std::vector<Chunk> chunks_of(const Point& point) {
  const std::size_t n = point.count("n"), chunk = point.count("chunk", point.number("n"));
  if (n / chunk >= kMostChunks)
    throw std::invalid_argument(fmt::format("chunk:{} cuts n:{} into over {} chunks", chunk, n, kMostChunks));
  return point.is("schedule", "tapered") ? tapered_chunks(n, chunk) : even_chunks(n, chunk);
}

/// One order over one cut of the arrays. What its orders share, data and stage costs, is PipelineData.
class PipelineFixture : public DeviceFixture {
 public:
  PipelineFixture(Session& session, const Point& point)
      : DeviceFixture(session, point.count("streams", kMostStreams), submit_of(point.text("submit"))),
        order_(point.choice<Order>("order", kOrders)),
        pageable_(point.is("mem", "pageable")),
        chunks_(chunks_of(point)),
        least_chunk_(std::ranges::min(chunks_, {}, &Chunk::count).count) {
    if (order_ == Order::engine_streams) {
      copied_in_ = std::vector<Event>(chunks_.size());
      computed_ = std::vector<Event>(chunks_.size());
    }
    if (zero_copy() && pageable_)
      throw std::invalid_argument(
          "order:zero_copy needs host memory that kernels can reach: mem:pinned, registered or "
          "write_combined");
    const std::size_t n = point.count("n");
    const auto work = static_cast<int>(point.count("work", kMostWork));
    data_ = session.data<PipelineData>(
        [&] { return std::make_shared<PipelineData>(session, n, host_memory(point.text("mem")), work); });
    if (point.is("layout", "packed")) packed_.emplace(data_->packed(chunks_));
    costs_ = data_->costs();
  }

  /// All of it the first time; later only spots of memory that is slow to copy.
  void poison() override { data_->poison(least_chunk_, verified_); }

  void verify(std::size_t) override {
    data_->verify(least_chunk_, verified_, !zero_copy());
    verified_ = true;
  }

  /// A and B in, C out, each once.
  std::size_t bytes() const override { return data_->n() * kBytes; }

  /// If the row beat its bound, its stages were measured too slowly: measures them again.
  Stages stages(const Measurement& measured) override {
    constexpr double kOfMeasuring = 0.99;  // closer to the bound than that is noise
    if (measured.p50_us < kOfMeasuring * bound_us(at_least())) {
      const PipelineCosts again = data_->measure_costs();
      if (bound_us(again) < bound_us(costs_)) costs_ = again;
    }
    return {.alone = {{counter::kH2dUs, costs_.in.full_us},
                      {counter::kKernelUs, costs_.kernel.full_us},
                      {counter::kD2hUs, costs_.out.full_us},
                      {counter::kLinkUs, link_us(at_least())}},
            .serial_us = serial_us(costs_),
            .bound_us = bound_us(at_least())};
  }

  /// A stage in pieces takes what it takes whole, and what each further piece costs to start.
  std::vector<Load> loads(const Measurement&) const override {
    const PipelineCosts costs = at_least();
    const auto more = static_cast<double>(chunks_.size() - 1);
    const auto all = [more](const Stage& stage) { return stage.full_us + more * stage.per_piece_us; };
    std::vector<Load> loads = {
        {"copy_in", all(costs.in)}, {"kernel", all(costs.kernel)}, {"copy_out", all(costs.out)}};
    // Where the directions overlap, it is the link that they share which is busy for longer than either.
    if (chunks_.size() > 1 && streams().size() > 1) loads.emplace_back("duplex_link", link_us(costs));
    return loads;
  }

  /// What the model makes of the stages: how this row should do, and how the best one is cut.
  Counters counters(const Measurement&) const override {
    const Chunking best = best_chunking(costs_);
    return {{counter::kChunks, static_cast<double>(chunks_.size())},
            {counter::kPredictedUs, predicted()},
            {counter::kBestChunks, static_cast<double>(best.pieces)},
            {counter::kBestStreams, static_cast<double>(best.streams)}};
  }

 private:
  static constexpr std::size_t kMostHeld = 64;  // chunks that a held stream's queue takes without a doubt

  /// Only engine_streams has streams that wait for others inside an operation. A copy of pageable memory
  /// would block the submitting thread behind a held stream.
  bool streams_wait_for_each_other() const override {
    return order_ == Order::engine_streams && chunks_.size() <= kMostHeld && !pageable_;
  }
  bool zero_copy() const { return order_ == Order::zero_copy; }

  /// What the stages cost at least, whatever the order makes of them.
  PipelineCosts at_least() const { return zero_copy() ? without_copies(costs_) : costs_; }

  /// The model's time for this order and cut, in microseconds.
  double predicted() const {
    PipelineCosts expected = at_least();
    if (zero_copy()) return bound_us(expected);                      // all stages at once, element by element
    if (order_ == Order::engine_streams) expected.kernel_share = 1;  // all kernels are on one stream
    return predicted_us(expected, chunks_.size(), streams().size());
  }

  void enqueue(std::size_t) override {
    switch (order_) {
      case Order::sequential:  // one stream and one chunk
      case Order::depth_first: return depth_first();
      case Order::breadth_first: return breadth_first();
      case Order::engine_streams: return engine_streams();
      case Order::zero_copy: return data_->compute_in_host_memory(origin());
    }
  }

  /// Chunk by chunk, each on its stream from end to end.
  void depth_first() {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      copy_in(i, stream_of(i));
      compute(i, stream_of(i));
      copy_out(i, stream_of(i));
    }
  }

  /// Stage by stage: all copies in, all kernels, all copies out.
  void breadth_first() {
    for (std::size_t i = 0; i < chunks_.size(); ++i) copy_in(i, stream_of(i));
    for (std::size_t i = 0; i < chunks_.size(); ++i) compute(i, stream_of(i));
    for (std::size_t i = 0; i < chunks_.size(); ++i) copy_out(i, stream_of(i));
  }

  /// A stream for each engine, tied by an event per chunk and stage.
  void engine_streams() {
    Stream &in = streams()[0], &computing = streams()[1], &out = streams()[2];
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      copy_in(i, in);
      copied_in_[i].record(in);
      wait(computing, copied_in_[i]);
      compute(i, computing);
      computed_[i].record(computing);
      wait(out, computed_[i]);
      copy_out(i, out);
    }
  }

  /// A packed row has inputs of its own; all others share the data's.
  const PipelineInputs& inputs() const { return packed_ ? *packed_ : data_->inputs(); }
  /// Streams take chunks in turn.
  Stream& stream_of(std::size_t chunk) const { return streams()[chunk % streams().size()]; }
  void copy_in(std::size_t i, Stream& stream) const { inputs().copy_in(chunks_[i], stream); }
  void compute(std::size_t i, Stream& stream) const { data_->compute(inputs(), chunks_[i], stream); }
  void copy_out(std::size_t i, Stream& stream) const { data_->copy_out(chunks_[i], stream); }

  Order order_;
  bool pageable_;
  std::vector<Chunk> chunks_;
  std::size_t least_chunk_;
  std::vector<Event> copied_in_, computed_;
  std::shared_ptr<PipelineData> data_;
  std::optional<PipelineInputs> packed_;  ///< instead of the inputs that rows share
  PipelineCosts costs_;    ///< the data's, or less where this row showed that they were too much
  bool verified_ = false;  ///< once, element by element
};

}  // namespace

Family pipeline_family() {
  Family family;
  family.name = "pipeline";
  family.summary =
      "C = A sin(B) + B cos(A) over n floats in host memory: copy in, kernel, copy out, by chunks";
  Axis streams = streams_axis("streams that chunks go to in turn");
  streams.host_quick = "1,2,4";
  family.axes = {
      {.name = "order",
       .help =
           "who waits for whom; sequential: one stream, whole arrays; engine_streams: a stream each for in, "
           "compute and out; zero_copy: the kernel reads and writes host memory",
       .choices = kOrders},
      mem_axis(),
      submit_axis(),
      streams,
      {.name = "chunk",
       .help = "elements per chunk, the largest one where they taper; n/K cuts the arrays into K",
       .quick = "n/4,n/13",
       .paper = "n/4,n/8,n/13,n/16,n/32",
       .full = "n/2,n/4,n/8,n/16,n/32,n/64,n/512",
       .host_quick = "n/4,n/16",
       .round = rounded_chunk},
      {.name = "schedule",
       .help = "even: equal chunks; tapered: they double up to the largest and halve again",
       .choices = {"even", "tapered"}},
      {.name = "layout",
       .help = "separate: A and B are copied one after the other; packed: side by side, by one copy",
       .choices = {"separate", "packed"}},
      {.name = "n",
       .help = "elements",
       .quick = "16777216",
       .full = "262144,1048576,4194304,16777216,67108864",
       .host_quick = "524288"},
      {.name = "work",
       .help = "times the arithmetic is repeated per element",
       .quick = "1",
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
  family.wanted = [](const Point& point, const Asked& asked) {
    const std::string &order = point.text("order"), &mem = point.text("mem");
    if (order == "zero_copy" && mem == "pageable") return asked("order") && asked("mem");
    // What other kinds of memory and other ways to cut are worth shows where the rest is at its best.
    const bool at_its_best = order == "engine_streams" || order == "sequential" || order == "zero_copy";
    const bool other_cut = point.text("schedule") != "even" || point.text("layout") != "separate";
    const bool other_mem = mem == "registered" || mem == "write_combined";
    if (other_cut && !asked("schedule") && !asked("layout")) return at_its_best && mem == "pinned";
    return !other_mem || asked("mem") || at_its_best;
  };
  family.side_by_side = [](const Point& point) {
    const bool in_turn = point.is("order", "depth_first") || point.is("order", "breadth_first");
    return in_turn && point.number("streams") > 1 && point.is("submit", "launch");
  };
  family.make = made_of<PipelineFixture>;
  return family;
}

}  // namespace overlap
