// Documents for a terminal. Each section is its heading, its rows and its notes. Rows line up in columns,
// unless they bring lines of their own. The summary comes last, where one looks when the command has ended.
#include <algorithm>

#include "show/escape.hpp"
#include "show/render.hpp"

namespace overlap::report {
namespace {

/// Characters that a terminal shows: UTF-8 continuation bytes take no place.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

/// Words line up on the left, numbers on the right.
std::string aligned(const Section& section) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < section.columns.size(); ++c) {
    widths.push_back(width_of(printable(section.columns[c].head)));
    for (const Section::Line& row : section.rows)
      widths[c] = std::max(widths[c], width_of(printable(row.fields[c].text)));
  }
  std::string text;
  // Failures have no column: they follow the row. Blanks at the end of a line are cut off.
  const auto add_line = [&](const auto& text_of, const std::string& failure) {
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const std::string cell = printable(text_of(c));
      const std::string pad(widths[c] - width_of(cell), ' ');
      line += (c > 0 ? "  " : "") + (section.columns[c].number ? pad + cell : cell + pad);
    }
    line += failure.empty() ? "" : "  " + printable(failure);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line([&](std::size_t c) -> const std::string& { return section.columns[c].head; }, "");
  for (const Section::Line& row : section.rows)
    add_line([&](std::size_t c) -> const std::string& { return row.fields[c].text; }, row.failure);
  return text;
}

/// Latin letters only: titles of parts have no others.
std::string capitals(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

/// The title and what the section shows, as its kind sets it off.
std::string heading(const Section& section) {
  const std::string& lead = section.lead;
  switch (section.kind) {
    case Section::Kind::part:
      return "\n" + capitals(section.title) + (lead.empty() ? "\n" : ": " + lead + "\n");
    case Section::Kind::entry: return section.title + "\n" + (lead.empty() ? "" : "  " + lead + "\n");
    case Section::Kind::table: break;
  }
  return section.title.empty() ? "" : "\n" + section.title + "\n" + (lead.empty() ? "" : "  " + lead + "\n");
}

}  // namespace

std::string to_text(const Document& document) {
  std::string text;
  for (const Machine& machine : document.machines) text += printable(machine.title) + "\n";
  for (const std::string& line : document.lead) text += printable(line) + "\n";
  for (const Section& section : document.sections) {
    if (section.quiet()) continue;
    text += printable(heading(section), true);
    const bool told = std::ranges::any_of(section.rows, [](const auto& row) { return !row.told.empty(); });
    if (!told && !section.rows.empty()) text += aligned(section);
    for (const Section::Line& row : section.rows)
      for (const std::string& line : row.told)
        if (!row.quiet) text.append(printable(line)).append("\n");
    for (const std::string& note : section.notes) text += "  " + printable(note) + "\n";
  }
  if (!document.summary.empty()) text += printable(document.summary, true) + "\n";
  for (std::size_t i = 0; i < document.legend.size(); ++i)
    text += (i == 0 ? "\n" : "") + document.legend[i] + "\n";
  return text;
}

}  // namespace overlap::report
