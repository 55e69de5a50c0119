// What rows share: the device, its streams, their data, and how to measure.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "harness/measure.hpp"
#include "overlap/device.hpp"

namespace overlap {

/// One run of the program on one device. Rows run one at a time.
class Session {
 public:
  Session(int device_number, MeasureSettings settings);

  const DeviceInfo& device() const { return device_; }
  const MeasureSettings& settings() const { return settings_; }

  /// Stream number `index` of the session's, made when it is first asked for; it stays where it is. Stream 0
  /// is the origin.
  Stream& stream(std::size_t index);
  Stream& origin() { return stream(0); }
  /// Lets go of all streams but the origin, so that a row does not find those of the row before: a device may
  /// serve many streams more slowly than few. Nothing may hold them any more.
  void keep_only_origin();

  /// Says whose data is asked for next: what data() makes belongs to `key`.
  void begin_group(const std::string& key) { key_ = key; }
  /// The data of the group that has begun, made where it has none. It is kept for rows that come back to it
  /// until its memory is wanted for others.
  template <class Data, class Make>
  std::shared_ptr<Data> data(const Make& make) {
    if (!group().data) {
      std::shared_ptr<void> made = std::shared_ptr<Data>(make());
      group().data = std::move(made);
    }
    return std::static_pointer_cast<Data>(group().data);
  }
  bool has_data(const std::string& key) const;

  /// Makes sure of memory for the group that has begun: frees data of other groups, those first that have
  /// waited longest, where the device or the host has not enough or kept data would take over half of either.
  /// @throws DeviceError if the device or the host lacks the memory all the same; says how much there is.
  void require_memory(std::size_t device_bytes, std::size_t host_bytes);
  /// Frees the data of all groups but the one that has begun, or of that as well. Fixtures may not hold it.
  void forget_others();
  void forget_all();

  /// Called with a group's key before its data is freed: whoever holds it lets go.
  std::function<void(const std::string& key)> on_forget;

 private:
  /// Data that rows share, and the memory that it said it needs.
  struct Group {
    std::string key;
    std::shared_ptr<void> data;
    std::size_t device_bytes = 0, host_bytes = 0;
  };
  /// The group that has begun, moved to the end: the latest of those that were used.
  Group& group();
  bool forget_oldest();
  bool keeps_too_much() const;

  int device_number_;
  DeviceInfo device_;
  MeasureSettings settings_;
  std::deque<Stream> streams_;
  std::list<Group> groups_;  ///< the one that waited longest is first
  std::string key_;
};

}  // namespace overlap
