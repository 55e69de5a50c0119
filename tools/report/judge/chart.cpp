#include "judge/chart.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "judge/format.hpp"

namespace overlap::report {
namespace {

double number_of(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The value of an axis in a row of the view.
std::string axis_of(const View& view, const ViewRow& row, const std::string& axis) {
  for (std::size_t i = 0; i < view.columns.size(); ++i)
    if (view.columns[i] == axis) return row.values[i];
  for (const auto& [name, value] : view.fixed)
    if (name == axis) return value;
  return "";
}

/// A line for each combination of the other axes that `line` names.
struct Plot {
  std::string title, x_axis, y_metric, x, y;
  std::vector<std::string> line;
  bool log_y = false;
  double y_scale = 1;
};

Chart plotted(const View& view, std::size_t file, const Plot& plot,
              bool (*keep)(const View&, const ViewRow&)) {
  Chart chart{plot.title, plot.x, plot.y, true, plot.log_y, {}};
  std::map<double, double> bound;
  for (const ViewRow& row : view.rows) {
    const Cell& cell = row.cells[file];
    const auto value = cell.number(plot.y_metric);
    const double x = number_of(axis_of(view, row, plot.x_axis));
    if (!value || !(x > 0) || !keep(view, row)) continue;
    std::string name;
    for (const std::string& axis : plot.line)
      name += (name.empty() ? "" : ", ") + format_count(axis_of(view, row, axis));
    auto line = std::ranges::find(chart.lines, name, &Chart::Line::name);
    if (line == chart.lines.end()) line = chart.lines.insert(chart.lines.end(), {name, {}, false, false});
    line->points.emplace_back(x, *value * plot.y_scale);
    // The bound is the same for every row of a size: time x of bound.
    if (const auto pct = cell.number("bound_pct"); pct && plot.y_metric == "time_us")
      bound[x] = *value * plot.y_scale * *pct / 100;
  }
  for (Chart::Line& line : chart.lines) std::ranges::sort(line.points);
  if (!bound.empty()) chart.lines.push_back({"bound", {bound.begin(), bound.end()}, true, false});
  return chart;
}

bool always(const View&, const ViewRow&) { return true; }

bool is_plain_cut(const View& view, const ViewRow& row) {
  const std::string order = axis_of(view, row, "order");
  const auto is = [&](const char* axis, const char* value) {
    const std::string text = axis_of(view, row, axis);
    return text.empty() || text == value;
  };
  return (order == "depth_first" || order == "breadth_first") && is("submit", "launch") &&
         is("schedule", "even") && is("layout", "separate");
}

bool is_chunked(const View& view, const ViewRow& row) {
  const std::string order = axis_of(view, row, "order"), submit = axis_of(view, row, "submit");
  return order != "sequential" && order != "zero_copy" && (submit.empty() || submit == "launch");
}

bool is_graph(const View& view, const ViewRow& row) { return axis_of(view, row, "submit") != "launch"; }
bool is_per_buffer(const View& view, const ViewRow& row) {
  return axis_of(view, row, "sync") == "per_buffer";
}

}  // namespace

View merged_over(const std::vector<View>& views, const View& like, const std::string& axis) {
  const auto others = [&](const View& view) {
    Axes fixed = view.fixed;
    std::erase_if(fixed, [&](const auto& pair) { return pair.first == axis; });
    return fixed;
  };
  View merged;
  merged.family = like.family;
  merged.fixed = others(like);
  merged.columns = like.columns;
  merged.columns.push_back(axis);
  for (const View& view : views) {
    if (view.family != like.family || others(view) != merged.fixed || view.columns != like.columns) continue;
    for (ViewRow row : view.rows) {
      row.values.push_back(axis_of(view, row, axis));
      merged.rows.push_back(std::move(row));
    }
  }
  return merged;
}

std::vector<Chart> charts_of(const View& view, std::size_t file) {
  std::vector<Chart> charts;
  const auto add = [&](const Plot& plot, bool (*keep)(const View&, const ViewRow&)) {
    Chart chart = plotted(view, file, plot, keep);
    const bool any =
        std::ranges::any_of(chart.lines, [](const Chart::Line& line) { return line.points.size() > 1; });
    if (any) charts.push_back(std::move(chart));
  };
  if (view.family == "pipeline") {
    add({"Time over streams", "streams", "time_us", "streams", "ms", {"order", "chunk"}, false, 1e-3},
        is_plain_cut);
    add({"Speedup over chunk",
         "chunk",
         "speedup",
         "elements per chunk",
         "times sequential",
         {"order", "streams", "schedule", "layout"}},
        is_chunked);
  }
  if (view.family == "transfer")
    add({"Rate over bytes", "bytes", "gb_per_s", "bytes", "GB/s", {"dir"}}, always);
  if (view.family == "double_buffer")
    add({"Time over buffers", "buffers", "time_us", "buffers", "ms", {"sync", "submit"}, false, 1e-3},
        is_per_buffer);
  if (view.family == "sequence")
    add({"Gain of a graph over n", "n", "speedup", "elements", "times launches", {"submit", "timing"}},
        is_graph);
  if (view.family == "graph_cost")
    add({"Time over kernels", "kernels", "time_us", "kernels", "us", {"phase"}, true}, always);
  return charts;
}

Chart chart_of(const Series& series) {
  Chart chart{series.name, "run", "us", false, false, {{"time", {}, false, false}}};
  for (std::size_t i = 0; i < series.times_us.size(); ++i)
    chart.lines[0].points.emplace_back(static_cast<double>(i + 1), series.times_us[i]);
  Chart::Line marks{"change", {}, false, true};
  for (const ChangePoint& change : series.changes) {
    const auto at = std::ranges::find(series.commits, change.commit) - series.commits.begin();
    if (at < std::ssize(series.times_us))
      marks.points.emplace_back(static_cast<double>(at + 1), series.times_us[static_cast<std::size_t>(at)]);
  }
  if (!marks.points.empty()) chart.lines.push_back(std::move(marks));
  return chart;
}

}  // namespace overlap::report
