// Rules of thumb that go round about streams, graphs and buffers, answered by the rows of a run.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "judge/advise.hpp"
#include "judge/format.hpp"
#include "judge/notes.hpp"

namespace overlap::report {
namespace {

constexpr double kMuch = 1.10;    // a gain that nobody would call little
constexpr double kLittle = 1.02;  // below which nobody would call it a gain
constexpr double kFlat = 1.01;    // rows this close are equally good

using Verdict = Rule::Verdict;

Verdict verdict(bool holds) { return holds ? Verdict::holds : Verdict::does_not_hold; }

/// The fastest row for which `keep` is true.
template <class Keep>
const Row* fastest(const Run& run, const std::string& family, const Keep& keep) {
  const Row* best = nullptr;
  for (const Row& row : run.rows)
    if (row.family == family && !row.failed() && keep(row) && (!best || row.time_us() < best->time_us()))
      best = &row;
  return best;
}

/// The largest n of a family: the size at which copies matter most.
std::string largest(const Run& run, const std::string& family, const char* axis) {
  const Row* most = nullptr;
  for (const Row& row : run.rows)
    if (row.family == family && !row.failed() && (!most || row.number(axis) > most->number(axis)))
      most = &row;
  return most ? most->axis(axis) : "";
}

/// Middle of the gains of all rows that could overlap, over the fastest sequential row: pageable rows scatter
/// so much that the best of many says nothing.
std::optional<double> usual_gain(const Run& run, const std::string& n, const char* mem,
                                 std::vector<std::string>& rows) {
  const auto is = [&](const Row& row) {
    return row.axis("n") == n && row.axis("work") == "1" && row.axis("mem") == mem;
  };
  const Row* sequential =
      fastest(run, "pipeline", [&](const Row& row) { return is(row) && row.axis("order") == "sequential"; });
  std::vector<const Row*> overlapped;
  for (const Row& row : run.rows)
    if (row.family == "pipeline" && !row.failed() && is(row) && row.number("streams") > 1)
      overlapped.push_back(&row);
  if (!sequential || overlapped.empty()) return std::nullopt;
  std::ranges::sort(overlapped, {}, [](const Row* row) { return row->time_us(); });
  const Row& middle = *overlapped[overlapped.size() / 2];
  rows.insert(rows.end(), {sequential->name, middle.name});
  return sequential->time_us() / middle.time_us();
}

Rule pageable_kills_overlap(const Run& run) {
  Rule rule{.rule = "pageable memory kills overlap"};
  const std::string n = largest(run, "pipeline", "n");
  const auto pageable = usual_gain(run, n, "pageable", rule.rows),
             pinned = usual_gain(run, n, "pinned", rule.rows);
  if (!pageable || !pinned) {
    rule.rows.clear();
    return rule;
  }
  rule.verdict = verdict(*pageable - 1 < (*pinned - 1) / 2);
  rule.why = fmt::format("rows with several streams usually gain {:.2f}x pinned and {:.2f}x pageable",
                         *pinned, *pageable);
  return rule;
}

Rule few_streams_suffice(const Run& run, double least, double most) {
  Rule rule{.rule = fmt::format("{:.0f} to {:.0f} streams suffice", least, most)};
  const std::string n = largest(run, "pipeline", "n");
  const auto in_turn = [&](const Row& row) {
    return row.axis("n") == n && row.axis("work") == "1" && row.axis("mem") == "pinned" &&
           (row.axis("order") == "depth_first" || row.axis("order") == "breadth_first");
  };
  const Row* within = fastest(run, "pipeline", [&](const Row& row) {
    return in_turn(row) && row.number("streams") >= least && row.number("streams") <= most;
  });
  const Row* more =
      fastest(run, "pipeline", [&](const Row& row) { return in_turn(row) && row.number("streams") > most; });
  const Row* fewer =
      fastest(run, "pipeline", [&](const Row& row) { return in_turn(row) && row.number("streams") < least; });
  if (!within || !fewer) return rule;
  rule.rows = {within->name, fewer->name};
  if (more) rule.rows.push_back(more->name);
  const double by_more = more ? within->time_us() / more->time_us() : 1;
  rule.verdict = verdict(by_more <= kFlat);
  rule.why = fmt::format("{} streams do best among them; fewer take {}", within->axis("streams"),
                         format_change(fewer->time_us() / within->time_us()));
  if (more) rule.why += fmt::format(", more take {}", format_change(1 / by_more));
  return rule;
}

Rule graphs_save_cpu_time(const Run& run) {
  Rule rule{.rule = "graphs save 30 to 50 % of CPU time for small work"};
  const Row* graph = nullptr;
  for (const Row& row : run.rows) {
    if (row.family != "sequence" || row.failed() || row.axis("submit") != "graph" ||
        row.axis("timing") != "steady")
      continue;
    if (!graph || row.number("n") < graph->number("n")) graph = &row;
  }
  const Row* launch = !graph ? nullptr : fastest(run, "sequence", [&](const Row& row) {
    return row.axis("submit") == "launch" && row.axis("timing") == "steady" &&
           row.axis("n") == graph->axis("n") && row.axis("kernels") == graph->axis("kernels");
  });
  if (!launch || launch->counter("submit_us").value_or(0) <= 0) return rule;
  const double saved = 100 * (1 - graph->counter("submit_us").value_or(0) / *launch->counter("submit_us"));
  rule.verdict = verdict(saved >= 30);
  rule.why = fmt::format("a graph of {} kernels saves {:.0f} % of the submitting thread's time{}",
                         graph->axis("kernels"), saved, saved > 50 ? ": more than the rule says" : "");
  rule.rows = {launch->name, graph->name};
  return rule;
}

/// Serial rows and what two buffers make of them, by the share of copies.
struct Regime {
  const Row* serial;
  const Row* two;
  double share_pct, gain;
};

std::vector<Regime> regimes(const Run& run) {
  std::vector<Regime> all;
  for (const Row& serial : run.rows) {
    if (serial.family != "double_buffer" || serial.failed() || serial.axis("sync") != "serial" ||
        serial.axis("submit") != "launch" || serial.axis("result") != "device")
      continue;
    const Row* two = fastest(run, "double_buffer", [&](const Row& row) {
      return row.axis("sync") == "per_buffer" && row.axis("buffers") == "2" &&
             row.axis("submit") == "launch" && row.axis("result") == "device" &&
             row.axis("dim") == serial.axis("dim") && row.axis("batches") == serial.axis("batches");
    });
    const auto share = serial.counter("transfer_pct");
    if (two && share) all.push_back({&serial, two, *share, serial.time_us() / two->time_us()});
  }
  return all;
}

Rule double_buffering_pays(const Run& run, double least_pct, double most_pct, const char* words,
                           bool (*holds)(double gain)) {
  Rule rule{.rule =
                fmt::format("double buffering {} when copies take {}", words,
                            least_pct > 0 ? fmt::format("{:.0f} to {:.0f} % of the time", least_pct, most_pct)
                                          : fmt::format("under {:.0f} % of the time", most_pct))};
  bool all_hold = true;
  for (const Regime& regime : regimes(run)) {
    if (regime.share_pct < least_pct || regime.share_pct >= most_pct) continue;
    all_hold = all_hold && holds(regime.gain);
    rule.why +=
        fmt::format("{}dim {}: copies take {:.0f} %, two buffers gain {:.2f}x", rule.why.empty() ? "" : "; ",
                    regime.serial->axis("dim"), regime.share_pct, regime.gain);
    rule.rows.insert(rule.rows.end(), {regime.serial->name, regime.two->name});
  }
  if (!rule.rows.empty()) rule.verdict = verdict(all_hold);
  return rule;
}

Rule third_buffer_adds_little(const Run& run) {
  Rule rule{.rule = "a third buffer adds little"};
  double most = 0;
  for (const Regime& regime : regimes(run)) {
    const Row* three = fastest(run, "double_buffer", [&](const Row& row) {
      return row.axis("sync") == "per_buffer" && row.axis("buffers") == "3" &&
             row.axis("submit") == "launch" && row.axis("result") == "device" &&
             row.axis("dim") == regime.serial->axis("dim") &&
             row.axis("batches") == regime.serial->axis("batches");
    });
    if (!three) continue;
    most = std::max(most, regime.two->time_us() / three->time_us());
    rule.rows.insert(rule.rows.end(), {regime.two->name, three->name});
  }
  if (rule.rows.empty()) return rule;
  rule.verdict = verdict(most < kLittle);
  rule.why = fmt::format("three buffers are {} faster than two where they do most", format_change(most));
  return rule;
}

Rule small_chunks_lose(const Run& run) {
  Rule rule{.rule = "small chunks lose to fixed costs"};
  const std::string n = largest(run, "pipeline", "n");
  const auto chunked = [&](const Row& row) {
    return row.axis("n") == n && row.axis("work") == "1" && row.axis("mem") == "pinned" &&
           row.counter("chunks").value_or(0) > 1 && row.axis("schedule") != "tapered" &&
           row.axis("layout") != "packed";
  };
  const Row* best = fastest(run, "pipeline", chunked);
  if (!best) return rule;
  const double best_chunks = *best->counter("chunks");
  double most_chunks = 0;
  for (const Row& row : run.rows)
    if (row.family == "pipeline" && !row.failed() && chunked(row))
      most_chunks = std::max(most_chunks, *row.counter("chunks"));
  if (most_chunks < 2 * best_chunks) return rule;  // the sweep ends before they are small
  const Row* small = fastest(
      run, "pipeline", [&](const Row& row) { return chunked(row) && *row.counter("chunks") == most_chunks; });
  rule.verdict = verdict(small->time_us() > kLittle * best->time_us());
  rule.why = fmt::format("{:.0f} chunks take {} over {:.0f}", most_chunks,
                         format_change(small->time_us() / best->time_us()), best_chunks);
  rule.rows = {best->name, small->name};
  return rule;
}

}  // namespace

std::vector<Rule> check_rules(const Run& run) {
  return {
      pageable_kills_overlap(run),
      few_streams_suffice(run, 2, 4),
      few_streams_suffice(run, 4, 8),
      graphs_save_cpu_time(run),
      double_buffering_pays(run, 30, 50, "pays", [](double gain) { return gain >= kMuch; }),
      double_buffering_pays(run, 15, 30, "pays little", [](double gain) { return gain > 1 && gain < kMuch; }),
      double_buffering_pays(run, 0, 15, "costs", [](double gain) { return gain < 1; }),
      third_buffer_adds_little(run),
      small_chunks_lose(run)};
}

}  // namespace overlap::report
