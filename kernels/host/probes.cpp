// The kernels that serve measuring and testing, as loops. The latch and the clock are in device.cpp.
#include <cmath>

#include "arguments.hpp"
#include "host/runtime.hpp"
#include "overlap/probes.hpp"

namespace overlap {

void launch_empty(Stream& stream) {
  stream.impl().enqueue([] {});
}

void launch_trap(Stream& stream) {
  stream.impl().enqueue([] { throw DeviceError("trap: a kernel failed on purpose"); });
}

void launch_count_mismatches(std::span<const float> actual, std::span<const float> expected,
                             std::uint64_t offset, Tolerance tolerance, std::span<Mismatches> result,
                             Stream& stream) {
  require_expected(actual.size(), expected.size(), result.size());
  if (actual.empty()) return;
  stream.impl().enqueue([=] {
    std::size_t at = static_cast<std::size_t>(offset % expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const float want = expected[at];
      if (++at == expected.size()) at = 0;
      // Infinities have no distance: only equality counts. The last test is false for a NaN.
      if (actual[i] == want ||
          (std::isfinite(want) &&
           std::fabs(actual[i] - want) <= tolerance.absolute + tolerance.relative * std::fabs(want)))
        continue;
      if (result[0].count++ == 0) result[0].first = i;
    }
  });
}

}  // namespace overlap
