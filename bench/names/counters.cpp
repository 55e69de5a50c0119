#include "names/counters.hpp"

#include <algorithm>

namespace overlap {
namespace {

using enum Better;

/// In the order of counters.hpp.
constexpr Counter kCounters[] = {
    {counter::kOurs, "", neither, "1: the row's counters are Overlap's"},
    {counter::kMinUs, "us", lower, "the fastest sample"},
    {counter::kP50Us, "us", lower, "the median of the samples: the row's time"},
    {counter::kP95Us, "us", lower, "below which 95 % of the samples lie"},
    {counter::kCv, "1", lower, "standard deviation over mean of the samples"},
    {counter::kBatch, "", neither, "operations in a sample"},
    {counter::kSamples, "", neither, "samples that were taken"},
    {counter::kOverBudget, "", neither, "1 where the wall-clock budget ended the row early"},
    {counter::kBytesPerSecond, "B/s", higher, "payload over time"},
    {counter::kSmClockMhz, "MHz", neither, "clock of the multiprocessors after the row"},
    {counter::kSubmitUs, "us", lower, "CPU time to enqueue one operation"},
    {counter::kHostBound, "", neither, "1 where enqueuing takes as long as the operation"},
    {counter::kCpuFreePct, "%", higher, "share of the time in which the submitting thread is free"},
    {counter::kPlainLoopUs, "us", lower, "the same launches in a plain loop, in turn with the row"},
    {counter::kOverPlainLoop, "1", lower, "the row's time over that of the plain loop"},
    {counter::kH2dUs, "us", lower, "the copies in, alone"},
    {counter::kKernelUs, "us", lower, "the kernels, alone"},
    {counter::kD2hUs, "us", lower, "the copies out, alone"},
    {counter::kLinkUs, "us", lower, "both directions of copies, as fast as the link takes them at once"},
    {counter::kSerialUs, "us", lower, "all stages one after the other"},
    {counter::kBoundUs, "us", lower, "the least time with everything overlapped"},
    {counter::kBoundPct, "%", higher, "that over the row's time"},
    {counter::kOverlapPct, "%", higher, "share of what overlap could hide that it hid"},
    {counter::kTransferPct, "%", neither, "share of the stages' time that copies take"},
    {counter::kPredictedUs, "us", lower, "what the model expects of the row"},
    {counter::kChunks, "", neither, "pieces that the arrays are cut into"},
    {counter::kBestChunks, "", neither, "pieces that the model would take"},
    {counter::kBestStreams, "", neither, "streams that the model would take"},
    {counter::kGflopPerS, "GFLOP/s", higher, "arithmetic over time"},
    {counter::kBlocks, "", neither, "blocks of one kernel"},
    {counter::kResidentBlocks, "", neither, "of them that the device holds at once"},
    {counter::kPossibleSpeedup, "1", higher, "what running the kernels together could gain"},
    {counter::kPctOfCopy, "%", higher, "time of a device copy of as many bytes over the row's"},
    {counter::kSets, "", neither, "sets of buffers that operations rotate through"},
    {counter::kL2Ratio, "1", neither, "bytes of all sets over the L2 cache"},
    {counter::kH2dGbPerS, "GB/s", higher, "rate of the copies in while copies out run"},
    {counter::kD2hGbPerS, "GB/s", higher, "rate of the copies out while copies in run"},
};

}  // namespace

std::span<const Counter> all_counters() { return kCounters; }

const Counter* find_counter(std::string_view name) {
  const auto found =
      std::ranges::find_if(kCounters, [name](const Counter& counter) { return counter.name == name; });
  return found == std::end(kCounters) ? nullptr : found;
}

std::optional<bool> lower_is_better(std::string_view metric) {
  if (metric == "time") return true;
  if (const Counter* known = find_counter(metric)) {
    if (known->better == neither) return std::nullopt;
    return known->better == lower;
  }
  if (metric.ends_with("_us")) return true;
  for (const char* end : {"_per_second", "_per_s", "_pct"})
    if (metric.ends_with(end)) return false;
  return metric.starts_with("pct_") ? std::optional(false) : std::nullopt;
}

std::optional<double> overlap_percent(double serial, double bound, double time) {
  constexpr double kLeastToHide =
      0.05;  // of serial: stages differ by as much from run to run where hosts pace them
  if (!(serial - bound > kLeastToHide * serial)) return std::nullopt;
  return std::max(0.0, 100 * (serial - time) / (serial - bound));
}

}  // namespace overlap
