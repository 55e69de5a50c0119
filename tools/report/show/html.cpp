// Documents as web pages. A page holds the document as JSON, the style, the chart library and the script that
// draws all of it (html/page.js): what comes from the data is never markup.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "read/json.hpp"
#include "show/html/assets.hpp"
#include "show/render.hpp"

namespace overlap::report {
namespace {

/// A number that JSON cannot write is left out: the cell still has its text.
Json json_of(const Field& field) {
  Json json = Json::object({{"text", field.text}});
  if (field.value && std::isfinite(*field.value)) json["value"] = *field.value;
  if (field.mark != Mark::none) json["mark"] = field.mark == Mark::good ? "good" : "bad";
  return json;
}

/// Lines as the chart library's data sets are made of them in page.js.
Json json_of(const Chart& chart) {
  Json series = Json::array();
  for (const Chart::Line& line : chart.lines) {
    Json points = Json::array();
    for (const auto& [x, y] : line.points) points.push_back(Json::array({x, y}));
    series.push_back(Json::object({{"name", line.name},
                                   {"points", std::move(points)},
                                   {"dashed", line.dashed},
                                   {"marks", line.marks}}));
  }
  return Json::object({{"title", chart.title},
                       {"x", chart.x},
                       {"y", chart.y},
                       {"log_x", chart.log_x},
                       {"log_y", chart.log_y},
                       {"series", std::move(series)}});
}

/// A page has no place beside a table: why rows failed becomes a last column, if any did.
Json json_of(const Section& section) {
  const bool any_failed =
      std::ranges::any_of(section.rows, [](const Section::Line& row) { return !row.failure.empty(); });
  Json charts = Json::array(), columns = Json::array(), rows = Json::array();
  for (const Chart& chart : section.charts) charts.push_back(json_of(chart));
  for (const Section::Column& column : section.columns)
    columns.push_back(Json::object({{"head", column.head}, {"number", column.number}}));
  if (any_failed) columns.push_back(Json::object({{"head", ""}, {"number", false}}));
  for (const Section::Line& row : section.rows) {
    Json line = Json::array();
    for (const Field& field : row.fields) line.push_back(json_of(field));
    if (any_failed) line.push_back(json_of(Field(row.failure)));
    rows.push_back(std::move(line));
  }
  return Json::object({{"title", section.title},
                       {"lead", section.lead},
                       {"charts", std::move(charts)},
                       {"columns", std::move(columns)},
                       {"rows", std::move(rows)},
                       {"notes", section.notes}});
}

/// The whole page's data. The summary leads, unlike in a terminal.
Json json_of(const Document& document) {
  Json machines = Json::array(), sections = Json::array();
  for (const Machine& machine : document.machines) {
    Json facts = Json::array();
    for (const auto& [key, value] : machine.facts) facts.push_back(Json::array({key, value}));
    machines.push_back(Json::object({{"title", machine.title}, {"facts", std::move(facts)}}));
  }
  for (const Section& section : document.sections) sections.push_back(json_of(section));
  std::vector<std::string> lead = document.lead;
  if (!document.summary.empty()) lead.insert(lead.begin(), document.summary);
  return Json::object({{"title", document.title},
                       {"lead", lead},
                       {"machines", std::move(machines)},
                       {"sections", std::move(sections)},
                       {"legend", document.legend}});
}

/// Nothing in the data may end the script that it is in.
/// A name with "</script>" in it would. Each "<" is written as its JSON escape, which means the same.
std::string embedded(const Json& json) {
  std::string safe;
  for (const char c : json.dump(-1)) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

}  // namespace

std::string to_html(const Document& document) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>overlap-report</title>\n<style>\n{}</style>\n</head>\n"
      "<body>\n<main></main>\n<noscript>This page draws itself and needs JavaScript.</noscript>\n"
      "<script type=\"application/json\" "
      "id=\"data\">{}</script>\n<script>{}</script>\n<script>{}</script>\n</body>\n</html>\n",
      assets::kPageStyle, embedded(json_of(document)), assets::kChartLibrary, assets::kPageScript);
}

}  // namespace overlap::report
