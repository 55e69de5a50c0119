// The search for the cheapest set of parts; what a set explains is residual.hpp's.
#include "judge/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
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
constexpr std::size_t kLeastDrift = 8;  // runs that a drift takes which is not the whole series
constexpr std::size_t kPieces = 8;      // of a series: the most
constexpr std::size_t kMostParts = 64;  // of a set
constexpr double kResolution = 1e-4;    // values that are equal to this are equal
// Prices of parts, in units of -2 log L. A drift through the whole series has no place to choose.
constexpr double kStep = 12.2, kUnsettled = 17, kWithinCommit = 5, kOutlier = 20, kDrift = 12,
                 kBentDrift = 19;
constexpr double kWorthMoving = 1e-6;  // what costs less by rounding only is not better
constexpr double kHeavy = 0.4;         // robust over plain deviation of differences

/// Parts with what they cost, at the correlation that suits them best, and what is left beside them at each.
struct Model {
  Parts parts;
  double cost = HUGE_VAL, rho = 0;
  std::vector<Residual> rests;
};

/// Parts that may be added.
struct Allowed {
  bool outliers = true, steps = true, drifts = true;
};

/// The set without the one at a place.
Parts without(Parts parts, std::size_t at) {
  parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at));
  return parts;
}

bool is_same(const Part& a, const Part& b) {
  return a.kind == b.kind && a.begin == b.begin && a.end == b.end;
}

/// The parts of a set, but its last, that hang most on the last: the nearest few, in the order of the set.
Parts neighbours_of_last(const Parts& parts) {
  constexpr std::size_t kMost = 4;
  const Part& last = parts.back();
  const auto distance = [&](std::size_t i) {
    const Part& part = parts[i];
    return part.end < last.begin ? last.begin - part.end : part.begin > last.end ? part.begin - last.end : 0;
  };
  std::vector<std::size_t> places(parts.size() - 1);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, {}, distance);
  places.resize(std::min(places.size(), kMost));
  std::ranges::sort(places);
  Parts neighbours;
  for (const std::size_t place : places) neighbours.push_back(parts[place]);
  return neighbours;
}

/// In how many pieces of equal length a series is cut, at whose ends a drift may begin or end.
std::size_t pieces_of(std::size_t n) { return std::clamp<std::size_t>((n - 1) / 4, 1, kPieces); }

/// Searches for the parts of one series.
class Search {
 public:
  Search(const Values& values, const std::vector<bool>& same_commit)
      : values_(values), same_commit_(same_commit), n_(values.size()) {}

  /// The cheapest set that is found. Steps are tried by themselves too: several look like a drift at first.
  Model best(bool outliers) const {
    Model all = grown({outliers, true, true});
    if (all.parts.empty()) return all;
    Model steps = grown({outliers, true, false}, all.cost);
    // What is left of steps that were taken for a drift is correlated, and the other way round: at the lower
    // correlation each is seen for what it is.
    const double rho = std::min(all.rho, steps.rho);
    return cost_at(steps, rho) < cost_at(all, rho) ? steps : all;
  }

