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
enum class Impl {
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
void launch_trig(std::span<const float> a, std::span<const float> b, std::span<float> c, int work, Impl impl,
                 Stream& stream);

/// Enqueues out = a + b. 12 bytes and 1 flop an element. out may be a or b.
void launch_add(std::span<const float> a, std::span<const float> b, std::span<float> out, Impl impl,
                Stream& stream);

/// Enqueues out = a * b. 12 bytes and 1 flop an element. out may be a or b.
void launch_mul(std::span<const float> a, std::span<const float> b, std::span<float> out, Impl impl,
                Stream& stream);

/// Enqueues y = x / (1 + e^-x). Right at every float (-0 at -inf, subnormal results kept) except Impl::plain,
/// which gives NaN at -inf. 8 bytes an element. Source: Ramachandran, Zoph, Le 2017, with beta = 1.
void launch_swish_forward(std::span<const float> x, std::span<float> y, Impl impl, Stream& stream);
void launch_swish_forward(std::span<const Float16> x, std::span<Float16> y, Impl impl, Stream& stream);
void launch_swish_forward(std::span<const BFloat16> x, std::span<BFloat16> y, Impl impl, Stream& stream);

/// Enqueues dx = dy * (s + y * (1 - s)) with s = 1 / (1 + e^-x), y = x * s. Right at every finite or infinite
/// x except Impl::plain, which gives NaN at both infinities. 12 bytes an element. dy may also be one element,
/// outside dx, for all of x (what a sum passes back): 8 bytes an element.
void launch_swish_backward(std::span<const float> x, std::span<const float> dy, std::span<float> dx,
                           Impl impl, Stream& stream);
void launch_swish_backward(std::span<const Float16> x, std::span<const Float16> dy, std::span<Float16> dx,
                           Impl impl, Stream& stream);
void launch_swish_backward(std::span<const BFloat16> x, std::span<const BFloat16> dy, std::span<BFloat16> dx,
                           Impl impl, Stream& stream);

/// Multiplies square matrices in single precision on one stream, with the field's library: cuBLAS on CUDA,
/// Eigen on the host backend. Holds what the library needs, workspace included, so that it can be captured:
/// it must outlive the graphs that captured it. Move-only.
class Gemm {
 public:
  explicit Gemm(Stream& stream);  ///< `stream` must outlive it. @throws DeviceError
  ~Gemm();
  Gemm(Gemm&&) noexcept;
  Gemm& operator=(Gemm&&) noexcept;

  /// Enqueues c = a b, all dim x dim, row by row. 2 dim^3 flops. c may not overlap a or b.
  void multiply(std::span<const float> a, std::span<const float> b, std::span<float> c, std::size_t dim);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

/// Enqueues sums[i] = sum over j of matrix[i][j] * weights[j], in double precision, for a row-major matrix of
/// sums.size() rows and weights.size() columns. What a product is checked with: (A B) r = A (B r).
void launch_weighted_row_sums(std::span<const float> matrix, std::span<const double> weights,
                              std::span<double> sums, Stream& stream);

/// Enqueues a kernel that does nothing.
void launch_empty(Stream& stream);

/// Enqueues a kernel that fails when it runs: how tests see that asynchronous errors surface. On CUDA it
/// leaves the process without a usable device.
void launch_trap(Stream& stream);

/// A value passes if |actual - expected| <= absolute + relative * |expected|; a NaN never does.
struct Tolerance {
  float relative = 0;
  float absolute = 0;
};

/// What a check found.
struct Mismatches {
  std::uint64_t count = 0;
  std::uint64_t first = ~std::uint64_t{0};  ///< lowest wrong index, if count > 0
};

/// Enqueues a comparison of actual[i] with expected[(offset + i) mod expected.size()] that adds what it finds
/// to result[0], a device value that the caller has set to Mismatches{}. `expected` may not be empty unless
/// `actual` is.
void launch_count_mismatches(std::span<const float> actual, std::span<const float> expected,
                             std::uint64_t offset, Tolerance tolerance, std::span<Mismatches> result,
                             Stream& stream);

}  // namespace overlap
