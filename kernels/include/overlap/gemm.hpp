// Products of square matrices, with the library that everybody uses behind them: cuBLAS on CUDA, Eigen on the
// host backend. The one part of the seam that holds state between calls.
#pragma once

#include <memory>
#include <span>

#include "overlap/device.hpp"

namespace overlap {

/// Multiplies square matrices of floats on one stream. It holds the library's handle and workspace, so that
/// its calls can be captured; it must outlive every launch of the graphs that captured them. Move-only.
class Gemm {
 public:
  /// Opens the library for `stream`, which must outlive this. May wait for the device. @throws DeviceError
  explicit Gemm(Stream& stream);
  ~Gemm();
  Gemm(Gemm&&) noexcept;
  Gemm& operator=(Gemm&&) noexcept;

  /// Enqueues c = a b and returns before it has run. Each matrix is dim x dim floats, row by row; dim may be
  /// 0. c may not overlap a or b. 2 dim^3 flops, in single precision throughout (no TF32).
  /// @throws DeviceError if a span is not dim * dim long, or if the library refuses the call.
  void multiply(std::span<const float> a, std::span<const float> b, std::span<float> c, std::size_t dim);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace overlap
