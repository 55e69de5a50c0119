// Rows are grouped by the work they do. Of each group the advice is the first row that is as fast as the
// fastest within noise, with its gain over the plain one. The rest is asked of the families: sections of
// their own, why a row hid little, rules of thumb.
#include "judge/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "names/counters.hpp"

namespace overlap::report {
namespace {

constexpr double kNearBoundPct = 95;  // from there on only the limit itself can move

/// The first of the rows that are as fast as the fastest, within noise. Sweeps list simple configurations
/// first, so that of equals the simplest is advised.
const Row& best_of(const Rows& rows) {
  const Row& quickest = *fastest(rows);
  return **std::ranges::find_if(rows, [&](const Row* row) {
    return row == &quickest || row->time_us() <= quickest.time_us() * (1 + noise_of(*row, quickest));
  });
}

/// What the family says first, then how close to its limit the row is: at it, paced by launches, or with what
/// may help.
std::vector<std::string> hints_for(const Row& best, const Rows& rows, const FamilyReport& family) {
  std::vector<std::string> hints;
  if (family.hints) hints = family.hints(best, rows);
  const auto bound = best.counter(counter::kBoundPct), copy = best.counter(counter::kPctOfCopy);
  if (copy && *copy >= kNearBoundPct) hints.push_back("at memory speed");
  if (bound && *bound >= kNearBoundPct)
    hints.push_back(
        best.bound_by.empty()
            ? "at its limit"
            : fmt::format("at its limit: only a faster {} or less for it to do would help", best.bound_by));
  else if (best.bound_by == "submission")
    hints.push_back("limited by the CPU's launches: fewer, larger calls, or a graph");
  else if (bound && !family.remedy.empty())
    hints.push_back(fmt::format("{:.0f} % of the time is beyond its limit: {}", 100 - *bound, family.remedy));
  return hints;
}

/// What the best row chose: all that is not work, late axes where rows differ in them.
Axes chosen(const Row& best, const Rows& rows, const FamilyReport& family) {
  Axes axes = pick(best, family.work, false);
  for (const auto& [axis, value] : family.defaults) {
    const bool is_work = std::ranges::find(family.work, axis) != family.work.end();
    const bool any =
        std::ranges::any_of(rows, [&name = axis](const Row* row) { return !row->axis(name).empty(); });
    if (any && !is_work && best.axis(axis).empty()) axes.emplace_back(axis, value);
  }
  return axes;
}

/// Advice on rows that do the same work. Nothing if there is one row only, or no plain one to gain over.
std::optional<Choice> choice_of(const Rows& rows, const FamilyReport& family) {
  const auto baseline =
      std::ranges::find_if(rows, [&](const Row* row) { return has_all(*row, family.plain); });
  if (rows.size() < 2 || baseline == rows.end()) return std::nullopt;
  const Row& best = best_of(rows);
  Choice choice{.family = best.family(),
                .where = pick(best, family.work, true),
                .best = chosen(best, rows, family),
                .row = best.name(),
                .baseline = (*baseline)->name(),
                .over = family.plain,
                .time_us = best.time_us(),
                .gain = gain_over(**baseline, best),
                .bound_pct = best.counter(counter::kBoundPct),
                .bound_by = best.bound_by,
                .hints = hints_for(best, rows, family)};
  if (const auto copy = best.counter(counter::kPctOfCopy); copy && !choice.bound_pct) {
    choice.bound_pct = copy;
    choice.bound_name = "a device copy";
  }
  return choice;
}

/// A choice for each work of each family that has a plain configuration. Late axes count at their default, so
/// that old rows and new ones of the same work meet.
std::vector<Choice> choose(const Run& run, const Families& families) {
  std::vector<std::pair<const FamilyReport*, Rows>> groups;  // in the order of their first rows
  std::map<std::pair<std::string, Axes>, std::size_t> index;
  for (const Row& row : run.rows) {
    const FamilyReport& family = find_family(families, row.family());
    if (row.failed() || family.plain.empty()) continue;
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

/// Rows by the cause that their family names, in the order in which causes appear.
std::vector<Loss> find_losses(const Run& run, const Families& families) {
  std::vector<Loss> losses;
  for (const Row& row : run.rows) {
    const FamilyReport& family = find_family(families, row.family());
    if (row.failed() || !family.lost_because) continue;
    const auto cause = family.lost_because(row, run);
    if (!cause) continue;
    auto found = std::ranges::find(losses, cause->cause, &Loss::cause);
    if (found == losses.end()) found = losses.insert(losses.end(), {cause->cause, cause->remedy, {}});
    found->rows.push_back(row.name());
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
