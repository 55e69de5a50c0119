// Every counter that a row can have: its name in the JSON, its unit, and which way is better. The programs
// write by these names and the report reads by them; a test holds the Python program to the same.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace overlap {

namespace counter {
/// 1 says that the other names of this list mean in this row what they say here: for rows of ours in somebody
/// else's program. Rows of our programs need it not, their context says it (read/results.hpp).
inline constexpr const char* kOurs = "overlap_counters";
// Of every row: its samples.
inline constexpr const char* kMinUs = "min_us";
inline constexpr const char* kP50Us = "p50_us";
inline constexpr const char* kP95Us = "p95_us";
inline constexpr const char* kCv = "cv";
inline constexpr const char* kBatch = "batch";
inline constexpr const char* kSamples = "samples";
inline constexpr const char* kOverBudget = "over_budget";
inline constexpr const char* kBytesPerSecond = "bytes_per_second";
inline constexpr const char* kSmClockMhz = "sm_clock_mhz";
// The submitting thread.
inline constexpr const char* kSubmitUs = "submit_us";
inline constexpr const char* kHostBound = "host_bound";
inline constexpr const char* kCpuFreePct = "cpu_free_pct";
inline constexpr const char* kPlainLoopUs = "plain_loop_us";
inline constexpr const char* kOverPlainLoop = "over_plain_loop";
// Stages alone, and what they allow.
inline constexpr const char* kH2dUs = "h2d_us";
inline constexpr const char* kKernelUs = "kernel_us";
inline constexpr const char* kD2hUs = "d2h_us";
inline constexpr const char* kLinkUs = "link_us";
inline constexpr const char* kSerialUs = "serial_us";
inline constexpr const char* kBoundUs = "bound_us";
inline constexpr const char* kBoundPct = "bound_pct";
inline constexpr const char* kOverlapPct = "overlap_pct";
inline constexpr const char* kTransferPct = "transfer_pct";
inline constexpr const char* kPredictedUs = "predicted_us";
inline constexpr const char* kChunks = "chunks";
inline constexpr const char* kBestChunks = "best_chunks";
inline constexpr const char* kBestStreams = "best_streams";
// Kernels.
inline constexpr const char* kGflopPerS = "gflop_per_s";
inline constexpr const char* kBlocks = "blocks";
inline constexpr const char* kResidentBlocks = "resident_blocks";
inline constexpr const char* kPossibleSpeedup = "possible_speedup";
inline constexpr const char* kPctOfCopy = "pct_of_copy";
inline constexpr const char* kSets = "sets";
inline constexpr const char* kL2Ratio = "l2_ratio";
// Copies, each direction under the other's load.
inline constexpr const char* kH2dGbPerS = "h2d_gb_per_s";
inline constexpr const char* kD2hGbPerS = "d2h_gb_per_s";
}  // namespace counter

/// How the label of a row begins that says what bounds it: Google Benchmark keeps no other text for a row.
inline constexpr const char* kBoundByLabel = "bound_by:";

/// Which way a counter gets better; `neither` where it only describes the row.
enum class Better { lower, higher, neither };

struct Counter {
  const char* name;
  const char* unit;  ///< "us", "%", "B/s", "GB/s", "1" for a ratio, "" for a number of things
  Better better;
  const char* means;  ///< in a sentence
};

/// All of them.
std::span<const Counter> all_counters();

/// The counter of that name; nullptr for one that is somebody else's.
const Counter* find_counter(std::string_view name);

/// Whether less of a metric is better: "time", a counter of ours, or one whose name ends as ours do.
/// @return nothing if the name does not say.
std::optional<bool> lower_is_better(std::string_view metric);

/// Share of the time that overlap could hide which it did hide, in percent; 0 for a row that hid nothing.
/// Nothing where all that could be hidden is less than measuring can tell.
std::optional<double> overlap_percent(double serial, double bound, double time);

}  // namespace overlap
