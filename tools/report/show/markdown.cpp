// Documents as GitHub-flavoured Markdown: a verdict and its summary first, then machines as a list, then a
// table per section with its notes below. What does not fit into a comment is counted.
#include <fmt/format.h>

#include "show/escape.hpp"
#include "show/render.hpp"

namespace overlap::report {
namespace {

constexpr std::size_t kMostCharacters = 65'536;  // of a comment
constexpr std::size_t kRoomForEnd = 100;         // to say how many rows do not fit

/// A Markdown row has no room beside it: why a row failed or was skipped joins the cell that says so.
std::string table_line(const Section::Line& row) {
  std::string line = "|";
  for (const Field& field : row.fields) {
    const bool says_so = !row.failure.empty() && (field.text == "failed" || field.text == "skipped");
    line += " " + markdown_escaped(says_so ? field.text + ": " + row.failure : field.text) + " |";
  }
  return line + "\n";
}

/// Heads, and the line that says on which side a column lines up.
std::string table_head(const Section& section) {
  std::string head = "\n|", rule = "|";
  for (const Section::Column& column : section.columns) {
    head += " " + markdown_escaped(column.head) + " |";
    rule += column.number ? "---:|" : "---|";
  }
  return head + "\n" + rule + "\n";
}

}  // namespace

// After the first row that does not fit none is written: rows stand worst first.
std::string to_markdown(const Document& document) {
  std::string text;
  if (document.mark != Mark::none)
    text += fmt::format("### {} {}\n\n",
                        document.mark == Mark::bad    ? "\u274C"
                        : document.mark == Mark::good ? "\u2705"
                                                      : "\u26AA",
                        document.title);
  if (!document.summary.empty()) text += markdown_escaped(document.summary) + "\n\n";
  for (const Machine& machine : document.machines) text += "- " + markdown_escaped(machine.title) + "\n";
  for (const std::string& line : document.lead) text += "- " + markdown_escaped(line) + "\n";
  std::size_t left_out = 0;
  for (const Section& section : document.sections) {
    if (section.quiet()) continue;
    if (!section.title.empty())
      text += "\n**" + markdown_escaped(section.title) + "**" +
              (section.lead.empty() ? "" : ": " + markdown_escaped(section.lead)) + "\n";
    if (!section.rows.empty()) text += table_head(section);
    for (const Section::Line& row : section.rows) {
      if (row.quiet) continue;
      const std::string line = table_line(row);
      const bool fits = !document.is_comment || text.size() + line.size() + kRoomForEnd <= kMostCharacters;
      if (left_out == 0 && fits)
        text += line;
      else
        ++left_out;
    }
    for (const std::string& note : section.notes)
      text += (section.rows.empty() ? "\n- " : "\n") + markdown_escaped(note) + "\n";
  }
  if (left_out > 0) text += fmt::format("\n{} more rows do not fit here.\n", left_out);
  for (const std::string& line : document.legend) text += "\n" + markdown_escaped(line) + "\n";
  return text;
}

}  // namespace overlap::report
