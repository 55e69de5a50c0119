// Which rows of two sides are one row, and what can be said of it without a test.
#include "judge/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

namespace overlap::report {
namespace {

/// In how many of its runs a row of one side has no time.
struct Failures {
  std::size_t runs = 0;  ///< that have the row
  std::size_t failed = 0, skipped = 0;
  const Row *first_failed = nullptr, *first_skipped = nullptr;

  explicit Failures(const std::vector<const Row*>& rows) : runs(rows.size()) {
    for (const Row* row : rows) {
      if (!row->failed()) continue;
      ++(row->skipped ? skipped : failed);
      const Row*& first = row->skipped ? first_skipped : first_failed;
      if (!first || (row->invalid && !first->invalid)) first = row;
    }
  }
  bool any() const { return failed + skipped > 0; }
  bool all() const { return failed + skipped == runs; }
  const std::string& why() const { return (first_failed ? first_failed : first_skipped)->failure; }
  /// "2 of 5 baseline runs".
  std::string count(const char* side) const {
    return fmt::format("{} of {} {} runs", failed + skipped, runs, side);
  }
};

/// Names, without ordinals, that stand in some runs more often than in others. A run that has not got such a
/// name at all says nothing of which is which.
std::set<std::string> ambiguous_names(const std::vector<const Run*>& runs) {
  const auto bare = [](const Row& row) {
    RowId id = row.id;
    id.ordinal = 1;
    return id.key();
  };
  std::unordered_map<std::string, std::set<std::size_t>> counts;  // of names that are there twice anywhere
  for (const Run* run : runs)
    for (const Row& row : run->rows)
      if (row.id.ordinal > 1) counts[bare(row)];
  if (counts.empty()) return {};
  for (const Run* run : runs) {
    std::unordered_map<std::string, std::size_t> in_run;
    for (const Row& row : run->rows)
      if (std::string name = bare(row); counts.contains(name)) ++in_run[std::move(name)];
    for (const auto& [name, count] : in_run) counts[name].insert(count);
  }
  std::set<std::string> names;
  for (const auto& [name, seen] : counts)
    if (seen.size() > 1) names.insert(name);
  return names;
}

/// Whether the times of rows of several threads mean the same in all runs.
bool same_thread_times(const std::vector<const Run*>& runs) {
  return std::ranges::all_of(runs, [&](const Run* run) { return same_thread_time(*runs.back(), *run); });
}

std::vector<const Run*> all_of(const std::vector<Run>& baseline, const std::vector<Run>& fresh) {
  std::vector<const Run*> runs;
  for (const auto* side : {&baseline, &fresh})
    for (const Run& run : *side) runs.push_back(&run);
  return runs;
}

}  // namespace

Sides::Sides(const std::vector<Run>& all_baseline, const std::vector<Run>& all_fresh)
    : baseline(all_baseline.size()),
      fresh(all_fresh.size()),
      same_threads(same_thread_times(all_of(all_baseline, all_fresh))) {
  for (const Run& run : all_fresh)
    if (!run.cut_off.empty()) cut_off = run.path;
}

std::vector<Pair> match(const std::vector<Run>& baseline, const std::vector<Run>& fresh) {
  std::vector<Pair> pairs;
  std::unordered_map<std::string, std::size_t> index;
  const std::size_t expected = fresh.empty() ? 0 : fresh.front().rows.size();
  pairs.reserve(expected);
  index.reserve(expected);
  const auto add = [&](const std::vector<Run>& runs, std::vector<const Row*> Pair::*side) {
    for (const Run& run : runs) {
      for (const Row& row : run.rows) {
        std::string name = row.name();
        const auto [at, added] = index.try_emplace(name, pairs.size());
        if (added) pairs.push_back({std::move(name), {}, {}});
        (pairs[at->second].*side).push_back(&row);
      }
    }
  };
  add(baseline, &Pair::baseline);
  add(fresh, &Pair::fresh);
  for (const std::string& name : ambiguous_names(all_of(baseline, fresh))) {
    std::size_t ordinal = 1;
    for (auto at = index.find(name); at != index.end();
         at = index.find(name + " #" + std::to_string(++ordinal)))
      pairs[at->second].is_ambiguous = true;
  }
  return pairs;
}

std::optional<Verdict> plain_verdict(const Pair& pair, Comparison& row, const std::string& metric,
                                     const Sides& sides) {
  const auto because = [&row](Verdict verdict, std::string reason) {
    row.reason = std::move(reason);
    return verdict;
  };
  if (pair.fresh.empty() && sides.cut_off)
    return because(Verdict::inconclusive,
                   "the new runs do not have it, but " + *sides.cut_off + " was cut off");
  if (pair.fresh.empty() && !pair.is_ambiguous)
    return because(Verdict::removed, "the new runs do not have it");
  const Failures before(pair.baseline), now(pair.fresh);
  if (now.runs > 0 && now.skipped == now.runs) return because(Verdict::not_measured, now.why());
  if (now.failed > 0 && before.failed > 0 && before.failed == before.runs)
    return because(Verdict::not_measured, "failed in the baseline too: " + now.why());
  if (now.failed * before.runs > before.failed * now.runs || (now.failed > 0 && before.runs == 0))
    return because(
        now.first_failed->invalid ? Verdict::invalid : Verdict::failed,
        now.failed == now.runs ? now.why() : fmt::format("in {}: {}", now.count("new"), now.why()));
  if (pair.baseline.empty() && !pair.is_ambiguous)
    return because(Verdict::added, "the baseline does not have it");
  if (before.runs > 0 && before.all())
    return because(Verdict::added, "no time in the baseline: " + before.why());
  if (before.any() || now.any())
    return because(Verdict::inconclusive,
                   fmt::format("no time in {}{}{}: {}", before.any() ? before.count("baseline") : "",
                               before.any() && now.any() ? " and " : "", now.any() ? now.count("new") : "",
                               (now.any() ? now : before).why()));
  if (pair.is_ambiguous)
    return because(Verdict::inconclusive,
                   "runs have this name in unlike numbers: which row is which cannot be told");
  if (row.baseline.runs.empty() && row.fresh.runs.empty())
    return because(Verdict::not_measured, "has no " + metric + " on either side");
  if (row.baseline.runs.size() != pair.baseline.size() || row.fresh.runs.size() != pair.fresh.size())
    return because(Verdict::invalid, "some runs have no " + metric);
  const auto is_zero = [](double value) { return value == 0; };
  const bool zero_before = std::ranges::all_of(row.baseline.runs, is_zero),
             zero_now = std::ranges::all_of(row.fresh.runs, is_zero);
  if (zero_before && zero_now) return because(Verdict::same, "0 in both");
  const auto is_usable = [](double value) { return value > 0 && std::isfinite(value); };
  if (!std::ranges::all_of(row.baseline.runs, is_usable) || !std::ranges::all_of(row.fresh.runs, is_usable))
    return because(Verdict::invalid, "a value of 0 or less has no ratio");
  if (pair.fresh.size() < sides.fresh)
    return because(Verdict::inconclusive, fmt::format("{} of {} new runs do not have it",
                                                      sides.fresh - pair.fresh.size(), sides.fresh));
  if (pair.baseline.size() < sides.baseline)
    return because(Verdict::inconclusive, fmt::format("{} of {} baseline runs do not have it",
                                                      sides.baseline - pair.baseline.size(), sides.baseline));
  if (!sides.same_threads && pair.fresh.front()->threads() > 1)
    return because(Verdict::inconclusive,
                   "several threads: what real_time means for them changed with Google Benchmark 1.9.0");
  return std::nullopt;
}

}  // namespace overlap::report
