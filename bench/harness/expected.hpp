// Inputs and the check of outputs.
//
// Inputs repeat a random pattern whose length is a prime: no chunk maps onto an equal one, so data in the
// wrong place is wrong data. Outputs are checked on the device against a plain double-precision reference of
// that pattern: a gigabyte is checked in a millisecond, and every row can afford it.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "overlap/device.hpp"
#include "overlap/kernels.hpp"
#include "overlap/probes.hpp"

namespace overlap {

/// A row computed something else than its reference.
class WrongResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The kind of memory that a value of the `mem` axis names.
HostMemory host_memory(const std::string& name);

/// Length of a pattern: the first prime above 2^20.
inline constexpr std::size_t kPatternElements = 1'048'583;

/// min(n, kPatternElements) floats, uniform in [low, high), the same for the same seed.
std::vector<float> random_pattern(std::size_t n, unsigned seed, float low, float high);

/// Repeats `pattern` over host memory.
void tile_host(std::span<float> out, std::span<const float> pattern);

/// Repeats `pattern` over device memory. Waits.
void tile_device(std::span<float> device, std::span<const float> pattern, Stream& stream);

/// Repeats the first `period` elements over the rest of device memory. Waits.
void repeat_device(std::span<float> device, std::size_t period, Stream& stream);

/// Fills device memory with a NaN. Enqueues only.
void poison(std::span<float> device, Stream& stream);

/// What the outputs of a row must be.
class Expected {
 public:
  Expected() = default;
  Expected(std::span<const float> pattern, Tolerance tolerance, Stream& stream);

  /// Compares device memory with the repeated pattern. Waits.
  /// @throws WrongResult with the first wrong index and the number of wrong elements.
  void verify(std::span<const float> device, Stream& stream) const;

  /// Compares every `stride`th element of host memory, on the calling thread.
  /// @throws WrongResult likewise.
  void verify_host(std::span<const float> host, std::size_t stride) const;

 private:
  std::vector<float> host_pattern_;
  DeviceBuffer<float> pattern_;
  DeviceBuffer<Mismatches> found_;
  Tolerance tolerance_;
};

}  // namespace overlap
