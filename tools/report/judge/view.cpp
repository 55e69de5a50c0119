#include "judge/view.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "judge/notes.hpp"

namespace overlap::report {
namespace {

/// How a family is shown.
struct Layout {
  std::vector<std::string> group;  ///< axes whose values get a table of their own
  Axes baseline;
};

Layout layout_of(const std::string& family) {
  static const std::map<std::string, Layout> layouts = {
      {"pipeline", {{"n", "mem", "work"}, {{"order", "sequential"}, {"submit", "launch"}}}},
      {"sequence", {{"n", "kernels"}, {{"submit", "launch"}}}},
      {"swish", {{"n", "cache", "timing"}, {{"impl", "scalar"}}}},
      {"double_buffer", {{"dim", "batches", "result"}, {{"sync", "serial"}}}},
      {"concurrent", {{}, {{"streams", "1"}}}},
      {"transfer", {{"mem"}, {}}},
      {"graph_cost", {{"width"}, {}}},
      {"torch_swish", {{"n", "dtype"}, {{"impl", "silu"}}}},
      {"torch_double_buffer", {{"dim", "batches"}, {{"sync", "serial"}}}},
      {"torch_streams", {{}, {{"streams", "1"}}}},
  };
  const auto found = layouts.find(family);
  return found == layouts.end() ? Layout{} : found->second;
}

bool has_all(const Row& row, const Axes& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& axis) { return row.axis(axis.first) == axis.second; });
}

bool has_axes(const Row& row, const Axes& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& axis) { return !row.axis(axis.first).empty(); });
}

Axes pick(const Row& row, const std::vector<std::string>& axes) {
  Axes picked;
  for (const std::string& axis : axes)
    if (const std::string value = row.axis(axis); !value.empty()) picked.emplace_back(axis, value);
  return picked;
}

/// The baseline row that shares most coordinates with `row`: the same timing, the same pass.
const Row* baseline_of(const Row& row, const std::vector<const Row*>& group, const Axes& baseline) {
  const Row* best = nullptr;
  std::ptrdiff_t most = -1;
  for (const Row* candidate : group) {
    if (baseline.empty() || candidate->failed() || !has_all(*candidate, baseline)) continue;
    const auto shared = std::ranges::count_if(
        row.axes, [&](const auto& axis) { return candidate->axis(axis.first) == axis.second; });
    if (shared > most) {
      most = shared;
      best = candidate;
    }
  }
  return best;
}

/// The row of torch_swish that does the same work by another impl.
const Row* torch_reference(const Row& row, const Run& run, const char* impl) {
  if (row.family != "torch_swish" || row.axis("impl") == impl) return nullptr;
  const Axes same = {
      {"impl", impl}, {"pass", row.axis("pass")}, {"n", row.axis("n")}, {"dtype", row.axis("dtype")}};
  const auto found = std::ranges::find_if(run.rows, [&](const Row& candidate) {
    return candidate.family == row.family && !candidate.failed() && has_all(candidate, same);
  });
  return found == run.rows.end() ? nullptr : &*found;
}

/// The row that does the same work on as many elements on one CPU thread.
const Row* cpu_reference(const Row& row, const Run& run) {
  if (const Row* torch = torch_reference(row, run, "cpu")) return torch;
  std::string op;
  if (row.family == "pipeline" && row.axis("work") == "1") op = "trig";
  if (row.family == "sequence" && row.axis("kernels") == "3") op = "sequence";
  if (row.family == "swish") op = "swish_" + row.axis("pass");
  if (op.empty()) return nullptr;
  for (const Row& candidate : run.rows) {
    if (candidate.family == "cpu" && !candidate.failed() && candidate.axis("op") == op &&
        candidate.axis("n") == row.axis("n"))
      return &candidate;
  }
  return nullptr;
}

std::optional<double> ratio(double above, double below) {
  if (!(below > 0) || !std::isfinite(above / below)) return std::nullopt;
  return above / below;
}

std::optional<double> spread_of(const Row& row) {
  if (row.times_us.size() < 3) return row.counter("cv");
  const auto n = static_cast<double>(row.times_us.size());
  const double mean = std::accumulate(row.times_us.begin(), row.times_us.end(), 0.0) / n;
  double squares = 0;
  for (double t : row.times_us) squares += (t - mean) * (t - mean);
  return ratio(std::sqrt(squares / (n - 1)), mean);
}

Cell make_cell(const Row& row, const Row* baseline, const Run& run) {
  Cell cell;
  cell.present = true;
  cell.failure = row.failure;
  if (row.failed()) return cell;
  const auto set = [&cell](const char* metric, std::optional<double> value) {
    if (value) cell.numbers[metric] = *value;
  };
  const double time_us = row.time_us();
  cell.bound_by = row.bound_by;
  set("time_us", time_us);
  set("spread", spread_of(row));
  if (baseline) set("speedup", ratio(baseline->time_us(), time_us));
  if (const Row* cpu = cpu_reference(row, run)) set("times_cpu", ratio(cpu->time_us(), time_us));
  if (const Row* kernel = torch_reference(row, run, "kernel"))
    set("pct_of_kernel", ratio(100 * kernel->time_us(), time_us));
  if (const auto rate = row.counter("bytes_per_second")) set("gb_per_s", *rate / 1e9);
  for (const char* same : {"h2d_gb_per_s", "d2h_gb_per_s", "bound_pct", "overlap_pct", "possible_speedup",
                           "transfer_pct", "pct_of_copy"})
    set(same, row.counter(same));
  cell.over_budget = row.counter("over_budget").value_or(0) > 0;
  if (row.family == "cpu") return cell;  // the thread that submits is the one that computes
  set("submit_us", row.counter("submit_us"));
  set("cpu_free_pct", row.counter("cpu_free_pct"));
  cell.host_bound = row.counter("host_bound").value_or(0) > 0;
  if (cell.number("submit_us")) set("host_bound", cell.host_bound ? 1 : 0);
  return cell;
}

