// Rows arranged to be compared: one view per family and group, speedups over a baseline. Pure: no files, no
// format.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/family_report.hpp"

namespace overlap::report {

/// What stands for a file where several are shown: "A", "B".
std::string file_letter(std::size_t file);

/// What one file says of one row.
struct Cell {
  bool present = false;
  bool skipped = false;  ///< on purpose: `failure` says why
  bool host_bound = false;
  bool over_budget = false;  ///< its wall-clock budget ended it early: fewer samples than planned
  std::string failure;
  std::string bound_by;
  /// By metric; what makes no sense for the row is absent.
  std::vector<std::pair<std::string, double>> numbers;

  /// Nothing if the row has no such number.
  std::optional<double> number(std::string_view metric) const;
};

/// A row of any of the files.
struct ViewRow {
  std::string name;                 ///< by which it is known everywhere
  std::vector<std::string> values;  ///< of View::columns
  std::vector<Cell> cells;          ///< one per file
};

/// What all tables of a family have in common.
struct Look {
  std::vector<Metric> metrics;
  std::vector<ChartSpec> charts;
};

/// A table before it is laid out: rows of one family that share the values of its table axes.
struct View {
  std::string family;
  Axes fixed;  ///< what all its rows share
  std::vector<std::string>
      columns;    ///< what differs between its rows: axes, threads, clock, settings, "#" of equal names
  Axes baseline;  ///< empty: nothing to compare with
  std::shared_ptr<const Look> look;  ///< holds the next two
  std::span<const Metric> metrics;   ///< in the order of their columns
  std::span<const ChartSpec> charts;
  std::vector<ViewRow> rows;
  std::vector<std::string> notes;  ///< what the rows say together, a sentence each
  bool is_known = false;           ///< the report knows the family, or the run has told of it
};

/// What a row of a view is, in the order of its name: what the view fixes, then its own columns.
Axes all_axes(const View& view, const ViewRow& row);

/// Arranges runs side by side. Every speedup is within one file; nothing divides one file's time by
/// another's.
/// @param baseline  replaces the families' own, in those that have the axes.
std::vector<View> make_views(const std::vector<Run>& runs, const Axes& baseline, const Families& families);

}  // namespace overlap::report
