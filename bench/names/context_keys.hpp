// What the context of a run says of its machine and its program, and which of it runs must have in common.
#pragma once

#include <span>
#include <string_view>

namespace overlap {

/// Whether two runs may differ in a key.
enum class Agreement {
  required,  ///< a difference makes their times incomparable
  noted,     ///< a difference is worth a line
  free,      ///< nobody minds
};

struct ContextKey {
  const char* name;
  const char* label;  ///< where people read; empty: not in a one-line description
  Agreement agreement;
};

namespace context {
inline constexpr const char* kBackend = "backend";
inline constexpr const char* kGpu = "gpu";
inline constexpr const char* kGpuUuid = "gpu_uuid";
inline constexpr const char* kPciAddress = "pci_address";
inline constexpr const char* kComputeCapability = "compute_capability";
inline constexpr const char* kSmCount = "sm_count";
inline constexpr const char* kL2Bytes = "l2_bytes";
inline constexpr const char* kCopyEngines = "copy_engines";
inline constexpr const char* kDriver = "driver";
inline constexpr const char* kCudaRuntime = "cuda_runtime";
inline constexpr const char* kPcie = "pcie";
inline constexpr const char* kSmClockMhz = "sm_clock_mhz";
inline constexpr const char* kTimerFloorUs = "timer_floor_us";
inline constexpr const char* kBuildType = "build_type";
inline constexpr const char* kCompiler = "compiler";
inline constexpr const char* kRevision = "revision";
inline constexpr const char* kSweep = "sweep";
inline constexpr const char* kTorch = "torch";
// Google Benchmark's own.
inline constexpr const char* kDate = "date";
inline constexpr const char* kHostName = "host_name";
inline constexpr const char* kExecutable = "executable";
inline constexpr const char* kNumCpus = "num_cpus";
inline constexpr const char* kLibraryVersion = "library_version";
inline constexpr const char* kLibraryBuildType = "library_build_type";
/// Followed by a family's name: what the report has to know of a family that it does not know.
inline constexpr const char* kFamilyPrefix = "family.";
}  // namespace context

/// All of them, in the order in which a description names them.
std::span<const ContextKey> all_context_keys();

}  // namespace overlap
