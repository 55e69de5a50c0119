#include "show/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "show/page_assets.hpp"
#include "show/table.hpp"
#include "show/verdict_format.hpp"

namespace overlap::report {
namespace {

using Json = nlohmann::ordered_json;

/// A section of the page: a table, its charts and what they say together.
struct Section {
  std::string title;
  std::vector<Chart> charts;
  Json columns = Json::array(), rows = Json::array();
  std::vector<std::string> notes;

  void column(const std::string& head, bool number) {
    columns.push_back({{"head", head}, {"number", number}});
  }
};

Json cell(const std::string& text) { return {{"text", text}}; }
Json cell(const std::string& text, std::optional<double> value) {
  Json json = cell(text);
  if (value && std::isfinite(*value)) json["value"] = *value;
  return json;
}

Json json_of(const Chart& chart) {
  Json json = {{"title", chart.title}, {"x", chart.x},         {"y", chart.y},
               {"log_x", chart.log_x}, {"log_y", chart.log_y}, {"series", Json::array()}};
  for (const Chart::Line& line : chart.lines) {
    Json points = Json::array();
    for (const auto& [x, y] : line.points) points.push_back({x, y});
    json["series"].push_back(
        {{"name", line.name}, {"points", std::move(points)}, {"dashed", line.dashed}, {"marks", line.marks}});
  }
  return json;
}

/// Nothing in the data may end the script that it is in.
std::string embedded(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

std::string make_page(const std::string& title, const std::vector<std::string>& lead,
                      const std::vector<Run>& runs, const std::vector<Section>& sections) {
  Json page = {{"title", title}, {"lead", lead}, {"machines", Json::array()}, {"sections", Json::array()}};
  for (std::size_t file = 0; file < runs.size(); ++file) {
    Json facts = Json::array();
    for (const auto& [key, value] : runs[file].context) facts.push_back({key, value});
    page["machines"].push_back(
        {{"title", (runs.size() > 1 ? file_letter(file) + ": " : "") + describe_run(runs[file])},
         {"facts", std::move(facts)}});
  }
  for (const Section& section : sections) {
    Json charts = Json::array();
    for (const Chart& chart : section.charts) charts.push_back(json_of(chart));
    page["sections"].push_back({{"title", section.title},
                                {"charts", std::move(charts)},
                                {"columns", section.columns},
                                {"rows", section.rows},
                                {"notes", section.notes}});
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>overlap-report</title>\n<style>\n{}</style>\n</head>\n"
      "<body>\n<main></main>\n<noscript>This page draws itself and needs JavaScript.</noscript>\n"
      "<script type=\"application/json\" "
      "id=\"data\">{}</script>\n<script>{}</script>\n<script>{}</script>\n</body>\n</html>\n",
      assets::kPageStyle, embedded(page), assets::kChartLibrary, assets::kPageScript);
}

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

/// A family's views that differ in `axis` only, as one view with that axis as a column: what runs over sizes.
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

}  // namespace

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

std::string table_page(const std::vector<View>& views, const std::vector<Run>& runs) {
  std::vector<Section> sections;
  std::vector<Axes> over_n_done;
  for (const View& view : views) {
    const Grid grid = make_grid(view, runs);
    Section section{grid.title, {}, Json::array(), Json::array(), view.notes};
    // What a graph gains runs over n, and each n has a table of its own: the first one shows the chart.
    View charted = view;
    if (view.family == "sequence") {
      charted = merged_over(views, view, "n");
      if (std::ranges::find(over_n_done, charted.fixed) != over_n_done.end()) charted.rows.clear();
      over_n_done.push_back(charted.fixed);
    }
    for (std::size_t file = 0; file < runs.size(); ++file) {
      for (Chart& chart : charts_of(charted, file)) {
        if (runs.size() > 1) chart.title = file_letter(file) + ": " + chart.title;
        section.charts.push_back(std::move(chart));
      }
    }
    for (std::size_t c = 0; c < grid.head.size(); ++c) {
      const bool axis_of_numbers =
          std::ranges::all_of(grid.numbers, [c](const auto& row) { return row[c].has_value(); });
      section.column(grid.head[c],
                     axis_of_numbers || (c >= view.columns.size() && !grid.head[c].ends_with("bound by")));
    }
    const bool any_failed =
        std::ranges::any_of(grid.rows, [&](const auto& row) { return row.size() > grid.head.size(); });
    if (any_failed) section.column("", false);
    for (std::size_t r = 0; r < grid.rows.size(); ++r) {
      Json line = Json::array();
      for (std::size_t c = 0; c < grid.rows[r].size(); ++c)
        line.push_back(cell(grid.rows[r][c], c < grid.numbers[r].size() ? grid.numbers[r][c] : std::nullopt));
      if (any_failed && line.size() == grid.head.size()) line.push_back(cell(""));
      section.rows.push_back(std::move(line));
    }
    sections.push_back(std::move(section));
  }
  return make_page("Overlap: speedup tables", {}, runs, sections);
}

std::string compare_page(const Judgement& judgement, const CompareOptions& options) {
  Section section{"Rows, worst first", {}, Json::array(), Json::array(), judgement.warnings};
  for (const char* head : {"verdict", "row"}) section.column(head, false);
  for (const char* head : {"baseline", "new", "change", "from", "to"}) section.column(head, true);
  section.column("", false);
  for (const Comparison& row : judgement.rows) {
    const bool bad = row.verdict == Verdict::regressed || row.verdict == Verdict::failed ||
                     row.verdict == Verdict::removed || row.verdict == Verdict::invalid;
    Json verdict = cell(word_of(row.verdict));
    if (bad) verdict["mark"] = "bad";
    if (row.verdict == Verdict::improved) verdict["mark"] = "good";
    const auto side = [&](const Side& s) {
      return s.runs.empty() ? cell("") : cell(metric_text(s.median, options.metric), s.median);
    };
    const auto change = [](const std::optional<double>& ratio) {
      return ratio ? cell(format_change(*ratio), *ratio) : cell("");
    };
    section.rows.push_back({std::move(verdict), cell(row.name), side(row.baseline), side(row.fresh),
                            change(row.ratio > 0 ? std::optional(row.ratio) : std::nullopt), change(row.low),
                            change(row.high), cell(remark_of(row))});
  }
  std::vector<std::string> lead = {judgement_summary(judgement, options)};
  for (const ContextDifference& difference : judgement.context)
    lead.push_back(fmt::format("{} differs: {}", difference.key, fmt::join(difference.values, " / ")));
  return make_page("Overlap: comparison", lead, {}, {std::move(section)});
}

std::string advice_page(const Advice& advice, const Run& run) {
  Section choices{"Best configurations", {}, Json::array(), Json::array(), {}};
  for (const char* head : {"family", "work", "best"}) choices.column(head, false);
  for (const char* head : {"time", "gain", "from", "to", "of bound"}) choices.column(head, true);
  for (const char* head : {"over", "bound by", "remarks"}) choices.column(head, false);
  for (const Choice& choice : advice.choices) {
    const auto times = [](double ratio) { return cell(fmt::format("{:.2f}x", ratio), ratio); };
    choices.rows.push_back(
        {cell(choice.family), cell(axes_text(choice.where)), cell(axes_text(choice.best)),
         cell(format_time(choice.time_us), choice.time_us), times(choice.gain.ratio), times(choice.gain.low),
         times(choice.gain.high),
         choice.bound_pct ? cell(fmt::format("{:.1f} %", *choice.bound_pct), *choice.bound_pct) : cell(""),
         cell(axes_text(choice.over)), cell(choice.bound_by),
         cell(fmt::format("{}", fmt::join(choice.hints, "; ")))});
  }
  const auto lines = [](const char* title, const std::vector<std::string>& notes) {
    return Section{title, {}, Json::array(), Json::array(), notes};
  };
  Section losses{"Where overlap was lost", {}, Json::array(), Json::array(), {}};
  for (const char* head : {"cause", "remedy"}) losses.column(head, false);
  losses.column("rows", true);
  losses.column("such as", false);
  for (const Loss& loss : advice.losses)
    losses.rows.push_back({cell(loss.cause), cell(loss.remedy),
                           cell(fmt::format("{}", loss.rows.size()), static_cast<double>(loss.rows.size())),
                           cell(loss.rows.front())});
  Section rules{"Rules of thumb on this machine", {}, Json::array(), Json::array(), {}};
  for (const char* head : {"verdict", "rule", "why"}) rules.column(head, false);
  for (const Rule& rule : advice.rules) {
    Json verdict = cell(verdict_text(rule.verdict));
    if (rule.verdict == Rule::Verdict::holds) verdict["mark"] = "good";
    if (rule.verdict == Rule::Verdict::does_not_hold) verdict["mark"] = "bad";
    rules.rows.push_back({std::move(verdict), cell(rule.rule), cell(rule.why)});
  }
  return make_page("Overlap: advice", {}, {run},
                   {std::move(choices), lines("Graphs", advice.graphs),
                    lines("Double buffering", advice.buffering), std::move(losses), std::move(rules)});
}

std::string history_page(const std::vector<Series>& all) {
  std::vector<Section> sections;
  std::vector<std::string> quiet;
  for (const Series& series : all) {
    if (series.changes.empty() && !series.drift) {
      quiet.push_back(series.name);
      continue;
    }
    Section section{series.name, {chart_of(series)}, Json::array(), Json::array(), {series.context}};
    for (const char* head : {"commit", "date"}) section.column(head, false);
    for (const char* head : {"before", "after", "change"}) section.column(head, true);
    section.column("", false);
    for (const ChangePoint& change : series.changes) {
      const double ratio = change.after_us / change.before_us;
      Json by = cell(format_change(ratio), ratio);
      if (ratio > 1 && !change.recovered && change.acknowledged.empty()) by["mark"] = "bad";
      section.rows.push_back({cell(change.commit), cell(change.date),
                              cell(format_time(change.before_us), change.before_us),
                              cell(format_time(change.after_us), change.after_us), std::move(by),
                              cell(!change.acknowledged.empty() ? "acknowledged: " + change.acknowledged
                                   : change.recovered           ? "recovered"
                                                                : "")});
    }
    if (series.drift)
      section.notes.push_back(
          fmt::format("drifts: {} over its last stretch", format_change(1 + *series.drift)));
    sections.push_back(std::move(section));
  }
  Section rest{fmt::format("{} series without a change", quiet.size()), {}, Json::array(), Json::array(), {}};
  rest.column("row", false);
  for (const std::string& name : quiet) rest.rows.push_back(Json::array({cell(name)}));
  sections.push_back(std::move(rest));
  return make_page("Overlap: history", {}, {}, sections);
}

}  // namespace overlap::report
