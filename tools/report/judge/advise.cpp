// Rows are grouped by the work they do. Of each group the advice is the simplest row that is as fast as the
// fastest, within kTie or noise, with its gain over the plain one: of rows that come out in another order in
// each run, the same one is advised. The rest is asked of the families: sections of their own, why a row hid
// little, rules of thumb.
#include "judge/advise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "judge/format.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

constexpr double kNearBoundPct = 95;  // from there on only the limit itself can move
/// Up to which a simpler configuration is worth a mention, over the best.
constexpr double kSimplerMayCost = 1.05;
constexpr std::size_t kNamed = 4;  // of a list in a sentence
constexpr const char* kQuieter = "more repetitions (--benchmark_repetitions=9) or an idle machine would tell";

/// Rows that do the same work, by what may be done with them.
struct Candidates {
  const FamilyReport& family;
  const Row& baseline;
  Rows free{};  ///< may be advised as they are; the simplest first
  std::vector<std::pair<const Row*, std::string>> bound{};  ///< on a condition only

  Candidates(const Rows& rows, const FamilyReport& of, const Row& plain) : family(of), baseline(plain) {
    for (const Row* row : rows) {
      const auto condition = family.advised_if ? family.advised_if(*row) : std::string();
      if (row == &baseline || (condition && condition->empty()))
        free.push_back(row);
      else if (condition)
        bound.emplace_back(row, *condition);
    }
    std::ranges::sort(free, [this](const Row* a, const Row* b) { return is_simpler(*a, *b, family); });
  }
};

/// The simplest of those that are as fast as the fastest; or what is simpler still and no slower than that,
/// as a quiet row can be beside a noisy one.
const Row& best_of(const Candidates& rows) {
  const Row& quickest = *fastest(rows.free);
  const Row& tied = **std::ranges::find_if(rows.free, [&](const Row* row) {
    return row->time_us() <= quickest.time_us() * (1 + tolerance_of(*row, quickest));
  });
  return **std::ranges::find_if(rows.free, [&](const Row* row) { return row->time_us() <= tied.time_us(); });
}

/// Whether the times differ by kTie at most, either way.
bool is_close(const Row& row, const Row& best) {
  return std::max(row.time_us(), best.time_us()) <= (1 + kTie) * std::min(row.time_us(), best.time_us());
}

/// What the row chose: all that is not work, late axes where rows differ in them.
Axes chosen(const Row& row, const Rows& rows, const FamilyReport& family) {
  Axes axes = pick(row, family.work, false);
  for (const auto& [axis, value] : family.defaults) {
    const bool is_work = std::ranges::find(family.work, axis) != family.work.end();
    const bool any =
        std::ranges::any_of(rows, [&name = axis](const Row* each) { return !each->axis(name).empty(); });
    if (any && !is_work && row.axis(axis).empty()) axes.emplace_back(axis, value);
  }
  return axes;
}

/// In what the row differs from the best one. All that it chose if it lacks an axis, so that nothing says
/// how.
std::string difference(const Row& row, const Row& best, const FamilyReport& family) {
  Axes other = pick(row, family.work, false);
  std::erase_if(other, [&](const auto& axis) { return best.axis(axis.first) == axis.second; });
  return axes_text(other.empty() ? pick(row, family.work, false) : other);
}

/// "a; b; and 3 more".
std::string listed(const std::vector<std::string>& all) {
  const auto shown = static_cast<std::ptrdiff_t>(std::min(kNamed, all.size()));
  std::string text = fmt::format("{}", fmt::join(all.begin(), all.begin() + shown, "; "));
  if (all.size() > kNamed) text += fmt::format("; and {} more", all.size() - kNamed);
  return text;
}

