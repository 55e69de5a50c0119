// Rows go into a table each by family and table axes, file by file. Axes that are the same in all rows of a
// table move into its title. A row's baseline is the one that shares most of the other axes with it.
#include "judge/view.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "judge/statistics.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

/// Whether the row has an axis of each name, by its name or by default.
bool has_axes(const Row& row, const Axes& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& axis) { return !row.axis(axis.first).empty(); });
}

/// Every axis that any of the rows has, in the order of their names.
std::vector<std::string> axes_of(const Rows& rows) {
  std::vector<std::string> axes;
  for (const Row* row : rows)
    for (const auto& [axis, value] : row->id.axes)
      if (std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
  return axes;
}

/// Rows of one family and one table, file by file.
struct Group {
  const FamilyReport* family;
  std::string name;  ///< of the family
  Axes key;
  Axes baseline;
  std::vector<Rows> rows;
};

/// The baseline row that shares most coordinates with `row`: the same timing, the same pass.
const Row* baseline_of(const Row& row, const Rows& rows, const Group& group) {
  if (group.baseline.empty()) return nullptr;
  const Row* best = nullptr;
  std::ptrdiff_t most = -1;
  const std::vector<std::string> axes = axes_of(rows);
  for (const Row* candidate : rows) {
    if (candidate->failed() || !has_all(*candidate, group.baseline)) continue;
    const auto shared = std::ranges::count_if(
        axes, [&](const std::string& axis) { return row.axis(axis) == candidate->axis(axis); });
    if (shared > most) {
      most = shared;
      best = candidate;
    }
  }
  return best;
}

/// Nothing where there is nothing to divide by.
std::optional<double> ratio(double above, double below) {
  if (!(below > 0) || !std::isfinite(above / below)) return std::nullopt;
  return above / below;
}

/// A row to compare with: the first of the run with these axes, whatever others it has; nullptr if there is
/// none.
const Row* find_in(const Run& run, const RowId& wanted) {
  const auto found = std::ranges::find_if(run.rows, [&](const Row& row) {
    return row.family() == wanted.family && !row.failed() && has_all(row, wanted.axes);
  });
  return found == run.rows.end() ? nullptr : &*found;
}

/// All numbers of a row in one file. A failed row has none but its failure. Spread is that of the repetitions
/// if there are three or more, else that of the row's own samples.
Cell make_cell(const Row& row, const Row* baseline, const Run& run, const FamilyReport& family) {
  Cell cell;
  cell.present = true;
  cell.failure = row.failure;
  if (row.failed()) return cell;
  const auto set = [&cell](const std::string& metric, std::optional<double> value) {
    if (value) cell.numbers[metric] = *value;
  };
  for (const char* usual :
       {counter::kBoundPct, counter::kOverlapPct, counter::kSubmitUs, counter::kCpuFreePct})
    set(usual, row.counter(usual));
  for (const Column& column : family.columns) set(column.metric.name, row.counter(column.metric.name));
  const double time_us = row.time_us();
  cell.bound_by = row.bound_by;
  cell.over_budget = row.counter(counter::kOverBudget).value_or(0) > 0;
  set("time_us", time_us);
  set("spread", row.times_us.size() < 3 ? row.counter(counter::kCv) : spread_of(row.times_us));
  if (baseline) set("speedup", ratio(baseline->time_us(), time_us));
  for (const Reference& reference : family.references) {
    const std::optional<RowId> wanted = reference.row(row);
    if (const Row* found = wanted ? find_in(run, *wanted) : nullptr)
      set(reference.metric, ratio(reference.scale * found->time_us(), time_us));
  }
  if (const auto rate = row.counter(counter::kBytesPerSecond)) set("gb_per_s", *rate / 1e9);
  if (!family.submits) {
    for (const char* none : {counter::kSubmitUs, counter::kCpuFreePct}) cell.numbers.erase(none);
    return cell;
  }
  cell.host_bound = row.counter(counter::kHostBound).value_or(0) > 0;
  if (cell.number(counter::kSubmitUs)) set(counter::kHostBound, cell.host_bound ? 1 : 0);
  return cell;
}

/// Rows of all files by family and table axes. The baseline asked for takes the place of the family's in
/// groups whose first row has its axes.
std::vector<Group> group_rows(const std::vector<Run>& runs, const Axes& asked, const Families& families) {
  std::vector<Group> groups;
  for (std::size_t file = 0; file < runs.size(); ++file) {
    for (const Row& row : runs[file].rows) {
      const FamilyReport& family = find_family(families, row.family());
      const Axes key = values_of(row, family.table_axes());
      auto found = std::ranges::find_if(
          groups, [&](const Group& group) { return group.name == row.family() && group.key == key; });
      if (found == groups.end()) {
        const bool use_asked = !asked.empty() && has_axes(row, asked);
        groups.push_back({&family, row.family(), key, use_asked ? asked : family.table_baseline(),
                          std::vector<Rows>(runs.size())});
        found = groups.end() - 1;
      }
      found->rows[file].push_back(&row);
    }
  }
  // A family's groups belong together, families in the order of their first row.
  std::vector<std::string> names;
  for (const Group& group : groups)
    if (std::ranges::find(names, group.name) == names.end()) names.push_back(group.name);
  std::ranges::stable_sort(groups, {},
                           [&](const Group& group) { return std::ranges::find(names, group.name); });
  return groups;
}

/// The axes that all rows share become the view's, the others its columns.
void sort_axes(View& view, const Rows& all) {
  for (const std::string& axis : axes_of(all)) {
    if (std::ranges::find(view.fixed, axis, &Axes::value_type::first) != view.fixed.end()) continue;
    const std::string& value = all.front()->axis(axis);
    const bool constant = std::ranges::all_of(all, [&](const Row* row) { return row->axis(axis) == value; });
    if (constant && all.size() > 1)
      view.fixed.emplace_back(axis, value);
    else
      view.columns.push_back(axis);
  }
}

/// A group as a table. A row that several files have is one line, found by its name.
View make_view(const Group& group, const std::vector<Run>& runs) {
  const FamilyReport& family = *group.family;
  View view;
  view.family = group.name;
  for (const auto& axis : group.key)  // what goes without saying is not said
    if (std::ranges::find(family.defaults, axis) == family.defaults.end()) view.fixed.push_back(axis);
  view.baseline = group.baseline;
  view.metrics = metrics_of({&family});
  view.charts = family.charts;
  Rows all;  // each row once, in the order of the files
  std::unordered_map<std::string, std::vector<const Row*>> by_name;  // file by file
  for (std::size_t file = 0; file < runs.size(); ++file) {
    for (const Row* row : group.rows[file]) {
      const auto [found, added] = by_name.try_emplace(row->name(), runs.size(), nullptr);
      if (added) all.push_back(row);
      const Row*& known = found->second[file];
      if (!known) known = row;
    }
  }
  sort_axes(view, all);
  for (const Row* row : all) {
    ViewRow line;
    for (const std::string& axis : view.columns) line.values.push_back(row->axis(axis));
    const auto& rows = by_name.at(row->name());
    for (std::size_t file = 0; file < runs.size(); ++file)
      line.cells.push_back(
          rows[file]
              ? make_cell(*rows[file], baseline_of(*rows[file], group.rows[file], group), runs[file], family)
              : Cell{});
    view.rows.push_back(std::move(line));
  }
  for (std::size_t file = 0; family.notes && file < runs.size(); ++file)
    for (std::string& note :
         family.notes(only(group.rows[file], [](const Row& row) { return !row.failed(); })))
      view.notes.push_back(runs.size() > 1 ? file_letter(file) + ": " + note : std::move(note));
  return view;
}

}  // namespace

// Letters repeat after 26 files.
std::string file_letter(std::size_t file) { return std::string(1, static_cast<char>('A' + file % 26)); }

Axes all_axes(const View& view, const ViewRow& row) {
  Axes axes = view.fixed;
  for (std::size_t i = 0; i < view.columns.size(); ++i) axes.emplace_back(view.columns[i], row.values[i]);
  return axes;
}

std::optional<double> Cell::number(const std::string& metric) const {
  const auto found = numbers.find(metric);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

std::vector<View> make_views(const std::vector<Run>& runs, const Axes& baseline, const Families& families) {
  const Families known = with_strangers(families, runs);
  std::vector<View> views;
  for (const Group& group : group_rows(runs, baseline, known)) views.push_back(make_view(group, runs));
  return views;
}

}  // namespace overlap::report
