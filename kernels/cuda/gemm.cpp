// Matrix products by cuBLAS.
#include <cublas_v2.h>

#include "arguments.hpp"
#include "cuda/runtime.hpp"
#include "overlap/gemm.hpp"

namespace overlap {
namespace {

// What cuBLAS asks for on Hopper, and more than elsewhere. Without a workspace of its own, a captured product
// would allocate one in the graph.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

void check_blas(cublasStatus_t status, const std::string& what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError("cuBLAS: " + what + ": " + cublasGetStatusString(status));
}

}  // namespace

struct Gemm::Impl {
  DeviceBuffer<std::byte> workspace{kWorkspaceBytes};
  cublasHandle_t handle = nullptr;

  explicit Impl(Stream& stream) {
    check_blas(cublasCreate(&handle), "create a handle");
    try {
      check_blas(cublasSetStream(handle, stream.impl().stream), "set the stream");
      check_blas(cublasSetWorkspace(handle, workspace.span().data(), kWorkspaceBytes), "set the workspace");
    } catch (...) {
      cublasDestroy(handle);
      throw;
    }
  }
  ~Impl() {
    if (cublasDestroy(handle) != CUBLAS_STATUS_SUCCESS)
      std::fputs("overlap: destroying a cuBLAS handle failed\n", stderr);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
};

Gemm::Gemm(Stream& stream) : impl_(std::make_unique<Impl>(stream)) {}
Gemm::~Gemm() = default;
Gemm::Gemm(Gemm&&) noexcept = default;
Gemm& Gemm::operator=(Gemm&&) noexcept = default;

void Gemm::multiply(std::span<const float> a, std::span<const float> b, std::span<float> c, std::size_t dim) {
  for (const std::size_t elements : {a.size(), b.size(), c.size()})
    require_matrix("multiply", elements, dim, dim);
  if (dim == 0) return;
  if (dim > 0x7FFFFFFF)
    throw DeviceError("multiply: dim " + std::to_string(dim) + " does not fit cuBLAS's int");
  const auto n = static_cast<int>(dim);
  const float one = 1, zero = 0;
  // cuBLAS takes matrices column by column: there, c^T = b^T a^T.
  check_blas(cublasSgemm(impl_->handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b.data(), n, a.data(), n,
                         &zero, c.data(), n),
             "multiply matrices of dim " + std::to_string(dim));
}

}  // namespace overlap
