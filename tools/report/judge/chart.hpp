// What the rows of a view or the runs of a series are best seen as. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "judge/history.hpp"
#include "judge/view.hpp"

namespace overlap::report {

/// Lines over one x axis.
struct Chart {
  struct Line {
    std::string name;
    std::vector<std::pair<double, double>> points;
    bool dashed = false;  ///< a limit
    bool marks = false;   ///< points that stand for themselves
  };
  std::string title, x, y;
  bool log_x = false, log_y = false;
  std::vector<Line> lines;
};

/// What a view's family is best seen as: time and speedup over streams and chunk with the bound as a line,
/// rates over bytes, the gain of graphs over n, time over buffers. Empty for other families.
std::vector<Chart> charts_of(const View& view, std::size_t file);
/// A family's views that differ in `axis` only, as one view with that axis as a column: what runs over sizes.
View merged_over(const std::vector<View>& views, const View& like, const std::string& axis);
/// Time over runs, with its change points.
Chart chart_of(const Series& series);

}  // namespace overlap::report
