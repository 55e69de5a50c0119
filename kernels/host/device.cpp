// Memory, copies, the device's description and probes of the host backend.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <thread>

#include "host/runtime.hpp"
#include "overlap/probes.hpp"

namespace overlap {
namespace {

constexpr std::size_t kAlignment = 256;  // as cudaMalloc promises

void* allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes > std::numeric_limits<std::size_t>::max() - kAlignment)
    throw DeviceError("cannot allocate " + std::to_string(bytes) + " bytes of host memory");
  void* memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (!memory) throw DeviceError("cannot allocate " + std::to_string(bytes) + " bytes of host memory");
  return memory;
}

/// Bytes in the pages that sysconf counts under `name`; 0 where it does not know.
std::size_t pages(int name) {
  return static_cast<std::size_t>(std::max(0L, sysconf(name))) *
         static_cast<std::size_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
}

/// MemAvailable counts what the page cache would give back, which sysconf's free pages do not.
std::size_t available_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key; meminfo >> key;) {
    std::size_t kib = 0;
    if (key == "MemAvailable:" && meminfo >> kib) return kib * 1024;
    meminfo.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return pages(_SC_AVPHYS_PAGES);
}

/// The processor's name, from the first line that has one.
std::string processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

}  // namespace

const char* backend_name() { return "host"; }

DeviceInfo device_info(int device) {
  DeviceInfo info;
  info.gpu = processor_name() + " (host threads)";
  info.sm_count = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  info.l2_bytes = static_cast<std::size_t>(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE)));
  info.total_bytes = pages(_SC_PHYS_PAGES);
  info.copy_engines = info.sm_count;
  info.usable = device == 0;
  if (!info.usable)
    info.why_not = "the host backend has only device 0, not " + std::to_string(device) + ": use --device=0";
  return info;
}

void use_device(int device) {
  if (const DeviceInfo info = device_info(device); !info.usable) throw DeviceError(info.why_not);
}

std::size_t free_memory(int device) {
  use_device(device);
  return available_bytes();
}

void* allocate_device(std::size_t bytes) { return allocate(bytes); }
void free_device(void* memory) noexcept { std::free(memory); }

void* allocate_host(std::size_t bytes, HostMemory kind) {
  if (kind == HostMemory::write_combined)
    throw DeviceError("the host backend has no write_combined memory: use pinned, pageable or registered");
  return allocate(bytes);
}
void free_host(void* memory, HostMemory) noexcept { std::free(memory); }

void copy_bytes(void* to, const void* from, std::size_t bytes, CopyDirection, Stream& stream) {
  if (bytes > 0) stream.impl().enqueue([=] { std::memcpy(to, from, bytes); });
}

void fill_bytes(void* memory, std::uint8_t value, std::size_t bytes, Stream& stream) {
  if (bytes > 0) stream.impl().enqueue([=] { std::memset(memory, value, bytes); });
}

/// Holds are numbered; a hold ends once its number is released. Queued holds share the state, so that a Latch
/// may go before they have run.
struct LatchState {
  std::chrono::milliseconds timeout;
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t enqueued = 0;
  std::uint64_t released = 0;
  bool timed_out = false;
};

struct Latch::Impl {
  std::shared_ptr<LatchState> state = std::make_shared<LatchState>();
};

Latch::Latch(std::chrono::milliseconds timeout) : impl_(std::make_unique<Impl>()) {
  impl_->state->timeout = timeout;
}
Latch::~Latch() {
  if (impl_) release();
}
Latch::Latch(Latch&&) noexcept = default;
Latch& Latch::operator=(Latch&&) noexcept = default;

void Latch::hold(Stream& stream) {
  const auto state = impl_->state;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(state->mutex);
    number = ++state->enqueued;
  }
  stream.impl().enqueue([state, number] {
    std::unique_lock lock(state->mutex);
    if (!state->changed.wait_for(lock, state->timeout, [&] { return state->released >= number; }))
      state->timed_out = true;
  });
}

void Latch::release() noexcept {
  LatchState& state = *impl_->state;
  const std::lock_guard lock(state.mutex);
  state.released = state.enqueued;
  state.changed.notify_all();
}

bool Latch::timed_out() const {
  const std::lock_guard lock(impl_->state->mutex);
  return impl_->state->timed_out;
}

std::optional<double> sm_clock_mhz(Stream&) { return std::nullopt; }

}  // namespace overlap
