// A series is split where its two sides differ most, each side again, as long as they might differ at all;
// then the weakest split goes until all are certain. A first split may look weak where a series goes up and
// comes down again, which is why certainty is asked for last.
#include "judge/history.hpp"

#include <algorithm>
#include <cmath>
#include <regex>
#include <unordered_map>

#include "judge/statistics.hpp"
#include "names/context_keys.hpp"

namespace overlap::report {
namespace {

constexpr std::size_t kLeastStretch = 4;  // runs on either side of a change
constexpr std::size_t kLeastDrift = 5;    // runs of a stretch that may drift
constexpr std::size_t kWindow = 50;       // runs that drift is looked for in

/// The values in [from, to).
std::vector<double> slice(const std::vector<double>& values, std::size_t from, std::size_t to) {
  return {values.begin() + static_cast<std::ptrdiff_t>(from),
          values.begin() + static_cast<std::ptrdiff_t>(to)};
}

/// Two-sided p; 1 where too few values tell nothing. Without any spread, 0 if the means differ at all.
double p_of(const Welch& result) {
  if (result.df <= 0) return 1;
  if (result.standard_error <= 0) return result.difference == 0 ? 1 : 0;
  return student_two_sided(result.difference / result.standard_error, result.df);
}

/// p of the difference between the stretches [from, at) and [at, to), times the places it could have been
/// found at: it was chosen among them, and that has to be paid for (Bonferroni).
double p_at(const std::vector<double>& logs, std::size_t from, std::size_t at, std::size_t to) {
  const auto places = static_cast<double>(to - from - 2 * kLeastStretch + 1);
  return places * p_of(welch(slice(logs, from, at), slice(logs, at, to)));
}

/// Splits [from, to) where the two sides differ most, if they might differ at all, and then each side.
/// Stretches shorter than kLeastStretch are never made.
/// @param at  gains the places, in ascending order.
void split(const std::vector<double>& logs, std::size_t from, std::size_t to, std::vector<std::size_t>& at) {
  constexpr double kWeakP = 0.1;  // a stretch that goes up and comes down again shows weakly at first
  std::size_t best = 0;
  double strongest = 0;
  for (std::size_t k = from + kLeastStretch; k + kLeastStretch <= to; ++k) {
    const Welch result = welch(slice(logs, from, k), slice(logs, k, to));
    const double t = result.standard_error > 0 ? std::fabs(result.difference) / result.standard_error
                     : result.difference != 0  ? HUGE_VAL
                                               : 0;
    if (t <= strongest) continue;
    strongest = t;
    best = k;
  }
  if (best == 0 || p_at(logs, from, best, to) > kWeakP) return;
  split(logs, from, best, at);
  at.push_back(best);
  split(logs, best, to, at);
}

/// The places where the stretches on either side differ for certain, and by enough: of the possible ones, the
/// weakest goes until all are strong.
std::vector<std::size_t> change_points(const std::vector<double>& logs, const HistoryOptions& options) {
  std::vector<std::size_t> at;
  split(logs, 0, logs.size(), at);
  while (!at.empty()) {
    std::size_t weakest = 0;
    double most = -1;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::size_t from = i == 0 ? 0 : at[i - 1], to = i + 1 == at.size() ? logs.size() : at[i + 1];
      const double change =
          std::fabs(std::expm1(welch(slice(logs, from, at[i]), slice(logs, at[i], to)).difference));
      const double p = change < options.least_change ? HUGE_VAL : p_at(logs, from, at[i], to);
      if (p <= most) continue;
      most = p;
      weakest = i;
    }
    if (most <= options.p) break;
    at.erase(at.begin() + static_cast<std::ptrdiff_t>(weakest));
  }
  return at;
}

/// Relative change along the least-squares line through [from, to), if the slope is significant.
/// The slope is tested by Student's t with n - 2 degrees of freedom. Looks at the last kWindow runs at most;
/// nothing if there are fewer than kLeastDrift.
std::optional<double> drift_of(const std::vector<double>& logs, std::size_t from,
                               const HistoryOptions& options) {
  from = std::max(from, logs.size() > kWindow ? logs.size() - kWindow : 0);
  const auto n = static_cast<double>(logs.size() - from);
  if (n < kLeastDrift) return std::nullopt;
  double mean = 0;
  for (std::size_t i = from; i < logs.size(); ++i) mean += logs[i] / n;
  const double middle = (n - 1) / 2;
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = from; i < logs.size(); ++i) {
    const double x = static_cast<double>(i - from) - middle, y = logs[i] - mean;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  const double slope = xy / xx, residual = std::max(0.0, yy - slope * xy) / (n - 2);
  const double change = std::expm1(slope * (n - 1));
  const double p =
      residual > 0 ? student_two_sided(slope / std::sqrt(residual / xx), n - 2) : (slope == 0 ? 1 : 0);
  if (p > options.p || std::fabs(change) < options.least_change) return std::nullopt;
  return change;
}

/// A change that is meant, ready to be looked for.
struct Meant {
  const Acknowledgement* change;
  std::regex rows;
};

/// Those whose date has not passed.
/// Dates are ISO, and so are ordered as text; of the run's date the time of day is cut off.
std::vector<Meant> still_meant(const HistoryOptions& options, const std::string& today) {
  std::vector<Meant> meant;
  for (const Acknowledgement& each : options.acknowledged)
    if (today.substr(0, 10) <= each.until)
      meant.push_back({&each, std::regex(each.pattern, std::regex::extended)});
  return meant;
}

/// Fills in a series's changes and its drift. A change counts as recovered if any later stretch is back where
/// it was before, within least_change. Drift is looked for behind the last change: a step is none.
void find_changes(Series& series, const HistoryOptions& options, const std::vector<Meant>& meant) {
  const std::vector<double> logs = logarithms(series.times_us);
  const std::vector<std::size_t> at = change_points(logs, options);
  std::vector<std::size_t> ends = {0};
  ends.insert(ends.end(), at.begin(), at.end());
  ends.push_back(logs.size());
  std::vector<double> medians;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i)
    medians.push_back(median(slice(series.times_us, ends[i], ends[i + 1])));
  for (std::size_t i = 0; i < at.size(); ++i) {
    ChangePoint change;
    change.commit = series.commits[at[i]];
    change.date = series.dates[at[i]];
    change.before_us = medians[i];
    change.after_us = medians[i + 1];
    change.p = p_of(welch(slice(logs, ends[i], ends[i + 1]), slice(logs, ends[i + 1], ends[i + 2])));
    const bool slower = change.after_us > change.before_us;
    for (std::size_t later = i + 2; later < medians.size(); ++later)
      change.recovered =
          change.recovered || (slower ? medians[later] <= change.before_us * (1 + options.least_change)
                                      : medians[later] >= change.before_us / (1 + options.least_change));
    // By commit and name together: another row that the commit slows down is not meant.
    for (const Meant& each : meant)
      if (each.change->commit == change.commit && std::regex_search(series.name, each.rows))
        change.acknowledged = each.change->reason;
    series.changes.push_back(std::move(change));
  }
  series.drift = drift_of(logs, at.empty() ? 0 : at.back(), options);
}

}  // namespace

