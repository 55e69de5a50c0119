// Rows go into a table each by family and table axes, file by file. Axes that are the same in all rows of a
// table move into its title. A row's baseline is the one that shares most of the other axes with it. Files
// have a hundred thousand rows, in one table or in as many: nothing here looks through all of them for each.
#include "judge/view.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "judge/nearest.hpp"
#include "judge/statistics.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

/// Whether the row has an axis of each name, by its name or by default.
bool has_axes(const Row& row, const Axes& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& axis) { return !row.axis(axis.first).empty(); });
}

/// Rows of one family and one table, file by file.
struct Group {
  std::size_t rank;  ///< of the family: that of its first row
  const FamilyReport* family;
  std::string name;  ///< of the family
  Axes key;
  Axes baseline;
  std::vector<Rows> rows;
};

/// A line of a table: a row as each file has it, nullptr where one has not.
struct Line {
  std::vector<const Row*> rows;
  ViewRow shown;

  const Row& any() const {
    return **std::ranges::find_if(rows, [](const Row* row) { return row != nullptr; });
  }
};

/// For each row of a file, the baseline row that shares most coordinates with it: the same timing, the same
/// pass. Of equals the first.
class Baselines {
 public:
  Baselines(const std::vector<Line>& lines, std::size_t file, const Axes& baseline) {
    if (baseline.empty()) return;
    std::vector<const std::vector<std::string>*> places;
    for (const Line& line : lines) {
      const Row* row = line.rows[file];
      if (!row || row->failed() || !has_all(*row, baseline)) continue;
      rows_.push_back(row);
      places.push_back(&line.shown.values);
    }
    if (!rows_.empty()) nearest_.emplace(places);
  }
  /// nullptr if there is no baseline row.
  const Row* of(const Line& line) { return nearest_ ? rows_[nearest_->find(line.shown.values)] : nullptr; }

 private:
  Rows rows_;
  std::optional<Nearest> nearest_;
};

/// Nothing where there is nothing to divide by.
std::optional<double> ratio(double above, double below) {
  if (!(below > 0) || !std::isfinite(above / below)) return std::nullopt;
  return above / below;
}

/// Spread of the repetitions if there are three or more, else that of the row's own samples. One sample has
/// none; a row that does not say how many it took, but that they do not differ, took one.
std::optional<double> spread_in(const Row& row) {
  if (row.times_us.size() >= 3) return spread_of(row.times_us);
  const auto cv = row.counter(counter::kCv);
  const double usual = cv && *cv > 0 ? 2 : 1;
  return row.counter(counter::kSamples).value_or(usual) > 1 ? cv : std::nullopt;
}

/// All numbers of a row in one file. A failed row has none but its failure.
Cell make_cell(const Row& row, const Row* baseline, RowFinder& run, const FamilyReport& family) {
  Cell cell;
  cell.present = true;
  cell.failure = row.failure;
  cell.skipped = row.skipped;
  if (row.failed()) return cell;
  const auto set = [&cell](std::string_view metric, std::optional<double> value) {
    if (value && !cell.number(metric)) cell.numbers.emplace_back(metric, *value);
  };
  const double time_us = row.time_us();
  cell.bound_by = row.bound_by;
  cell.over_budget = row.counter(counter::kOverBudget).value_or(0) > 0;
  set("time_us", time_us);
  set("spread", spread_in(row));
  if (baseline) set("speedup", ratio(baseline->time_us(), time_us));
  for (const Reference& reference : family.references) {
    const std::optional<RowId> wanted = reference.row(row);
    if (const Row* found = wanted ? run.find(*wanted) : nullptr)
      set(reference.metric, ratio(reference.scale * found->time_us(), time_us));
  }
  if (const auto rate = row.counter(counter::kBytesPerSecond)) set("gb_per_s", *rate / 1e9);
  set("items_per_second", row.counter("items_per_second"));
  set(counter::kBoundPct, row.counter(counter::kBoundPct));
  set(counter::kOverlapPct, row.counter(counter::kOverlapPct));
  if (family.submits) {
    set(counter::kSubmitUs, row.counter(counter::kSubmitUs));
    set(counter::kCpuFreePct, row.counter(counter::kCpuFreePct));
    cell.host_bound = row.counter(counter::kHostBound).value_or(0) > 0;
    if (cell.number(counter::kSubmitUs)) set(counter::kHostBound, cell.host_bound ? 1 : 0);
  }
  for (const Column& column : family.columns) set(column.metric.name, row.counter(column.metric.name));
  return cell;
}

