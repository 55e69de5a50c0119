// The device compares with one period of the expected values and counts mismatches; only their number and the
// first place come back.
#include "harness/expected.hpp"
#include "overlap/probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace overlap {

HostMemory host_memory(const std::string& name) {
  if (name == "pageable") return HostMemory::pageable;
  if (name == "registered") return HostMemory::registered;
  if (name == "write_combined") return HostMemory::write_combined;
  return HostMemory::pinned;
}

std::vector<float> random_pattern(std::size_t n, unsigned seed, float low, float high) {
  std::minstd_rand generator(seed);
  std::uniform_real_distribution<float> value(low, high);
  std::vector<float> pattern(std::min(n, kPatternElements));
  for (float& v : pattern) v = value(generator);
  return pattern;
}

void tile_host(std::span<float> out, std::span<const float> pattern) {
  for (std::size_t at = 0; at < out.size(); at += pattern.size()) {
    const std::size_t count = std::min(pattern.size(), out.size() - at);
    std::copy_n(pattern.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

void tile_device(std::span<float> device, std::span<const float> pattern, Stream& stream) {
  const std::size_t period = std::min(pattern.size(), device.size());
  copy_h2d(device.first(period), pattern.first(period), stream);
  repeat_device(device, period, stream);
}

void repeat_device(std::span<float> device, std::size_t period, Stream& stream) {
  for (std::size_t filled = period; filled < device.size();) {
    const std::size_t count =
        std::min(filled, device.size() - filled);  // doubles it: whole periods until the end
    copy_d2d(device.subspan(filled, count), device.first(count), stream);
    filled += count;
  }
  stream.synchronize();
}

// A float with all bits set is a NaN.
void poison(std::span<float> device, Stream& stream) {
  fill_bytes(device.data(), 0xFF, device.size_bytes(), stream);
}

Expected::Expected(std::span<const float> pattern, Tolerance tolerance, Stream& stream)
    : host_pattern_(pattern.begin(), pattern.end()),
      pattern_(pattern.size()),
      found_(1),
      tolerance_(tolerance) {
  copy_h2d(pattern_.span(), pattern, stream);
  stream.synchronize();
}

// Only a mismatch costs the two copies that say what was got and what was expected.
void Expected::verify(std::span<const float> device, Stream& stream) const {
  std::vector<Mismatches> found(1);
  copy_h2d(found_.span(), std::span<const Mismatches>(found), stream);
  launch_count_mismatches(device, pattern_.span(), 0, tolerance_, found_.span(), stream);
  copy_d2h(std::span(found), found_.span(), stream);
  stream.synchronize();
  if (found[0].count == 0) return;
  std::vector<float> got(1), want(1);
  copy_d2h(std::span(got), device.subspan(found[0].first, 1), stream);
  copy_d2h(std::span(want), pattern_.span().subspan(found[0].first % pattern_.span().size(), 1), stream);
  stream.synchronize();
  throw WrongResult(fmt::format("wrong result: {} of {} elements, first at {}: got {}, expected {}",
                                found[0].count, device.size(), found[0].first, got[0], want[0]));
}

// NaN fails the comparison, which is why it is the difference that has to be small and not large.
void Expected::verify_host(std::span<const float> host, std::size_t stride) const {
  for (std::size_t i = 0; i < host.size(); i += stride) {
    const float got = host[i], want = host_pattern_[i % host_pattern_.size()];
    if (!(std::fabs(got - want) <= tolerance_.absolute + tolerance_.relative * std::fabs(want)))
      throw WrongResult(fmt::format("wrong result at {}: got {}, expected {}", i, got, want));
  }
}

}  // namespace overlap