std::vector<Series> analyse(const Store& store, const HistoryOptions& options) {
  std::vector<Series> all;
  std::unordered_map<std::string, std::size_t> index;
  for (const Run& run : store.runs) {
    const std::string context = context_class(run);
    for (const Row& row : run.rows) {
      if (row.failed() || !(row.time_us() > 0)) continue;
      const auto [at, added] = index.try_emplace(context + "\n" + row.name(), all.size());
      if (added) all.push_back({row.name(), context, {}, {}, {}, {}, {}});
      all[at->second].times_us.push_back(row.time_us());
      all[at->second].commits.push_back(run.about(context::kRevision));
      all[at->second].dates.push_back(run.about(context::kDate));
    }
  }
  std::string today;  // of the store: the same store says the same tomorrow
  for (const Run& run : store.runs) today = std::max(today, run.about(context::kDate));
  const std::vector<Meant> meant = still_meant(options, today);
  for (Series& series : all) find_changes(series, options, meant);
  return all;
}

bool is_bad(const Series& series) {
  const bool slower = std::ranges::any_of(series.changes, [](const ChangePoint& change) {
    return change.after_us > change.before_us && !change.recovered && change.acknowledged.empty();
  });
  return slower || series.drift.value_or(0) > 0;
}

}  // namespace overlap::report