/// Rows of all files by family and table axes. The baseline asked for takes the place of the family's in
/// groups whose first row has its axes.
std::vector<Group> group_rows(const std::vector<Run>& runs, const Axes& asked, const Families& families) {
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> index, ranks;
  for (std::size_t file = 0; file < runs.size(); ++file) {
    for (const Row& row : runs[file].rows) {
      const FamilyReport& family = find_family(families, row.family());
      const Axes key = values_of(row, family.table_axes());
      std::string name = row.family();
      for (const auto& [axis, value] : key) name.append(1, '\0').append(axis).append(1, '\0').append(value);
      const auto [found, added] = index.try_emplace(std::move(name), groups.size());
      if (added) {
        const std::size_t rank = ranks.try_emplace(row.family(), ranks.size()).first->second;
        const bool use_asked = !asked.empty() && has_axes(row, asked);
        groups.push_back({rank, &family, row.family(), key, use_asked ? asked : family.table_baseline(),
                          std::vector<Rows>(runs.size())});
      }
      groups[found->second].rows[file].push_back(&row);
    }
  }
  // A family's groups belong together.
  std::ranges::stable_sort(groups, {}, &Group::rank);
  return groups;
}

/// The rows of a group as lines, each row once, in the order of the files. A row that several files have is
/// one line, found by its name.
std::vector<Line> lines_of(const Group& group) {
  std::vector<Line> lines;
  std::unordered_map<std::string, std::size_t> by_name;
  by_name.reserve(group.rows[0].size());
  for (std::size_t file = 0; file < group.rows.size(); ++file) {
    for (const Row* row : group.rows[file]) {
      std::string name = row->name();
      const auto [found, added] = by_name.try_emplace(name, lines.size());
      if (added) lines.push_back({std::vector<const Row*>(group.rows.size()), {std::move(name), {}, {}}});
      const Row*& known = lines[found->second].rows[file];
      if (!known) known = row;
    }
  }
  return lines;
}

/// Puts what the rows are into the lines: a column for each axis that any of them has, in the order of their
/// names, and for what else makes them differ.
/// @return the names of the columns.
std::vector<std::string> add_columns(std::vector<Line>& lines) {
  std::vector<std::string> columns;
  const auto place_of = [&columns](const std::string& name, std::size_t guess) {
    if (guess < columns.size() && columns[guess] == name) return guess;
    const auto found = std::ranges::find(columns, name) - columns.begin();
    if (found == std::ssize(columns)) columns.push_back(name);
    return static_cast<std::size_t>(found);
  };
  for (Line& line : lines) {
    const RowId& id = line.any().id;
    std::vector<std::string>& values = line.shown.values;
    const auto put = [&](const Axes& axes) {
      for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t at = place_of(axes[i].first, i);
        if (at >= values.size()) values.resize(std::max(at + 1, columns.size()));
        values[at] = axes[i].second;
      }
    };
    id.axes_are_labels() ? put(id.axes) : put(id.labelled());
  }
  for (Line& line : lines) {
    line.shown.values.resize(columns.size());
    for (const auto& [axis, value] : line.any().defaults)
      if (const auto at = std::ranges::find(columns, axis) - columns.begin(); at < std::ssize(columns))
        if (std::string& own = line.shown.values[static_cast<std::size_t>(at)]; own.empty()) own = value;
  }
  // What is not an axis, where lines differ in it. Names without threads mean one.
  const auto add = [&](std::string name, const auto& value_of_row, bool even_if_same) {
    std::vector<std::string> values;
    for (const Line& line : lines) values.push_back(value_of_row(line.any().id));
    const bool same = std::ranges::all_of(values, [&](const std::string& each) { return each == values[0]; });
    if (same && !(even_if_same && !values[0].empty())) return;
    while (std::ranges::find(columns, name) != columns.end()) name = "run " + name;
    columns.push_back(std::move(name));
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i].shown.values.push_back(std::move(values[i]));
  };
  const bool any_threads =
      std::ranges::any_of(lines, [](const Line& line) { return !line.any().id.threads().empty(); });
  if (any_threads)
    add(
        "threads", [](const RowId& id) { return id.threads().empty() ? "1" : id.threads(); }, true);
  add(
      "clock", [](const RowId& id) { return id.clock(); }, false);
  // The rest only where nothing else tells lines apart.
  const auto any_alike = [&] {
    std::set<std::vector<std::string>> seen;
    return !std::ranges::all_of(lines,
                                [&](const Line& line) { return seen.insert(line.shown.values).second; });
  };
  if (!any_alike()) return columns;
  std::map<std::string, std::size_t> settings;  // and how many lines have each
  for (const Line& line : lines)
    for (const std::string& setting : line.any().id.settings()) ++settings[setting];
  const auto own_settings = [&](const RowId& id) {
    std::string own;
    for (const std::string& setting : id.settings())
      if (settings[setting] < lines.size()) own += (own.empty() ? "" : "/") + setting;
    return own;
  };
  add("settings", own_settings, false);
  if (any_alike())
    add(
        "#", [](const RowId& id) { return std::to_string(id.ordinal); }, false);
  return columns;
}

