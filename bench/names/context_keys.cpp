#include "names/context_keys.hpp"

namespace overlap {
namespace {

using enum Agreement;

constexpr ContextKey kKeys[] = {
    {context::kBackend, "", required},
    {context::kGpu, "", required},
    {context::kComputeCapability, "", required},
    {context::kDriver, "driver", required},
    {context::kCudaRuntime, "CUDA", required},
    {context::kPcie, "PCIe", noted},
    {context::kBuildType, "build", required},
    {context::kLibraryBuildType, "", required},
    {context::kRevision, "revision", noted},
    {context::kGpuUuid, "", noted},
    {context::kHostName, "", noted},
    {context::kNumCpus, "", noted},
    {context::kCompiler, "", noted},
    {context::kSweep, "", noted},
    {context::kLibraryVersion, "", noted},
    {context::kTorch, "", noted},
    {context::kPciAddress, "", free},
    {context::kSmCount, "", free},
    {context::kL2Bytes, "", free},
    {context::kCopyEngines, "", free},
    {context::kSmClockMhz, "", free},
    {context::kTimerFloorUs, "", free},
    {context::kDate, "", free},
};

}  // namespace

std::span<const ContextKey> all_context_keys() { return kKeys; }

}  // namespace overlap
