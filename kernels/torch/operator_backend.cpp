// Runs the library's kernels on tensors. Compiled once for each backend, each into a module of its own, since
// the two static libraries define the same names.
#include <ATen/ATen.h>
#include <torch/library.h>

#include "checks.hpp"
#include "overlap/kernels.hpp"

#ifdef OVERLAP_TORCH_CUDA
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#else
#include <ATen/Parallel.h>
#endif

namespace overlap::torch_operator {
namespace {

/// Calls work(first, count, stream) until all of n elements are enqueued: on CUDA at once, on the caller's
/// current stream, and it does not wait; on the CPU by as many threads as PyTorch may use, and it waits.
template <class Work>
void over_all(const at::Tensor& x, const Work& work) {
#ifdef OVERLAP_TORCH_CUDA
  const c10::cuda::CUDAGuard on_its_device(x.device());
  Stream stream = Stream::borrow(c10::cuda::getCurrentCUDAStream().stream());
  work(0, static_cast<std::size_t>(x.numel()), stream);
#else
  constexpr std::int64_t kWorthAThread = 32768;
  at::parallel_for(0, x.numel(), kWorthAThread, [&work](std::int64_t begin, std::int64_t end) {
    Stream at_once = Stream::borrow(nullptr);
    work(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin), at_once);
  });
#endif
}

template <class T>
std::span<const T> input(const at::Tensor& x, std::size_t first, std::size_t count) {
  return {static_cast<const T*>(x.const_data_ptr()) + first, count};
}

template <class T>
std::span<T> output(at::Tensor& y, std::size_t first, std::size_t count) {
  return {static_cast<T*>(y.mutable_data_ptr()) + first, count};
}

/// Calls what(T()) with the type that x is stored in.
template <class What>
void by_type(const at::Tensor& x, const What& what) {
  switch (x.scalar_type()) {
    case at::kHalf: return what(Float16());
    case at::kBFloat16: return what(BFloat16());
    default: return what(float());
  }
}

/// x laid out in memory like `like`, which is dense: then elements correspond by address, whatever the
/// strides.
at::Tensor laid_out_like(const at::Tensor& like, const at::Tensor& x) {
  if (x.strides() == like.strides()) return x;
  at::Tensor copy = at::empty_like(like);
  copy.copy_(x);
  return copy;
}

/// Whether all elements of x are one in memory, as in the gradient that a sum or mean passes back.
bool is_one_number(const at::Tensor& x) {
  for (std::int64_t d = 0; d < x.dim(); ++d)
    if (x.size(d) > 1 && x.stride(d) != 0) return false;
  return true;
}

at::Tensor swish(const at::Tensor& x) {
  require_type("overlap::swish", x);
  at::Tensor y = at::empty_like(x);
  if (x.numel() == 0) return y;
  const at::Tensor in = laid_out_like(y, x);
  by_type(x, [&]<class T>(T) {
    over_all(x, [&](std::size_t first, std::size_t count, Stream& stream) {
      launch_swish_forward(input<T>(in, first, count), output<T>(y, first, count), Variant::vector, stream);
    });
  });
  return y;
}

at::Tensor swish_backward(const at::Tensor& grad, const at::Tensor& x) {
  require_like("overlap::swish_backward", grad, x);
  at::Tensor dx = at::empty_like(x);
  if (x.numel() == 0) return dx;
  const bool one = is_one_number(grad);
  const at::Tensor in = laid_out_like(dx, x), dy = one ? grad : laid_out_like(dx, grad);
  by_type(x, [&]<class T>(T) {
    over_all(x, [&](std::size_t first, std::size_t count, Stream& stream) {
      launch_swish_backward(input<T>(in, first, count), one ? input<T>(dy, 0, 1) : input<T>(dy, first, count),
                            output<T>(dx, first, count), Variant::vector, stream);
    });
  });
  return dx;
}

#ifdef OVERLAP_TORCH_CUDA
TORCH_LIBRARY_IMPL(overlap, CUDA, m) {
#else
TORCH_LIBRARY_IMPL(overlap, CPU, m) {
#endif
  m.impl("swish", swish);
  m.impl("swish_backward", swish_backward);
}

}  // namespace
}  // namespace overlap::torch_operator
