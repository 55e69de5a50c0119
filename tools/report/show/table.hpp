// Views as text, Markdown, CSV and JSON. Pure: the same input gives the same bytes, whatever the locale.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/format.hpp"
#include "judge/view.hpp"

namespace overlap::report {

/// Aligned columns for a terminal.
std::string to_text(const std::vector<View>& views, const std::vector<Run>& runs);
/// GitHub-flavoured Markdown tables.
std::string to_markdown(const std::vector<View>& views, const std::vector<Run>& runs);
/// One line per row and file (RFC 4180); a column for every axis that any row has.
std::string to_csv(const std::vector<View>& views, const std::vector<Run>& runs);
/// {"schema": "overlap-table-1", "files": [...], "views": [...]}; absent values are absent, never 0 or null.
std::string to_json(const std::vector<View>& views, const std::vector<Run>& runs);

/// A view's cells as they are shown, before any format lays them out.
struct Grid {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;               ///< one longer than the head: why the row failed
  std::vector<std::vector<std::optional<double>>> numbers;  ///< what cells are as numbers, where they are
  bool host_bound = false;                                  ///< some row carries the mark
};
Grid make_grid(const View& view, const std::vector<Run>& runs);

}  // namespace overlap::report
