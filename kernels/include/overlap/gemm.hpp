// Products of square matrices, with the field's library behind them.
#pragma once

#include <memory>
#include <span>

#include "overlap/device.hpp"

namespace overlap {

/// Multiplies square matrices in single precision on one stream, with the field's library: cuBLAS on CUDA,
/// Eigen on the host backend. Holds what the library needs, workspace included, so that it can be captured:
/// it must outlive every launch of the graphs that captured it. Move-only.
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

}  // namespace overlap
