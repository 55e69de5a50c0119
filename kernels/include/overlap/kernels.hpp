// The kernels, as host functions that enqueue them: one launcher per kernel, no CUDA type.
//
// Every launcher returns before its kernel has run, accepts 0 elements as a no-op, indexes in 64 bits, and
// throws DeviceError if span lengths differ or the launch is refused. Spans are device memory and may start
// at any element.
#pragma once

#include <cstdint>
#include <span>

#include "overlap/device.hpp"

namespace overlap {

/// How a kernel walks its data; the `impl` axis.
enum class Variant {
  plain,   ///< a thread an element, with the textbook's formula; to compare with other tools
  scalar,  ///< a thread an element
  vector,  ///< a thread 16 bytes wherever all spans share an alignment
};

/// Numbers of 16 bits as they lie in memory: IEEE 754 binary16, and the upper half of a float. Kernels
/// compute on them in float and round once, to the nearest, ties to even.
struct Float16 {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

/// Bytes read plus written per element of type float.
inline constexpr int kTrigBytes = 12, kAddBytes = 12, kMulBytes = 12;
inline constexpr int kSwishForwardBytes = 8, kSwishBackwardBytes = 12;

/// Enqueues c = a * sin(b) + b * cos(a), evaluated `work` >= 1 times per element and averaged: the result is
/// the same for every `work`, the arithmetic is not. 12 bytes an element. c may not overlap a or b.
void launch_trig(std::span<const float> a, std::span<const float> b, std::span<float> c, int work,
                 Variant variant, Stream& stream);

/// Enqueues out = a + b. 12 bytes and 1 flop an element. out may be a or b.
void launch_add(std::span<const float> a, std::span<const float> b, std::span<float> out, Variant variant,
                Stream& stream);

/// Enqueues out = a * b. 12 bytes and 1 flop an element. out may be a or b.
void launch_mul(std::span<const float> a, std::span<const float> b, std::span<float> out, Variant variant,
                Stream& stream);

/// Enqueues y = x / (1 + e^-x). Right at every float (-0 at -inf, subnormal results kept) except
/// Variant::plain, which gives NaN at -inf. 8 bytes an element. Source: Ramachandran, Zoph, Le 2017, with
/// beta = 1.
void launch_swish_forward(std::span<const float> x, std::span<float> y, Variant variant, Stream& stream);
void launch_swish_forward(std::span<const Float16> x, std::span<Float16> y, Variant variant, Stream& stream);
void launch_swish_forward(std::span<const BFloat16> x, std::span<BFloat16> y, Variant variant,
                          Stream& stream);

/// Enqueues dx = dy * (s + y * (1 - s)) with s = 1 / (1 + e^-x), y = x * s. Right at every finite or infinite
/// x except Variant::plain, which gives NaN at both infinities. 12 bytes an element. dy may also be one
/// element, outside dx, for all of x (what a sum passes back): 8 bytes an element.
void launch_swish_backward(std::span<const float> x, std::span<const float> dy, std::span<float> dx,
                           Variant variant, Stream& stream);
void launch_swish_backward(std::span<const Float16> x, std::span<const Float16> dy, std::span<Float16> dx,
                           Variant variant, Stream& stream);
void launch_swish_backward(std::span<const BFloat16> x, std::span<const BFloat16> dy, std::span<BFloat16> dx,
                           Variant variant, Stream& stream);

}  // namespace overlap
