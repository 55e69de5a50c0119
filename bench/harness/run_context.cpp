// The context's values are text: the library writes them as they are, so only printable characters go in.
#include "harness/run_context.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/build_info.hpp"
#include "names/context_keys.hpp"

namespace overlap {

namespace {

/// What the family says for a report that does not know it; defaults are those of its late axes.
FamilyFacts facts_of(const Family& family) {
  FamilyFacts facts = family.facts;
  for (const Axis& axis : family.axes)
    if (!axis.late_default.empty()) facts.defaults.emplace_back(axis.name, axis.late_default);
  return facts;
}

}  // namespace

std::string clock_text(std::optional<double> mhz) { return mhz ? fmt::format("{:.0f}", *mhz) : "unknown"; }

Context run_context(const Session& session, const Options& options, const std::vector<Family>& families,
                    double timer_floor_us, const std::string& clock) {
  const DeviceInfo& device = session.device();
  const BuildInfo build = build_info();
  Context all = {{context::kBackend, backend_name()},
                 {context::kGpu, device.gpu},
                 {context::kGpuUuid, device.uuid},
                 {context::kPciAddress, device.pci_address},
                 {context::kComputeCapability, device.compute_capability},
                 {context::kSmCount, std::to_string(device.sm_count)},
                 {context::kL2Bytes, std::to_string(device.l2_bytes)},
                 {context::kCopyEngines, std::to_string(device.copy_engines)},
                 {context::kDriver, device.driver},
                 {context::kCudaRuntime, device.runtime},
                 {context::kPcie, device.pcie},
                 {context::kSmClockMhz, clock},
                 {context::kTimerFloorUs, fmt::format("{:.3f}", timer_floor_us)},
                 {context::kBuildType, build.build_type},
                 {context::kCompiler, build.compiler},
                 {context::kRevision, build.revision},
                 {context::kSweep, fmt::format("preset={}{}{} min_time={} warm_up={}", options.sweep.preset,
                                               options.sweep.overrides.empty() ? "" : " sweep=",
                                               fmt::join(options.sweep.overrides, " sweep="),
                                               options.measure.min_time_s, options.measure.warm_up_s)}};
  for (const Family& family : families)
    if (const FamilyFacts facts = facts_of(family); !facts.empty())
      all.emplace_back(context::kFamilyPrefix + family.name, print(facts));
  for (auto& [key, value] : all) value = value.empty() ? "unknown" : printable(value);
  return all;
}

}  // namespace overlap
