// Swish and its derivative, in three forms: a full one for floats, a short one for numbers of 16 bits, and
// the textbook's.
#include "cuda/elementwise.cuh"

namespace overlap {
namespace {

/// 1 / x by one instruction, to a unit in the last place; zero where x or the result is below 2^-126.
__device__ float fast_reciprocal(float x) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// The full form. Let h = e^(-|x|/2) and z = h h = e^-|x|. The sigmoid s is 1/(1+z) for x >= 0 and z/(1+z)
// below; 1-s is the other of the two.
// - Nothing overflows and nothing cancels.
// - Results are multiplied by h twice, not by z once: e^-104 is no float, but -104 e^-104 is.
// - Below -256 every result is -0, and above 256 the slope is 1. x is clamped there, so that infinity never
//   meets zero. A NaN passes the comparisons unchanged.
// - 1+z lies in [1, 2], where the fast reciprocal is nearly exact. __fdividef takes three instructions more
//   for divisors that cannot occur here.

struct SwishForward {
  __device__ float operator()(float x) const {
    const float clamped = x < -256.0F ? -256.0F : x;
    const float h = expf(-0.5F * fabsf(clamped));
    const float weight = clamped < 0 ? h : 1.0F;
    return clamped * weight * fast_reciprocal(1.0F + h * h) * weight;
  }
};

struct SwishBackward {
  __device__ float operator()(float x, float dy) const {
    float clamped = x < -256.0F ? -256.0F : x;
    clamped = clamped > 256.0F ? 256.0F : clamped;
    const float h = expf(-0.5F * fabsf(clamped));
    const float r = fast_reciprocal(1.0F + h * h);
    const float s = clamped < 0 ? h : 1.0F;     // s s r is the sigmoid
    const float rest = clamped < 0 ? 1.0F : h;  // rest rest r is one minus it
    const float slope = (clamped * rest * rest * r + 1.0F) * s * r;
    return (dy * s) * slope;
  }
};

// The short form, for results that are rounded to 16 bits. It is off by up to 6e-6 of the result; half a unit
// of Float16 is 2e-4. It takes little more than half the instructions: with half the bytes to move, memory
// leaves no time for more.

/// 2^x by one instruction; zero where that is below 2^-126.
__device__ float fast_exp2(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// 1 / (1 + e^-x). Both terms of the sum are scaled by 2^-24: unscaled it would overflow from x = -89 down,
/// where BFloat16 still has results that are not 0. From -105 down it has none.
__device__ float fast_sigmoid(float x) {
  constexpr float kLog2E = 1.44269504F, kLog2Scale = -24, kScale = 0x1p-24F;
  return kScale * fast_reciprocal(kScale + fast_exp2(-kLog2E * x + kLog2Scale));
}

struct NarrowSwishForward {
  __device__ float operator()(float x) const {
    const float clamped = x < -256.0F ? -256.0F : x;
    return clamped * fast_sigmoid(clamped);
  }
};

struct NarrowSwishBackward {
  __device__ float operator()(float x, float dy) const {
    float clamped = x < -256.0F ? -256.0F : x;
    clamped = clamped > 256.0F ? 256.0F : clamped;
    const float s = fast_sigmoid(clamped);
    return dy * (s * (clamped * (1.0F - s) + 1.0F));
  }
};

// The textbook forms of Variant::plain.

struct PlainSwishForward {
  __device__ float operator()(float x) const { return x / (1.0F + expf(-x)); }
};

struct PlainSwishBackward {
  __device__ float operator()(float x, float dy) const {
    const float s = 1.0F / (1.0F + expf(-x));
    return dy * (s + x * s * (1.0F - s));
  }
};

/// A derivative where dy is one number for all elements, read once a thread.
template <class T, class Op>
struct OfOne {
  struct Loaded {
    Op op;
    float dy;
    __device__ float operator()(float x) const { return op(x, dy); }
  };
  Op op;
  const T* dy;
  __device__ Loaded loaded() const { return {op, elementwise::to_float(*dy)}; }
};

template <class T>
using Forward = std::conditional_t<sizeof(T) < sizeof(float), NarrowSwishForward, SwishForward>;
template <class T>
using Backward = std::conditional_t<sizeof(T) < sizeof(float), NarrowSwishBackward, SwishBackward>;

template <class T>
void forward(std::span<const T> x, std::span<T> y, Variant variant, Stream& stream) {
  if (variant == Variant::plain)
    return elementwise::launch("swish forward", PlainSwishForward(), variant, stream, y, x);
  elementwise::launch("swish forward", Forward<T>(), variant, stream, y, x);
}

template <class T, class Op>
void backward_by(Op op, std::span<const T> x, std::span<const T> dy, std::span<T> dx, Variant variant,
                 Stream& stream) {
  if (dy.size() == 1)
    return elementwise::launch("swish backward", OfOne<T, Op>{op, dy.data()}, variant, stream, dx, x);
  elementwise::launch("swish backward", op, variant, stream, dx, x, dy);
}

template <class T>
void backward(std::span<const T> x, std::span<const T> dy, std::span<T> dx, Variant variant, Stream& stream) {
  if (variant == Variant::plain) return backward_by(PlainSwishBackward(), x, dy, dx, variant, stream);
  backward_by(Backward<T>(), x, dy, dx, variant, stream);
}

template <class T>
void preload() {
  elementwise::preload<T, Forward<T>, 1>();
  elementwise::preload<T, Backward<T>, 2>();
  elementwise::preload<T, PlainSwishForward, 1>();
  elementwise::preload<T, PlainSwishBackward, 2>();
  elementwise::preload<T, OfOne<T, Backward<T>>, 1>();
  elementwise::preload<T, OfOne<T, PlainSwishBackward>, 1>();
}

}  // namespace

void launch_swish_forward(std::span<const float> x, std::span<float> y, Variant variant, Stream& stream) {
  forward(x, y, variant, stream);
}
void launch_swish_forward(std::span<const Float16> x, std::span<Float16> y, Variant variant, Stream& stream) {
  forward(x, y, variant, stream);
}
void launch_swish_forward(std::span<const BFloat16> x, std::span<BFloat16> y, Variant variant,
                          Stream& stream) {
  forward(x, y, variant, stream);
}

void launch_swish_backward(std::span<const float> x, std::span<const float> dy, std::span<float> dx,
                           Variant variant, Stream& stream) {
  backward(x, dy, dx, variant, stream);
}
void launch_swish_backward(std::span<const Float16> x, std::span<const Float16> dy, std::span<Float16> dx,
                           Variant variant, Stream& stream) {
  backward(x, dy, dx, variant, stream);
}
void launch_swish_backward(std::span<const BFloat16> x, std::span<const BFloat16> dy, std::span<BFloat16> dx,
                           Variant variant, Stream& stream) {
  backward(x, dy, dx, variant, stream);
}

void preload_swish() {
  preload<float>();
  preload<Float16>();
  preload<BFloat16>();
}

}  // namespace overlap
