// One copy: what the link and the memories at its ends are worth, alone and with traffic the other way.
#include <fmt/format.h>

#include <algorithm>

#include "families/catalogue.hpp"
#include "harness/expected.hpp"
#include "harness/fixture.hpp"
#include "harness/stages.hpp"
#include "names/counters.hpp"

namespace overlap {
namespace {

/// Buffers on both sides for one (mem, bytes); a device-to-device copy needs no host memory.
struct TransferData {
  HostBuffer<float> host_from, host_to;
  DeviceBuffer<float> device_from, device_to;
  Expected expected;
  double in_us = 0, out_us = 0;  ///< of a copy alone, for telling what duplex traffic costs

  TransferData(Session& session, std::size_t bytes, const std::string& mem) {
    const bool on_host = mem != "device";
    const std::size_t n = bytes / sizeof(float);
    session.require_memory(2 * bytes, on_host ? 2 * bytes : 0);
    const auto pattern = random_pattern(n, 1, -1, 1);
    Stream& stream = session.origin();
    device_from = DeviceBuffer<float>(n);
    device_to = DeviceBuffer<float>(n);
    tile_device(device_from.span(), pattern, stream);
    expected = Expected(pattern, {}, stream);
    if (!on_host) return;
    host_from = HostBuffer<float>(n, host_memory(mem));
    host_to = HostBuffer<float>(n, host_memory(mem));
    tile_host(host_from.span(), pattern);
    const MeasureSettings brief = session.settings().at_most(0.02, 0.02);
    in_us = measure_alone(
                session, [&](std::size_t) { copy_in(stream); }, brief)
                .p50_us;
    out_us = measure_alone(
                 session, [&](std::size_t) { copy_out(stream); }, brief)
                 .p50_us;
  }

  /// Of one copy.
  std::size_t bytes() const { return device_to.span().size_bytes(); }
  /// The one direction; `copy_out` is the other. They share no buffer.
  void copy_in(Stream& stream) const { copy_h2d(device_to.span(), host_from.span(), stream); }
  void copy_out(Stream& stream) const { copy_d2h(host_to.span(), device_from.span(), stream); }
};

/// The values of `dir`.
enum class Direction { h2d, d2h, duplex, d2d };
const std::vector<std::string> kDirections = {"h2d", "d2h", "duplex", "d2d"};

/// One copy, or one each way at once. Duplex regions are timed per direction, by events on either stream.
class TransferFixture : public DeviceFixture {
 public:
  TransferFixture(Session& session, const Point& point)
      : DeviceFixture(session), dir_(point.choice<Direction>("dir", kDirections)) {
    const std::string& mem = point.text("mem");
    const std::size_t bytes = point.count("bytes");
    if (bytes % sizeof(float) != 0)
      throw std::invalid_argument(fmt::format("bytes:{} is not a multiple of {}", bytes, sizeof(float)));
    if ((dir_ == Direction::d2d) != (mem == "device"))
      throw std::invalid_argument("mem:device and dir:d2d go together; other directions need host memory");
    data_ = session.data<TransferData>([&] { return std::make_shared<TransferData>(session, bytes, mem); });
  }

  void begin() override {
    in_us_.clear();
    out_us_.clear();
  }

  Sample take(std::size_t operations, Phase phase) override {
    if (dir_ != Direction::duplex) return DeviceFixture::take(operations, phase);
    const Duplex duplex = take_duplex(
        session(), [this](Stream& s) { data_->copy_in(s); }, data_->in_us,
        [this](Stream& s) { data_->copy_out(s); }, data_->out_us, operations);
    if (phase == Phase::measure) {
      in_us_.push_back(duplex.in_us);
      out_us_.push_back(duplex.out_us);
    }
    const double each = static_cast<double>(operations) * 1e-6;
    return {duplex.both_us * each, duplex.submit_us * each};
  }

  void poison() override {
    overlap::poison(data_->device_to.span(), origin());
    if (writes_host()) copy_d2h(data_->host_to.span(), data_->device_to.span(), origin());  // the NaNs
    origin().synchronize();
  }

  /// What arrived on the device, and what arrived on the host, by way of the device.
  void verify(std::size_t) override {
    if (dir_ != Direction::d2h) data_->expected.verify(data_->device_to.span(), origin());
    if (!writes_host()) return;
    copy_h2d(data_->device_to.span(), data_->host_to.span(), origin());
    data_->expected.verify(data_->device_to.span(), origin());
  }

  /// A copy on the device reads and writes there; one over the link counts once.
  std::size_t bytes() const override {
    return data_->bytes() * (dir_ == Direction::d2d || dir_ == Direction::duplex ? 2 : 1);
  }

  /// The rate of each direction under the other's load; only duplex rows have them.
  Counters counters(const Measurement&) const override {
    if (in_us_.empty()) return {};
    const double gb = static_cast<double>(data_->bytes()) * 1e-3;
    return {{counter::kH2dGbPerS, gb / percentile(in_us_, 0.5)},
            {counter::kD2hGbPerS, gb / percentile(out_us_, 0.5)}};
  }

  std::vector<Load> loads(const Measurement& measured) const override {
    constexpr const char* kParts[] = {"copy_in", "copy_out", "duplex_link", "kernel"};
    return {{kParts[static_cast<int>(dir_)], measured.p50_us}};
  }

 private:
  /// Whether results arrive in host memory.
  bool writes_host() const { return dir_ == Direction::d2h || dir_ == Direction::duplex; }
  void enqueue(std::size_t) override {
    if (dir_ == Direction::h2d) return data_->copy_in(origin());
    if (dir_ == Direction::d2h) return data_->copy_out(origin());
    copy_d2d(data_->device_to.span(), data_->device_from.span(), origin());
  }

  Direction dir_;
  std::shared_ptr<TransferData> data_;
  std::vector<double> in_us_, out_us_;  ///< of this repetition's duplex regions, each under the other's load
};

}  // namespace

Family transfer_family() {
  Family family;
  family.name = "transfer";
  family.summary = "one copy of so many bytes";
  Axis mem = mem_axis();
  mem.help = "kind of host memory; device: none, for d2d";
  mem.quick = "pinned,pageable,registered,write_combined";
  mem.choices.emplace_back("device");
  family.axes = {
      {.name = "dir",
       .help = "h2d: in; d2h: out; duplex: both at once, each of so many bytes; d2d: on the device",
       .choices = kDirections},
      mem,
      {.name = "bytes",
       .help = "bytes each way",
       .quick = "4Ki,1Mi,64Mi",
       .paper = "4Ki..1Gi*4",
       .full = "4Ki..1Gi*2",
       .host_quick = "4Ki,256Ki,4Mi"},
  };
  family.data_axes = {"mem", "bytes"};
  family.canonical = [](Point& point) {
    if (point.is("dir", "d2d")) point.set("mem", "device");
  };
  family.wanted = [](const Point& point, const Asked& asked) {
    return !point.is("mem", "device") || point.is("dir", "d2d") || (asked("mem") && asked("dir"));
  };
  family.make = made_of<TransferFixture>;
  return family;
}

}  // namespace overlap
