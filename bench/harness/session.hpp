// What rows share: the device, its streams, the data of the last row, and how to measure.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>

#include "harness/measure.hpp"
#include "overlap/device.hpp"

namespace overlap {

/// One run of the program on one device. Rows run one at a time.
class Session {
 public:
  Session(int device_number, MeasureSettings settings)
      : device_number_(device_number), device_(device_info(device_number)), settings_(settings) {}

  const DeviceInfo& device() const { return device_; }
  const MeasureSettings& settings() const { return settings_; }

  /// Stream number `index` of the session's, made when it is first asked for; it stays where it is. Stream 0
  /// is the origin.
  Stream& stream(std::size_t index);
  Stream& origin() { return stream(0); }
  /// Lets go of all streams but the origin, so that a row does not find those of the row before: a device may
  /// serve many streams more slowly than few. Nothing may hold them any more.
  void keep_only_origin() { streams_.resize(std::min<std::size_t>(streams_.size(), 1)); }

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
  std::deque<Stream> streams_;
  std::string key_;
  std::shared_ptr<void> data_;
};

}  // namespace overlap
