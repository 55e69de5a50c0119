// Runs are one if they say the same of the machine and have no row in common. Rows in common mean that
// somebody wants to see them side by side.
#include "read/merge.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "names/context_keys.hpp"

namespace overlap::report {
namespace {

/// Keys in which runs of one machine agree. Revision and build may differ.
constexpr const char* kMachine[] = {context::kBackend, context::kGpu, context::kComputeCapability,
                                    context::kDriver};

/// A key that neither run has is one in which they agree.
bool same_machine(const Run& a, const Run& b) {
  return std::ranges::all_of(kMachine, [&](const char* key) { return a.about(key) == b.about(key); });
}

/// Whether any row stands in both, failed ones included.
bool share_a_row(const Run& a, const Run& b) {
  std::unordered_set<std::string> names;
  for (const Row& row : a.rows) names.insert(row.name());
  return std::ranges::any_of(b.rows, [&](const Row& row) { return names.contains(row.name()); });
}

}  // namespace

std::vector<Run> merged(std::vector<Run> runs) {
  std::vector<Run> result;
  for (Run& run : runs) {
    // The first that fits. A run without rows complements nothing.
    const auto into = std::ranges::find_if(result, [&](const Run& earlier) {
      return !earlier.rows.empty() && !run.rows.empty() && same_machine(earlier, run) &&
             !share_a_row(earlier, run);
    });
    if (into == result.end()) {
      result.push_back(std::move(run));
      continue;
    }
    into->path += " + " + run.path;
    into->context.merge(run.context);  // what only the later one says
    std::ranges::move(run.rows, std::back_inserter(into->rows));
    std::ranges::move(run.warnings, std::back_inserter(into->warnings));
  }
  return result;
}

}  // namespace overlap::report
