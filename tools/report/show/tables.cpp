// Speedup tables. A view becomes a section: its axes are columns, and then, file by file, the metrics that
// any of its rows has. The same views as records have a row per row and file, and always the same columns.
#include <fmt/format.h>

#include <algorithm>

#include "judge/format.hpp"
#include "names/context_keys.hpp"
#include "show/findings.hpp"

namespace overlap::report {
namespace {

constexpr const char* kHostBound = "* host bound: enqueuing the work takes as long as the work";
constexpr const char* kOverBudget = "\u2020 cut short by --wall-budget: fewer samples than planned";

/// A column of one file's results; without a metric, what bounds its rows.
struct Result {
  std::size_t file;
  const Metric* metric;
};

/// A metric's value as people read it.
std::string number_text(const Metric& metric, double value) {
  switch (metric.form) {
    case Metric::Form::time: return format_time(value);
    case Metric::Form::ratio: return fmt::format("{:.{}f}x", value, value < 10 ? 2 : 1);
    case Metric::Form::fraction: return fmt::format("{:.1f} %", value * 100);
    case Metric::Form::percent: return fmt::format("{:.0f} %", value);
    case Metric::Form::precise_percent: return fmt::format("{:.1f} %", value);
    case Metric::Form::tenths: break;
  }
  return fmt::format("{:.1f}", value);
}

/// What the column says of a row; empty where it has nothing to say.
Field field_of(const Result& result, const ViewRow& row) {
  const Cell& cell = row.cells[result.file];
  if (!result.metric) return cell.bound_by;
  const std::string name = result.metric->name;
  const auto value = cell.number(name);
  if (!cell.failure.empty()) return {name == "time_us" ? "failed" : ""};
  if (!value || result.metric->head.empty()) return {};
  std::string text = number_text(*result.metric, *value);
  if (name == "submit_us" && cell.host_bound) text += "*";
  if (name == "time_us" && cell.over_budget) text += "\u2020";
  return {text, *value};
}

/// Family, what all rows share, the device where there is one, and what speedups are over.
std::string title_of(const View& view, const std::vector<Run>& runs) {
  std::string title = view.family;
  if (!view.fixed.empty()) title += "   " + axes_text(view.fixed, "   ");
  if (runs.size() == 1) title += "   " + device_of(runs[0]);
  std::string baseline;
  for (const auto& [axis, value] : view.baseline)
    baseline += fmt::format("{}{} {}", baseline.empty() ? "   baseline: " : ", ", axis, value);
  return title + baseline;
}

/// Per file, the results that any row of the view has.
std::vector<Result> results_of(const View& view, std::size_t files) {
  std::vector<Result> used;
  for (std::size_t file = 0; file < files; ++file) {
    const auto add = [&](const Result& result) {
      if (std::ranges::any_of(view.rows,
                              [&](const ViewRow& row) { return !field_of(result, row).text.empty(); }))
        used.push_back(result);
    };
    for (const Metric& metric : view.metrics) add({file, &metric});
    add({file, nullptr});
  }
  return used;
}

/// Whether a value of an axis lines up as a number does: "4,096", "2^20".
bool is_number_like(const std::string& text) {
  return !text.empty() && text.find_first_of("0123456789") == 0;
}

/// The value by which a page sorts an axis; nothing for other text.
std::optional<double> whole_number(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stod(text);
}

/// A view as a table; a row that failed in several files says so of each.
Section section_of(const View& view, const std::vector<Run>& runs) {
  const auto prefix = [&](std::size_t file) { return runs.size() > 1 ? file_letter(file) : ""; };
  Section section{.title = title_of(view, runs), .notes = view.notes};
  for (std::size_t c = 0; c < view.columns.size(); ++c) {
    const auto number = [c](const ViewRow& row) { return is_number_like(row.values[c]); };
    section.columns.push_back({view.columns[c], std::ranges::all_of(view.rows, number)});
  }
  const std::vector<Result> results = results_of(view, runs.size());
  for (const auto& [file, metric] : results)
    section.columns.push_back(
        {prefix(file) + (runs.size() > 1 ? " " : "") + (metric ? metric->head : "bound by"),
         metric != nullptr});
  for (const ViewRow& row : view.rows) {
    Section::Line line;
    for (const std::string& value : row.values)
      line.fields.emplace_back(format_count(value), whole_number(value));
    for (const Result& result : results) line.fields.push_back(field_of(result, row));
    for (std::size_t file = 0; file < runs.size(); ++file)
      if (const std::string& failure = row.cells[file].failure; !failure.empty())
        line.failure +=
            (line.failure.empty() ? "" : " ") + (runs.size() > 1 ? prefix(file) + ": " : "") + failure;
    section.rows.push_back(std::move(line));
  }
  return section;
}

/// Whether any cell carries the mark.
bool any_cell(const std::vector<View>& views, bool Cell::*mark) {
  return std::ranges::any_of(views, [mark](const View& view) {
    return std::ranges::any_of(view.rows,
                               [mark](const ViewRow& row) { return std::ranges::any_of(row.cells, mark); });
  });
}

}  // namespace

std::string describe_among(const std::vector<Run>& runs, std::size_t file) {
  return (runs.size() > 1 ? file_letter(file) + ": " : "") + describe_run(runs[file]);
}

std::vector<Machine> machines_of(const std::vector<Run>& runs) {
  std::vector<Machine> machines;
  for (std::size_t file = 0; file < runs.size(); ++file)
    machines.push_back({describe_among(runs, file), {runs[file].context.begin(), runs[file].context.end()}});
  return machines;
}

Document tables(const std::vector<View>& views, const std::vector<Run>& runs) {
  Document document{.title = "Overlap: speedup tables", .machines = machines_of(runs)};
  for (const View& view : views) {
    Section section = section_of(view, runs);
    for (std::size_t file = 0; file < runs.size(); ++file) {
      for (Chart& chart : charts_of(views, view, file)) {
        if (runs.size() > 1) chart.title = file_letter(file) + ": " + chart.title;
        section.charts.push_back(std::move(chart));
      }
    }
    document.sections.push_back(std::move(section));
  }
  if (any_cell(views, &Cell::host_bound)) document.legend.push_back(kHostBound);
  if (any_cell(views, &Cell::over_budget)) document.legend.push_back(kOverBudget);
  return document;
}

// A metric has its column even if no row has a value for it.
Document table_records(const std::vector<View>& views, const std::vector<Run>& runs,
                       const std::vector<Metric>& metrics) {
  std::vector<std::string> axes;
  for (const View& view : views)
    for (const ViewRow& row : view.rows)
      for (const auto& [axis, value] : all_axes(view, row))
        if (std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
  Section all;
  for (const char* head : {"file", "gpu", "backend", "family"}) all.columns.push_back({head});
  for (const std::string& axis : axes) all.columns.push_back({axis});
  for (const Metric& metric : metrics) all.columns.push_back({metric.name, true});
  for (const char* head : {"bound_by", "failure", "over_budget"}) all.columns.push_back({head});
  for (const View& view : views) {
    for (const ViewRow& row : view.rows) {
      for (std::size_t file = 0; file < runs.size(); ++file) {
        const Cell& cell = row.cells[file];
        if (!cell.present) continue;
        const Run& run = runs[file];
        Section::Line line{
            {{run.path}, {run.about(context::kGpu)}, {run.about(context::kBackend)}, {view.family}}};
        const Axes values = all_axes(view, row);
        for (const std::string& axis : axes) line.fields.emplace_back(value_of(values, axis));
        for (const Metric& metric : metrics) line.fields.emplace_back("", cell.number(metric.name));
        line.fields.insert(line.fields.end(),
                           {{cell.bound_by}, {cell.failure}, {cell.over_budget ? "1" : ""}});
        all.rows.push_back(std::move(line));
      }
    }
  }
  return {.title = "Overlap: rows", .sections = {std::move(all)}};
}

}  // namespace overlap::report
