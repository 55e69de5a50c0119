// Runs are sorted by date and gathered into series; what explains the logarithms of a series becomes changes,
// drifts and outliers with commits.
#include "judge/history.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "judge/explanation.hpp"
#include "judge/statistics.hpp"
#include "names/context_keys.hpp"
#include "read/instant.hpp"
#include "read/pattern.hpp"

namespace overlap::report {
namespace {

/// A change that is meant, ready to be looked for.
struct Meant {
  const Acknowledgement* change;
  Pattern rows;
};

/// Those whose date has not passed. Both dates are written alike, and so are ordered as text.
std::vector<Meant> still_meant(const HistoryOptions& options, const std::string& today) {
  std::vector<Meant> meant;
  for (const Acknowledgement& each : options.acknowledged)
    if (today <= each.until) meant.push_back({&each, Pattern(each.pattern)});
  return meant;
}

/// The newest date of the store, so that the same store says the same tomorrow; empty if it has none.
std::string today_of(const Store& store) {
  std::optional<std::int64_t> newest;
  for (const Run& run : store.runs) newest = std::max(newest, instant_of(run.about(context::kDate)));
  return newest ? day_of(*newest) : "";
}

/// Whether what came behind a part took it back at any later run, within least_change. What happened on the
/// way of a drift is no part of it; what happened at its end, as near as that is known, is behind it.
bool has_recovered(const std::vector<double>& levels_us, const Explanation& explanation, const Part& part,
                   const HistoryOptions& options) {
  if (part.end >= levels_us.size()) return false;
  const bool is_drift = part.kind == Part::Kind::drift;
  double size = part.size;
  for (const Part& other : explanation.parts)
    if (is_drift && other.kind == Part::Kind::step && other.end <= part.end &&
        part.end - other.end < drift_grid(explanation.levels.size()))
      size += other.size;
  const double without = levels_us[part.end] / std::exp(size);
  const auto later = levels_us.begin() + static_cast<std::ptrdiff_t>(part.end);
  return std::any_of(later, levels_us.end(), [&](double level) {
    return part.size > 0 ? level <= without * (1 + options.least_change)
                         : level >= without / (1 + options.least_change);
  });
}

/// Why a change that spans the runs [from, to] is meant, by commit and name together: another row that the
/// commit slows down is not meant. Empty if it is not.
std::string reason_for(const Series& series, std::size_t from, std::size_t to, bool is_drift,
                       const std::vector<Meant>& meant) {
  for (const Meant& each : meant) {
    bool is_named = is_drift && each.change->commit.empty();
    for (std::size_t i = from; i <= to; ++i)
      is_named = is_named || (!each.change->commit.empty() && series.commits[i] == each.change->commit);
    if (is_named && each.rows.finds_in(series.name)) return each.change->reason;
  }
  return "";
}

/// Names single runs that lie far from the level and that no part explains: where there are several, the
/// ranks of the runs are explained, which know no outliers. More than a few are a level of their own, and not
/// named.
void add_far_runs(Series& series, const std::vector<double>& levels_us, const HistoryOptions& options) {
  constexpr double kFar = 6;          // standard deviations
  constexpr double kNormal = 1.4826;  // deviation over median absolute deviation
  const std::size_t n = series.times_us.size();
  std::vector<double> distances;
  for (std::size_t i = 0; i < n; ++i) {
    const auto from = [&](std::size_t at) { return std::fabs(std::log(series.times_us[i] / levels_us[at])); };
    // Beside a step a run may belong to either level.
    distances.push_back(std::min({from(i), from(i == 0 ? 0 : i - 1), from(std::min(i + 1, n - 1))}));
  }
  const double far = std::max(kFar * kNormal * median(distances), std::log(1 + options.least_change));
  std::vector<Outlier> outliers;
  for (std::size_t i = 0; i + 1 < n; ++i)  // the last run may be the first of a new level
    if (distances[i] > far)
      outliers.push_back({series.commits[i], series.dates[i], series.times_us[i], levels_us[i], i});
  if (series.outliers.empty() && outliers.size() <= std::max<std::size_t>(2, n / 8))
    series.outliers = std::move(outliers);
}

/// Fills in what was found, each part with what it does by itself: the level at its end has what other parts
/// added on the way. A change of the last few runs is no level to recover to.
void find_changes(Series& series, const HistoryOptions& options, const std::vector<Meant>& meant) {
  const std::size_t n = series.times_us.size();
  std::vector<bool> same_commit(n);
  for (std::size_t i = 1; i < n; ++i)
    same_commit[i] = !series.commits[i].empty() && series.commits[i] == series.commits[i - 1];
  const Explanation explanation = explain(logarithms(series.times_us), same_commit);
  std::vector<double> levels_us, settled_us;
  const auto is_settled = [n](const Part& part) { return part.end + kLeastStretch <= n; };
  for (const double level : explanation.levels) levels_us.push_back(std::exp(level));
  settled_us = levels_us;
  for (const Part& part : explanation.parts)
    if (part.kind == Part::Kind::step && !is_settled(part))
      settled_us.resize(std::min(settled_us.size(), part.end));
  for (const Part& part : explanation.parts) {
    const double ratio = std::exp(std::fabs(part.size));
    if (ratio - 1 < options.least_change) continue;
    const double before_us = levels_us[part.begin], after_us = before_us * std::exp(part.size);
    const std::string &commit = series.commits[part.end], &date = series.dates[part.end];
    if (part.kind == Part::Kind::outlier) {
      series.outliers.push_back({commit, date, series.times_us[part.end], before_us, part.end});
    } else if (part.kind == Part::Kind::drift) {
      series.drifts.push_back({series.commits[part.begin], series.dates[part.begin], commit, date, before_us,
                               after_us, part.p, has_recovered(settled_us, explanation, part, options),
                               reason_for(series, part.begin, part.end, true, meant), part.begin, part.end});
    } else if (is_settled(part)) {
      series.changes.push_back({commit, date, before_us, after_us, part.p,
                                has_recovered(settled_us, explanation, part, options),
                                reason_for(series, part.end, part.end, false, meant), part.end, 0});
    } else {
      series.unsettled.push_back({commit, date, before_us, after_us, part.p, false,
                                  reason_for(series, part.end, part.end, false, meant), part.end,
                                  part.end + kLeastStretch - n});
    }
  }
  if (n >= 2 * kLeastStretch) add_far_runs(series, levels_us, options);
}

}  // namespace

std::vector<Series> analyse(const Store& store, const HistoryOptions& options) {
  std::vector<Series> all;
  std::unordered_map<std::string, std::size_t> index;
  std::unordered_map<std::string, std::size_t>
      newest;                                      // of a row on a machine: the series that it was in last
  std::vector<std::size_t> first_runs, last_runs;  // of each series
  struct Successor {
    std::size_t series, before, last_run;  // and the last run of the one before, when it began
  };
  std::vector<Successor> successors;
  const std::vector<std::string> machines = machines_in(store.runs);
  for (const std::size_t place : by_date(store.runs)) {
    const Run& run = store.runs[place];
    const std::string context = context_class(run), &machine = machines[place];
    for (const Row& row : run.rows) {
      if (row.failed() || !(row.time_us() > 0)) continue;
      std::string name = row.name();
      std::string key = context + "\n" + machine + "\n" + name;
      if (row.threads() > 1) key += "\n" + thread_time_word(run);  // as if it were of the context
      const auto [at, added] = index.try_emplace(std::move(key), all.size());
      const auto [last, is_first] = newest.try_emplace(machine + "\n" + name, at->second);
      if (added) {
        all.push_back({std::move(name), context, machine, {}, {}, {}, {}, {}, {}, {}});
        first_runs.push_back(place), last_runs.push_back(place);
        if (!is_first) successors.push_back({at->second, last->second, last_runs[last->second]});
      }
      last_runs[at->second] = place;
      last->second = at->second;
      all[at->second].times_us.push_back(row.time_us());
      all[at->second].commits.push_back(run.about(context::kRevision));
      all[at->second].dates.push_back(run.about(context::kDate));
    }
  }
  for (const auto& [series, before, last_run] : successors)
    if (last_runs[before] == last_run) {  // else both go on side by side, such as two backends
      all[series].before = context_unlike(store.runs[last_run], store.runs[first_runs[series]]);
      if (all[series].before.empty())
        all[series].before = "times of threads " + thread_time_word(store.runs[last_run]);
    }
  const std::vector<Meant> meant = still_meant(options, today_of(store));
  for (Series& series : all) find_changes(series, options, meant);
  return all;
}

bool is_bad(const Series& series) {
  const auto bad = [](const auto& change) {
    return change.after_us > change.before_us && !change.recovered && change.acknowledged.empty();
  };
  return std::ranges::any_of(series.changes, bad) || std::ranges::any_of(series.drifts, bad);
}

bool has_changed(const Series& series) {
  return !series.changes.empty() || !series.drifts.empty() || !series.unsettled.empty();
}

}  // namespace overlap::report
