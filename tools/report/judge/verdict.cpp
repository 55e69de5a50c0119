// Rows of both sides are matched by name. What can be said without a test is said first: removed, failed,
// added. The others are tested together: all rows say how the noise of the sides differs, and the false
// discovery rate is kept over all of them. A row is called only if its whole interval lies beyond its
// tolerance.
#include "judge/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "judge/matching.hpp"
#include "judge/statistics.hpp"
#include "judge/tolerances.hpp"
#include "judge/two_sides.hpp"
#include "names/context_keys.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

constexpr double kConfidence = 0.05;        // of the interval: 95 %
constexpr double kEventResolutionUs = 0.5;  // of CUDA events
/// What stands for "never" in runs_to_settle().
constexpr std::size_t kMostRunsToSettle = 1000;

/// "time" is the row's median in microseconds; other metrics are counters. Nothing if the row has none.
std::optional<double> metric_of(const Row& row, const std::string& metric) {
  if (metric == "time") return row.time_us();
  return row.any_counter(metric);
}

/// The metric of each run that has it; failed rows have none.
Side side_of(const std::vector<const Row*>& rows, const std::string& metric) {
  Side side;
  for (const Row* row : rows)
    if (const auto value = row->failed() ? std::nullopt : metric_of(*row, metric))
      side.runs.push_back(*value);
  if (!side.runs.empty()) side.median = side.judged = median(side.runs);
  return side;
}

/// What is judged of a side, and how far it scatters.
void describe(Side& side, const SideRuns& runs) {
  std::vector<double> kept = side.runs;
  side.outlier = runs.outlier;
  if (runs.outlier) kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(*runs.outlier));
  side.judged = std::exp(mean_of(runs.logs));
  side.spread = spread_of(kept).value_or(0);
}

/// Ratio, interval and p of a row that both sides have; why it has no verdict, where it cannot be judged.
/// Runs that are all the same have no error: p is 1 if the sides agree, and 0 if not.
void test_row(Comparison& row, const TwoSides& sides, const NoiseRatio& noise) {
  row.ratio = row.fresh.judged / row.baseline.judged;
  if (!sides.can_be_judged()) {
    if (sides.baseline.two_levels || sides.fresh.two_levels)
      row.reason = fmt::format("two levels: the {} runs lie at two times",
                               !sides.fresh.two_levels      ? "baseline"
                               : !sides.baseline.two_levels ? "new"
                                                            : "baseline and the new");
    else if (sides.baseline.outlier || sides.fresh.outlier)
      row.reason = fmt::format("fewer than {} runs of a side are left without its outlier", kLeastRuns);
    return;
  }
  const Difference result = difference_of(sides, noise);
  const double reach = student_quantile(kConfidence, result.df) * result.standard_error;
  row.low = std::exp(result.mean - reach);
  row.high = std::exp(result.mean + reach);
  row.p = result.standard_error > 0 ? student_two_sided(result.mean / result.standard_error, result.df)
                                    : (result.mean == 0 ? 1 : 0);
}

/// Runs a side after which the interval would probably lie on one side of the tolerance.
/// An interval shrinks with the square root of the runs, so those needed grow with the square of how far it
/// reaches over the distance to the tolerance. A row that lies beyond its tolerance waits for the false
/// discovery rate, which asks one row of many for so much smaller a p. Where nothing is known yet, five are a
/// beginning.
std::size_t runs_to_settle(const Comparison& row, double alpha, std::size_t tested) {
  constexpr std::size_t kBeginning = 5;
  if (!row.low) return kBeginning;
  const double ratio = std::log(row.ratio), limit = std::log1p(row.tolerance);
  double reach = std::log(*row.high) - ratio, distance = std::fabs(std::fabs(ratio) - limit);
  if (*row.low > 1 + row.tolerance || *row.high < 1 / (1 + row.tolerance)) {
    const auto df = static_cast<double>(row.baseline.runs.size() + row.fresh.runs.size() - 2);
    reach *= student_quantile(alpha / static_cast<double>(tested), df) / student_quantile(kConfidence, df);
    distance = std::fabs(ratio);
  }
  const auto runs = static_cast<double>(std::min(row.baseline.runs.size(), row.fresh.runs.size()));
  const auto most = static_cast<double>(kMostRunsToSettle);
  const double needed = distance > 0 ? runs * (reach / distance) * (reach / distance) : most;
  return static_cast<std::size_t>(std::clamp(std::ceil(needed), runs + 1, std::max(runs + 1, most)));
}

/// Whether the sides differ by no more than the timer can tell.
/// A sample is the time of `batch` operations between two events, so an operation's time resolves by as much
/// finer.
bool below_resolution(const Pair& pair, const Comparison& row, const std::string& metric) {
  if (metric != "time") return false;
  const double batch = pair.fresh.front()->counter(counter::kBatch).value_or(0);
  return batch > 0 && std::fabs(row.fresh.judged - row.baseline.judged) <= kEventResolutionUs / batch;
}

/// Beyond the tolerance as a whole and a discovery: regressed or improved. Within it as a whole: the same.
/// Else it takes more runs. The limit downwards is 1 / (1 + tolerance), so that swapping sides swaps the
/// verdicts.
Verdict tested_verdict(const Comparison& row, const CompareOptions& options) {
  if (!row.low) return Verdict::inconclusive;
  const double most = 1 + row.tolerance, least = 1 / most;
  const bool slower = *row.low > most, faster = *row.high < least;
  if ((slower || faster) && *row.q <= options.alpha)
    return slower == options.lower_is_better ? Verdict::regressed : Verdict::improved;
  return *row.low >= least && *row.high <= most ? Verdict::same : Verdict::inconclusive;
}

