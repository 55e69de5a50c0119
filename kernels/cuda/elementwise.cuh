// How an elementwise kernel is walked over its data: one place for grids, alignment, tails and 64-bit
// indices.
//
// An operation is a struct whose operator()(float...) maps the inputs at one index to the output there. What
// lies in memory is of type T: float, Float16 or BFloat16.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <string>

#include "arguments.hpp"
#include "cuda/runtime.hpp"
#include "overlap/kernels.hpp"

namespace overlap::elementwise {

constexpr std::size_t kWidest = 16;  // bytes in the widest access

// Every thread makes one access and ends. Where memory sets the pace, what a thread does besides loading and
// storing delays the next thread's load: a loop that never came round cost 2^28 floats of swish 2 % on an
// H200. No more than so many blocks can start in a microsecond: of 64 threads that took 636 us for 506, and a
// chain of programmatic launches on 10^6 floats, which starts blocks before it has room for them, 9.8 us with
// 128 and 7.6 with 256. Below 3 * 10^5 floats 128 are better, by 2 to 7 %.
constexpr unsigned kThreads = 256;  // in a block

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

/// What an operation is inside a thread: itself, or what its loaded() makes of it. That is called ahead of
/// all other loads, so that what it loads is not waited for after them.
template <class Op>
__device__ auto loaded(const Op& op) {
  if constexpr (requires { op.loaded(); })
    return op.loaded();
  else
    return op;
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

/// An element a thread.
template <bool kProgrammatic, class Index, class T, class Op, int kInputs>
__global__ void scalar_kernel(Op op, Inputs<T, kInputs> in, T* out, Index n) {
  follow_previous<kProgrammatic>();
  const Index i =
      static_cast<Index>(blockIdx.x) * static_cast<Index>(blockDim.x) + static_cast<Index>(threadIdx.x);
  if (i < n) out[i] = apply(loaded(op), in, i, std::make_integer_sequence<int, kInputs>());
}

/// A vector a thread. All pointers share their alignment: `head` elements lead to a 16-byte boundary, then
/// come whole vectors, then fewer elements than one has. The first threads of the grid take head and tail.
template <bool kProgrammatic, class T, class Op, int kInputs>
__global__ void vector_kernel(Op op, Inputs<T, kInputs> in, T* out, std::size_t n, unsigned head) {
  constexpr auto kEach = std::make_integer_sequence<int, kInputs>();
  constexpr std::size_t kLane = Vector<T>::kElements;
  follow_previous<kProgrammatic>();
  const auto ready = loaded(op);
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t vectors = (n - head) / kLane;
  if (thread < vectors) {
    Vector<T> v[kInputs];
#pragma unroll
    for (int k = 0; k < kInputs; ++k) v[k] = reinterpret_cast<const Vector<T>*>(in.at[k] + head)[thread];
    reinterpret_cast<Vector<T>*>(out + head)[thread] = apply(ready, v, kEach);
  }
  const std::size_t tail = head + vectors * kLane;
  if (thread < head) out[thread] = apply(ready, in, thread, kEach);
  if (thread < n - tail) out[tail + thread] = apply(ready, in, tail + thread, kEach);
}

/// Blocks for `items` of work, one a thread.
/// @throws DeviceError where no grid is as large.
inline unsigned blocks_for(std::size_t items) {
  const std::size_t blocks = items / kThreads + (items % kThreads != 0);
  if (blocks > 0x7FFFFFFF)
    throw DeviceError(std::to_string(items) + " items are more than a grid of blocks of " +
                      std::to_string(kThreads) + " threads takes: split them");
  return static_cast<unsigned>(blocks);
}

/// Elements before the first 16-byte boundary.
template <class T>
unsigned elements_to_boundary(const T* pointer) {
  return static_cast<unsigned>((kWidest - reinterpret_cast<std::uintptr_t>(pointer) % kWidest) % kWidest /
                               sizeof(T));
}

/// Launches `kernel` with a thread for each of `items`; `programmatic` ones have to follow_previous().
template <class... Parameter, class... Argument>
void run(void (*kernel)(Parameter...), std::size_t items, const Stream::Impl& on, bool programmatic,
         Argument... arguments) {
  cudaLaunchAttribute serialization{};
  serialization.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  serialization.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks_for(items);
  config.blockDim = kThreads;
  config.stream = on.stream;
  config.attrs = &serialization;
  config.numAttrs = programmatic ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameter>(arguments)...),
        "launch a kernel, blocks:", config.gridDim.x);
}

/// Enqueues out[i] = op(inputs[i]...). Vectors need all pointers to share their alignment; where they do not,
/// and as Variant::scalar, every thread takes one element. Variant::plain does so as textbooks write it: with
/// an index type as long as it reaches.
template <class T, class Op, class... Input>
void launch(const char* name, Op op, Variant variant, Stream& stream, std::span<T> out, Input... inputs) {
  constexpr int kInputs = sizeof...(Input);
  require_same_length(name, {out.size(), inputs.size()...});
  const std::size_t n = out.size();
  if (n == 0) return;
  const Stream::Impl& on = stream.impl();
  const Inputs<T, kInputs> in{{inputs.data()...}};
  const unsigned head = elements_to_boundary(out.data());
  const bool aligned = ((elements_to_boundary(inputs.data()) == head) && ...);
  if (variant == Variant::plain && n <= 0x7FFFFFFF - kThreads) {
    run(scalar_kernel<false, int, T, Op, kInputs>, n, on, false, op, in, out.data(), static_cast<int>(n));
  } else if (variant == Variant::vector && aligned && n >= head + Vector<T>::kElements) {
    const auto kernel =
        on.programmatic ? vector_kernel<true, T, Op, kInputs> : vector_kernel<false, T, Op, kInputs>;
    run(kernel, (n - head) / Vector<T>::kElements, on, on.programmatic, op, in, out.data(), n, head);
  } else {
    const bool programmatic = on.programmatic && variant != Variant::plain;
    const auto kernel = programmatic ? scalar_kernel<true, std::size_t, T, Op, kInputs>
                                     : scalar_kernel<false, std::size_t, T, Op, kInputs>;
    run(kernel, n, on, programmatic, op, in, out.data(), n);
  }
}

/// Loads all forms of an operation on one type.
template <class T, class Op, int kInputs>
void preload() {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, scalar_kernel<false, int, T, Op, kInputs>), "load a plain kernel");
  for (const auto kernel :
       {scalar_kernel<true, std::size_t, T, Op, kInputs>, scalar_kernel<false, std::size_t, T, Op, kInputs>})
    check(cudaFuncGetAttributes(&attributes, kernel), "load a scalar kernel");
  for (const auto kernel : {vector_kernel<true, T, Op, kInputs>, vector_kernel<false, T, Op, kInputs>})
    check(cudaFuncGetAttributes(&attributes, kernel), "load a vector kernel");
}

}  // namespace overlap::elementwise
