// A kernel whose arithmetic can be made as long as one likes, so that it is balanced against copies.
#include "cuda/elementwise.cuh"

namespace overlap {
namespace {

/// Hides from the compiler that a value has not changed, so that repeated work is repeated.
__device__ float opaque(float value) {
  asm volatile("" : "+f"(value));
  return value;
}

/// With no loop: the compiler knows that the work is done once.
struct Trig {
  __device__ float operator()(float a, float b) const { return a * sinf(b) + b * cosf(a); }
};

struct RepeatedTrig {
  int work;
  float share;
  __device__ float operator()(float a, float b) const {
    float sum = 0;
    for (int repeat = 0; repeat < work; ++repeat) sum += Trig()(opaque(a), opaque(b));
    return sum * share;
  }
};

}  // namespace

void launch_trig(std::span<const float> a, std::span<const float> b, std::span<float> c, int work,
                 Variant variant, Stream& stream) {
  require_work(work);
  if (work == 1) return elementwise::launch("trig", Trig(), variant, stream, c, a, b);
  elementwise::launch("trig", RepeatedTrig{work, 1.0F / static_cast<float>(work)}, variant, stream, c, a, b);
}

void preload_trig() {
  elementwise::preload<float, Trig, 2>();
  elementwise::preload<float, RepeatedTrig, 2>();
}

}  // namespace overlap
