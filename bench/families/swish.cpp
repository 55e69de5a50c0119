// Swish and its gradient against what memory allows: a device-to-device copy of as many bytes.
#include <fmt/format.h>

#include <algorithm>

#include "families/catalogue.hpp"
#include "harness/expected.hpp"
#include "harness/fixture.hpp"
#include "harness/stages.hpp"
#include "names/counters.hpp"
#include "reference.hpp"

namespace overlap {
namespace {

/// Of a cold cache's sets, which may be many.
/// In the order of Variant; the values of `impl`.
const std::vector<std::string> kVariants = {"plain", "scalar", "vector"};

constexpr std::size_t kMostSetsVerified = 16;

/// Buffers for one (n, pass, cache). With a cold cache, operations rotate through enough sets that by the
/// time one comes round again, over three times the L2 has passed through it.
struct SwishData {
  bool backward;
  std::size_t n, stride, sets = 1;
  DeviceBuffer<float> x, dy, out;
  Expected expected;
  double copy_us = 0;  ///< a copy that reads and writes as many bytes as one operation

  SwishData(Session& session, std::size_t elements, bool is_backward, bool cold)
      : backward(is_backward), n(elements), stride((checked_bytes(n, 1) + 63) / 64 * 64) {
    const std::size_t set_bytes = checked_bytes(stride, bytes_per_element());
    if (cold) sets += 3 * session.device().l2_bytes / set_bytes;
    const std::size_t all = checked_bytes(stride, sets);
    session.require_memory(checked_bytes(all, bytes_per_element() + (backward ? 12 : 0)), 0);
    Stream& stream = session.origin();
    x = DeviceBuffer<float>(all);
    out = DeviceBuffer<float>(all);
    const auto pattern_x = random_pattern(n, 1, -8, 8), pattern_dy = random_pattern(n, 2, -1, 1);
    fill_sets(x, pattern_x, stream);
    std::vector<float> result(pattern_x.size());
    if (backward) {
      dy = DeviceBuffer<float>(all);
      fill_sets(dy, pattern_dy, stream);
      const auto gradient = [](double v, double g) { return g * reference::swish_slope(v); };
      reference::map<double>(std::span(result), gradient, pattern_x, pattern_dy);
    } else {
      reference::map<double>(std::span(result), reference::swish<double>, pattern_x);
    }
    expected = Expected(result, {2e-6F, 1e-6F}, stream);
    measure_copy(session);
  }

  std::size_t bytes_per_element() const {
    return static_cast<std::size_t>(backward ? kSwishBackwardBytes : kSwishForwardBytes);
  }
  /// A set's n elements; sets begin at multiples of the stride.
  std::span<float> part(const DeviceBuffer<float>& buffer, std::size_t set) const {
    return buffer.span().subspan(set * stride, n);
  }

 private:
  /// The same pattern in every set.
  void fill_sets(const DeviceBuffer<float>& buffer, std::span<const float> pattern, Stream& stream) const {
    tile_device(part(buffer, 0), pattern, stream);
    repeat_device(buffer.span(), stride, stream);
  }

  /// Copies half of an operation's bytes from set to set: as many are read plus written. The gradient's 12
  /// bytes an element make that one array and a half, which takes buffers of its own.
  void measure_copy(Session& session) {
    const std::size_t count = n * bytes_per_element() / 8, step = backward ? stride + stride / 2 : stride;
    const DeviceBuffer<float> wide_from(backward ? step * sets : 0), wide_to(backward ? step * sets : 0);
    const auto from = backward ? wide_from.span() : x.span(), to = backward ? wide_to.span() : out.span();
    Stream& stream = session.origin();
    if (backward) {  // copy what was random, so that no shortcut for zeros can help
      copy_d2d(from.first(x.span().size()), x.span(), stream);
      repeat_device(from, x.span().size(), stream);
    }
    copy_us = measure_alone(
                  session,
                  [&](std::size_t i) {
                    const std::size_t at = i % sets * step;
                    copy_d2d(to.subspan(at, count), from.subspan(at, count), stream);
                  },
                  session.settings())
                  .p50_us;
  }
};

/// One form of the kernel over one set of buffers after the other. Which sets were written since the
/// poisoning is known from the operations submitted before and since.
class SwishFixture : public DeviceFixture {
 public:
  SwishFixture(Session& session, const Point& point)
      : DeviceFixture(session),
        variant_(point.choice<Variant>("impl", kVariants)),
        latched_(point.is("timing", "latched")) {
    const std::size_t n = point.count("n");
    data_ = session.data<SwishData>([&] {
      return std::make_shared<SwishData>(session, n, point.is("pass", "backward"), point.is("cache", "cold"));
    });
  }

