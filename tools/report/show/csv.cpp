// Documents as CSV, for programs and spreadsheets: the value of a cell where it has one, else its text. A
// document of one section without a title is that table and nothing else.
#include <fmt/format.h>

#include <algorithm>

#include "show/escape.hpp"
#include "show/render.hpp"

namespace overlap::report {
namespace {

/// A cell as a program reads it.
std::string csv_text(const Field& field) {
  return field.value ? fmt::format("{}", *field.value) : harmless_csv_field(field.text);
}

/// Ends as RFC 4180 has it, with a carriage return too. Fields come escaped.
void add_line(std::string& text, const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) text += (i > 0 ? "," : "") + fields[i];
  text += "\r\n";
}

}  // namespace

std::string to_csv(const Document& document) {
  // Sections with titles share one table: which section, every column that any has, the note of a list.
  const bool several = document.sections.size() != 1 || !document.sections[0].title.empty();
  std::vector<std::string> heads;
  for (const Section& section : document.sections)
    for (const Section::Column& column : section.columns)
      if (!several || std::ranges::find(heads, column.head) == heads.end()) heads.push_back(column.head);
  std::string text;
  std::vector<std::string> first;
  if (several) first.push_back("section");
  for (const std::string& head : heads) first.push_back(csv_field(head));
  if (several) first.push_back("note");
  add_line(text, first);
  for (const Section& section : document.sections) {
    const auto add = [&](const Section::Line& row, const std::string& note) {
      std::vector<std::string> line(heads.size());
      for (std::size_t c = 0; c < row.fields.size(); ++c) {
        const auto named = std::ranges::find(heads, section.columns[c].head) - heads.begin();
        line[several ? static_cast<std::size_t>(named) : c] = csv_text(row.fields[c]);
      }
      if (several) line.insert(line.begin(), harmless_csv_field(section.title));
      if (several) line.push_back(harmless_csv_field(note));
      add_line(text, line);
    };
    for (const Section::Line& row : section.rows) add(row, row.failure);
    for (const std::string& note : section.notes)
      if (several) add({}, note);
  }
  return text;
}

}  // namespace overlap::report
