// How an elementwise kernel is walked over its data: one place for grids, alignment, tails and 64-bit
// indices.
//
// An operation is a struct whose operator()(float...) maps the inputs at one index to the output there. What
// lies in memory is of type T: float, Float16 or BFloat16.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>

#include "cuda/runtime.hpp"
#include "lengths.hpp"
#include "overlap/kernels.hpp"

namespace overlap::elementwise {

constexpr unsigned kThreads = 256;
constexpr std::size_t kWidest = 16;  // bytes in the widest access
// Grids grow to this many times what the device holds at once before threads loop. A thread for each access
// beats a resident grid that loops: at 2^28 floats an H200 took 508 us so, 523 with 32 waves and 552 with
// one.
constexpr std::size_t kWaves = 1024;

__device__ inline float to_float(float value) { return value; }
__device__ inline float to_float(Float16 value) { return __half2float(__ushort_as_half(value.bits)); }
__device__ inline float to_float(BFloat16 value) {
  return __bfloat162float(__ushort_as_bfloat16(value.bits));
}

template <class T>
__device__ T from_float(float value) {
  if constexpr (std::is_same_v<T, Float16>)
    return {__half_as_ushort(__float2half_rn(value))};
  else if constexpr (std::is_same_v<T, BFloat16>)
    return {__bfloat16_as_ushort(__float2bfloat16_rn(value))};
  else
    return value;
}

/// What one access moves at most.
template <class T>
struct alignas(kWidest) Vector {
  static constexpr std::size_t kElements = kWidest / sizeof(T);
  T at[kElements];
};

/// Pointers to the inputs, as one kernel parameter.
template <class T, int kInputs>
struct Inputs {
  const T* at[kInputs];
};

template <class T, class Op, int kInputs, class Index, int... k>
__device__ T apply(const Op& op, const Inputs<T, kInputs>& in, Index i, std::integer_sequence<int, k...>) {
  return from_float<T>(op(to_float(in.at[k][i])...));
}

template <class T, class Op, int kInputs, int... k>
__device__ Vector<T> apply(const Op& op, const Vector<T> (&v)[kInputs], std::integer_sequence<int, k...>) {
  Vector<T> result;
#pragma unroll
  for (std::size_t i = 0; i < Vector<T>::kElements; ++i)
    result.at[i] = from_float<T>(op(to_float(v[k].at[i])...));
  return result;
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
template <class Index, class T, class Op, int kInputs>
__global__ void plain_kernel(Op op, Inputs<T, kInputs> in, T* out, Index n) {
  const Index i =
      static_cast<Index>(blockIdx.x) * static_cast<Index>(blockDim.x) + static_cast<Index>(threadIdx.x);
  if (i < n) out[i] = apply(op, in, i, std::make_integer_sequence<int, kInputs>());
}

template <bool kProgrammatic, class T, class Op, int kInputs>
__global__ void scalar_kernel(Op op, Inputs<T, kInputs> in, T* out, std::size_t n) {
  follow_previous<kProgrammatic>();
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    out[i] = apply(op, in, i, std::make_integer_sequence<int, kInputs>());
}

/// All pointers share their alignment: `head` elements lead to a 16-byte boundary, then come whole vectors,
/// then fewer elements than one has. The first threads of the grid take head and tail. Without launch bounds:
/// told that a block may have more registers, the compiler gives swish 38 for 32, and 2^28 floats take 552 us
/// for 515 on an H200.
template <bool kProgrammatic, class T, class Op, int kInputs>
__global__ void vector_kernel(Op op, Inputs<T, kInputs> in, T* out, std::size_t n, unsigned head) {
  constexpr auto kEach = std::make_integer_sequence<int, kInputs>();
  constexpr std::size_t kLane = Vector<T>::kElements;
  follow_previous<kProgrammatic>();
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t vectors = (n - head) / kLane;
  for (std::size_t i = thread; i < vectors; i += step) {
    Vector<T> v[kInputs];
#pragma unroll
    for (int k = 0; k < kInputs; ++k) v[k] = reinterpret_cast<const Vector<T>*>(in.at[k] + head)[i];
    reinterpret_cast<Vector<T>*>(out + head)[i] = apply(op, v, kEach);
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
template <class T>
unsigned elements_to_boundary(const T* pointer) {
  return static_cast<unsigned>((kWidest - reinterpret_cast<std::uintptr_t>(pointer) % kWidest) % kWidest /
                               sizeof(T));
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
template <class T, class Op, class... Input>
void launch(const char* name, Op op, Impl impl, Stream& stream, std::span<T> out, Input... inputs) {
  constexpr int kInputs = sizeof...(Input);
  require_same_length(name, {out.size(), inputs.size()...});
  const std::size_t n = out.size();
  if (n == 0) return;
  const Stream::Impl& on = stream.impl();
  const Inputs<T, kInputs> in{{inputs.data()...}};
  const unsigned head = elements_to_boundary(out.data());
  const bool aligned = ((elements_to_boundary(inputs.data()) == head) && ...);
  if (impl == Impl::plain) {
    const std::size_t blocks = (n + kThreads - 1) / kThreads;
    if (blocks > 0x7FFFFFFF) throw DeviceError(std::string(name) + ": too many elements for a thread each");
    const auto grid = static_cast<unsigned>(blocks);
    if (n <= 0x7FFFFFFF - kThreads)
      run(plain_kernel<int, T, Op, kInputs>, grid, on, false, op, in, out.data(), static_cast<int>(n));
    else
      run(plain_kernel<std::size_t, T, Op, kInputs>, grid, on, false, op, in, out.data(), n);
  } else if (impl == Impl::vector && aligned && n >= head + Vector<T>::kElements) {
    const unsigned blocks = grid_blocks((n - head) / Vector<T>::kElements, on);
    const auto kernel =
        on.programmatic ? vector_kernel<true, T, Op, kInputs> : vector_kernel<false, T, Op, kInputs>;
    run(kernel, blocks, on, on.programmatic, op, in, out.data(), n, head);
  } else {
    const unsigned blocks = grid_blocks(n, on);
    const auto kernel =
        on.programmatic ? scalar_kernel<true, T, Op, kInputs> : scalar_kernel<false, T, Op, kInputs>;
    run(kernel, blocks, on, on.programmatic, op, in, out.data(), n);
  }
}

/// Loads all forms of an operation on one type.
template <class T, class Op, int kInputs>
void preload() {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, plain_kernel<int, T, Op, kInputs>), "load a plain kernel");
  check(cudaFuncGetAttributes(&attributes, plain_kernel<std::size_t, T, Op, kInputs>), "load a plain kernel");
  for (const auto kernel : {scalar_kernel<true, T, Op, kInputs>, scalar_kernel<false, T, Op, kInputs>})
    check(cudaFuncGetAttributes(&attributes, kernel), "load a scalar kernel");
  for (const auto kernel : {vector_kernel<true, T, Op, kInputs>, vector_kernel<false, T, Op, kInputs>})
    check(cudaFuncGetAttributes(&attributes, kernel), "load a vector kernel");
}

}  // namespace overlap::elementwise
