// The kernels, as host functions that enqueue them: one launcher per kernel, no CUDA type.
//
// What holds for every launcher: it returns before its kernel has run. Spans are device memory and may start
// at any element; 0 elements are a no-op; lengths may need 64 bits. It throws DeviceError if spans differ in
// length or the launch is refused. The host backend has one loop a kernel: there, variants differ only where
// the formula does.
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

/// A number of 16 bits as it lies in memory: IEEE 754 binary16. Kernels compute on it in float and round
/// once, to the nearest, ties to even.
struct Float16 {
  std::uint16_t bits;
};
/// The upper half of a float, with the same rules.
struct BFloat16 {
  std::uint16_t bits;
};

/// Bytes read plus written per element of type float, as the launchers below count them.
inline constexpr int kTrigBytes = 12, kAddBytes = 12, kMulBytes = 12;
inline constexpr int kSwishForwardBytes = 8, kSwishBackwardBytes = 12;

/// Enqueues c = a * sin(b) + b * cos(a). 12 bytes an element. c may not overlap a or b.
/// Each element is computed `work` times and averaged: more work, the same result.
/// @throws DeviceError also if `work` is below 1.
void launch_trig(std::span<const float> a, std::span<const float> b, std::span<float> c, int work,
                 Variant variant, Stream& stream);

/// Enqueues out = a + b. 12 bytes and 1 flop an element. out may be a or b.
void launch_add(std::span<const float> a, std::span<const float> b, std::span<float> out, Variant variant,
                Stream& stream);

/// Enqueues out = a * b. 12 bytes and 1 flop an element. out may be a or b.
void launch_mul(std::span<const float> a, std::span<const float> b, std::span<float> out, Variant variant,
                Stream& stream);

/// Enqueues y = x / (1 + e^-x). 8 bytes an element of float, 4 of 16 bits. y may be x.
/// Right at every float: -0 at -inf, subnormal results kept. Variant::plain is the textbook's formula, which
/// gives NaN at -inf.
/// Source: Ramachandran, Zoph, Le, "Searching for Activation Functions", 2017, with beta = 1.
void launch_swish_forward(std::span<const float> x, std::span<float> y, Variant variant, Stream& stream);
void launch_swish_forward(std::span<const Float16> x, std::span<Float16> y, Variant variant, Stream& stream);
void launch_swish_forward(std::span<const BFloat16> x, std::span<BFloat16> y, Variant variant,
                          Stream& stream);

/// Enqueues dx = dy * (s + y * (1 - s)) with s = 1 / (1 + e^-x) and y = x * s, the derivative of the above.
/// 12 bytes an element of float, 6 of 16 bits. dx may be x or dy.
/// dy may also be one element, outside dx, that stands for all: what a sum passes back. Then 8 or 4 bytes.
/// Right at every x but NaN. Variant::plain is the textbook's formula, which gives NaN at both infinities.
void launch_swish_backward(std::span<const float> x, std::span<const float> dy, std::span<float> dx,
                           Variant variant, Stream& stream);
void launch_swish_backward(std::span<const Float16> x, std::span<const Float16> dy, std::span<Float16> dx,
                           Variant variant, Stream& stream);
void launch_swish_backward(std::span<const BFloat16> x, std::span<const BFloat16> dy, std::span<BFloat16> dx,
                           Variant variant, Stream& stream);

}  // namespace overlap
