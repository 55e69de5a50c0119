// sequence: what a launch costs and what a graph saves on a chain of small kernels. Every gain of a graph
// stands on the rows of launches, so notes say how those do beside a plain loop of the same launches.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "families/families.hpp"
#include "judge/format.hpp"
#include "judge/noise.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

/// The rows that take turns with a plain loop, and what the host does to them.
std::vector<std::string> notes_on(const Rows& rows) {
  std::vector<std::string> notes;
  for (const Row* row : only(rows, {{"submit", "launch"}}))
    if (const auto ratio = row->counter(counter::kOverPlainLoop))
      notes.push_back(fmt::format(
          "launches back to back take {:.2f} times a plain loop of the same launches, in turn in this "
          "process; between runs on shared hosts such rows moved by 5 to 40 %",
          *ratio));
  return notes;
}

/// The row of the same chain that is submitted and timed in this way.
const Row* same_chain(const Rows& rows, const Row& row, const char* submit, const char* timing) {
  return find_row(
      rows, {{"submit", submit}, {"timing", timing}, {"kernels", row.axis("kernels")}, {"n", row.axis("n")}});
}

/// The time of one kernel from which on a graph gains under kWorthIt; nothing where rows do not tell.
///
/// Launches back to back take the longer of what a launch takes the CPU and of the kernel with the gap to
/// the next one. The first is what rows show that the CPU paces. Of the second, a graph saves a part of the
/// gap: what latched launches, enqueued before they may start, take longer than a latched graph. A kernel has
/// to exceed both the launch and that part over (kWorthIt - 1). From the smallest n that has all of it.
/// Nothing if the device is slower than the launches even there.
std::optional<double> pays_up_to_us(const Rows& rows) {
  const Row* found = nullptr;
  for (const Row* launch : only(rows, {{"submit", "launch"}, {"timing", "steady"}}))
    if (launch->counter(counter::kHostBound).value_or(0) > 0 &&
        launch->counter(counter::kSubmitUs).value_or(0) > 0 && launch->number("kernels") > 0 &&
        same_chain(rows, *launch, "launch", "latched") && same_chain(rows, *launch, "graph", "latched") &&
        (!found || launch->number("n") < found->number("n")))
      found = launch;
  if (!found) return std::nullopt;
  const double kernels = found->number("kernels");
  const double gap_us = (same_chain(rows, *found, "launch", "latched")->time_us() -
                         same_chain(rows, *found, "graph", "latched")->time_us()) /
                        kernels;
  return std::max(*found->counter(counter::kSubmitUs) / kernels, gap_us / (kWorthIt - 1));
}

/// "they stop paying ...", of the graphs of chains of one length, in words that their gains by n allow.
/// On a busy host gains may come and go as n grows; then there is no such n, and the line says so.
std::string where_they_pay(const std::map<double, double>& gain_by_n, const std::string& kernels) {
  double last_paying = 0, first_not = 0;
  for (const auto& [n, gain] : gain_by_n) {
    if (gain >= kWorthIt)
      last_paying = n;
    else if (first_not == 0)
      first_not = n;
  }
  const std::string at_all =
      gain_by_n.size() == 1 ? "at the n that was measured" : "at every n that was measured";
  const std::string of = "graphs of " + kernels + " kernels ";
  if (first_not == 0) return of + "pay " + at_all;
  if (last_paying == 0)
    return fmt::format("{}do not pay (gain under {:.0f} %) {}", of, (kWorthIt - 1) * 100, at_all);
  if (last_paying > first_not)
    return of + "pay and do not pay in turn as n grows: the host is too unsteady to tell";
  return fmt::format("{}stop paying (gain under {:.0f} %) between n {} and {}", of, (kWorthIt - 1) * 100,
                     format_count(fmt::format("{:.0f}", last_paying)),
                     format_count(fmt::format("{:.0f}", first_not)));
}

