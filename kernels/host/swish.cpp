#include <Eigen/Core>
#include <bit>
#include <cmath>

#include "host/runtime.hpp"
#include "lengths.hpp"
#include "overlap/kernels.hpp"

namespace overlap {
namespace {

// With h = e^(-|x|/2), so z = e^-|x| = h h:  s = 1/(1+z) for x >= 0 and z/(1+z) below, 1-s the other way
// round. Nothing overflows, nothing cancels, and multiplying by h twice keeps results that z, itself already
// zero, would lose (e^-104 is no float, -104 e^-104 is). Below -256 every result is -0 and above 256 the
// slope is 1: clamping there keeps infinity times zero out. Written with comparisons that pass a NaN on.

float forward(float x) {
  const float clamped = x < -256.0F ? -256.0F : x;
  const float h = std::exp(-0.5F * std::fabs(clamped));
  const float weight = clamped < 0 ? h : 1.0F;
  return clamped * weight / (1.0F + h * h) * weight;
}

float backward(float x, float dy) {
  float clamped = x < -256.0F ? -256.0F : x;
  clamped = clamped > 256.0F ? 256.0F : clamped;
  const float h = std::exp(-0.5F * std::fabs(clamped));
  const float r = 1.0F / (1.0F + h * h);
  const float s = clamped < 0 ? h : 1.0F;     // s s r is the sigmoid
  const float rest = clamped < 0 ? 1.0F : h;  // rest rest r is one minus it
  const float slope = (clamped * rest * rest * r + 1.0F) * s * r;
  return (dy * s) * slope;
}

// The textbook forms of Impl::plain.

float forward_plain(float x) { return x / (1.0F + std::exp(-x)); }

float backward_plain(float x, float dy) {
  const float s = 1.0F / (1.0F + std::exp(-x));
  return dy * (s + x * s * (1.0F - s));
}

float to_float(float value) { return value; }
float to_float(Float16 value) { return static_cast<float>(std::bit_cast<Eigen::half>(value)); }
float to_float(BFloat16 value) { return static_cast<float>(std::bit_cast<Eigen::bfloat16>(value)); }

void store(float value, float& at) { at = value; }
void store(float value, Float16& at) { at = std::bit_cast<Float16>(Eigen::half(value)); }
void store(float value, BFloat16& at) { at = std::bit_cast<BFloat16>(Eigen::bfloat16(value)); }

template <class T>
void enqueue_forward(std::span<const T> x, std::span<T> y, Impl impl, Stream& stream) {
  require_same_length("swish forward", {x.size(), y.size()});
  if (y.empty()) return;
  stream.impl().enqueue([=, formula = impl == Impl::plain ? forward_plain : forward] {
    for (std::size_t i = 0; i < y.size(); ++i) store(formula(to_float(x[i])), y[i]);
  });
}

template <class T>
void enqueue_backward(std::span<const T> x, std::span<const T> dy, std::span<T> dx, Impl impl,
                      Stream& stream) {
  require_same_length("swish backward", {x.size(), dy.size(), dx.size()});
  if (dx.empty()) return;
  stream.impl().enqueue([=, formula = impl == Impl::plain ? backward_plain : backward] {
    for (std::size_t i = 0; i < dx.size(); ++i) store(formula(to_float(x[i]), to_float(dy[i])), dx[i]);
  });
}

}  // namespace

void launch_swish_forward(std::span<const float> x, std::span<float> y, Impl impl, Stream& stream) {
  enqueue_forward(x, y, impl, stream);
}
void launch_swish_forward(std::span<const Float16> x, std::span<Float16> y, Impl impl, Stream& stream) {
  enqueue_forward(x, y, impl, stream);
}
void launch_swish_forward(std::span<const BFloat16> x, std::span<BFloat16> y, Impl impl, Stream& stream) {
  enqueue_forward(x, y, impl, stream);
}

void launch_swish_backward(std::span<const float> x, std::span<const float> dy, std::span<float> dx,
                           Impl impl, Stream& stream) {
  enqueue_backward(x, dy, dx, impl, stream);
}
void launch_swish_backward(std::span<const Float16> x, std::span<const Float16> dy, std::span<Float16> dx,
                           Impl impl, Stream& stream) {
  enqueue_backward(x, dy, dx, impl, stream);
}
void launch_swish_backward(std::span<const BFloat16> x, std::span<const BFloat16> dy, std::span<BFloat16> dx,
                           Impl impl, Stream& stream) {
  enqueue_backward(x, dy, dx, impl, stream);
}

}  // namespace overlap
