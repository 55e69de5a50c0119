// Sums and products of arrays, and the chain of both that goes around launch().
#include "cuda/elementwise.cuh"
#include "overlap/probes.hpp"

namespace overlap {
namespace {

struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};

struct Mul {
  __device__ float operator()(float a, float b) const { return a * b; }
};

}  // namespace

void launch_add(std::span<const float> a, std::span<const float> b, std::span<float> out, Variant variant,
                Stream& stream) {
  elementwise::launch("add", Add(), variant, stream, out, a, b);
}

void launch_mul(std::span<const float> a, std::span<const float> b, std::span<float> out, Variant variant,
                Stream& stream) {
  elementwise::launch("mul", Mul(), variant, stream, out, a, b);
}

void launch_plain_chain(std::span<const float> a, std::span<const float> b, std::span<const float> d,
                        std::span<const float> f, std::span<float> out, int kernels, Stream& stream) {
  // The same kernels and the same grid as launch() chooses for spans that start on a 16-byte boundary.
  using elementwise::kThreads, elementwise::Inputs;
  constexpr std::size_t kLane = elementwise::Vector<float>::kElements;
  const cudaStream_t on = stream.impl().stream;
  const std::size_t n = out.size(), items = std::max<std::size_t>(1, n / kLane);
  const auto blocks = static_cast<unsigned>((items + kThreads - 1) / kThreads);
  elementwise::vector_kernel<false>
      <<<blocks, kThreads, 0, on>>>(Add(), Inputs<float, 2>{{a.data(), b.data()}}, out.data(), n, 0U);
  for (int k = 1; k < kernels; ++k) {
    if (k % 2 == 1)
      elementwise::vector_kernel<false>
          <<<blocks, kThreads, 0, on>>>(Mul(), Inputs<float, 2>{{out.data(), d.data()}}, out.data(), n, 0U);
    else
      elementwise::vector_kernel<false>
          <<<blocks, kThreads, 0, on>>>(Add(), Inputs<float, 2>{{out.data(), f.data()}}, out.data(), n, 0U);
  }
  check(cudaGetLastError(), "launch a plain chain, kernels:", kernels);
}

void preload_arithmetic() {
  elementwise::preload<float, Add, 2>();
  elementwise::preload<float, Mul, 2>();
}

}  // namespace overlap
