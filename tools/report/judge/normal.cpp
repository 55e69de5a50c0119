// Two things that a row cannot say of itself: that an axis stands at the default it had before there was such
// an axis, and that another row of the same data had its stages measured in a faster moment.
#include "judge/normal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "judge/format.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

/// What rows of the same data have in common.
constexpr const char* kStages[] = {counter::kBoundUs,  counter::kSerialUs, counter::kH2dUs,
                                   counter::kKernelUs, counter::kD2hUs,    counter::kLinkUs};

/// Takes off axes that were added late, where they stand at what rows meant before.
/// @return whether the row has another name now.
bool take_defaults(Row& row, const FamilyReport& family) {
  row.defaults = family.defaults;
  return std::erase_if(row.id.axes, [&](const auto& axis) {
           return std::ranges::find(family.defaults, axis) != family.defaults.end();
         }) > 0;
}

/// Gives the row the stages of the one with the least bound, and the shares that follow from them. Stages
/// that the row has not itself it does not get. What bounds the row stays as it says.
void take_stages(Row& row, const Row& least) {
  const double bound_us = *least.counter(counter::kBoundUs);
  if (row.counter(counter::kBoundUs) == bound_us) return;
  for (const char* stage : kStages)
    if (row.counter(stage)) row.set_counter(stage, least.counter(stage));
  const double time_us = row.time_us();
  if (time_us > 0) row.set_counter(counter::kBoundPct, 100 * bound_us / time_us);
  row.set_counter(counter::kOverlapPct,
                  overlap_percent(row.counter(counter::kSerialUs).value_or(0), bound_us, time_us));
}

}  // namespace

const std::vector<std::string>& bound_counters() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names(std::begin(kStages), std::end(kStages));
    names.insert(names.end(), {counter::kBoundPct, counter::kOverlapPct});
    return names;
  }();
  return all;
}

void normalise(Run& run, const Families& families) {
  Run context;  // all that is asked of it
  context.context = run.context;
  const Families known = with_strangers(families, {context});
  std::map<Axes, std::vector<Row*>> groups;
  bool any_renamed = false;
  for (Row& row : run.rows) {
    const FamilyReport& family = find_family(known, row.family());
    any_renamed = take_defaults(row, family) || any_renamed;
    if (family.data.empty() || row.failed() || !row.counter(counter::kBoundUs)) continue;
    Axes group = values_of(row, family.data);
    group.emplace_back(row.family(),
                       family.other_bound.empty() || !has_all(row, family.other_bound) ? "usual" : "other");
    groups[group].push_back(&row);
  }
  if (const std::size_t same = any_renamed ? tell_apart(run.rows) : 0; same > 0)
    run.warnings.push_back(fmt::format(
        "{} with the name of another once late axes are at their default: told apart by #2, #3 ...",
        counted(static_cast<double>(same), "row")));
  for (auto& [group, rows] : groups) {
    const auto bound = [](const Row* row) { return *row->counter(counter::kBoundUs); };
    const Row least = **std::ranges::min_element(rows, {}, bound);
    for (Row* row : rows) take_stages(*row, least);
  }
}

}  // namespace overlap::report
