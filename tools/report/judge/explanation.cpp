// The search for the cheapest set of parts; what a set explains is residual.hpp's.
#include "judge/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "judge/residual.hpp"
#include "judge/statistics.hpp"
#include "read/results.hpp"

namespace overlap::report {
namespace {

using Values = std::vector<double>;
using Parts = std::vector<Part>;
using Kind = Part::Kind;

constexpr double kCorrelations[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
constexpr std::size_t kLeastRuns = 5;   // of a series that is explained at all
constexpr std::size_t kLeastDrift = 8;  // runs that a drift takes which is not the whole series
constexpr std::size_t kPieces = 8;      // of a series, at whose ends a drift may begin or end
constexpr double kResolution = 1e-4;    // values that are equal to this are equal
// Prices of parts, in units of -2 log L. A drift through the whole series has no place to choose.
constexpr double kStep = 12.2, kUnsettled = 17, kWithinCommit = 5, kOutlier = 20, kDrift = 12,
                 kBentDrift = 19;
constexpr double kHeavy = 0.4;  // robust over plain deviation of differences

/// Parts with what they cost, at the correlation that suits them best.
struct Model {
  Parts parts;
  double cost = HUGE_VAL, rho = 0;
};

/// Parts that may be added.
struct Allowed {
  bool outliers = true, steps = true, drifts = true;
};

std::size_t distance(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }

/// The set with one more.
Parts with(Parts parts, const Part& part) {
  parts.push_back(part);
  return parts;
}

/// The set without the one at a place.
Parts without(Parts parts, std::size_t at) {
  parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at));
  return parts;
}

/// Searches for the parts of one series.
class Search {
 public:
  Search(const Values& values, const std::vector<bool>& same_commit)
      : values_(values), same_commit_(same_commit), n_(values.size()) {}

  /// The cheapest set that is found. Steps are tried by themselves too: several look like a drift at first.
  Model best(bool outliers) const {
    Model all = grown({outliers, true, true});
    if (all.parts.empty()) return all;
    Model steps = grown({outliers, true, false});
    // What is left of steps that were taken for a drift is correlated, and the other way round: at the lower
    // correlation each is seen for what it is.
    const double rho = std::min(all.rho, steps.rho);
    return cost_at(steps.parts, rho) < cost_at(all.parts, rho) ? steps : all;
  }

 private:
  /// Adds parts as long as they pay, or might together with the next: a level that is left again shows only
  /// with both its steps.
  Model grown(Allowed allowed) const {
    constexpr int kMostMisses = 3;
    const std::size_t most = std::max<std::size_t>(2, n_ / 5);
    Model best = priced({}), model = best;
    for (int misses = 0; misses < kMostMisses && model.parts.size() < most;) {
      const Model next = added(model.parts, allowed);
      if (next.parts.empty() || next.cost > model.cost + price(next.parts.back()) / 2) break;
      model = moved(next);
      misses = model.cost < best.cost ? 0 : misses + 1;
      if (misses == 0) best = model;
    }
    return pruned(best);
  }

  double cost_of(double squares, double rho) const {
    const auto n = static_cast<double>(n_);
    return n * std::log(std::max(0.0, squares) / n + kResolution * kResolution) - std::log(1 - rho * rho);
  }
  double prices(const Parts& parts) const {
    double sum = 0;
    for (const Part& part : parts) sum += price(part);
    return sum;
  }
  double cost_at(const Parts& parts, double rho) const {
    return cost_of(Residual(values_, parts, rho).squares(), rho) + prices(parts);
  }
  Model priced(const Parts& parts) const {
    Model model{parts};
    for (const double rho : kCorrelations)
      if (const double cost = cost_at(parts, rho); cost < model.cost) model.cost = cost, model.rho = rho;
    return model;
  }
  /// Few runs fit anything: their parts are dearer.
  double price(const Part& part) const {
    constexpr double kLost = 4;  // a level, a correlation, a size and a place
    const auto n = static_cast<double>(n_);
    const double dearer = n / (n - kLost);
    if (part.kind == Kind::outlier) return dearer * kOutlier;
    if (part.kind == Kind::drift)
      return dearer * (part.begin == 0 && part.end == n_ - 1 ? kDrift : kBentDrift);
    return dearer * ((part.end + kLeastStretch > n_ ? kUnsettled : kStep) +
                     (same_commit_[part.end] ? kWithinCommit : 0));
  }