/// Columns that say the same of all lines become the view's, and so do those that it fixes.
void move_constant(View& view, std::vector<std::string> columns, std::vector<Line>& lines) {
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (std::ranges::find(view.fixed, columns[c], &Axes::value_type::first) != view.fixed.end()) continue;
    const std::string& value = lines[0].shown.values[c];
    const bool constant =
        std::ranges::all_of(lines, [&](const Line& line) { return line.shown.values[c] == value; });
    if (constant && lines.size() > 1) {
      view.fixed.emplace_back(columns[c], value);
    } else {
      kept.push_back(c);
      view.columns.push_back(std::move(columns[c]));
    }
  }
  for (Line& line : lines) {
    std::vector<std::string> values;
    values.reserve(kept.size());
    for (const std::size_t c : kept) values.push_back(std::move(line.shown.values[c]));
    line.shown.values = std::move(values);
  }
}

/// A group as a table.
View make_view(const Group& group, std::deque<RowFinder>& runs, std::shared_ptr<const Look> look) {
  const FamilyReport& family = *group.family;
  View view;
  view.family = group.name;
  view.is_known = !family.name.empty();
  for (const auto& axis : group.key)  // what goes without saying is not said
    if (std::ranges::find(family.defaults, axis) == family.defaults.end()) view.fixed.push_back(axis);
  view.baseline = group.baseline;
  view.metrics = look->metrics;
  view.charts = look->charts;
  view.look = std::move(look);
  std::vector<Line> lines = lines_of(group);
  move_constant(view, add_columns(lines), lines);
  std::vector<Baselines> baselines;
  for (std::size_t file = 0; file < runs.size(); ++file) baselines.emplace_back(lines, file, group.baseline);
  for (Line& line : lines) {
    for (std::size_t file = 0; file < runs.size(); ++file)
      line.shown.cells.push_back(
          line.rows[file] ? make_cell(*line.rows[file], baselines[file].of(line), runs[file], family)
                          : Cell{});
  }
  for (Line& line : lines) view.rows.push_back(std::move(line.shown));
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

std::optional<double> Cell::number(std::string_view metric) const {
  const auto found = std::ranges::find(numbers, metric, &std::pair<std::string, double>::first);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

std::vector<View> make_views(const std::vector<Run>& runs, const Axes& baseline, const Families& families) {
  const Families known = with_strangers(families, runs);
  std::deque<RowFinder> finders(runs.begin(), runs.end());
  std::map<const FamilyReport*, std::shared_ptr<const Look>> looks;
  std::vector<View> views;
  for (const Group& group : group_rows(runs, baseline, known)) {
    std::shared_ptr<const Look>& look = looks[group.family];
    if (!look) look = std::make_shared<Look>(Look{metrics_of({group.family}), group.family->charts});
    views.push_back(make_view(group, finders, look));
  }
  return views;
}

}  // namespace overlap::report