/// What comes out the same as the best row: ties, and what noise hides. Then what is simpler and costs
/// little.
void add_alternatives(Choice& choice, const Row& best, const Rows& rows, const Candidates& candidates) {
  std::vector<std::string> ties, unclear;
  const Row* simpler = nullptr;
  for (const Row* row : candidates.free) {
    if (row == &best) continue;
    const std::string what = difference(*row, best, candidates.family);
    if (is_close(*row, best)) {
      ties.push_back(what);
      choice.ties.push_back(row->name());
    } else if (row->time_us() < best.time_us()) {
      unclear.push_back(
          fmt::format("{} ({:.1f} % less time)", what, (1 - row->time_us() / best.time_us()) * 100));
      choice.unclear.push_back(row->name());
    } else if (!simpler && row != &candidates.baseline && is_simpler(*row, best, candidates.family) &&
               row->time_us() <= kSimplerMayCost * best.time_us()) {
      simpler = row;
    }
  }
  std::vector<std::string> faster;
  for (const auto& [row, condition] : candidates.bound) {
    const std::string what = difference(*row, best, candidates.family);
    if (is_close(*row, best)) {
      ties.push_back(fmt::format("{} ({})", what, condition));
      choice.ties.push_back(row->name());
    } else if (row->time_us() * (1 + tolerance_of(*row, best)) < best.time_us()) {
      faster.push_back(fmt::format("{}, {}: {:.1f} % less time", what, condition,
                                   (1 - row->time_us() / best.time_us()) * 100));
    }
  }
  if (!ties.empty()) choice.hints.push_back(fmt::format("within {:.0f} %: {}", kTie * 100, listed(ties)));
  if (!unclear.empty())
    choice.hints.push_back(
        fmt::format("too noisy to choose between this and {}; {}", listed(unclear), kQuieter));
  if (!faster.empty()) choice.hints.push_back(listed(faster));
  if (simpler)
    choice.hints.push_back(fmt::format("simpler, {:.1f} % slower: {}",
                                       (simpler->time_us() / best.time_us() - 1) * 100,
                                       axes_text(chosen(*simpler, rows, candidates.family))));
}

/// What the family says first, then how close to its limit the row is: at it, paced by launches, or with what
/// may help.
void add_hints(Choice& choice, const Row& best, const Rows& rows, const FamilyReport& family) {
  std::vector<std::string>& hints = choice.hints;
  if (family.hints)
    for (std::string& hint : family.hints(best, rows)) hints.push_back(std::move(hint));
  const auto bound = best.counter(counter::kBoundPct), copy = best.counter(counter::kPctOfCopy);
  if (copy && *copy >= kNearBoundPct) hints.push_back("at memory speed");
  if (bound && *bound >= kNearBoundPct)
    hints.push_back(
        best.bound_by.empty()
            ? "at its limit"
            : fmt::format("at its limit: only a faster {} or less for it to do would help", best.bound_by));
  else if (best.bound_by == "submission")
    hints.push_back("limited by the submitting thread: " + fewer_calls(best));
  else if (bound && !family.remedy.empty() &&
           (family.other_bound.empty() || !has_all(best, family.other_bound)))
    hints.push_back(fmt::format("{:.0f} % of the time is beyond its limit: {}", 100 - *bound, family.remedy));
}

/// Advice on rows that do the same work. Nothing if there is one row only, or no plain one to gain over.
std::optional<Choice> choice_of(const Rows& rows, const FamilyReport& family) {
  const Rows plain = only(rows, [&](const Row& row) { return has_all(row, family.plain); });
  if (rows.size() < 2 || plain.empty()) return std::nullopt;
  const Row& baseline = **std::ranges::min_element(
      plain, [&](const Row* a, const Row* b) { return is_simpler(*a, *b, family); });
  const Candidates candidates(rows, family, baseline);
  const Row& best = best_of(candidates);
  Choice choice{.family = best.family(),
                .where = pick(best, family.work, true),
                .best = chosen(best, rows, family),
                .row = best.name(),
                .baseline = baseline.name(),
                .over = family.plain,
                .time_us = best.time_us(),
                .gain = gain_over(baseline, best),
                .bound_pct = best.counter(counter::kBoundPct),
                .bound_by = best.bound_by,
                .hints = {}};
  if (const auto copy = best.counter(counter::kPctOfCopy); copy && !choice.bound_pct) {
    choice.bound_pct = copy;
    choice.bound_name = "a device copy";
  }
  add_alternatives(choice, best, rows, candidates);
  add_hints(choice, best, rows, family);
  return choice;
}

