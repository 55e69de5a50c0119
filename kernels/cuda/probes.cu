// The kernels that serve measuring and testing. A latch is a kernel of one thread that spins until the host
// raises a number in pinned memory, so nothing else of the device is taken while a stream is held.
#include "cuda/elementwise.cuh"
#include "overlap/probes.hpp"

namespace overlap {
namespace {

__device__ std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__global__ void empty_kernel() {}

__global__ void trap_kernel() { __trap(); }

__global__ void count_mismatches_kernel(const float* actual, std::size_t n, const float* expected,
                                        std::size_t period, std::size_t offset, Tolerance tolerance,
                                        Mismatches* result) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float got = actual[i];
  const float want = expected[(offset + i) % period];
  // Infinities have no distance: only equality counts. The last test is false for a NaN.
  if (got == want ||
      (isfinite(want) && fabsf(got - want) <= tolerance.absolute + tolerance.relative * fabsf(want)))
    return;
  atomicAdd(reinterpret_cast<unsigned long long*>(&result->count), 1ULL);
  atomicMin(reinterpret_cast<unsigned long long*>(&result->first), static_cast<unsigned long long>(i));
}

/// What the host and a held stream tell each other, in memory that both see.
struct LatchFlags {
  std::uint64_t released;
  std::uint64_t timed_out;
};

__global__ void latch_kernel(volatile LatchFlags* flags, std::uint64_t number, std::uint64_t timeout_ns) {
  const std::uint64_t start = nanoseconds();
  while (flags->released < number) {
    if (nanoseconds() - start > timeout_ns) {
      flags->timed_out = 1;
      return;
    }
  }
}

struct ClockReading {
  long long cycles;
  unsigned long long nanoseconds;
};

__global__ void clock_kernel(ClockReading* reading, std::uint64_t duration_ns) {
  // Starts on a tick of the global timer, which is coarse: about 1 us where this was measured.
  std::uint64_t start = nanoseconds(), now = start;
  while (now == start) now = nanoseconds();
  start = now;
  const long long first = clock64();
  while (now - start < duration_ns) now = nanoseconds();
  *reading = {clock64() - first, now - start};
}

}  // namespace

void launch_empty(Stream& stream) {
  empty_kernel<<<1, 1, 0, stream.impl().stream>>>();
  check(cudaGetLastError(), "launch the empty kernel");
}

void launch_trap(Stream& stream) {
  trap_kernel<<<1, 1, 0, stream.impl().stream>>>();
  check(cudaGetLastError(), "launch the trap kernel");
}

void launch_count_mismatches(std::span<const float> actual, std::span<const float> expected,
                             std::uint64_t offset, Tolerance tolerance, std::span<Mismatches> result,
                             Stream& stream) {
  require_expected(actual.size(), expected.size(), result.size());
  if (actual.empty()) return;
  const unsigned blocks = elementwise::blocks_for(actual.size());
  count_mismatches_kernel<<<blocks, elementwise::kThreads, 0, stream.impl().stream>>>(
      actual.data(), actual.size(), expected.data(), expected.size(), offset % expected.size(), tolerance,
      result.data());
  check(cudaGetLastError(), "count mismatches", actual.size());
}

struct Latch::Impl {
  // Unified addressing: the device sees pinned memory at the host's address.
  HostBuffer<LatchFlags> memory{1, HostMemory::pinned};
  std::uint64_t timeout_ns = 0;
  std::uint64_t enqueued = 0;

  volatile LatchFlags& flags() const { return memory.span()[0]; }
};

Latch::Latch(std::chrono::milliseconds timeout) : impl_(std::make_unique<Impl>()) {
  impl_->memory.span()[0] = {};
  impl_->timeout_ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(timeout).count());
}
Latch::~Latch() {
  if (!impl_) return;
  release();
  // A held stream reads the flags until it sees the release; freeing pinned memory waits for the device.
}
Latch::Latch(Latch&&) noexcept = default;
Latch& Latch::operator=(Latch&&) noexcept = default;

void Latch::hold(Stream& stream) {
  latch_kernel<<<1, 1, 0, stream.impl().stream>>>(&impl_->flags(), impl_->enqueued + 1, impl_->timeout_ns);
  check(cudaGetLastError(), "hold a stream");
  ++impl_->enqueued;
}

void Latch::release() noexcept { impl_->flags().released = impl_->enqueued; }

bool Latch::timed_out() const { return impl_->flags().timed_out != 0; }

std::optional<double> sm_clock_mhz(Stream& stream) {
  constexpr std::uint64_t kDurationNs = 200'000;
  const HostBuffer<ClockReading> reading(1, HostMemory::pinned);
  clock_kernel<<<1, 1, 0, stream.impl().stream>>>(reading.span().data(), kDurationNs);
  check(cudaGetLastError(), "read the SM clock");
  stream.synchronize();
  const ClockReading& r = reading.span()[0];
  return static_cast<double>(r.cycles) * 1e3 / static_cast<double>(r.nanoseconds);
}

void preload_probes() {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, empty_kernel), "load the empty kernel");
  check(cudaFuncGetAttributes(&attributes, trap_kernel), "load the trap kernel");
  check(cudaFuncGetAttributes(&attributes, count_mismatches_kernel), "load the check");
  check(cudaFuncGetAttributes(&attributes, latch_kernel), "load the latch");
  check(cudaFuncGetAttributes(&attributes, clock_kernel), "load the clock");
}

}  // namespace overlap
