// Swish and its derivative. Elements go through in blocks that stay in the L1 cache: loaded as float,
// computed in short loops that the compiler vectorises, stored in their own type.
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "arguments.hpp"
#include "host/runtime.hpp"
#include "overlap/kernels.hpp"

namespace overlap {
namespace {

// Let h = e^(-|x|/2) and z = h h = e^-|x|. The sigmoid s is 1/(1+z) for x >= 0 and z/(1+z) below; 1-s is the
// other of the two.
// - Nothing overflows and nothing cancels.
// - Results are multiplied by h twice, not by z once: e^-104 is no float, but -104 e^-104 is.
// - Below -256 every result is -0, and above 256 the slope is 1. x is clamped there, so that infinity never
//   meets zero. A NaN passes the comparisons unchanged.

constexpr std::size_t kBlock = 512;  // elements, 2 KiB of floats
using Block = std::array<float, kBlock>;

/// Clamp x, and pass a NaN on, which std::max and std::min do in one order of arguments only.
float at_least(float x, float low) { return x < low ? low : x; }
float at_most(float x, float high) { return x > high ? high : x; }

/// h = e^(-|x|/2). By Eigen: the compiler does not vectorise a loop around std::exp.
void half_exponentials(const Block& x, Block& h, std::size_t n) {
  const auto size = static_cast<Eigen::Index>(n);
  Eigen::Map<Eigen::ArrayXf>(h.data(), size) =
      (-0.5F * Eigen::Map<const Eigen::ArrayXf>(x.data(), size).abs()).exp();
}

void forward(Block& x, std::size_t n) {
  Block h{};
  for (std::size_t i = 0; i < n; ++i) x[i] = at_least(x[i], -256.0F);
  half_exponentials(x, h, n);
  for (std::size_t i = 0; i < n; ++i) {
    const float weight = x[i] < 0 ? h[i] : 1.0F;
    x[i] = x[i] * weight / (1.0F + h[i] * h[i]) * weight;
  }
}

void backward(Block& x, const Block& dy, std::size_t n) {
  Block h{};
  for (std::size_t i = 0; i < n; ++i) x[i] = at_most(at_least(x[i], -256.0F), 256.0F);
  half_exponentials(x, h, n);
  for (std::size_t i = 0; i < n; ++i) {
    const float r = 1.0F / (1.0F + h[i] * h[i]);
    const float s = x[i] < 0 ? h[i] : 1.0F;     // s s r is the sigmoid
    const float rest = x[i] < 0 ? 1.0F : h[i];  // rest rest r is one minus it
    x[i] = (dy[i] * s) * ((x[i] * rest * rest * r + 1.0F) * s * r);
  }
}

// The textbook forms of Variant::plain.

void forward_plain(Block& x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = x[i] / (1.0F + std::exp(-x[i]));
}

void backward_plain(Block& x, const Block& dy, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float s = 1.0F / (1.0F + std::exp(-x[i]));
    x[i] = dy[i] * (s + x[i] * s * (1.0F - s));
  }
}

float to_float(float value) { return value; }
float to_float(Float16 value) { return static_cast<float>(std::bit_cast<Eigen::half>(value)); }
float to_float(BFloat16 value) { return static_cast<float>(std::bit_cast<Eigen::bfloat16>(value)); }

void store(float value, float& at) { at = value; }
void store(float value, Float16& at) { at = std::bit_cast<Float16>(Eigen::half(value)); }
void store(float value, BFloat16& at) { at = std::bit_cast<BFloat16>(Eigen::bfloat16(value)); }

template <class T>
void load(std::span<const T> from, Block& to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = to_float(from[i]);
}

template <class T>
void store(const Block& from, std::span<T> to) {
  for (std::size_t i = 0; i < to.size(); ++i) store(from[i], to[i]);
}

/// Calls work(first, count) for each block of n elements.
template <class Work>
void by_blocks(std::size_t n, const Work& work) {
  for (std::size_t first = 0; first < n; first += kBlock) work(first, std::min(kBlock, n - first));
}

template <class T>
void enqueue_forward(std::span<const T> x, std::span<T> y, Variant variant, Stream& stream) {
  require_same_length("swish forward", {x.size(), y.size()});
  if (y.empty()) return;
  stream.impl().enqueue([=, formula = variant == Variant::plain ? forward_plain : forward] {
    by_blocks(y.size(), [&](std::size_t first, std::size_t count) {
      Block values{};
      load(x.subspan(first, count), values);
      formula(values, count);
      store(values, y.subspan(first, count));
    });
  });
}

template <class T>
void enqueue_backward(std::span<const T> x, std::span<const T> dy, std::span<T> dx, Variant variant,
                      Stream& stream) {
  const bool one = dy.size() == 1;
  require_same_length("swish backward", {x.size(), one ? dx.size() : dy.size(), dx.size()});
  if (dx.empty()) return;
  stream.impl().enqueue([=, formula = variant == Variant::plain ? backward_plain : backward] {
    by_blocks(dx.size(), [&](std::size_t first, std::size_t count) {
      Block values{}, gradient{};
      load(x.subspan(first, count), values);
      if (one)
        gradient.fill(to_float(dy.front()));
      else
        load(dy.subspan(first, count), gradient);
      formula(values, gradient, count);
      store(values, dx.subspan(first, count));
    });
  });
}

}  // namespace

void launch_swish_forward(std::span<const float> x, std::span<float> y, Variant variant, Stream& stream) {
  enqueue_forward(x, y, variant, stream);
}
void launch_swish_forward(std::span<const Float16> x, std::span<Float16> y, Variant variant, Stream& stream) {
  enqueue_forward(x, y, variant, stream);
}
void launch_swish_forward(std::span<const BFloat16> x, std::span<BFloat16> y, Variant variant,
                          Stream& stream) {
  enqueue_forward(x, y, variant, stream);
}

void launch_swish_backward(std::span<const float> x, std::span<const float> dy, std::span<float> dx,
                           Variant variant, Stream& stream) {
  enqueue_backward(x, dy, dx, variant, stream);
}
void launch_swish_backward(std::span<const Float16> x, std::span<const Float16> dy, std::span<Float16> dx,
                           Variant variant, Stream& stream) {
  enqueue_backward(x, dy, dx, variant, stream);
}
void launch_swish_backward(std::span<const BFloat16> x, std::span<const BFloat16> dy, std::span<BFloat16> dx,
                           Variant variant, Stream& stream) {
  enqueue_backward(x, dy, dx, variant, stream);
}

}  // namespace overlap