/// A choice for each work of each family that has a plain configuration. Late axes count at their default, so
/// that old rows and new ones of the same work meet.
std::vector<Choice> choose(const Run& run, const Families& families) {
  std::vector<std::pair<const FamilyReport*, Rows>> groups;  // in the order of their first rows
  std::map<std::pair<std::string, Axes>, std::size_t> index;
  for (const Row& row : run.rows) {
    const FamilyReport& family = find_family(families, row.family());
    if (!has_time(row) || family.plain.empty()) continue;
    const auto [at, added] = index.try_emplace({family.name, values_of(row, family.work)}, groups.size());
    if (added) groups.push_back({&family, {}});
    groups[at->second].second.push_back(&row);
  }
  std::vector<Choice> choices;
  for (const auto& [family, rows] : groups)
    if (auto choice = choice_of(rows, *family)) choices.push_back(std::move(*choice));
  return choices;
}

/// A section for each title, in the order of the families; those that share a title add their lines to it.
std::vector<AdviceSection> sections_of(const Run& run, const Families& families) {
  std::vector<AdviceSection> sections;
  for (const FamilyReport& family : families) {
    if (family.topic.title.empty()) continue;
    auto found = std::ranges::find(sections, family.topic.title, &AdviceSection::title);
    if (found == sections.end()) found = sections.insert(sections.end(), {family.topic.title, {}});
    const std::vector<std::string> lines = family.topic.lines(measured(run, family.name));
    found->lines.insert(found->lines.end(), lines.begin(), lines.end());
  }
  return sections;
}

/// Rows by the cause that their family names, in the order in which causes appear. A sweep over the axis that
/// is to blame has the row to compare it with, so it is left out where another value of that axis did well at
/// the same work.
std::vector<Loss> find_losses(const Run& run, const Families& families) {
  struct Lost {
    const Row* row;
    Cause cause;
    std::pair<std::string, Axes> work;
  };
  std::vector<Lost> lost;
  std::map<std::pair<std::string, Axes>, Rows> well;  // rows that hid enough, by their work
  for (const Row& row : run.rows) {
    const FamilyReport& family = find_family(families, row.family());
    if (!has_time(row) || !family.lost_because) continue;
    const std::pair work(family.name, values_of(row, family.work));
    if (const auto cause = family.lost_because(row, run))
      lost.push_back({&row, *cause, work});
    else if (!hid_little(row))
      well[work].push_back(&row);
  }
  std::map<std::tuple<std::string, Axes, std::string>, std::set<std::string>>
      values;  // of axes that did well
  const auto is_swept = [&](const Lost& each) {
    const auto& [row, cause, work] = each;
    if (cause.axis.empty()) return false;
    const auto [at, added] = values.try_emplace({work.first, work.second, cause.axis});
    if (added)
      for (const Row* other : well[work]) at->second.insert(other->axis(cause.axis));
    return at->second.size() > at->second.count(row->axis(cause.axis));
  };
  std::vector<Loss> losses;
  for (const Lost& each : lost) {
    if (is_swept(each)) continue;
    auto found = std::ranges::find_if(losses, [&](const Loss& loss) {
      return loss.cause == each.cause.cause && loss.remedy == each.cause.remedy;
    });
    if (found == losses.end()) found = losses.insert(losses.end(), {each.cause.cause, each.cause.remedy, {}});
    found->rows.push_back(each.row->name());
  }
  return losses;
}

}  // namespace

std::vector<Rule> check_rules(const Run& run, const Families& families) {
  std::vector<std::pair<int, Rule>> rules;
  for (const FamilyReport& family : families)
    for (const RuleCheck& rule : family.rules)
      rules.emplace_back(rule.place, rule.check(measured(run, family.name)));
  std::ranges::stable_sort(rules, {}, &std::pair<int, Rule>::first);
  std::vector<Rule> in_order;
  for (auto& [place, rule] : rules) in_order.push_back(std::move(rule));
  return in_order;
}

Advice advise(const Run& run, const Families& families) {
  const Families known = with_strangers(families, {run});
  return {choose(run, known), sections_of(run, known), find_losses(run, known), check_rules(run, known)};
}

}  // namespace overlap::report
