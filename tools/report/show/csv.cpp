// Documents as CSV, for programs and spreadsheets: the value of a cell where it has one, else its text. A
// document of one section without a title is that table and nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "show/escape.hpp"
#include "show/render.hpp"

namespace overlap::report {
namespace {

/// A cell as a program reads it.
void add_field(std::string& text, const Field& field) {
  if (field.value)
    fmt::format_to(std::back_inserter(text), "{}", *field.value);
  else if (!field.text.empty())
    text += csv_field(field.text);
}

}  // namespace

// Lines end as RFC 4180 has it, with a carriage return too.
std::string to_csv(const Document& document) {
  // Sections with titles share one table: which section, every column that any has, the note of a list.
  const bool several = document.sections.size() != 1 || !document.sections[0].title.empty();
  std::vector<std::string> heads;
  for (const Section& section : document.sections)
    for (const Section::Column& column : section.columns)
      if (!several || std::ranges::find(heads, column.head) == heads.end()) heads.push_back(column.head);
  std::string text = several ? "section," : "";
  for (std::size_t h = 0; h < heads.size(); ++h) text += (h > 0 ? "," : "") + csv_field(heads[h]);
  text += several ? ",note\r\n" : "\r\n";
  for (const Section& section : document.sections) {
    std::vector<std::size_t> column_of(heads.size(), section.columns.size());  // by default none
    for (std::size_t c = 0; c < section.columns.size(); ++c) {
      const auto named = several ? std::ranges::find(heads, section.columns[c].head) - heads.begin() : 0;
      column_of[several ? static_cast<std::size_t>(named) : c] = c;
    }
    const auto add = [&](const Section::Line& row, const std::string& note) {
      if (several) text += csv_field(section.title) + ",";
      for (std::size_t h = 0; h < heads.size(); ++h) {
        if (h > 0) text += ',';
        if (column_of[h] < row.fields.size()) add_field(text, row.fields[column_of[h]]);
      }
      if (several) text += "," + csv_field(note);
      text += "\r\n";
    };
    for (const Section::Line& row : section.rows) add(row, row.failure);
    for (const std::string& note : section.notes)
      if (several) add({}, note);
  }
  return text;
}

}  // namespace overlap::report
