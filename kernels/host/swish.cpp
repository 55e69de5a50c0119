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

}  // namespace

void launch_swish_forward(std::span<const float> x, std::span<float> y, Impl impl, Stream& stream) {
  require_same_length("swish forward", {x.size(), y.size()});
  if (y.empty()) return;
  stream.impl().enqueue([=, formula = impl == Impl::plain ? forward_plain : forward] {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = formula(x[i]);
  });
}

void launch_swish_backward(std::span<const float> x, std::span<const float> dy, std::span<float> dx,
                           Impl impl, Stream& stream) {
  require_same_length("swish backward", {x.size(), dy.size(), dx.size()});
  if (dx.empty()) return;
  stream.impl().enqueue([=, formula = impl == Impl::plain ? backward_plain : backward] {
    for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = formula(x[i], dy[i]);
  });
}

}  // namespace overlap
