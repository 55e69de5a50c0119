// A loop whose arithmetic can be made as long as one likes, so that it is balanced against copies.
#include <cmath>

#include "arguments.hpp"
#include "host/runtime.hpp"
#include "overlap/kernels.hpp"

namespace overlap {
namespace {

/// Hides from the compiler that a value has not changed, so that repeated work is repeated.
inline float opaque(float value) {
  asm volatile("" : "+m"(value));  // through memory: any processor can do that
  return value;
}

}  // namespace

void launch_trig(std::span<const float> a, std::span<const float> b, std::span<float> c, int work, Variant,
                 Stream& stream) {
  require_same_length("trig", {a.size(), b.size(), c.size()});
  require_work(work);
  if (c.empty()) return;
  stream.impl().enqueue([=] {
    const float share = 1.0F / static_cast<float>(work);
    for (std::size_t i = 0; i < c.size(); ++i) {
      float sum = 0;
      for (int repeat = 0; repeat < work; ++repeat) {
        const float x = opaque(a[i]), y = opaque(b[i]);
        sum += x * std::sin(y) + y * std::cos(x);
      }
      c[i] = sum * share;
    }
  });
}

}  // namespace overlap
