// A self-contained web page of tables and charts: opens offline, on a phone, in the dark.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/advise.hpp"
#include "judge/history.hpp"
#include "judge/verdict.hpp"
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
/// Time over runs, with its change points.
Chart chart_of(const Series& series);

std::string table_page(const std::vector<View>& views, const std::vector<Run>& runs);
std::string advice_page(const Advice& advice, const Run& run);
std::string compare_page(const Judgement& judgement, const CompareOptions& options);
std::string history_page(const std::vector<Series>& all);

}  // namespace overlap::report
