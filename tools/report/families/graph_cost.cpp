// graph_cost: what making a graph costs, what a replay saves, and so after how many replays it is paid back.
#include <fmt/format.h>

#include <cmath>

#include "families/families.hpp"
#include "judge/format.hpp"
#include "judge/noise.hpp"

namespace overlap::report {
namespace {

/// A line per graph that was replayed, where all that it takes to make it was measured.
/// A graph costs its capture, instantiation and upload; each replay saves what the loop of launches takes
/// longer. A saving within the noise of both rows is none.
std::vector<std::string> payback_lines(const Rows& rows) {
  std::vector<std::string> lines;
  for (const Row* replay : only(rows, {{"phase", "replay"}})) {
    const auto phase = [&](const char* name) {
      return find_row(
          rows, {{"phase", name}, {"width", replay->axis("width")}, {"kernels", replay->axis("kernels")}});
    };
    const Row *capture = phase("capture"), *instantiate = phase("instantiate"), *upload = phase("upload"),
              *loop = phase("loop");
    if (!capture || !instantiate || !upload || !loop) continue;
    const double cost = capture->time_us() + instantiate->time_us() + upload->time_us();
    const double saved = loop->time_us() - replay->time_us();
    const double noise = std::hypot(noise_of(*loop) * loop->time_us(), noise_of(*replay) * replay->time_us());
    const std::string what = fmt::format(
        "{}{}: making the graph takes {}", counted(replay->number("kernels"), "kernel"),
        replay->axis("width") == "1" ? "" : " in " + replay->axis("width") + " chains", format_time(cost));
    lines.push_back(saved > noise
                        ? fmt::format("{}, a replay saves {}: paid back after {}", what, format_time(saved),
                                      counted(std::ceil(cost / saved), "replay"))
                        : what + ", a replay saves nothing: never paid back");
  }
  return lines;
}

}  // namespace

FamilyReport graph_cost_report() {
  return {.name = "graph_cost",
          .tables = {{"width"}},
          .charts = {{.title = "Time over kernels",
                      .x_axis = "kernels",
                      .y_metric = "time_us",
                      .x = "kernels",
                      .y = "us",
                      .line = {"phase"},
                      .log_y = true}},
          .topic = {"Graphs", payback_lines}};
}

}  // namespace overlap::report
