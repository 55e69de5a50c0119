// sequence: what a launch costs and what a graph saves on a chain of small kernels. Every gain of a graph
// stands on the rows of launches, so notes say how those do beside a plain loop of the same launches.
#include <fmt/format.h>

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

/// The gain of graphs by n, and from which n on they stop paying.
/// On a busy host gains may come and go as n grows; then there is no such n, and the line says so.
std::vector<std::string> graph_lines(const Rows& rows) {
  std::vector<std::string> lines;
  double last_paying = 0, first_not = 0;
  for (const Row* graph : only(rows, {{"submit", "graph"}, {"timing", "steady"}})) {
    const auto with = [&](const char* submit) {
      return find_row(rows, {{"timing", "steady"},
                             {"kernels", graph->axis("kernels")},
                             {"n", graph->axis("n")},
                             {"submit", submit}});
    };
    const Row* launch = with("launch");
    if (!launch) continue;
    const double gain = gain_over(*launch, *graph).ratio;
    std::string line = fmt::format("n {}, {} kernels back to back: {:.2f}x over launches",
                                   format_count(graph->axis("n")), graph->axis("kernels"), gain);
    if (const Row* pdl = with("graph_pdl"))
      line += fmt::format(", {:.2f}x with programmatic dependent launches", gain_over(*launch, *pdl).ratio);
    lines.push_back(line);
    const double n = graph->number("n");
    if (gain >= kWorthIt) last_paying = std::max(last_paying, n);
    if (gain < kWorthIt && (first_not == 0 || n < first_not)) first_not = n;
  }
  if (!lines.empty())
    lines.push_back(first_not == 0 ? "they pay at every n that was measured"
                    : last_paying > first_not
                        ? "they pay and do not pay in turn as n grows: the host is too unsteady to tell"
                        : fmt::format("they stop paying (under {:.0f} %) at n {}", (kWorthIt - 1) * 100,
                                      format_count(fmt::format("{:.0f}", first_not))));
  return lines;
}

/// From the smallest n that has a graph. Saving more than the rule says holds too, and is said.
Rule graphs_save_cpu_time(const Rows& rows) {
  constexpr double kLeastPct = 30, kMostPct = 50;
  Rule rule{.rule = "graphs save 30 to 50 % of CPU time for small work"};
  const Rows graphs = only(rows, {{"submit", "graph"}, {"timing", "steady"}});
  const auto least = std::ranges::min_element(graphs, {}, [](const Row* row) { return row->number("n"); });
  if (least == graphs.end()) return rule;
  const Row& graph = **least;
  const Row* launch = fastest(only(rows, {{"submit", "launch"},
                                          {"timing", "steady"},
                                          {"n", graph.axis("n")},
                                          {"kernels", graph.axis("kernels")}}));
  if (!launch || launch->counter(counter::kSubmitUs).value_or(0) <= 0) return rule;
  const double saved =
      100 * (1 - graph.counter(counter::kSubmitUs).value_or(0) / *launch->counter(counter::kSubmitUs));
  rule.verdict = saved >= kLeastPct ? Rule::Verdict::holds : Rule::Verdict::does_not_hold;
  rule.why = fmt::format("a graph of {} kernels saves {:.0f} % of the submitting thread's time{}",
                         graph.axis("kernels"), saved, saved > kMostPct ? ": more than the rule says" : "");
  rule.rows = {launch->name(), graph.name()};
  return rule;
}

}  // namespace

FamilyReport sequence_report() {
  return {.name = "sequence",
          .work = {"timing", "kernels", "n"},
          .tables = {{"n", "kernels"}},
          .plain = {{"submit", "launch"}},
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
