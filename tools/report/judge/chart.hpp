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
    /// (x, y), ascending in x.
    std::vector<std::pair<double, double>> points;
    bool dashed = false;  ///< a limit
    bool marks = false;   ///< points that stand for themselves
  };
  std::string title, x, y;
  bool log_x = false, log_y = false;
  std::vector<Line> lines;
};

/// The charts of each view for one of the files. A chart that runs over an axis of tables stands at the first
/// of them and draws them all.
std::vector<std::vector<Chart>> charts_of(const std::vector<View>& views, std::size_t file);
/// Time over runs, with its changes, drifts and outliers.
Chart chart_of(const Series& series);

}  // namespace overlap::report
