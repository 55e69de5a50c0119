// How an elementwise kernel is walked over its data: one place for grids, alignment, tails and 64-bit
// indices.
//
// An operation is a struct whose operator()(float...) maps the inputs at one index to the output there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/runtime.hpp"
#include "lengths.hpp"
#include "overlap/kernels.hpp"

namespace overlap::elementwise {

constexpr unsigned kThreads = 256;
constexpr std::size_t kLane = 4;  // floats in 16 bytes, the widest access
// Grids grow to this many times what the device holds at once before threads loop. A thread for each access
// beats a resident grid that loops: at 2^28 floats an H200 took 508 us so, 523 with 32 waves and 552 with
// one.
constexpr std::size_t kWaves = 1024;

/// Pointers to the inputs, as one kernel parameter.
template <int kInputs>
struct Inputs {
  const float* at[kInputs];
};

template <class Op, int kInputs, class Index, int... k>
__device__ float apply(const Op& op, const Inputs<kInputs>& in, Index i, std::integer_sequence<int, k...>) {
  return op(in.at[k][i]...);
}

template <class Op, int kInputs, int... k>
__device__ float4 apply(const Op& op, const float4 (&v)[kInputs], std::integer_sequence<int, k...>) {
  return {op(v[k].x...), op(v[k].y...), op(v[k].z...), op(v[k].w...)};
}

/// First thing in a kernel that is launched programmatically: lets the next kernel of the chain begin, then
/// waits until the one ahead has ended and its results can be seen. Other launches get kernels without it: on
/// an H200 it cost textbook kernels 40 % of their speed.
template <bool kProgrammatic>
__device__ void follow_previous() {
#if __CUDA_ARCH__ >= 900
  if constexpr (kProgrammatic) {
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
  }
#endif
}

/// One thread an element and no loop, as textbooks write it, with their index type as long as it reaches.
template <class Index, class Op, int kInputs>
__global__ void plain_kernel(Op op, Inputs<kInputs> in, float* out, Index n) {
  const Index i =
      static_cast<Index>(blockIdx.x) * static_cast<Index>(blockDim.x) + static_cast<Index>(threadIdx.x);
  if (i < n) out[i] = apply(op, in, i, std::make_integer_sequence<int, kInputs>());
}

template <bool kProgrammatic, class Op, int kInputs>
__global__ void scalar_kernel(Op op, Inputs<kInputs> in, float* out, std::size_t n) {
  follow_previous<kProgrammatic>();
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    out[i] = apply(op, in, i, std::make_integer_sequence<int, kInputs>());
}

/// All pointers share their alignment: `head` elements lead to a 16-byte boundary, then come whole vectors,
/// then fewer than four elements. The first threads of the grid take head and tail.
template <bool kProgrammatic, class Op, int kInputs>
__global__ void vector_kernel(Op op, Inputs<kInputs> in, float* out, std::size_t n, unsigned head) {
  constexpr auto kEach = std::make_integer_sequence<int, kInputs>();
  follow_previous<kProgrammatic>();
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t vectors = (n - head) / kLane;
  for (std::size_t i = thread; i < vectors; i += step) {
    float4 v[kInputs];
#pragma unroll
    for (int k = 0; k < kInputs; ++k) v[k] = reinterpret_cast<const float4*>(in.at[k] + head)[i];
    reinterpret_cast<float4*>(out + head)[i] = apply(op, v, kEach);
  }
  const std::size_t tail = head + vectors * kLane;
  if (thread < head) out[thread] = apply(op, in, thread, kEach);
  if (thread < n - tail) out[tail + thread] = apply(op, in, tail + thread, kEach);
}

/// Blocks for `items` of work: all that are needed, up to kWaves times what the device holds at once. Asks
/// the runtime nothing: every launch would pay for the answer.
inline unsigned grid_blocks(std::size_t items, const Stream::Impl& stream) {
  const std::size_t needed = (items + kThreads - 1) / kThreads;
  const std::size_t most = static_cast<std::size_t>(stream.resident_threads) / kThreads * kWaves;
  return static_cast<unsigned>(std::clamp<std::size_t>(needed, 1, most));
}

/// Elements before the first 16-byte boundary.
inline unsigned elements_to_boundary(const float* pointer) {
  return static_cast<unsigned>((16 - reinterpret_cast<std::uintptr_t>(pointer) % 16) % 16 / sizeof(float));
}

/// Launches `kernel` with as many blocks of kThreads; `programmatic` ones have to follow_previous().
template <class... Parameter, class... Argument>
void run(void (*kernel)(Parameter...), unsigned blocks, const Stream::Impl& on, bool programmatic,
         Argument... arguments) {
  cudaLaunchAttribute serialization{};
  serialization.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  serialization.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = kThreads;
  config.stream = on.stream;
  config.attrs = &serialization;
  config.numAttrs = programmatic ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameter>(arguments)...),
        "launch a kernel, blocks:", blocks);
}

/// Enqueues out[i] = op(inputs[i]...). Vectors need all pointers to share their alignment; where they do not,
/// the scalar kernel does the work.
template <class Op, class... Input>
void launch(const char* name, Op op, Impl impl, Stream& stream, std::span<float> out, Input... inputs) {
  constexpr int kInputs = sizeof...(Input);
  require_same_length(name, {out.size(), inputs.size()...});
  const std::size_t n = out.size();
  if (n == 0) return;
  const Stream::Impl& on = stream.impl();
  const Inputs<kInputs> in{{inputs.data()...}};
  const unsigned head = elements_to_boundary(out.data());
  const bool aligned = ((elements_to_boundary(inputs.data()) == head) && ...);
  if (impl == Impl::plain) {
    const std::size_t blocks = (n + kThreads - 1) / kThreads;
    if (blocks > 0x7FFFFFFF) throw DeviceError(std::string(name) + ": too many elements for a thread each");
    const auto grid = static_cast<unsigned>(blocks);
    if (n <= 0x7FFFFFFF - kThreads)
      run(plain_kernel<int, Op, kInputs>, grid, on, false, op, in, out.data(), static_cast<int>(n));
    else
      run(plain_kernel<std::size_t, Op, kInputs>, grid, on, false, op, in, out.data(), n);
  } else if (impl == Impl::vector && aligned && n >= head + kLane) {
    const unsigned blocks = grid_blocks((n - head) / kLane, on);
    const auto kernel =
        on.programmatic ? vector_kernel<true, Op, kInputs> : vector_kernel<false, Op, kInputs>;
    run(kernel, blocks, on, on.programmatic, op, in, out.data(), n, head);
  } else {
    const unsigned blocks = grid_blocks(n, on);
    const auto kernel =
        on.programmatic ? scalar_kernel<true, Op, kInputs> : scalar_kernel<false, Op, kInputs>;
    run(kernel, blocks, on, on.programmatic, op, in, out.data(), n);
  }
}

/// Loads all forms of an operation.
template <class Op, int kInputs>
void preload() {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, plain_kernel<int, Op, kInputs>), "load a plain kernel");
  check(cudaFuncGetAttributes(&attributes, plain_kernel<std::size_t, Op, kInputs>), "load a plain kernel");
  for (const auto kernel : {scalar_kernel<true, Op, kInputs>, scalar_kernel<false, Op, kInputs>})
    check(cudaFuncGetAttributes(&attributes, kernel), "load a scalar kernel");
  for (const auto kernel : {vector_kernel<true, Op, kInputs>, vector_kernel<false, Op, kInputs>})
    check(cudaFuncGetAttributes(&attributes, kernel), "load a vector kernel");
}

}  // namespace overlap::elementwise
