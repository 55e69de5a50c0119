// Matrix products whose result is known: what double_buffer and concurrent rows multiply, and the check.
#pragma once

#include <span>
#include <vector>

#include "harness/session.hpp"
#include "overlap/gemm.hpp"

namespace overlap {

/// `count` products Y[i] = X[i] W of dim x dim floats: X in pinned host memory, each different, W and Y on
/// the device. A product is checked without another one: for a random vector r, Y[i] r must be X[i] (W r),
/// which takes three passes over the data (Freivalds 1977). One wrong element moves its row by more than
/// rounding can.
class Products {
 public:
  /// @throws DeviceError if there is not enough memory; `more_device_bytes` is what the caller will need.
  Products(Session& session, std::size_t dim, std::size_t count, std::size_t more_device_bytes);

  std::size_t dim() const { return dim_; }
  std::size_t count() const { return count_; }
  std::size_t elements() const { return dim_ * dim_; }  ///< of one matrix
  double flops() const;                                 ///< of all products
  std::span<float> host_input(std::size_t i) const { return matrix(inputs_.span(), i); }
  std::span<float> weights() const { return weights_.span(); }
  std::span<float> output(std::size_t i) const { return matrix(outputs_.span(), i); }

  void poison() const;  ///< all outputs; enqueues only
  void verify() const;  ///< all outputs. Waits. @throws WrongResult

 private:
  std::span<float> matrix(std::span<float> all, std::size_t i) const {
    return all.subspan(i * elements(), elements());
  }

  Session& session_;
  std::size_t dim_, count_;
  HostBuffer<float> inputs_;
  DeviceBuffer<float> weights_, outputs_;
  DeviceBuffer<double> r_, sums_;
  std::vector<double> expected_;  ///< count x dim
};

}  // namespace overlap
