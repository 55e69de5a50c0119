// A chart is drawn from a view's cells, a line for each combination of the axes that its spec names. One that
// runs over a table axis gathers the views that differ in that axis only.
#include "judge/chart.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "judge/format.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

/// 0 of text that does not begin with a number: a logarithmic axis has no place for it.
double number_of(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Views that differ in `axis` only.
bool differ_in(const View& a, const View& b, const std::string& axis) {
  const auto others = [&axis](Axes fixed) {
    std::erase_if(fixed, [&](const auto& each) { return each.first == axis; });
    return fixed;
  };
  return a.family == b.family && a.columns == b.columns && others(a.fixed) == others(b.fixed);
}

/// Draws a view's rows into the chart, and its bound where times are drawn.
void draw(Chart& chart, std::map<double, double>& bound, const ChartSpec& spec, const View& view,
          std::size_t file) {
  for (const ViewRow& row : view.rows) {
    const Cell& cell = row.cells[file];
    const Axes axes = all_axes(view, row);
    const auto value = cell.number(spec.y_metric);
    const double x = number_of(value_of(axes, spec.x_axis));
    if (!value || !(x > 0) || (spec.keep && !spec.keep(axes))) continue;
    std::string name;
    for (const std::string& axis : spec.line)
      name += (name.empty() ? "" : ", ") + format_count(value_of(axes, axis));
    auto line = std::ranges::find(chart.lines, name, &Chart::Line::name);
    if (line == chart.lines.end()) line = chart.lines.insert(chart.lines.end(), {name, {}, false, false});
    line->points.emplace_back(x, *value * spec.scale);
    // The bound is the same for every row of a size: time x of bound.
    if (const auto pct = cell.number(counter::kBoundPct); pct && spec.y_metric == "time_us")
      bound[x] = *value * spec.scale * *pct / 100;
  }
}

}  // namespace

// A chart with no line of two points shows nothing that the table does not, and is left out.
std::vector<Chart> charts_of(const std::vector<View>& views, const View& view, std::size_t file) {
  std::vector<Chart> charts;
  for (const ChartSpec& spec : view.charts) {
    Chart chart{spec.title, spec.x, spec.y, true, spec.log_y, {}};
    std::map<double, double> bound;
    bool is_first = true, seen = false;
    for (const View& each : views) {
      const bool drawn = &each == &view || (!spec.over.empty() && differ_in(each, view, spec.over));
      seen = seen || &each == &view;
      is_first = is_first && (seen || !drawn);
      if (drawn) draw(chart, bound, spec, each, file);
    }
    for (Chart::Line& line : chart.lines) std::ranges::sort(line.points);
    const bool any =
        std::ranges::any_of(chart.lines, [](const Chart::Line& line) { return line.points.size() > 1; });
    if (!bound.empty()) chart.lines.push_back({"bound", {bound.begin(), bound.end()}, true, false});
    if (is_first && any) charts.push_back(std::move(chart));
  }
  return charts;
}

// Runs are counted from 1. Outliers are points beside the line of times; a drift is drawn from its level
// before to that after it.
Chart chart_of(const Series& series) {
  Chart chart{series.name, "run", "us", false, false, {}};
  const auto x = [](std::size_t at) { return static_cast<double>(at + 1); };
  Chart::Line times{"time", {}, false, false}, outliers{"outlier", {}, false, true};
  for (const Outlier& outlier : series.outliers) outliers.points.emplace_back(x(outlier.at), outlier.time_us);
  for (std::size_t i = 0; i < series.times_us.size(); ++i)
    if (std::ranges::find(series.outliers, i, &Outlier::at) == series.outliers.end())
      times.points.emplace_back(x(i), series.times_us[i]);
  chart.lines.push_back(std::move(times));
  const auto mark = [&](const char* name, const std::vector<ChangePoint>& changes) {
    Chart::Line marks{name, {}, false, true};
    for (const ChangePoint& change : changes)
      if (change.at < series.times_us.size())
        marks.points.emplace_back(x(change.at), series.times_us[change.at]);
    if (!marks.points.empty()) chart.lines.push_back(std::move(marks));
  };
  mark("change", series.changes);
  mark("not settled", series.unsettled);
  for (const Drift& drift : series.drifts)
    chart.lines.push_back(
        {"drift", {{x(drift.from), drift.before_us}, {x(drift.to), drift.after_us}}, true, false});
  if (!outliers.points.empty()) chart.lines.push_back(std::move(outliers));
  return chart;
}

}  // namespace overlap::report