/// The order of the rows, worst first; up to `invalid` a verdict fails the comparison.
int badness(Verdict verdict) {
  switch (verdict) {
    case Verdict::regressed: return 0;
    case Verdict::failed: return 1;
    case Verdict::removed: return 2;
    case Verdict::invalid: return 3;
    case Verdict::inconclusive: return 4;
    case Verdict::improved: return 5;
    case Verdict::added: return 6;
    case Verdict::not_measured: return 7;
    case Verdict::same: return 8;
  }
  return 9;
}

/// Sorts indices: rows are large, and most of them stay where they are.
void sort_worst_first(std::vector<Comparison>& rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&rows](std::size_t i, std::size_t j) {
    const Comparison &a = rows[i], &b = rows[j];
    if (badness(a.verdict) != badness(b.verdict)) return badness(a.verdict) < badness(b.verdict);
    if (a.verdict == Verdict::regressed || a.verdict == Verdict::improved)
      return std::fabs(std::log(a.ratio)) > std::fabs(std::log(b.ratio));
    return false;
  });
  std::vector<Comparison> sorted;
  sorted.reserve(rows.size());
  for (const std::size_t i : order) sorted.push_back(std::move(rows[i]));
  rows = std::move(sorted);
}

}  // namespace

std::string word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::regressed: return "REGRESSED";
    case Verdict::improved: return "IMPROVED";
    case Verdict::same: return "SAME";
    case Verdict::inconclusive: return "INCONCLUSIVE";
    case Verdict::added: return "ADDED";
    case Verdict::removed: return "REMOVED";
    case Verdict::failed: return "FAILED";
    case Verdict::invalid: return "INVALID";
    case Verdict::not_measured: return "NOT MEASURED";
  }
  return "";
}

bool Judgement::comparable() const { return std::ranges::none_of(context, &ContextDifference::blocks); }

std::size_t Judgement::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(rows, verdict, &Comparison::verdict));
}

bool Judgement::bad() const {
  return std::ranges::any_of(
      rows, [](const Comparison& row) { return badness(row.verdict) <= badness(Verdict::invalid); });
}

Judgement judge(const std::vector<Run>& baseline, const std::vector<Run>& fresh,
                const CompareOptions& options) {
  Judgement judgement;
  judgement.baseline_runs = baseline.size();
  judgement.fresh_runs = fresh.size();
  std::vector<const Run*> all;
  for (const auto* side : {&baseline, &fresh})
    for (const Run& run : *side) all.push_back(&run);
  judgement.context = context_differences(all, options.allowed_differences);
  ToleranceFinder tolerances(options.tolerances, options.tolerance);

  // Rows that can be said something of without a test; and the runs of all others, for they are tested
  // together.
  std::vector<Pair> pairs = match(baseline, fresh);
  const Sides both(baseline, fresh);
  std::vector<std::size_t> open;  // indices of rows without a verdict
  std::vector<TwoSides> sides;    // theirs
  judgement.rows.reserve(pairs.size());
  for (Pair& pair : pairs) {
    Comparison row;
    row.name = std::move(pair.name);
    row.tolerance = tolerances.of(row.name);
    row.baseline = side_of(pair.baseline, options.metric);
    row.fresh = side_of(pair.fresh, options.metric);
    if (const auto verdict = plain_verdict(pair, row, options.metric, both)) {
      row.verdict = *verdict;
    } else {
      open.push_back(judgement.rows.size());
      sides.push_back(look_at(row.baseline.runs, row.fresh.runs, row.tolerance));
    }
    judgement.rows.push_back(std::move(row));
  }

  const NoiseRatio noise = noise_ratio(sides);
  std::vector<std::size_t> tested;
  std::vector<double> p;
  double logs = 0;
  for (std::size_t i = 0; i < open.size(); ++i) {
    Comparison& row = judgement.rows[open[i]];
    describe(row.baseline, sides[i].baseline);
    describe(row.fresh, sides[i].fresh);
    test_row(row, sides[i], noise);
    logs += std::log(row.ratio);
    if (!row.p) continue;
    tested.push_back(open[i]);
    p.push_back(*row.p);
  }
  const std::vector<double> q = adjusted(p);
  for (std::size_t i = 0; i < tested.size(); ++i) judgement.rows[tested[i]].q = q[i];
  for (const std::size_t i : open) {
    Comparison& row = judgement.rows[i];
    row.verdict = tested_verdict(row, options);
    if (row.low && below_resolution(pairs[i], row, options.metric)) {
      row.verdict = Verdict::same;
      row.reason = "differs by less than the timer resolves";
    }
    if (row.verdict == Verdict::inconclusive && row.reason.empty())
      row.runs_to_settle = runs_to_settle(row, options.alpha, tested.size());
  }

  judgement.geomean_rows = open.size();
  judgement.tested_rows = tested.size();
  if (!open.empty()) judgement.geomean = std::exp(logs / static_cast<double>(open.size()));
  judgement.tolerances_fitted = tolerances.fitted();
  if (!judgement.rows.empty()) {
    const auto [least, most] = std::ranges::minmax(judgement.rows, {}, &Comparison::tolerance);
    judgement.least_tolerance = least.tolerance;
    judgement.most_tolerance = most.tolerance;
  }
  if (std::string warning = tolerances.warning(); !warning.empty()) judgement.warnings = {std::move(warning)};
  sort_worst_first(judgement.rows);
  return judgement;
}

}  // namespace overlap::report