  /// Whether a step has enough runs before it, and between it and others.
  static bool has_room(const Parts& parts, std::size_t end) {
    return end + 1 >= kLeastStretch && std::ranges::none_of(parts, [&](const Part& other) {
             return other.kind == Kind::step && distance(other.end, end) < kLeastStretch;
           });
  }
  /// The drifts that may be added, with their shapes: they lie one behind the other.
  std::vector<std::pair<Part, Values>> drifts_beside(const Parts& parts) const {
    std::vector<std::pair<Part, Values>> drifts;
    const std::size_t pieces = std::clamp<std::size_t>((n_ - 1) / 4, 1, kPieces);
    for (std::size_t from = 0; from < pieces; ++from)
      for (std::size_t to = from + 1; to <= pieces; ++to) {
        const Part drift{Kind::drift, from * (n_ - 1) / pieces, to * (n_ - 1) / pieces};
        const bool is_taken = std::ranges::any_of(parts, [&](const Part& other) {
          return other.kind == Kind::drift && other.begin < drift.end && drift.begin < other.end;
        });
        const bool is_long = to - from == pieces || drift.end - drift.begin >= kLeastDrift;
        if (is_long && !is_taken) drifts.emplace_back(drift, shape_of(drift, n_));
      }
    return drifts;
  }
  /// The set with the part that pays best behind it; no parts if none may be added.
  Model added(const Parts& to, Allowed allowed) const {
    struct Choice {
      Part part;
      double cost = HUGE_VAL, rho = 0;
    };
    Choice outlier, step, drift;
    const double base = prices(to);
    const auto consider = [&](Choice& best, double squares, double rho, const Part& part) {
      const double cost = cost_of(squares, rho) + base + price(part);
      if (cost < best.cost) best = {part, cost, rho};
    };
    const auto drifts = allowed.drifts ? drifts_beside(to) : std::vector<std::pair<Part, Values>>();
    for (const double rho : kCorrelations) {
      const Residual rest(values_, to, rho);
      const Values outliers = allowed.outliers ? rest.outlier_gains() : Values();
      const Values steps = allowed.steps ? rest.step_gains() : Values();
      // The last run is no outlier yet: it may be the first of a new level.
      for (std::size_t i = 0; i + 1 < outliers.size(); ++i)
        consider(outlier, rest.squares() - outliers[i], rho, {Kind::outlier, i, i});
      for (std::size_t i = 1; i < steps.size(); ++i)
        if (has_room(to, i)) consider(step, rest.squares() - steps[i], rho, {Kind::step, i - 1, i});
      for (const auto& [part, shape] : drifts)
        consider(drift, rest.squares() - rest.fit(shape).gain, rho, part);
    }
    if (step.cost < HUGE_VAL && drift.cost < HUGE_VAL) {  // as in best()
      const double rho = std::min(step.rho, drift.rho);
      const bool is_drift = cost_at(with(to, drift.part), rho) < cost_at(with(to, step.part), rho);
      (is_drift ? step : drift).cost = HUGE_VAL;
    }
    const Choice& change = step.cost < drift.cost ? step : drift;
    const Choice& best = outlier.cost < change.cost ? outlier : change;
    if (best.cost == HUGE_VAL) return {};
    return {with(to, best.part), best.cost, best.rho};
  }
  /// Each part but the last, which was just put there, where it fits best beside the others.
  Model moved(Model model) const {
    for (std::size_t i = 0; i + 1 < model.parts.size(); ++i) {
      const Kind kind = model.parts[i].kind;
      const Model better =
          added(without(model.parts, i), {kind == Kind::outlier, kind == Kind::step, kind == Kind::drift});
      if (better.cost >= model.cost) continue;
      model.parts[i] = better.parts.back();
      model.cost = better.cost;
      model.rho = better.rho;
    }
    return model;
  }
  /// Without the parts that do not pay beside the others.
  Model pruned(Model model) const {
    for (;;) {
      Model best;
      for (std::size_t i = 0; i < model.parts.size(); ++i)
        if (Model each = priced(without(model.parts, i)); each.cost < best.cost) best = std::move(each);
      if (best.cost >= model.cost) return model;
      model = std::move(best);
    }
  }

