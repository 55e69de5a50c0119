// Data is kept per group in the order of use. It goes, oldest first, when what is kept exceeds half of the
// device's or the host's memory, or when an allocation would not fit. Sizes are what groups said they need.
#include "harness/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace overlap {
namespace {

/// In units of 2^30 bytes.
std::string gib(std::size_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

/// All of the host's memory, used or free.
std::size_t physical_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// There, device memory is host memory.
bool is_shared() { return std::string_view(backend_name()) == "host"; }

}  // namespace

Session::Session(int device_number, MeasureSettings settings)
    : device_number_(device_number), device_(device_info(device_number)), settings_(settings) {}

Stream& Session::stream(std::size_t index) {
  while (streams_.size() <= index) streams_.emplace_back();
  return streams_[index];
}

void Session::keep_only_origin() { streams_.resize(std::min<std::size_t>(streams_.size(), 1)); }

Session::Group& Session::group() {
  const auto found = std::ranges::find(groups_, key_, &Group::key);
  if (found == groups_.end())
    groups_.push_back({key_, nullptr, 0, 0});
  else
    groups_.splice(groups_.end(), groups_, found);
  return groups_.back();
}

bool Session::has_data(const std::string& key) const {
  const auto found = std::ranges::find(groups_, key, &Group::key);
  return found != groups_.end() && found->data;
}

bool Session::forget_oldest() {
  if (groups_.empty() || groups_.front().key == key_) return false;
  if (on_forget) on_forget(groups_.front().key);
  groups_.pop_front();
  return true;
}

void Session::forget_others() {
  group();
  while (forget_oldest()) continue;
}

void Session::forget_all() {
  forget_others();
  groups_.clear();
}

// Where memory is shared, both sorts come out of one.
bool Session::keeps_too_much() const {
  std::size_t device = 0, host = 0;
  for (const Group& each : groups_) {
    device += each.device_bytes;
    host += each.host_bytes;
  }
  if (is_shared()) device += std::exchange(host, 0);
  return device > device_.total_bytes / 2 || host > physical_bytes() / 2;
}

// What is asked for counts first, so that it goes into the half that may be kept. A sum that is less than its
// parts has overflowed: no such memory is there either.
void Session::require_memory(std::size_t device_bytes, std::size_t host_bytes) {
  Group& mine = group();
  mine.device_bytes += device_bytes;
  mine.host_bytes += host_bytes;
  while (keeps_too_much() && forget_oldest()) continue;
  const std::size_t device_needs = is_shared() ? device_bytes + host_bytes : device_bytes;
  std::size_t free = free_memory(device_number_);
  while (device_needs > free && forget_oldest()) free = free_memory(device_number_);
  const bool fits =
      device_needs <= free && device_needs >= device_bytes && (is_shared() || host_bytes <= physical_bytes());
  if (!fits) {  // what was not had does not count
    mine.device_bytes -= device_bytes;
    mine.host_bytes -= host_bytes;
  }
  if (device_needs > free || device_needs < device_bytes)
    throw DeviceError(fmt::format("needs {} of {} memory, {} are free: choose a smaller size",
                                  gib(device_needs), is_shared() ? "host" : "device", gib(free)));
  if (!is_shared() && host_bytes > physical_bytes())
    throw DeviceError(fmt::format("needs {} of host memory, the machine has {}: choose a smaller size",
                                  gib(host_bytes), gib(physical_bytes())));
}

}  // namespace overlap
