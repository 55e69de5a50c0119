// A chart is drawn from a view's cells, a line for each combination of the axes that its spec names. One that
// runs over a table axis gathers the views that differ in that axis only.
#include "judge/chart.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

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

/// What views have in common that share a chart over `axis`: everything but its value.
std::string shared_by(const View& view, const std::string& axis) {
  std::string text = view.family;
  for (const std::string& column : view.columns) text.append(1, '\0').append(column);
  for (const auto& [name, value] : view.fixed)
    if (name != axis) text.append("\0\0", 2).append(name).append(1, '\0').append(value);
  return text;
}

/// A chart while its views are drawn into it.
struct Drawing {
  Chart chart;
  std::map<double, double> bound;                      ///< y by x
  std::unordered_map<std::string, std::size_t> lines;  ///< their places in the chart, by name
};

/// Draws a view's rows into the chart, and its bound where times are drawn.
void draw(Drawing& drawing, const ChartSpec& spec, const View& view, std::size_t file) {
  for (const ViewRow& row : view.rows) {
    const Cell& cell = row.cells[file];
    const auto value = cell.number(spec.y_metric);
    if (!value) continue;
    const Axes axes = all_axes(view, row);
    const double x = number_of(value_of(axes, spec.x_axis));
    if (!(x > 0) || (spec.keep && !spec.keep(axes))) continue;
    std::string name;
    for (const std::string& axis : spec.line)
      name += (name.empty() ? "" : ", ") + format_count(value_of(axes, axis));
    std::vector<Chart::Line>& lines = drawing.chart.lines;
    const auto [line, added] = drawing.lines.try_emplace(name, lines.size());
    if (added) lines.push_back({std::move(name), {}, false, false});
    lines[line->second].points.emplace_back(x, *value * spec.scale);
    // The bound is the same for every row of a size: time x of bound.
    if (const auto pct = cell.number(counter::kBoundPct); pct && spec.y_metric == "time_us")
      drawing.bound[x] = *value * spec.scale * *pct / 100;
  }
}

}  // namespace

// A chart with no line of two points shows nothing that the table does not, and is left out.
std::vector<std::vector<Chart>> charts_of(const std::vector<View>& views, std::size_t file) {
  // By view and chart: those that are drawn there. A chart over an axis of tables stands at the first of
  // them.
  std::vector<std::vector<Drawing>> drawn(views.size());
  std::unordered_map<std::string, std::size_t> first;
  for (std::size_t v = 0; v < views.size(); ++v) {
    const View& view = views[v];
    for (std::size_t s = 0; s < view.charts.size(); ++s) {
      const ChartSpec& spec = view.charts[s];
      std::size_t at = v;
      if (!spec.over.empty())
        at = first.try_emplace(shared_by(view, spec.over) + '\0' + std::to_string(s), v).first->second;
      drawn[at].resize(view.charts.size());
      drawn[at][s].chart = {spec.title, spec.x,     spec.y,
                            true,       spec.log_y, std::move(drawn[at][s].chart.lines)};
      draw(drawn[at][s], spec, view, file);
    }
  }
  std::vector<std::vector<Chart>> charts(views.size());
  for (std::size_t v = 0; v < views.size(); ++v) {
    for (auto& [chart, bound, lines] : drawn[v]) {
      for (Chart::Line& line : chart.lines) std::ranges::sort(line.points);
      const bool any =
          std::ranges::any_of(chart.lines, [](const Chart::Line& line) { return line.points.size() > 1; });
      if (!bound.empty()) chart.lines.push_back({"bound", {bound.begin(), bound.end()}, true, false});
      if (any) charts[v].push_back(std::move(chart));
    }
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