/// Rows of one family and one group, file by file.
struct Group {
  std::string family;
  Axes key;
  Axes baseline;
  std::vector<std::vector<const Row*>> rows;
};

std::vector<Group> group_rows(const std::vector<Run>& runs, const Axes& asked) {
  std::vector<Group> groups;
  for (std::size_t file = 0; file < runs.size(); ++file) {
    for (const Row& row : runs[file].rows) {
      const Layout layout = layout_of(row.family);
      const Axes key = pick(row, layout.group);
      auto found = std::ranges::find_if(
          groups, [&](const Group& group) { return group.family == row.family && group.key == key; });
      if (found == groups.end()) {
        const bool use_asked = !asked.empty() && has_axes(row, asked);
        groups.push_back({row.family, key, use_asked ? asked : layout.baseline,
                          std::vector<std::vector<const Row*>>(runs.size())});
        found = groups.end() - 1;
      }
      found->rows[file].push_back(&row);
    }
  }
  // A family's groups belong together, families in the order of their first row.
  std::vector<std::string> families;
  for (const Group& group : groups)
    if (std::ranges::find(families, group.family) == families.end()) families.push_back(group.family);
  std::ranges::stable_sort(groups, {}, [&](const Group& group) {
    return std::ranges::find(families, group.family) - families.begin();
  });
  return groups;
}

View make_view(const Group& group, const std::vector<Run>& runs) {
  View view;
  view.family = group.family;
  view.baseline = group.baseline;
  std::vector<const Row*> all;  // each row once, in the order of the files
  for (const auto& rows : group.rows)
    for (const Row* row : rows)
      if (std::ranges::find(all, row->name, [](const Row* r) { return r->name; }) == all.end())
        all.push_back(row);
  view.fixed = group.key;
  for (const auto& [axis, value] : all.front()->axes) {
    if (std::ranges::find(group.key, axis, [](const auto& pair) { return pair.first; }) != group.key.end())
      continue;
    const bool constant = std::ranges::all_of(all, [&](const Row* row) { return row->axis(axis) == value; });
    if (constant && all.size() > 1) {
      view.fixed.emplace_back(axis, value);
    } else {
      view.columns.push_back(axis);
    }
  }
  for (const Row* row : all) {
    ViewRow line;
    for (const std::string& axis : view.columns) line.values.push_back(row->axis(axis));
    for (std::size_t file = 0; file < runs.size(); ++file) {
      const auto& rows = group.rows[file];
      const auto found = std::ranges::find(rows, row->name, [](const Row* r) { return r->name; });
      line.cells.push_back(found == rows.end()
                               ? Cell{}
                               : make_cell(**found, baseline_of(**found, rows, group.baseline), runs[file]));
    }
    view.rows.push_back(std::move(line));
  }
  for (std::size_t file = 0; file < runs.size(); ++file)
    for (std::string& note : notes_on(group.family, group.rows[file]))
      view.notes.push_back(runs.size() > 1 ? file_letter(file) + ": " + note : std::move(note));
  return view;
}

}  // namespace

std::string file_letter(std::size_t file) { return std::string(1, static_cast<char>('A' + file % 26)); }

const std::vector<Metric>& metrics() {
  using Form = Metric::Form;
  static const std::vector<Metric> all = {
      {"time_us", "time", Form::time},
      {"spread", "\u00B1", Form::fraction},
      {"speedup", "speedup", Form::ratio},
      {"gb_per_s", "GB/s", Form::tenths},
      {"h2d_gb_per_s", "in GB/s", Form::tenths},
      {"d2h_gb_per_s", "out GB/s", Form::tenths},
      {"transfer_pct", "copies", Form::percent},
      {"possible_speedup", "possible", Form::ratio},
      {"bound_pct", "of bound", Form::percent},
      {"overlap_pct", "hidden", Form::percent},
      {"pct_of_copy", "of copy", Form::precise_percent},
      {"pct_of_kernel", "of kernel", Form::precise_percent},
      {"times_cpu", "over CPU", Form::ratio},
      {"cpu_free_pct", "CPU free", Form::percent},
      {"submit_us", "submit_us", Form::tenths},
      {"host_bound", "", Form::tenths},  // a mark on submit_us where people read
  };
  return all;
}

std::optional<double> Cell::number(const std::string& metric) const {
  const auto found = numbers.find(metric);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

std::vector<View> make_views(const std::vector<Run>& runs, const Axes& baseline) {
  std::vector<View> views;
  for (const Group& group : group_rows(runs, baseline)) views.push_back(make_view(group, runs));
  return views;
}

}  // namespace overlap::report
