// Matrix products by Eigen, and the row sums that check them. Each runs on the thread of its stream, so that
// streams share the processor as they would share a device.
#include <Eigen/Core>

#include "arguments.hpp"
#include "host/runtime.hpp"
#include "overlap/gemm.hpp"
#include "overlap/probes.hpp"

namespace overlap {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

struct Gemm::Impl {
  Stream::Impl* stream;
};

Gemm::Gemm(Stream& stream) : impl_(std::make_unique<Impl>(Impl{&stream.impl()})) {}
Gemm::~Gemm() = default;
Gemm::Gemm(Gemm&&) noexcept = default;
Gemm& Gemm::operator=(Gemm&&) noexcept = default;

void Gemm::multiply(std::span<const float> a, std::span<const float> b, std::span<float> c, std::size_t dim) {
  for (const std::size_t elements : {a.size(), b.size(), c.size()})
    require_matrix("multiply", elements, dim, dim);
  if (dim == 0) return;
  impl_->stream->enqueue([=] {
    const auto n = static_cast<Eigen::Index>(dim);
    const Eigen::Map<const Matrix> left(a.data(), n, n), right(b.data(), n, n);
    Eigen::Map<Matrix>(c.data(), n, n).noalias() = left * right;
  });
}

void launch_weighted_row_sums(std::span<const float> matrix, std::span<const double> weights,
                              std::span<double> sums, Stream& stream) {
  require_matrix("weighted_row_sums", matrix.size(), sums.size(), weights.size());
  stream.impl().enqueue([=] {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] = 0;
      for (std::size_t j = 0; j < weights.size(); ++j)
        sums[i] += static_cast<double>(matrix[i * weights.size() + j]) * weights[j];
    }
  });
}

}  // namespace overlap
