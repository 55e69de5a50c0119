#include "show/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "show/escape.hpp"

namespace overlap::report {
namespace {

constexpr const char* kHostBoundNote = "* host bound: enqueuing the work takes as long as the work\n";

std::string shown(const Metric& metric, const Cell& cell) {
  if (!cell.present || !*metric.head) return "";
  const std::string name = metric.name;
  if (!cell.failure.empty()) return name == "time_us" ? "failed" : "";
  const auto value = cell.number(name);
  if (!value) return "";
  switch (metric.form) {
    case Metric::Form::time: return format_time(*value);
    case Metric::Form::ratio: return fmt::format("{:.{}f}x", *value, *value < 10 ? 2 : 1);
    case Metric::Form::fraction: return fmt::format("{:.1f} %", *value * 100);
    case Metric::Form::percent: return fmt::format("{:.0f} %", *value);
    case Metric::Form::precise_percent: return fmt::format("{:.1f} %", *value);
    case Metric::Form::tenths: break;
  }
  return fmt::format("{:.1f}{}", *value, name == "submit_us" && cell.host_bound ? "*" : "");
}

std::optional<double> whole_number(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stod(text);
}

/// A column of results: its head, and its text for a row.
struct Column {
  std::string head;
  std::string (*text)(const Metric*, const Cell&);
  const Metric* metric;
};

std::vector<Column> all_columns() {
  std::vector<Column> columns;
  for (const Metric& metric : metrics())
    columns.push_back(
        {metric.head, [](const Metric* m, const Cell& cell) { return shown(*m, cell); }, &metric});
  columns.push_back({"bound by", [](const Metric*, const Cell& cell) { return cell.bound_by; }, nullptr});
  return columns;
}

std::string title_of(const View& view, const std::vector<Run>& runs) {
  std::string title = view.family;
  for (const auto& [axis, value] : view.fixed) title += fmt::format("   {} {}", axis, format_count(value));
  if (runs.size() == 1) title += "   " + device_of(runs[0]);
  if (!view.baseline.empty()) {
    std::string baseline;
    for (const auto& [axis, value] : view.baseline)
      baseline += fmt::format("{}{} {}", baseline.empty() ? "" : ", ", axis, value);
    title += "   baseline: " + baseline;
  }
  return title;
}

/// Characters that a terminal shows: UTF-8 continuation bytes take no place.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

bool is_number_like(const std::string& text) {
  return !text.empty() && text.find_first_of("0123456789") == 0;
}

std::string legend(const std::vector<Run>& runs, const char* line_end) {
  std::string text;
  for (std::size_t file = 0; file < runs.size(); ++file)
    text += (runs.size() > 1 ? file_letter(file) + ": " : "") + describe_run(runs[file]) + line_end;
  return text;
}

Axes all_axes(const View& view, const ViewRow& row) {
  Axes axes = view.fixed;
  for (std::size_t i = 0; i < view.columns.size(); ++i) axes.emplace_back(view.columns[i], row.values[i]);
  return axes;
}

}  // namespace

Grid make_grid(const View& view, const std::vector<Run>& runs) {
  Grid grid;
  grid.title = title_of(view, runs);
  grid.head = view.columns;
  // Per file, the metrics that any row of the view has.
  std::vector<std::pair<std::size_t, Column>> columns;
  for (std::size_t file = 0; file < runs.size(); ++file) {
    for (const Column& column : all_columns()) {
      const bool used = std::ranges::any_of(view.rows, [&](const ViewRow& row) {
        return !column.text(column.metric, row.cells[file]).empty();
      });
      if (!used) continue;
      columns.emplace_back(file, column);
      grid.head.push_back(runs.size() > 1 ? file_letter(file) + " " + column.head : column.head);
    }
  }
  for (const ViewRow& row : view.rows) {
    std::vector<std::string> line;
    std::vector<std::optional<double>> numbers;
    for (const std::string& value : row.values) {
      line.push_back(format_count(value));
      numbers.push_back(whole_number(value));
    }
    for (const auto& [file, column] : columns) {
      line.push_back(column.text(column.metric, row.cells[file]));
      numbers.push_back(column.metric ? row.cells[file].number(column.metric->name) : std::nullopt);
    }
    std::string reasons;
    for (std::size_t file = 0; file < runs.size(); ++file) {
      const Cell& cell = row.cells[file];
      grid.host_bound = grid.host_bound || (cell.present && cell.host_bound);
      if (!cell.failure.empty())
        reasons += (runs.size() > 1 ? file_letter(file) + ": " : "") + cell.failure + " ";
    }
    if (!reasons.empty()) line.push_back(reasons);
    grid.rows.push_back(std::move(line));
    grid.numbers.push_back(std::move(numbers));
  }
  return grid;
}

std::string to_text(const std::vector<View>& views, const std::vector<Run>& runs) {
  std::string text = legend(runs, "\n");
  bool host_bound = false;
  for (const View& view : views) {
    const Grid grid = make_grid(view, runs);
    host_bound = host_bound || grid.host_bound;
    std::vector<std::size_t> widths;
    for (const std::string& head : grid.head) widths.push_back(width_of(head));
    for (const auto& row : grid.rows)
      for (std::size_t c = 0; c < grid.head.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
    // Words line up on the left, numbers on the right.
    std::vector<bool> right(grid.head.size());
    for (std::size_t c = 0; c < grid.head.size(); ++c)
      right[c] = (c >= view.columns.size() && !grid.head[c].ends_with("bound by")) ||
                 std::ranges::all_of(grid.rows, [&](const auto& row) { return is_number_like(row[c]); });
    const auto line = [&](const std::vector<std::string>& cells) {
      std::string out;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        if (c > 0) out += "  ";
        if (c >= widths.size()) {
          out += cells[c];  // why a row failed
          continue;
        }
        const std::string pad(widths[c] - width_of(cells[c]), ' ');
        out += right[c] ? pad + cells[c] : cells[c] + pad;
      }
      out.erase(out.find_last_not_of(' ') + 1);
      return out + "\n";
    };
    text += "\n" + grid.title + "\n" + line(grid.head);
    for (const auto& row : grid.rows) text += line(row);
    for (const std::string& note : view.notes) text += "  " + note + "\n";
  }
  return host_bound ? text + "\n" + kHostBoundNote : text;
}

std::string to_markdown(const std::vector<View>& views, const std::vector<Run>& runs) {
  std::string text;
  for (std::size_t file = 0; file < runs.size(); ++file)
    text += "- " + (runs.size() > 1 ? file_letter(file) + ": " : "") +
            markdown_escaped(describe_run(runs[file])) + "\n";
  bool host_bound = false;
  for (const View& view : views) {
    const Grid grid = make_grid(view, runs);
    host_bound = host_bound || grid.host_bound;
    text += "\n**" + markdown_escaped(grid.title) + "**\n\n|";
    for (const std::string& head : grid.head) text += " " + markdown_escaped(head) + " |";
    text += "\n|";
    for (std::size_t c = 0; c < grid.head.size(); ++c) text += c < view.columns.size() ? "---|" : "---:|";
    text += "\n";
    for (auto row : grid.rows) {
      if (row.size() > grid.head.size()) {  // a Markdown row has no room beside it: the reason joins the time
        for (std::string& cell : row)
          if (cell == "failed") cell += ": " + row.back();
        row.pop_back();
      }
      text += "|";
      for (const std::string& cell : row) text += " " + markdown_escaped(cell) + " |";
      text += "\n";
    }
    for (const std::string& note : view.notes) text += "\n" + markdown_escaped(note) + "\n";
  }
  return host_bound ? text + "\n" + markdown_escaped(kHostBoundNote) + "\n" : text;
}

std::string to_csv(const std::vector<View>& views, const std::vector<Run>& runs) {
  std::vector<std::string> axes;
  for (const View& view : views)
    for (const ViewRow& row : view.rows)
      for (const auto& [axis, value] : all_axes(view, row))
        if (std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
  std::string text = "file,gpu,backend,family";
  for (const std::string& axis : axes) text += "," + csv_field(axis);
  for (const Metric& metric : metrics()) text += std::string(",") + metric.name;
  text += ",bound_by,failure\r\n";
  for (const View& view : views) {
    for (const ViewRow& row : view.rows) {
      const Axes coordinates = all_axes(view, row);
      for (std::size_t file = 0; file < runs.size(); ++file) {
        if (!row.cells[file].present) continue;
        text += csv_field(runs[file].path) + "," + csv_field(runs[file].about("gpu")) + "," +
                csv_field(runs[file].about("backend")) + "," + csv_field(view.family);
        for (const std::string& axis : axes) {
          const auto found =
              std::ranges::find(coordinates, axis, [](const auto& pair) { return pair.first; });
          text += "," + (found == coordinates.end() ? "" : csv_field(found->second));
        }
        const Cell& cell = row.cells[file];
        for (const Metric& metric : metrics()) {
          const auto value = cell.number(metric.name);
          text += "," + (value ? fmt::format("{}", *value) : "");
        }
        text += "," + csv_field(cell.bound_by) + "," + csv_field(cell.failure) + "\r\n";
      }
    }
  }
  return text;
}

std::string to_json(const std::vector<View>& views, const std::vector<Run>& runs) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", "overlap-table-1"}, {"files", Json::array()}, {"views", Json::array()}};
  for (const Run& run : runs) json["files"].push_back({{"path", run.path}, {"context", run.context}});
  const auto object = [](const Axes& axes) {
    Json result = Json::object();
    for (const auto& [axis, value] : axes) result[axis] = value;
    return result;
  };
  for (const View& view : views) {
    Json shown = {{"family", view.family}, {"baseline", object(view.baseline)}, {"rows", Json::array()}};
    for (const ViewRow& row : view.rows) {
      Json results = Json::array();
      for (std::size_t file = 0; file < runs.size(); ++file) {
        const Cell& cell = row.cells[file];
        if (!cell.present) continue;
        Json result = {{"file", file}};
        for (const Metric& metric : metrics())
          if (const auto value = cell.number(metric.name)) result[metric.name] = *value;
        if (!cell.bound_by.empty()) result["bound_by"] = cell.bound_by;
        if (!cell.failure.empty()) result["failure"] = cell.failure;
        results.push_back(std::move(result));
      }
      shown["rows"].push_back({{"axes", object(all_axes(view, row))}, {"results", std::move(results)}});
    }
    if (!view.notes.empty()) shown["notes"] = view.notes;
    json["views"].push_back(std::move(shown));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace overlap::report
