// THE SEAM between benchmarks and a backend: one header, two libraries.
//
// `kernels_cuda` implements it on the CUDA runtime, `kernels_host` on CPU threads; an executable links
// exactly one of them, so which backend it uses is decided at link time and no call needs a table or a
// template. Every asynchronous call only enqueues: results and errors appear at synchronize().
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace overlap {

/// The one error type of the seam; what() holds the place, the backend's own error text and the sizes
/// involved.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the device is, and whether it can be used. Strings are empty where the backend cannot tell.
struct DeviceInfo {
  bool usable = false;
  std::string why_not;      ///< one line, with a remedy where there is one; empty if usable
  std::string gpu;          ///< the device's name
  std::string uuid;         ///< such as "GPU-00000000-0000-0000-0000-000000000000"
  std::string pci_address;  ///< such as "0000:17:00.0"
  std::string compute_capability;
  int sm_count = 0;             ///< multiprocessors; hardware threads on the host
  std::size_t l2_bytes = 0;     ///< last cache level that kernels share
  std::size_t total_bytes = 0;  ///< device memory
  int copy_engines = 0;         ///< 2 or more: copies in and out can run at once
  std::string driver;
  std::string runtime;
  std::string pcie;                  ///< such as "gen5 x16"
  bool write_combined = false;       ///< whether HostMemory::write_combined exists
  bool programmatic_launch = false;  ///< whether ProgrammaticLaunch does
};

/// Which backend this program was linked to: "cuda" or "host".
const char* backend_name();

/// Describes device number `device` without making a context on it. Never throws: a device that cannot be
/// used says so in `why_not`.
DeviceInfo device_info(int device = 0);

/// Bytes of device memory that can still be allocated. Makes a context where there is none.
/// @throws DeviceError if the device cannot be used.
std::size_t free_memory(int device = 0);

/// Makes `device` current for the calling thread and loads every kernel, so that no later launch loads code.
/// @throws DeviceError if the device cannot be used.
void use_device(int device);

// ----------------------------------------------------------------------------------------------------
// streams

/// In-order queue of device work, never synchronised with a default stream. Move-only.
/// The destructor finishes queued work and never throws.
class Stream {
 public:
  Stream();  ///< @throws DeviceError
  /// Work for a stream that belongs to somebody else and outlives this: `native` is a cudaStream_t of the
  /// current device, and nothing waits for it at the end. The host backend knows no streams but its own:
  /// there `native` is null, and work runs at once, in the thread that enqueues it, which gets its errors.
  static Stream borrow(void* native);
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  /// Waits until all queued work is done. @throws DeviceError, also for work queued earlier.
  void synchronize();

  struct Impl;
  Impl& impl() noexcept { return *impl_; }

 private:
  explicit Stream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A point in a stream's work that other streams and the host can wait for. It cannot time; see TimingEvent.
class Event {
 public:
  Event() : Event(false) {}  ///< @throws DeviceError
  ~Event();
  Event(Event&&) noexcept;
  Event& operator=(Event&&) noexcept;

  /// Marks the work queued on `stream` so far. Recording again does not disturb waits already enqueued.
  void record(Stream& stream);
  /// Waits until the recorded point is reached; returns at once if never recorded. @throws DeviceError
  void synchronize();

  struct Impl;
  Impl& impl() const noexcept { return *impl_; }

 protected:
  explicit Event(bool timing);

 private:
  std::unique_ptr<Impl> impl_;
};

/// An event that also remembers when the device reached it.
class TimingEvent : public Event {
 public:
  TimingEvent() : Event(true) {}
};

/// Holds later work on `stream` until `event` is reached; a never recorded event holds nothing. Does not
/// wait.
void wait(Stream& stream, const Event& event);

/// Device time between two reached events (resolution of CUDA events: about 0.5 us).
/// @throws DeviceError if either was not recorded, or is not reached yet.
std::chrono::duration<double> elapsed(const TimingEvent& start, const TimingEvent& stop);

/// While it lives, a kernel launched on `stream` may start before the one ahead of it has ended: it does its
/// preparations, then waits for the other's results by itself. Also in a capture, where the graph keeps it.
class ProgrammaticLaunch {
 public:
  explicit ProgrammaticLaunch(Stream& stream);  ///< @throws DeviceError where the device has no such launches
  ~ProgrammaticLaunch();
  ProgrammaticLaunch(const ProgrammaticLaunch&) = delete;
  ProgrammaticLaunch& operator=(const ProgrammaticLaunch&) = delete;

 private:
  Stream::Impl* stream_;
};

// -----------------------------------------------------------------------------------------------------
// memory

/// Kinds of host memory, named as the `mem` axis. The host backend treats the first three alike. Kernels may
/// read and write all kinds but pageable themselves.
enum class HostMemory { pinned, pageable, registered, write_combined };

void* allocate_device(std::size_t bytes);                 ///< nullptr for 0 bytes. @throws DeviceError
void free_device(void* memory) noexcept;                  ///< waits for nothing: drain the streams first
void* allocate_host(std::size_t bytes, HostMemory kind);  ///< nullptr for 0 bytes. @throws DeviceError
void free_host(void* memory, HostMemory kind) noexcept;

/// @throws DeviceError if `elements` of `element_bytes` overflow the address space.
inline std::size_t checked_bytes(std::size_t elements, std::size_t element_bytes) {
  if (elements > std::numeric_limits<std::size_t>::max() / element_bytes)
    throw DeviceError(std::to_string(elements) + " elements do not fit any address space");
  return elements * element_bytes;
}

/// Owns `elements` of T in device memory, uninitialised. Move-only; the host must not dereference span().
template <class T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t elements)
      : memory_(allocate_device(checked_bytes(elements, sizeof(T)))), elements_(elements) {}
  std::span<T> span() const noexcept { return {static_cast<T*>(memory_.get()), elements_}; }

 private:
  struct Free {
    void operator()(void* memory) const noexcept { free_device(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  std::size_t elements_ = 0;
};

/// Owns `elements` of T in host memory of the given kind, uninitialised. Move-only.
template <class T>
class HostBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  HostBuffer() = default;
  HostBuffer(std::size_t elements, HostMemory kind)
      : memory_(allocate_host(checked_bytes(elements, sizeof(T)), kind), Free{kind}), elements_(elements) {}
  std::span<T> span() const noexcept { return {static_cast<T*>(memory_.get()), elements_}; }

 private:
  struct Free {
    HostMemory kind = HostMemory::pageable;
    void operator()(void* memory) const noexcept { free_host(memory, kind); }
  };
  std::unique_ptr<void, Free> memory_;
  std::size_t elements_ = 0;
};

// -----------------------------------------------------------------------------------------------------
// copies

enum class CopyDirection { h2d, d2h, d2d };

/// Enqueues a copy of `bytes`; both buffers must live until it has run. From or to pageable memory the call
/// may block, as CUDA's does. @throws DeviceError if the backend refuses it.
void copy_bytes(void* to, const void* from, std::size_t bytes, CopyDirection direction, Stream& stream);

/// Enqueues setting every byte of device memory to `value` (0xFF makes every float a NaN).
void fill_bytes(void* memory, std::uint8_t value, std::size_t bytes, Stream& stream);

namespace detail {
template <class T>
void copy(std::span<T> to, std::span<const T> from, CopyDirection direction, Stream& stream) {
  if (to.size() != from.size())
    throw DeviceError("copy of " + std::to_string(from.size()) + " elements into " +
                      std::to_string(to.size()));
  copy_bytes(to.data(), from.data(), from.size_bytes(), direction, stream);
}
}  // namespace detail

/// Typed copies of equally long spans, host to device, device to host and device to device.
template <class T>
void copy_h2d(std::span<T> device, std::type_identity_t<std::span<const T>> host, Stream& stream) {
  detail::copy<T>(device, host, CopyDirection::h2d, stream);
}
template <class T>
void copy_d2h(std::span<T> host, std::type_identity_t<std::span<const T>> device, Stream& stream) {
  detail::copy<T>(host, device, CopyDirection::d2h, stream);
}
template <class T>
void copy_d2d(std::span<T> to, std::type_identity_t<std::span<const T>> from, Stream& stream) {
  detail::copy<T>(to, from, CopyDirection::d2d, stream);
}

// -----------------------------------------------------------------------------------------------------
// graphs

/// How one kernel fills the device.
struct KernelShape {
  std::size_t blocks = 0;
  std::size_t resident = 0;  ///< of them that the device holds at once; 0 where the backend cannot tell
};

/// The graph being built: captures what `work` enqueues on `origin` and on streams forked from it by events.
/// Nothing runs. Every forked stream must be joined back to `origin` before `work` returns, and `work` must
/// not synchronise. Memory is remembered by address and read again at each replay.
class GraphBuilder {
 public:
  /// @throws DeviceError if the capture is invalid; whatever `work` throws, after ending the capture.
  GraphBuilder(Stream& origin, const std::function<void()>& work);
  ~GraphBuilder();
  GraphBuilder(GraphBuilder&&) noexcept;
  GraphBuilder& operator=(GraphBuilder&&) noexcept;

  std::size_t node_count() const;
  /// The graph's kernels, known before any has run.
  std::vector<KernelShape> kernels() const;

  struct Impl;
  Impl& impl() const noexcept { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// The graph being run. Launches of one Graph never overlap each other; each is ordered in its stream.
class Graph {
 public:
  explicit Graph(const GraphBuilder& builder);  ///< instantiates. @throws DeviceError
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  void launch(Stream& stream);  ///< enqueues one replay. @throws DeviceError
  void upload(Stream& stream);  ///< enqueues what the first launch would have to prepare. @throws DeviceError
  /// Takes over the builder's parameters for later launches. @throws DeviceError if the topology differs.
  void update(const GraphBuilder& builder);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace overlap