 private:
  /// Adds parts as long as they pay, or might together with the next: a level that is left again shows only
  /// with both its steps.
  /// @param least  as soon as the parts alone cost so much that no fit is cheaper than this, it stops.
  Model grown(Allowed allowed, double least = HUGE_VAL) const {
    constexpr int kMostMisses = 3;
    const std::size_t most = std::clamp<std::size_t>(n_ / 5, 2, kMostParts);
    Model best = priced({}), model = best;
    for (int misses = 0; misses < kMostMisses && model.parts.size() < most;) {
      if (cost_of(0, 0) + prices(model.parts) > least) break;
      const auto next = best_beside(model, allowed);
      if (!next || next->cost > model.cost + price(next->part) / 2) break;
      take(model, *next);
      move_neighbours(model);
      misses = model.cost < best.cost ? 0 : misses + 1;
      if (misses == 0) best = model;
    }
    return pruned(without_borders(std::move(best)));
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
  /// At one of kCorrelations.
  double cost_at(const Model& model, double rho) const {
    return cost_of(beside(model, rho).squares(), rho) + prices(model.parts);
  }
  static const Residual& beside(const Model& model, double rho) {
    return *std::ranges::find(model.rests, rho, &Residual::rho);
  }
  Model priced(const Parts& parts) const {
    Model model{parts, HUGE_VAL, 0, {}};
    const double base = prices(parts);
    for (const double rho : kCorrelations) {
      model.rests.emplace_back(values_, parts, rho);
      const double cost = cost_of(model.rests.back().squares(), rho) + base;
      if (cost < model.cost) model.cost = cost, model.rho = rho;
    }
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

  /// Whether a step before each run has enough runs before it, and between it and others.
  std::vector<bool> room_beside(const Parts& parts) const {
    std::vector<bool> room(n_, true);
    const auto take = [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < std::min(to, n_); ++i) room[i] = false;
    };
    take(0, kLeastStretch - 1);
    for (const Part& part : parts)
      if (part.kind == Kind::step)
        take(part.end + 1 - std::min(part.end + 1, kLeastStretch), part.end + kLeastStretch);
    return room;
  }
  /// The drifts that may be added: they lie one behind the other.
  Parts drifts_beside(const Parts& parts) const {
    Parts drifts;
    const std::size_t pieces = pieces_of(n_);
    for (std::size_t from = 0; from < pieces; ++from)
      for (std::size_t to = from + 1; to <= pieces; ++to) {
        const Part drift{Kind::drift, from * (n_ - 1) / pieces, to * (n_ - 1) / pieces};
        const bool is_taken = std::ranges::any_of(parts, [&](const Part& other) {
          return other.kind == Kind::drift && other.begin < drift.end && drift.begin < other.end;
        });
        const bool is_long = to - from == pieces || drift.end - drift.begin >= kLeastDrift;
        if (is_long && !is_taken) drifts.push_back(drift);
      }
    return drifts;
  }
  /// A further part, with the cost of all at the correlation that then suits them best.
  struct Choice {
    Part part;
    double cost = HUGE_VAL, rho = 0;
  };
  /// The part that pays best beside those of a model; nothing if none may be added.
  std::optional<Choice> best_beside(const Model& model, Allowed allowed) const {
    Choice outlier, step, drift;
    const double base = prices(model.parts);
    const auto consider = [&](Choice& best, double squares, double rho, const Part& part) {
      const double cost = cost_of(squares, rho) + base + price(part);
      if (cost < best.cost) best = {part, cost, rho};
    };
    const Parts drifts = allowed.drifts ? drifts_beside(model.parts) : Parts();
    const std::vector<bool> room = room_beside(model.parts);
    for (const Residual& rest : model.rests) {
      const Values outliers = allowed.outliers ? rest.outlier_gains() : Values();
      const Values steps = allowed.steps ? rest.step_gains() : Values();
      // The last run is no outlier yet: it may be the first of a new level.
      for (std::size_t i = 0; i + 1 < outliers.size(); ++i)
        consider(outlier, rest.squares() - outliers[i], rest.rho(), {Kind::outlier, i, i});
      for (std::size_t i = 1; i < steps.size(); ++i)
        if (room[i]) consider(step, rest.squares() - steps[i], rest.rho(), {Kind::step, i - 1, i});
      for (const Part& part : drifts) consider(drift, rest.squares() - rest.fit(part).gain, rest.rho(), part);
    }
    if (step.cost < HUGE_VAL && drift.cost < HUGE_VAL) {  // as in best()
      const Residual& rest = beside(model, std::min(step.rho, drift.rho));
      const auto cost = [&](const Part& part) {
        return cost_of(rest.squares() - rest.fit(part).gain, rest.rho()) + price(part);
      };
      (cost(drift.part) < cost(step.part) ? step : drift).cost = HUGE_VAL;
    }
    const Choice& change = step.cost < drift.cost ? step : drift;
    const Choice& best = outlier.cost < change.cost ? outlier : change;
    if (best.cost == HUGE_VAL) return std::nullopt;
    return best;
  }
  /// Adds it to the model, as its last.
  static void take(Model& model, const Choice& choice) {
    model.parts.push_back(choice.part);
    model.cost = choice.cost;
    model.rho = choice.rho;
    for (Residual& rest : model.rests) rest.add(choice.part);
  }
  /// The parts beside the last, which was just added, each to where it fits best beside the others.
  void move_neighbours(Model& model) const {
    for (const Part& part : neighbours_of_last(model.parts)) {
      const auto at =
          std::ranges::find_if(model.parts, [&](const Part& each) { return is_same(each, part); });
      const auto place = static_cast<std::size_t>(at - model.parts.begin());
      Model others{without(model.parts, place), HUGE_VAL, 0, {}};
      for (const Residual& rest : model.rests) others.rests.push_back(rest.without(place));
      const auto moved = best_beside(
          others, {part.kind == Kind::outlier, part.kind == Kind::step, part.kind == Kind::drift});
      if (!moved || moved->cost > model.cost - kWorthMoving) continue;
      others = priced(others.parts);
      take(others, *moved);
      model = std::move(others);
    }
  }
  /// Without outliers at the border of a step that are but its first or last run: with each of them the step
  /// costs the same on either side of the run, and so stays where it is.
  Model without_borders(Model model) const {
    for (std::size_t i = 0; i < model.parts.size(); ++i)
      for (std::size_t j = 0; j < model.parts.size(); ++j) {
        const Part outlier = model.parts[i], step = model.parts[j];
        if (outlier.kind != Kind::outlier || step.kind != Kind::step) continue;
        if (outlier.end != step.begin && outlier.end != step.end) continue;
        const std::size_t end = outlier.end == step.begin ? step.begin : step.end + 1;
        Parts others = without(model.parts, std::max(i, j));
        others = without(std::move(others), std::min(i, j));
        if (end >= n_ || !room_beside(others)[end]) continue;
        others.push_back({Kind::step, end - 1, end});
        Model moved = priced(others);
        if (moved.cost > model.cost - kWorthMoving) continue;
        model = std::move(moved);
        i = j = 0;
      }
    return model;
  }
  /// Without the parts that do not pay beside the others.
  Model pruned(Model model) const {
    for (;;) {
      double least = HUGE_VAL;
      std::size_t worst = 0;
      const double base = prices(model.parts);
      for (std::size_t i = 0; i < model.parts.size(); ++i)
        for (const Residual& rest : model.rests) {
          const double cost = cost_of(rest.squares_without(i), rest.rho()) + base - price(model.parts[i]);
          if (cost < least) least = cost, worst = i;
        }
      if (least >= model.cost) return model;
      model = priced(without(model.parts, worst));
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
    const auto fit = Residual(values, without(model.parts, i), model.rho).fit(part);
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

std::size_t drift_grid(std::size_t n) {
  const std::size_t pieces = pieces_of(n);
  return (n - 1 + pieces - 1) / pieces;
}

Explanation explain(const Values& values, const std::vector<bool>& same_commit) {
  if (values.size() < kLeastExplained) return {{}, values};
  Explanation result = explained(values, Search(values, same_commit).best(true));
  if (!jumps(result) && !has_heavy_tails(values, result)) return result;
  const Values order = ranks(values);
  result = explained(values, Search(order, same_commit).best(false));
  size_by_medians(values, result);
  return result;
}

}  // namespace overlap::report
