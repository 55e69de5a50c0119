// Speedup tables. A view becomes a section: its axes are columns, and then, file by file, the metrics that
// any of its rows has. The same views as records have a row per row and file, and always the same columns:
// the row's name and, apart, what it is made of.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "judge/format.hpp"
#include "names/context_keys.hpp"
#include "show/escape.hpp"
#include "show/findings.hpp"

namespace overlap::report {
namespace {

constexpr const char* kHostBound = "* host bound: enqueuing the work takes as long as the work";
constexpr const char* kOverBudget = "\u2020 cut short by --wall-budget: fewer samples than planned";

/// A column of one file's results; without a metric, what bounds its rows.
struct Result {
  std::size_t file;
  const Metric* metric;
  std::string head;
  bool own_units = false;  ///< each rate in the unit that fits it, instead of GB/s
};

/// A metric's value as people read it.
std::string number_text(const Metric& metric, double value) {
  switch (metric.form) {
    case Metric::Form::time: return format_time(value);
    case Metric::Form::ratio: return fmt::format("{:.{}f}x", value, value < 9.995 ? 2 : 1);
    case Metric::Form::fraction: return fmt::format("{:.1f} %", value * 100);
    case Metric::Form::percent: return fmt::format("{:.0f} %", value);
    case Metric::Form::precise_percent: return fmt::format("{:.1f} %", value);
    case Metric::Form::rate: return format_rate(value, "");
    case Metric::Form::tenths: break;
  }
  return fmt::format("{:.1f}", value);
}

/// What the column says of a row; empty where it has nothing to say.
Field field_of(const Result& result, const ViewRow& row) {
  const Cell& cell = row.cells[result.file];
  if (!result.metric) return cell.bound_by;
  const std::string& name = result.metric->name;
  if (!cell.failure.empty()) return {name != "time_us" ? "" : cell.skipped ? "skipped" : "failed"};
  const auto value = cell.number(name);
  if (!value) return {};
  std::string text =
      result.own_units ? format_rate(*value * 1e9, "B/s") : number_text(*result.metric, *value);
  if (name == "submit_us" && cell.host_bound) text += "*";
  if (name == "time_us" && cell.over_budget) text += "\u2020";
  return {text, *value};
}

/// Why a row has no time, beside the word that says that it has none.
std::string why_of(const Cell& cell) {
  constexpr std::string_view kSkipped = "skipped: ";
  return cell.skipped && cell.failure.starts_with(kSkipped) ? cell.failure.substr(kSkipped.size())
                                                            : cell.failure;
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

/// Whether rates are told apart in whole GB/s: those of our own programs on a GPU are, and are known by it.
bool fit_gigabytes(const View& view) {
  static constexpr double kLeast = 0.05;  // what is less would be shown as 0.0
  return view.is_known && std::ranges::all_of(view.rows, [](const ViewRow& row) {
           return std::ranges::all_of(row.cells, [](const Cell& cell) {
             return cell.number("gb_per_s").value_or(kLeast) >= kLeast;
           });
         });
}

/// Per file, the results that any row of the view has.
std::vector<Result> results_of(const View& view, std::size_t files) {
  std::vector<Result> used;
  const bool own_units = !fit_gigabytes(view);
  for (std::size_t file = 0; file < files; ++file) {
    const std::string prefix = files > 1 ? file_letter(file) + " " : "";
    const auto any = [&](const auto& has) {
      return std::ranges::any_of(view.rows, [&](const ViewRow& row) { return has(row.cells[file]); });
    };
    for (const Metric& metric : view.metrics) {
      const bool is_rate = own_units && metric.name == "gb_per_s", is_time = metric.name == "time_us";
      if (!metric.head.empty() && any([&](const Cell& cell) {
            return cell.number(metric.name) || (is_time && !cell.failure.empty());
          }))
        used.push_back({file, &metric, prefix + (is_rate ? "rate" : metric.head), is_rate});
    }
    if (any([](const Cell& cell) { return !cell.bound_by.empty(); }))
      used.push_back({file, nullptr, prefix + "bound by"});
  }
  return used;
}

/// Whether a value of an axis lines up as a number does: "4,096", "2^20", "-3". Nothing is shown for no
/// value.
bool is_number_like(const std::string& text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  return text.empty() || text.find_first_of("0123456789", sign) == sign;
}

/// The value by which a page sorts an axis; nothing for other text.
std::optional<double> whole_number(const std::string& text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  if (text.size() == sign || text.find_first_not_of("0123456789", sign) != std::string::npos)
    return std::nullopt;
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
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
  for (const Result& result : results) section.columns.push_back({result.head, result.metric != nullptr});
  for (const ViewRow& row : view.rows) {
    Section::Line line;
    for (const std::string& value : row.values)
      line.fields.emplace_back(format_count(value), whole_number(value));
    for (const Result& result : results) line.fields.push_back(field_of(result, row));
    for (std::size_t file = 0; file < runs.size(); ++file)
      if (const std::string failure = why_of(row.cells[file]); !failure.empty())
        line.failure +=
            (line.failure.empty() ? "" : " ") + (runs.size() > 1 ? prefix(file) + ": " : "") + failure;
    section.rows.push_back(std::move(line));
  }
  return section;
}

/// Other people's benchmarks without arguments are a table of one row each. Here all of them are the rows of
/// one table, where the first of them stood.
std::vector<View> with_plain_together(std::vector<View> views) {
  const auto is_plain = [](const View& view) {
    return !view.is_known && view.rows.size() == 1 && view.columns.empty() && view.fixed.empty();
  };
  if (std::ranges::count_if(views, is_plain) < 2) return views;
  std::vector<View> kept;
  std::size_t at = 0;
  bool any = false;
  for (View& view : views) {
    if (!is_plain(view)) {
      kept.push_back(std::move(view));
      continue;
    }
    view.rows[0].values = {std::exchange(view.family, "benchmarks")};
    if (any) {
      kept[at].rows.push_back(std::move(view.rows[0]));
      continue;
    }
    any = true;
    at = kept.size();
    view.columns = {"benchmark"};
    kept.push_back(std::move(view));
  }
  return kept;
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

Document tables(std::vector<View> views, const std::vector<Run>& runs, bool with_charts) {
  views = with_plain_together(std::move(views));
  Document document{.title = "Overlap: speedup tables", .machines = machines_of(runs)};
  document.sections.reserve(views.size());
  for (const View& view : views) document.sections.push_back(section_of(view, runs));
  for (std::size_t file = 0; with_charts && file < runs.size(); ++file) {
    std::vector<std::vector<Chart>> charts = charts_of(views, file);
    for (std::size_t v = 0; v < views.size(); ++v) {
      for (Chart& chart : charts[v]) {
        if (runs.size() > 1) chart.title = file_letter(file) + ": " + chart.title;
        document.sections[v].charts.push_back(std::move(chart));
      }
    }
  }
  if (any_cell(views, &Cell::host_bound)) document.legend.push_back(kHostBound);
  if (any_cell(views, &Cell::over_budget)) document.legend.push_back(kOverBudget);
  return document;
}

// Text is put together row by row: as a document it would be some forty cells for each. A metric has its
// column even if no row has a value for it.
std::string table_csv(const std::vector<View>& views, const std::vector<Run>& runs,
                      const std::vector<Metric>& metrics) {
  std::vector<std::string> axes;
  std::unordered_map<std::string, std::size_t> places;
  const auto add_axis = [&](const std::string& axis) {
    if (places.try_emplace(axis, axes.size()).second) axes.push_back(axis);
  };
  for (const View& view : views) {
    for (const auto& [axis, value] : view.fixed) add_axis(axis);
    for (const std::string& axis : view.columns) add_axis(axis);
  }
  std::string text = "file,gpu,backend,family,row";
  for (const std::string& axis : axes) text += "," + csv_field(axis);
  for (const Metric& metric : metrics) text += "," + csv_field(metric.name);
  text += ",bound_by,failure,over_budget\r\n";
  std::vector<std::string> starts;
  for (const Run& run : runs)
    starts.push_back(csv_field(run.path) + "," + csv_field(run.about(context::kGpu)) + "," +
                     csv_field(run.about(context::kBackend)) + ",");
  for (const View& view : views) {
    std::vector<const std::string*> values(axes.size());
    for (const auto& [axis, value] : view.fixed) values[places.at(axis)] = &value;
    std::vector<std::size_t> column_places;
    for (const std::string& axis : view.columns) column_places.push_back(places.at(axis));
    const std::string family = csv_field(view.family);
    for (const ViewRow& row : view.rows) {
      for (std::size_t c = 0; c < column_places.size(); ++c) values[column_places[c]] = &row.values[c];
      for (std::size_t file = 0; file < runs.size(); ++file) {
        const Cell& cell = row.cells[file];
        if (!cell.present) continue;
        text.append(starts[file]).append(family).append(",").append(csv_field(row.name));
        for (const std::string* value : values) {
          text += ',';
          if (value) text += csv_field(*value);
        }
        for (const Metric& metric : metrics) {
          text += ',';
          if (const auto value = cell.number(metric.name))
            fmt::format_to(std::back_inserter(text), "{}", *value);
        }
        text.append(",").append(csv_field(cell.bound_by));
        text.append(",").append(csv_field(cell.failure)).append(cell.over_budget ? ",1\r\n" : ",\r\n");
      }
    }
  }
  return text;
}

}  // namespace overlap::report
