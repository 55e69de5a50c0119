// The truth: plain formulas and single-threaded loops, written to be read.
//
// With Real = double, tests and benchmarks verify against them. With Real = float they are the CPU baseline
// of the `cpu` family.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace overlap::reference {

/// a sin(b) + b cos(a).
template <class Real>
Real trig(Real a, Real b) {
  return a * std::sin(b) + b * std::cos(a);
}

/// 1 / (1 + e^-x).
template <class Real>
Real sigmoid(Real x) {
  return 1 / (1 + std::exp(-x));
}

/// x / (1 + e^-x), with its limit -0 at -inf. In double it is exact enough for every float x, since e^104
/// does not overflow.
template <class Real>
Real swish(Real x) {
  if (std::isinf(x)) return x > 0 ? x : -Real{0};
  return x * sigmoid(x);
}

/// d swish / dx = s + x s (1 - s), with -0 and 1 at the infinities. 1 - s is computed as sigmoid(-x), so that
/// nothing cancels.
template <class Real>
Real swish_slope(Real x) {
  if (std::isinf(x)) return x > 0 ? Real{1} : -Real{0};
  return sigmoid(x) * (1 + x * sigmoid(-x));
}

/// A chain of `kernels` elementwise kernels: G = A + B, then in turn G *= D and G += F. Three give (A + B) D
/// + F.
template <class Real>
Real sequence(Real a, Real b, Real d, Real f, int kernels) {
  Real g = a + b;
  for (int k = 1; k < kernels; ++k) g = k % 2 == 1 ? g * d : g + f;
  return g;
}

/// out[i] = formula(inputs[i]...), computed in Real on the calling thread. Every input has out.size()
/// elements or more.
template <class Real, class Formula, class... Input>
void map(std::span<float> out, Formula formula, const Input&... inputs) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(formula(static_cast<Real>(inputs[i])...));
}

}  // namespace overlap::reference
