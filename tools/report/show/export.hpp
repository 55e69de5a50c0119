// Runs in the formats that trackers take in, without what they read wrongly: failed rows as times of 0,
// summaries as measurements, numbers that are none. Pure. A row's value is the median over the runs, which
// are of one machine, build and revision (why_apart() in read/merge.hpp).
#pragma once

#include <string>
#include <vector>

#include "read/results.hpp"

namespace overlap::report {

/// Google Benchmark JSON with one plain row a name: the median of its samples in real_time, and all else as
/// it was written, context and counters included. Takes runs as they were read, without what normalise()
/// makes of them. Rows without a time in any run are left out of every format.
std::string export_gbench(const std::vector<Run>& runs);
/// github-action-benchmark's customSmallerIsBetter: [{name, unit, value, range, extra}].
/// Times in microseconds. `extra` is GPU and driver, where the run knows its GPU.
std::string export_github_action(const std::vector<Run>& runs);
/// Bencher Metric Format: latency in nanoseconds, throughput in bytes per second where the row has it.
std::string export_bencher(const std::vector<Run>& runs);
/// Apache Otava's CSV: a line a run, a column a row, times in microseconds.
std::string export_otava(const std::vector<Run>& runs);

}  // namespace overlap::report