  const Values& values_;
  const std::vector<bool>& same_commit_;
  std::size_t n_;
};

/// Sizes and levels by least squares.
Explanation explained(const Values& values, Model model) {
  const std::size_t n = values.size();
  std::ranges::sort(model.parts, {}, &Part::end);
  const double df = static_cast<double>(n) - static_cast<double>(model.parts.size()) - 1;
  const double variance = Residual(values, model.parts, model.rho).squares() / std::max(1.0, df);
  Explanation result{{}, Values(n)};
  Values base = values;
  for (std::size_t i = 0; i < model.parts.size(); ++i) {
    Part part = model.parts[i];
    const Values shape = shape_of(part, n);
    const auto fit = Residual(values, without(model.parts, i), model.rho).fit(shape);
    part.size = fit.size;
    part.p = variance > 0 && df > 0 ? student_two_sided(std::sqrt(fit.gain / variance), df) : 0;
    for (std::size_t r = 0; r < n; ++r) {
      base[r] -= part.size * shape[r];
      if (part.kind != Kind::outlier) result.levels[r] += part.size * shape[r];
    }
    result.parts.push_back(part);
  }
  const double level = level_of(std::move(base), model.rho);
  for (double& each : result.levels) each += level;
  return result;
}

/// Whether outliers are so many, or so many of them alike, that they are a level that the series jumps to. A
/// step of their size is a few of them that happen to be neighbours.
bool jumps(const Explanation& explanation) {
  constexpr double kAlike = 0.25, kAlikeAnyway = 0.02;  // sizes may differ by a share, and by this much
  const std::size_t n = explanation.levels.size();
  const std::size_t most = std::max<std::size_t>(2, n / 8), most_alike = std::max<std::size_t>(2, n / 20);
  Values outliers, sizes;
  for (const Part& part : explanation.parts) {
    if (part.kind == Kind::drift) continue;
    sizes.push_back(std::fabs(part.size));
    if (part.kind == Kind::outlier) outliers.push_back(sizes.back());
  }
  if (outliers.size() > most) return true;
  std::ranges::sort(sizes);
  for (std::size_t i = 0; i + most_alike < sizes.size(); ++i) {
    const double low = sizes[i], high = sizes[i + most_alike];
    const auto is_within = [=](double size) { return low <= size && size <= high; };
    if (high - low < kAlike * high + kAlikeAnyway && std::ranges::count_if(outliers, is_within) >= 2)
      return true;
  }
  return false;
}

/// Whether the residual, outliers left out, has tails that a normal distribution has not. Of differences of
/// neighbours, in which no step shows twice.
bool has_heavy_tails(const Values& values, const Explanation& explanation) {
  Values rest(values.size());
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = values[i] - explanation.levels[i];
  for (const Part& part : explanation.parts)
    if (part.kind == Kind::outlier) rest[part.end] -= part.size;
  Values differences;
  double squares = 0;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    differences.push_back(std::fabs(rest[i] - rest[i - 1]));
    squares += differences.back() * differences.back();
  }
  const double plain = std::sqrt(squares / static_cast<double>(differences.size()));
  constexpr double kNormal = 1.4826;  // deviation over median absolute deviation
  return kNormal * median(differences) < kHeavy * plain;
}

/// The share of values below each, ties counted half.
Values ranks(const Values& values) {
  Values sorted = values, result;
  std::ranges::sort(sorted);
  for (const double value : values) {
    const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), value);
    const auto twice = (low - sorted.begin()) + (high - sorted.begin());
    result.push_back(static_cast<double>(twice) / 2 / static_cast<double>(values.size()));
  }
  return result;
}

/// Sizes of steps as the median of all differences of a run after it and one before, which a run that jumped
/// hardly moves, and levels to go with them. What drifts keeps least squares.
void size_by_medians(const Values& values, Explanation& explanation) {
  Parts& parts = explanation.parts;
  if (std::ranges::any_of(parts, [](const Part& part) { return part.kind != Kind::step; })) return;
  const auto stretch = [&](std::size_t i) {  // the runs before the i-th step, or behind all
    const std::size_t from = i == 0 ? 0 : parts[i - 1].end,
                      to = i < parts.size() ? parts[i].end : values.size();
    return Values(values.begin() + static_cast<std::ptrdiff_t>(from),
                  values.begin() + static_cast<std::ptrdiff_t>(to));
  };
  double level = median(stretch(0));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Values differences;
    for (const double after : stretch(i + 1))
      for (const double before : stretch(i)) differences.push_back(after - before);
    parts[i].size = median(std::move(differences));
  }
  for (std::size_t r = 0, i = 0; r < values.size(); ++r) {
    if (i < parts.size() && r == parts[i].end) level += parts[i++].size;
    explanation.levels[r] = level;
  }
}

}  // namespace

Explanation explain(const Values& values, const std::vector<bool>& same_commit) {
  if (values.size() < kLeastRuns) return {{}, values};
  Explanation result = explained(values, Search(values, same_commit).best(true));
  if (!jumps(result) && !has_heavy_tails(values, result)) return result;
  const Values order = ranks(values);
  result = explained(values, Search(order, same_commit).best(false));
  size_by_medians(values, result);
  return result;
}

}  // namespace overlap::report
