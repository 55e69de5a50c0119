// Two sides of runs, row by row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/verdict.hpp"

namespace overlap::report {

/// A row as both sides have it: in each run that has it. One of the sides may be empty.
struct Pair {
  std::string name;
  std::vector<const Row*> baseline, fresh;
  /// Runs have several rows of this name, and not all of them as many: a place says nothing then.
  bool is_ambiguous = false;
};

/// What of both sides counts for every row.
struct Sides {
  std::size_t baseline = 0, fresh = 0;   ///< runs
  bool same_threads = true;              ///< whether times of rows of several threads mean the same in all
  std::optional<std::string> cut_off{};  ///< a new run that ends too soon

  Sides(const std::vector<Run>& baseline, const std::vector<Run>& fresh);
};

/// All rows of both sides by name, those of the baseline first, each in the order of its first run. Rows
/// point into the runs given.
std::vector<Pair> match(const std::vector<Run>& baseline, const std::vector<Run>& fresh);

/// What can be said without a test; nothing if the row has to be tested.
/// The order counts: a row that failed in the new runs fails the comparison even if the baseline has not got
/// it or skipped it, unless it failed there as often; and one without a time in the baseline has nothing to
/// be compared with. A row that has a time in some runs of a side only has no verdict.
std::optional<Verdict> plain_verdict(const Pair& pair, Comparison& row, const std::string& metric,
                                     const Sides& sides);

}  // namespace overlap::report
