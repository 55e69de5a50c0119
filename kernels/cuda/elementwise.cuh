// How an elementwise kernel is walked over its data: one place for grids, alignment, tails and 64-bit
// indices.
//
// An operation is a struct whose operator()(float...) maps the inputs at one index to the output there.
// Memory holds values of type T: float, Float16 or BFloat16. launch() chooses between two kernels: one with
// an element a thread, one with 16 bytes a thread.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <string>

#include "arguments.hpp"
#include "cuda/runtime.hpp"
#include "overlap/kernels.hpp"

namespace overlap::elementwise {

/// Bytes in the widest access that a thread can make.
constexpr std::size_t kWidest = 16;

/// Threads in a block. Times in microseconds on an H200; the chain is three kernels in a graph of
/// programmatic launches:
///
///                              64     128     256
///     swish, 2^28 floats      636     506     506
///     chain, 10^6 floats              9.7     7.6
///     chain, 10^3 floats              3.45    3.54
///
/// The device starts a limited number of blocks in a microsecond, so small blocks keep it waiting. With 512,
/// swish is 2 % slower. 128 would be 2 to 7 % faster below 3 * 10^5 floats: not worth a second size.
constexpr unsigned kThreads = 256;

// Every thread makes one access and ends. Where memory sets the pace, anything else that a thread does delays
// the next load: a loop that every thread left after one pass made swish on 2^28 floats 2 % slower.

__device__ inline float to_float(float value) { return value; }
__device__ inline float to_float(Float16 value) { return __half2float(__ushort_as_half(value.bits)); }
__device__ inline float to_float(BFloat16 value) {
  return __bfloat162float(__ushort_as_bfloat16(value.bits));
}

/// Rounds to T, to the nearest, ties to even.
template <class T>
__device__ T from_float(float value) {
  if constexpr (std::is_same_v<T, Float16>)
    return {__half_as_ushort(__float2half_rn(value))};
  else if constexpr (std::is_same_v<T, BFloat16>)
    return {__bfloat16_as_ushort(__float2bfloat16_rn(value))};
  else
    return value;
}

/// What the widest access moves: 4 floats or 8 numbers of 16 bits.
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

/// The output at index i.
template <class T, class Op, int kInputs, class Index, int... k>
__device__ T apply(const Op& op, const Inputs<T, kInputs>& in, Index i, std::integer_sequence<int, k...>) {
  return from_float<T>(op(to_float(in.at[k][i])...));
}

/// The outputs for one vector of each input.
template <class T, class Op, int kInputs, int... k>
__device__ Vector<T> apply(const Op& op, const Vector<T> (&v)[kInputs], std::integer_sequence<int, k...>) {
  Vector<T> result;
#pragma unroll
  for (std::size_t i = 0; i < Vector<T>::kElements; ++i)
    result.at[i] = from_float<T>(op(to_float(v[k].at[i])...));
  return result;
}

/// The operation as a thread uses it: itself, or what its loaded() returns. An operation that reads a value
/// shared by all elements does so in loaded(), which runs before all other loads and so need not wait for
/// them.
template <class Op>
__device__ auto loaded(const Op& op) {
  if constexpr (requires { op.loaded(); })
    return op.loaded();
  else
    return op;
}

/// First call in a kernel that is launched programmatically. It lets the next kernel of the chain begin, then
/// waits until the one ahead has ended and its results can be seen. Other launches use kernels without it: on
/// an H200 it made textbook kernels 40 % slower.
template <bool kProgrammatic>
__device__ void follow_previous() {
#if __CUDA_ARCH__ >= 900
  if constexpr (kProgrammatic) {
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
  }
#endif
}

/// One element a thread.
template <bool kProgrammatic, class Index, class T, class Op, int kInputs>
__global__ void scalar_kernel(Op op, Inputs<T, kInputs> in, T* out, Index n) {
  follow_previous<kProgrammatic>();
  const Index i =
      static_cast<Index>(blockIdx.x) * static_cast<Index>(blockDim.x) + static_cast<Index>(threadIdx.x);
  if (i < n) out[i] = apply(loaded(op), in, i, std::make_integer_sequence<int, kInputs>());
}

/// One vector a thread. All pointers are equally far from a 16-byte boundary: `head` elements lead up to it.
/// Then come whole vectors, then a tail of fewer elements than a vector has. The first threads of the grid
/// also take one element of the head and one of the tail each.
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
/// @throws DeviceError if they are more than a grid can have, 2^31 - 1.
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

/// Enqueues `kernel` with a thread for each of `items`. A `programmatic` launch may start early, so its
/// kernel must call follow_previous(). @throws DeviceError if the launch is refused.
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

/// Enqueues out[i] = op(inputs[i]...). `name` is for errors.
/// Variant::vector needs all pointers equally far from a 16-byte boundary; elsewhere, and as Variant::scalar,
/// a thread takes one element. Variant::plain does that as textbooks do, with an int as index if n fits one.
/// @throws DeviceError if the spans differ in length, or if the launch is refused.
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

/// Loads every kernel that launch() can choose for an operation on one type. May wait for the device.
/// @throws DeviceError if this device cannot run them.
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
