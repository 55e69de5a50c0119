// Rows arranged to be compared: one view per family and group, speedups over a baseline. Pure: no files, no
// format.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results.hpp"

namespace overlap::report {

/// What one file says of one row. Values that make no sense for the row are absent.
struct Cell {
  bool present = false;
  std::string failure;
  double time_us = 0;
  std::optional<double>
      spread;  ///< standard deviation over mean: of repetitions if there are three, else of samples
  std::optional<double> speedup;   ///< the baseline's time over this one's, both from this file
  std::optional<double> gb_per_s;  ///< 1e9 bytes
  std::optional<double> submit_us;
  bool host_bound = false;
  std::optional<double> pct_of_copy;
  std::optional<double> times_cpu;  ///< the CPU reference's time over this one's, both from this file
};

/// Coordinates, in the order of the name.
using Axes = std::vector<std::pair<std::string, std::string>>;

struct ViewRow {
  std::vector<std::string> values;  ///< of View::columns
  std::vector<Cell> cells;          ///< one per file
};

struct View {
  std::string family;
  Axes fixed;                        ///< what all its rows share
  std::vector<std::string> columns;  ///< axes that differ between its rows
  Axes baseline;                     ///< empty: nothing to compare with
  std::vector<ViewRow> rows;
};

/// Arranges runs side by side. Every speedup is within one file; nothing divides one file's time by
/// another's.
/// @param baseline  replaces the families' own, in those that have the axes.
std::vector<View> make_views(const std::vector<Run>& runs, const Axes& baseline);

}  // namespace overlap::report
