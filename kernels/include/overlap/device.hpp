// THE SEAM between benchmarks and a backend: one header, two libraries.
//
// `kernels_cuda` implements it on the CUDA runtime, `kernels_host` on CPU threads. An executable links
// exactly one of them, so the linker chooses the backend and no call needs a table or a template.
//
// How it is used: use_device() once, then streams, memory and events, each an object that owns one resource.
// Calls that take a Stream only enqueue: their results and errors appear at synchronize(). Sizes are in bytes
// where they say so and in elements elsewhere; times are std::chrono durations. One thread at a time uses an
// object.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace overlap {

/// The one error type of the seam. what() holds the place, the backend's own error text and the sizes that
/// were asked for.
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

/// Describes device number `device`, counted from 0. Makes no context on it: only properties are read, so a
/// process that merely asks takes no device memory. Does not wait. Never throws: a device that cannot be used
/// says so in `why_not`.
DeviceInfo device_info(int device = 0);

/// Bytes of device memory that can still be allocated, by this process or any other. On CUDA it makes
/// `device` current for the calling thread, with a context if it had none. Does not wait.
/// @throws DeviceError if the device cannot be used.
std::size_t free_memory(int device = 0);

/// Makes `device` current for the calling thread and loads every kernel, so that no later launch loads code.
/// Call it first: loading may wait for the whole device.
/// @throws DeviceError if the device cannot be used.
void use_device(int device);

// ----------------------------------------------------------------------------------------------------
// streams

/// In-order queue of device work, never synchronised with a default stream. Move-only.
/// Work on different streams may run at the same time. The destructor waits for queued work and never throws.
class Stream {
 public:
  Stream();  ///< @throws DeviceError
  /// A view of a stream that belongs to somebody else and outlives this. `native` is a cudaStream_t of the
  /// current device; the destructor neither waits for it nor destroys it. The host backend has no streams of
  /// others: there `native` must be null, and each call runs its work at once and throws its errors.
  /// @throws DeviceError on the host backend if `native` is not null.
  static Stream borrow(void* native);
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  /// Waits until all queued work is done.
  /// @throws DeviceError if any of it failed, or if the stream is being captured.
  void synchronize();

  struct Impl;                              ///< what the backend makes of it
  Impl& impl() noexcept { return *impl_; }  ///< for backends

 private:
  explicit Stream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A point in a stream's work that other streams and the host can wait for. It cannot time; see TimingEvent.
/// Move-only. Destroying it disturbs no wait that is enqueued already.
class Event {
 public:
  Event() : Event(false) {}  ///< @throws DeviceError
  ~Event();
  Event(Event&&) noexcept;
  Event& operator=(Event&&) noexcept;

  /// Enqueues the event: it is reached when the work queued on `stream` so far is done. Recording again does
  /// not disturb waits already enqueued. @throws DeviceError
  void record(Stream& stream);
  /// Waits until the recorded point is reached; returns at once if never recorded.
  /// @throws DeviceError if the work before it failed, or if it was recorded in a capture.
  void synchronize();

  struct Impl;
  Impl& impl() const noexcept { return *impl_; }

 protected:
  explicit Event(bool timing);

