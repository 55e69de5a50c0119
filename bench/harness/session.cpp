#include "harness/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace overlap {
namespace {

std::string gib(std::size_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

std::size_t physical_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Stream& Session::stream(std::size_t index) {
  while (streams_.size() <= index) streams_.emplace_back();
  return streams_[index];
}

void Session::require_memory(std::size_t device_bytes, std::size_t host_bytes) const {
  // Asked anew: what the last row held has just been freed.
  const DeviceInfo now = device_info(device_number_);
  const bool shared = device_.backend == "host";  // there, device memory is host memory
  const std::size_t device_needs = shared ? device_bytes + host_bytes : device_bytes;
  if (device_needs > now.free_bytes || device_needs < device_bytes)
    throw DeviceError(fmt::format("needs {} of {} memory, {} are free: choose a smaller size",
                                  gib(device_needs), shared ? "host" : "device", gib(now.free_bytes)));
  if (!shared && host_bytes > physical_bytes())
    throw DeviceError(fmt::format("needs {} of host memory, the machine has {}: choose a smaller size",
                                  gib(host_bytes), gib(physical_bytes())));
}

}  // namespace overlap
