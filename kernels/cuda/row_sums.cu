#include "arguments.hpp"
// Weighted sums of a matrix's rows, which products are checked with. Always in double precision, so that the
// check is far more exact than what it checks.
#include "cuda/runtime.hpp"
#include "overlap/probes.hpp"

namespace overlap {
namespace {

constexpr unsigned kThreads = 256;  // a power of two: the block halves them until one is left
constexpr std::size_t kMostBlocks = 65'535;

/// A block sums one row after another. In each, every thread sums a share of the columns; then the block adds
/// up its threads' sums.
__global__ void weighted_row_sums_kernel(const float* matrix, const double* weights, double* sums,
                                         std::size_t rows, std::size_t columns) {
  __shared__ double partial[kThreads];
  for (std::size_t row = blockIdx.x; row < rows; row += gridDim.x) {
    double sum = 0;
    for (std::size_t j = threadIdx.x; j < columns; j += kThreads)
      sum += static_cast<double>(matrix[row * columns + j]) * weights[j];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
      __syncthreads();
    }
    if (threadIdx.x == 0) sums[row] = partial[0];
    __syncthreads();
  }
}

}  // namespace

void launch_weighted_row_sums(std::span<const float> matrix, std::span<const double> weights,
                              std::span<double> sums, Stream& stream) {
  require_matrix("weighted_row_sums", matrix.size(), sums.size(), weights.size());
  if (sums.empty()) return;
  const auto blocks = static_cast<unsigned>(std::min(sums.size(), kMostBlocks));
  weighted_row_sums_kernel<<<blocks, kThreads, 0, stream.impl().stream>>>(
      matrix.data(), weights.data(), sums.data(), sums.size(), weights.size());
  check(cudaGetLastError(), "weighted row sums, rows and columns:", sums.size(), weights.size());
}

void preload_row_sums() {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, weighted_row_sums_kernel), "load the row sums");
}

}  // namespace overlap
