// What tests of both backends share: skipping without a device, and data in and out of it.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <ranges>
#include <vector>

#include "overlap/device.hpp"

namespace overlap {

/// Skips where the backend has no usable device; a run on a device must show no skipped test.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    info_ = device_info();
    if (!info_.usable) GTEST_SKIP() << info_.why_not;
    use_device(0);
  }
  DeviceInfo info_;
};

inline std::vector<float> random_floats(std::size_t n, unsigned seed, float low = -3, float high = 3) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> value(low, high);
  std::vector<float> values(n);
  for (float& v : values) v = value(generator);
  return values;
}

/// Copies a range of memory to new device memory, and waits.
template <class Values>
auto on_device(const Values& values, Stream& stream) {
  using Value = std::ranges::range_value_t<Values>;
  DeviceBuffer<Value> buffer(values.size());
  copy_h2d(buffer.span(), std::span<const Value>(values), stream);
  stream.synchronize();
  return buffer;
}

/// Copies from a span of device memory, and waits.
template <class Device>
auto on_host(const Device& device, Stream& stream) {
  using Value = std::ranges::range_value_t<Device>;
  std::vector<Value> values(device.size());
  copy_d2h(std::span(values), std::span<const Value>(device), stream);
  stream.synchronize();
  return values;
}

}  // namespace overlap
