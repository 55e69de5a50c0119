// What rows share: the device, its streams, the data of the last row, and how to measure.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "measure.hpp"
#include "overlap/device.hpp"

namespace overlap {

/// One run of the program on one device. Rows run one at a time.
class Session {
 public:
  Session(int device_number, MeasureSettings settings)
      : device_number_(device_number), device_(device_info(device_number)), settings_(settings) {}

  const DeviceInfo& device() const { return device_; }
  const MeasureSettings& settings() const { return settings_; }

  /// The first `count` of the session's streams, made as needed and kept. Stream 0 is the origin.
  std::span<Stream> streams(std::size_t count);
  Stream& origin() { return streams(1)[0]; }

  /// The data that `key` names: the last row's if it had the same key, otherwise made after the last was
  /// freed.
  template <class Data, class Make>
  std::shared_ptr<Data> data(const std::string& key, const Make& make) {
    if (key != key_) {
      key_.clear();
      data_.reset();
      data_ = std::shared_ptr<Data>(make());
      key_ = key;
    }
    return std::static_pointer_cast<Data>(data_);
  }

  /// @throws DeviceError if the device or the host lacks the memory; says how much there is.
  void require_memory(std::size_t device_bytes, std::size_t host_bytes) const;

 private:
  int device_number_;
  DeviceInfo device_;
  MeasureSettings settings_;
  std::vector<Stream> streams_;
  std::string key_;
  std::shared_ptr<void> data_;
};

}  // namespace overlap
