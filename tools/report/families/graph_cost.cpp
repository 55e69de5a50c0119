// graph_cost: what making a graph costs, what a replay saves, and so after how many replays it is paid back.
#include <fmt/format.h>

#include <cmath>

#include "families/families.hpp"
#include "judge/format.hpp"
#include "judge/noise.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

/// Rows of one graph: all that it takes to make it, and what it replaces.
struct Life {
  const Row *replay, *capture, *instantiate, *upload, *loop;

  double cost_us() const { return capture->time_us() + instantiate->time_us() + upload->time_us(); }
  double saved_us() const { return loop->time_us() - replay->time_us(); }
  /// Within which a saving is none; 0 if a row is a single sample.
  double noise_us() const {
    return std::hypot(noise_of(*loop).value_or(0) * loop->time_us(),
                      noise_of(*replay).value_or(0) * replay->time_us());
  }
};

/// A life per graph that was replayed, where all of it was measured.
std::vector<Life> lives(const Rows& rows) {
  std::vector<Life> all;
  for (const Row* replay : only(rows, {{"phase", "replay"}})) {
    const auto phase = [&](const char* name) {
      return find_row(
          rows, {{"phase", name}, {"width", replay->axis("width")}, {"kernels", replay->axis("kernels")}});
    };
    const Life life{replay, phase("capture"), phase("instantiate"), phase("upload"), phase("loop")};
    if (life.capture && life.instantiate && life.upload && life.loop) all.push_back(life);
  }
  return all;
}

/// The kernel time from which on a chain's replay saves no time: what the submitting thread takes for one
/// launch of the loop. A kernel that takes longer gives it time to enqueue the next, so that launches no
/// longer show. From the longest chain. Nothing if no loop is paced by its launches: then the device takes
/// longer than they do even for empty kernels, and there is no such time.
std::optional<double> hidden_from_us(const std::vector<Life>& all) {
  const Row* longest = nullptr;
  for (const Life& life : all)
    if (life.loop->axis("width") == "1" && life.loop->counter(counter::kHostBound).value_or(0) > 0 &&
        (!longest || life.loop->number("kernels") > longest->number("kernels")))
      longest = life.loop;
  const auto submit_us = longest ? longest->counter(counter::kSubmitUs) : std::nullopt;
  if (!submit_us || !(*submit_us > 0) || !(longest->number("kernels") > 0)) return std::nullopt;
  return *submit_us / longest->number("kernels");
}

/// What becomes of a graph's costs. A saving within the noise of both rows is none.
std::string payback_line(const Life& life) {
  const std::string& width = life.replay->axis("width");
  const double saved = life.saved_us(), noise = life.noise_us();
  const std::string what = fmt::format(
      "{}{}: making the graph takes {}, a replay ", counted(life.replay->number("kernels"), "empty kernel"),
      width.empty() || width == "1" ? "" : " in " + width + " chains", format_time(life.cost_us()));
  if (saved > noise)
    return fmt::format("{}saves {}: paid back after {}", what, format_time(saved),
                       counted(std::ceil(life.cost_us() / saved), "replay"));
  if (saved < -noise)
    return fmt::format("{}takes {} longer than the launches: never paid back", what, format_time(-saved));
  return what +
         (noise > kTooNoisy * life.loop->time_us() ? "saves nothing that is beyond noise (too noisy)"
                                                   : "saves nothing") +
         ": never paid back";
}

std::vector<std::string> payback_lines(const Rows& rows) {
  const std::vector<Life> all = lives(rows);
  std::vector<std::string> lines;
  for (const Life& life : all) lines.push_back(payback_line(life));
  if (const auto from_us = hidden_from_us(all))
    lines.push_back(fmt::format(
        "kernels that do something save less than empty ones: next to nothing where each takes longer "
        "than a launch takes the CPU, here about {}",
        format_time(*from_us)));
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
