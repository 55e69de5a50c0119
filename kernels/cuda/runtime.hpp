// What the CUDA backend's objects are made of, and the one way it checks a call.
#pragma once

#include <cuda_runtime.h>

#include <source_location>
#include <string>

#include "overlap/device.hpp"

namespace overlap {

/// What was being done, and the place that does it: made where check() is called.
struct Where {
  const char* what;
  std::source_location place;
  Where(const char* what_is_done, std::source_location here = std::source_location::current())
      : what(what_is_done), place(here) {}
};

/// What check() does once a call has failed.
[[noreturn]] void throw_device_error(cudaError_t status, const Where& where, const std::string& sizes);
/// For destructors, which may not throw: writes one line to stderr if `status` is an error.
void warn(cudaError_t status, const char* what) noexcept;

/// Does nothing if `status` is success. Otherwise clears the runtime's error and throws it.
/// @throws DeviceError with the place, the error's name and text, and the `sizes` that were asked for.
template <class... Size>
void check(cudaError_t status, Where where, Size... sizes) {
  if (status == cudaSuccess) return;
  std::string list;
  ((list += " " + std::to_string(sizes)), ...);
  throw_device_error(status, where, list);
}

/// Compute capability from which on kernels can be launched programmatically.
constexpr int kProgrammaticMajor = 9;

struct Stream::Impl {
  cudaStream_t stream = nullptr;
  bool programmatic = false;  ///< whether a ProgrammaticLaunch is alive
  bool borrowed = false;

  Impl();
  explicit Impl(cudaStream_t somebody_elses);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
};

struct Event::Impl {
  cudaEvent_t event = nullptr;
  bool timing = false;
  bool recorded = false;

  explicit Impl(bool with_timing);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
};

struct GraphBuilder::Impl {
  cudaGraph_t graph = nullptr;

  explicit Impl(cudaGraph_t captured) : graph(captured) {}
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
};

/// Each .cu file loads the kernels it has, and use_device() calls all of these. The first launch of a kernel
/// that is not loaded may wait for the whole device, and would do so inside somebody's measurement.
void preload_arithmetic();
void preload_swish();
void preload_trig();
void preload_row_sums();
void preload_probes();

}  // namespace overlap