/// The gain of graphs by n, from which n on they stop paying, and what kernel time that comes to.
std::vector<std::string> graph_lines(const Rows& rows) {
  std::vector<std::string> lines;
  std::map<std::string, std::map<double, double>> gains;  // by the chain's length and n
  for (const Row* graph : only(rows, {{"submit", "graph"}, {"timing", "steady"}})) {
    const Row* launch = same_chain(rows, *graph, "launch", "steady");
    if (!launch) continue;
    const double gain = gain_over(*launch, *graph).ratio;
    std::string line = fmt::format("n {}, {} kernels back to back: {:.2f}x over launches",
                                   format_count(graph->axis("n")), graph->axis("kernels"), gain);
    if (const Row* pdl = same_chain(rows, *graph, "graph_pdl", "steady"))
      line += fmt::format(", {:.2f}x with programmatic dependent launches", gain_over(*launch, *pdl).ratio);
    lines.push_back(line);
    gains[graph->axis("kernels")][graph->number("n")] = gain;
  }
  for (const auto& [kernels, gain_by_n] : gains) lines.push_back(where_they_pay(gain_by_n, kernels));
  if (const auto up_to_us = lines.empty() ? std::nullopt : pays_up_to_us(rows))
    lines.push_back(
        fmt::format("by what launches cost and the gaps between kernels, a graph gains under "
                    "{:.0f} % where each kernel takes longer than about {}",
                    (kWorthIt - 1) * 100, format_time(*up_to_us)));
  return lines;
}

/// From the smallest n that has a graph. True within the rule's own range, understated above, overstated
/// below, and false if next to nothing is saved.
Rule graphs_save_cpu_time(const Rows& rows) {
  constexpr double kLeastPct = 30, kMostPct = 50, kNothingPct = 5;
  Rule rule{.rule = "graphs save 30 to 50 % of CPU time for small work"};
  const Rows graphs = only(rows, [](const Row& row) {
    return has_all(row, {{"submit", "graph"}, {"timing", "steady"}}) && row.counter(counter::kSubmitUs);
  });
  const auto least = std::ranges::min_element(graphs, {}, [](const Row* row) { return row->number("n"); });
  if (least == graphs.end()) return rule;
  const Row& graph = **least;
  const Row* launch = same_chain(rows, graph, "launch", "steady");
  if (!launch || launch->counter(counter::kSubmitUs).value_or(0) <= 0) return rule;
  const double saved = 100 * (1 - *graph.counter(counter::kSubmitUs) / *launch->counter(counter::kSubmitUs));
  rule.verdict = saved > kMostPct       ? Rule::Verdict::understated
                 : saved >= kLeastPct   ? Rule::Verdict::is_true
                 : saved >= kNothingPct ? Rule::Verdict::overstated
                                        : Rule::Verdict::is_false;
  rule.why = fmt::format("a graph of {} kernels {} {:.0f} % of the submitting thread's time at n {}",
                         graph.axis("kernels"), saved < 0 ? "costs another" : "saves", std::fabs(saved),
                         format_count(graph.axis("n")));
  rule.rows = {launch->name(), graph.name()};
  return rule;
}

}  // namespace

FamilyReport sequence_report() {
  return {.name = "sequence",
          .work = {"timing", "kernels", "n"},
          .tables = {{"n", "kernels"}},
          .plain = {{"submit", "launch"}},
          .simplicity = {{.axis = "submit", .words = {"launch", "graph", "graph_pdl"}}},
          .charts = {{.title = "Gain of a graph over n",
                      .x_axis = "n",
                      .y_metric = "speedup",
                      .x = "elements",
                      .y = "times launches",
                      .line = {"submit", "timing"},
                      .keep = [](const Axes& row) { return value_of(row, "submit") != "launch"; },
                      .over = "n"}},
          .references = {{.metric = "times_cpu",
                          .row = [](const Row& row) -> std::optional<RowId> {
                            if (row.axis("kernels") != "3") return std::nullopt;
                            return RowId{.family = "cpu", .axes = {{"op", "sequence"}, {"n", row.axis("n")}}};
                          }}},
          .notes = notes_on,
          .topic = {"Graphs", graph_lines},
          .rules = {{4, graphs_save_cpu_time}}};
}

}  // namespace overlap::report