  void begin() override { first_ = next_; }

  void poison() override {
    overlap::poison(data_->out.span(), origin());
    origin().synchronize();
  }

  /// Checks the sets that these operations have written, or the first of them.
  void verify(std::size_t operations) override {
    const std::size_t written = std::min({operations, data_->sets, kMostSetsVerified});
    for (std::size_t i = 0; i < written; ++i)
      data_->expected.verify(data_->part(data_->out, (first_ + i) % data_->sets), origin());
  }

  MeasureSettings settings(const MeasureSettings& usual) const override {
    MeasureSettings mine = usual;
    if (latched_) mine.most_batch = 1;  // a kernel and an event pair of its own, as other tools time it
    return mine;
  }
  std::size_t bytes() const override { return data_->n * data_->bytes_per_element(); }

  std::vector<Load> loads(const Measurement& measured) const override {
    return {{"kernel", measured.p50_us}};
  }

  /// How it does against a copy of as many bytes, and how far the sets exceed the cache.
  Counters counters(const Measurement& measured) const override {
    const double set_bytes = static_cast<double>(bytes()),
                 l2 = static_cast<double>(session().device().l2_bytes);
    Counters result{{counter::kPctOfCopy, 100 * data_->copy_us / measured.p50_us},
                    {counter::kSets, static_cast<double>(data_->sets)}};
    if (l2 > 0) result.emplace_back(counter::kL2Ratio, set_bytes * static_cast<double>(data_->sets) / l2);
    return result;
  }

 private:
  bool latched() const override { return latched_; }
  void enqueue(std::size_t) override {
    const std::size_t set = next_++ % data_->sets;
    const auto x = data_->part(data_->x, set), out = data_->part(data_->out, set);
    if (data_->backward) {
      launch_swish_backward(x, data_->part(data_->dy, set), out, variant_, origin());
    } else {
      launch_swish_forward(x, out, variant_, origin());
    }
  }

  Variant variant_;
  bool latched_;
  std::shared_ptr<SwishData> data_;
  std::size_t next_ = 0;   ///< operations submitted
  std::size_t first_ = 0;  ///< of them before the outputs were poisoned
};

}  // namespace

Family swish_family() {
  Family family;
  family.name = "swish";
  family.summary = "y = x / (1 + e^-x) on device data, and its gradient";
  family.axes = {
      {.name = "pass", .help = "y from x, or dx from x and dy", .choices = {"forward", "backward"}},
      {.name = "impl",
       .help = "plain: the textbook kernel; scalar: 4 bytes an access; vector: 16",
       .choices = kVariants},
      {.name = "cache",
       .help = "cold: buffers rotate through over three times the L2; hot: always the same ones",
       .choices = {"cold", "hot"}},
      {.name = "timing",
       .help = "steady: back to back, many kernels to an event pair; latched: one kernel to a pair, enqueued "
               "before it may start",
       .choices = {"steady", "latched"}},
      {.name = "n",
       .help = "elements",
       .quick = "10485760,268435456",
       .full = "65536,1048576,10485760,268435456",
       .host_quick = "1048576"},
  };
  family.data_axes = {"n", "pass", "cache"};
  family.wanted = [](const Point& point, const Asked& asked) {
    // The method of other tools, for comparing with what they say of the kernel that everybody has.
    const bool comparable = point.is("impl", "plain") && point.is("cache", "cold");
    return point.is("timing", "steady") || comparable || asked("timing");
  };
  family.make = made_of<SwishFixture>;
  return family;
}

}  // namespace overlap