 private:
  std::unique_ptr<Impl> impl_;
};

/// An event that also remembers when the device reached it, for elapsed().
class TimingEvent : public Event {
 public:
  TimingEvent() : Event(true) {}
};

/// Enqueues a wait: later work on `stream` starts once `event` is reached. An event that was never recorded
/// holds nothing. The call itself does not wait.
/// @throws DeviceError if the backend refuses it.
void wait(Stream& stream, const Event& event);

/// Device time between two reached events, negative if `stop` was reached first. CUDA's events resolve about
/// 0.5 us. Does not wait.
/// @throws DeviceError if either was not recorded, or is not reached yet.
std::chrono::duration<double> elapsed(const TimingEvent& start, const TimingEvent& stop);

/// While it lives, a kernel launched on `stream` may start before the kernel ahead of it has ended. It does
/// its preparations, then waits by itself until the other's results can be seen. In a capture the graph keeps
/// this. Only kernels of this library, other than those of Variant::plain, start early; others are launched
/// as usual. `stream` must outlive it.
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

/// Kinds of host memory; the words of the `mem` axis. The host backend treats the first three alike and has
/// no fourth. On CUDA, kernels can read and write every kind but pageable.
enum class HostMemory {
  pinned,          ///< page-locked when it is allocated: copies run beside the CPU
  pageable,        ///< plain memory: a copy passes through the driver's own pinned pages
  registered,      ///< plain memory that is page-locked afterwards
  write_combined,  ///< pinned and not cached: the CPU writes it fast and reads it very slowly
};

/// Allocates uninitialised device memory, aligned to 256 bytes or more. May wait for the device.
/// @return nullptr for 0 bytes. @throws DeviceError if there is not enough.
void* allocate_device(std::size_t bytes);
/// Frees what allocate_device() returned. Drain the streams that use it first: it may not wait for them.
void free_device(void* memory) noexcept;
/// Allocates uninitialised host memory. May wait for the device.
/// @return nullptr for 0 bytes. @throws DeviceError if there is not enough, or none of this kind.
void* allocate_host(std::size_t bytes, HostMemory kind);
/// Frees what allocate_host() returned for the same `kind`. Drain the streams that use it first.
void free_host(void* memory, HostMemory kind) noexcept;

/// Bytes of `elements` that take `element_bytes` each.
/// @throws DeviceError if that is more than an address can count.
inline std::size_t checked_bytes(std::size_t elements, std::size_t element_bytes) {
  if (elements > std::numeric_limits<std::size_t>::max() / element_bytes)
    throw DeviceError(std::to_string(elements) + " elements do not fit any address space");
  return elements * element_bytes;
}

/// Owns `elements` of T in device memory, uninitialised. Move-only. The host must not read or write span().
/// Destroy it after the work that uses it is done.
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
/// Destroy it after the work that uses it is done.
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

/// Which way a copy goes: h is the host's memory, d the device's.
enum class CopyDirection { h2d, d2h, d2d };

/// Enqueues a copy of `bytes`, of which 0 do nothing. Both buffers must live until it has run and may not
/// overlap. With pageable memory the call may wait, as CUDA's does.
/// @throws DeviceError if the backend refuses it.
void copy_bytes(void* to, const void* from, std::size_t bytes, CopyDirection direction, Stream& stream);

/// Enqueues setting `bytes` of device memory to `value` each; 0xFF makes every float a NaN.
/// @throws DeviceError if the backend refuses it.
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

/// Enqueues a copy from host to device memory, as copy_bytes() does. copy_d2h() and copy_d2d() below do the
/// same the other way and within the device.
/// @throws DeviceError if the spans differ in length, or if the backend refuses the copy.
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
  std::size_t blocks = 0;    ///< in its grid
  std::size_t resident = 0;  ///< blocks like these that the device holds at once; 0 where nobody can tell
};

/// The graph being built: a description of work, which a Graph runs. Move-only.
/// Memory is remembered by its address and read again at each replay, so it must live as long as the graph.
class GraphBuilder {
 public:
  /// Captures what `work` enqueues on `origin` and on streams forked from it by events. Nothing runs. `work`
  /// must join every forked stream back to `origin`, and must not synchronise.
  /// @throws DeviceError if it does otherwise; whatever `work` throws, after ending the capture.
  GraphBuilder(Stream& origin, const std::function<void()>& work);
  ~GraphBuilder();
  GraphBuilder(GraphBuilder&&) noexcept;
  GraphBuilder& operator=(GraphBuilder&&) noexcept;

  std::size_t node_count() const;  ///< operations in it. @throws DeviceError
  /// The graph's kernels, in no particular order, known before any has run. @throws DeviceError
  std::vector<KernelShape> kernels() const;

  struct Impl;
  Impl& impl() const noexcept { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// The graph being run. Move-only. Launches of one Graph never overlap each other; each is ordered in its
/// stream like any other work. It needs no GraphBuilder once it is made.
class Graph {
 public:
  /// Makes an executable graph, which costs far more than a launch. @throws DeviceError
  explicit Graph(const GraphBuilder& builder);
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  /// Enqueues one replay. @throws DeviceError
  void launch(Stream& stream);
  /// Enqueues what the first launch would have to prepare, so that it costs what later ones do.
  /// @throws DeviceError
  void upload(Stream& stream);
  /// Takes over the builder's parameters, such as addresses, for later launches. Much cheaper than a new
  /// Graph.
  /// @throws DeviceError if the topology differs: other nodes, or other dependencies.
  void update(const GraphBuilder& builder);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace overlap
