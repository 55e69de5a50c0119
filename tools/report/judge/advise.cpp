#include "judge/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "judge/format.hpp"
#include "judge/notes.hpp"

namespace overlap::report {
namespace {

constexpr double kLostBelowPct = 50;  // of what overlap could hide
constexpr double kWorthIt = 1.05;     // a gain below this is not worth a change of design
constexpr double kNearBoundPct = 95;  // from there on only the limit itself can move
constexpr double kRoomToGain = 1.1;   // of possible_speedup
constexpr double kSimplerMayCost = 1.05;

using Rows = std::vector<const Row*>;

/// How rows of a family are compared: which axes say what work is done, and what a plain program would do.
struct Comparison {
  std::vector<std::string> work;
  Axes baseline;
};

const std::map<std::string, Comparison>& comparisons() {
  static const std::map<std::string, Comparison> all = {
      {"pipeline", {{"n", "work"}, {{"order", "sequential"}, {"mem", "pinned"}, {"submit", "launch"}}}},
      {"double_buffer", {{"dim", "batches", "result"}, {{"sync", "serial"}, {"submit", "launch"}}}},
      {"concurrent", {{"tasks", "dim"}, {{"streams", "1"}, {"submit", "launch"}}}},
      {"sequence", {{"timing", "kernels", "n"}, {{"submit", "launch"}}}},
      {"swish", {{"pass", "cache", "timing", "n"}, {{"impl", "plain"}}}},
      {"transfer", {{"dir", "bytes"}, {{"mem", "pageable"}}}},
      {"torch_swish", {{"pass", "n", "dtype"}, {{"impl", "silu"}, {"submit", "launch"}}}},
      {"torch_double_buffer", {{"dim", "batches"}, {{"sync", "serial"}}}},
      {"torch_streams", {{"dim", "submit"}, {{"streams", "1"}}}},
  };
  return all;
}

Axes pick(const Row& row, const std::vector<std::string>& axes, bool listed) {
  Axes picked;
  for (const auto& [axis, value] : row.axes)
    if ((std::ranges::find(axes, axis) != axes.end()) == listed) picked.emplace_back(axis, value);
  return picked;
}

bool matches(const Row& row, const Axes& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& axis) { return row.axis(axis.first) == axis.second; });
}

const Row* fastest(const Rows& rows) {
  const auto found = std::ranges::min_element(rows, {}, [](const Row* row) { return row->time_us(); });
  return found == rows.end() ? nullptr : *found;
}

/// The first of the rows that are as fast as the fastest, within noise. Sweeps list simple configurations
/// first, so that of equals the simplest is advised.
const Row* best_of(const Rows& rows) {
  const Row* quickest = fastest(rows);
  for (const Row* row : rows)
    if (row->time_us() <= quickest->time_us() * (1 + std::hypot(noise_of(*row), noise_of(*quickest))))
      return row;
  return quickest;
}

template <class Keep>
Rows only(const Rows& rows, const Keep& keep) {
  Rows kept;
  std::ranges::copy_if(rows, std::back_inserter(kept), [&](const Row* row) { return keep(*row); });
  return kept;
}

bool is_plain_cut(const Row& row) {
  return (row.axis("schedule").empty() || row.axis("schedule") == "even") &&
         (row.axis("layout").empty() || row.axis("layout") == "separate") && row.axis("order") != "zero_copy";
}

std::vector<std::string> pipeline_hints(const Row& best, const Rows& rows,
                                        const std::vector<std::string>& work) {
  std::vector<std::string> hints;
  const Row* simplest = fastest(only(rows, [](const Row& row) {
    return is_plain_cut(row) && row.axis("mem") == "pinned" && row.axis("order") == "depth_first";
  }));
  if (simplest && simplest != &best && simplest->time_us() < kSimplerMayCost * best.time_us())
    hints.push_back(fmt::format("simpler, {:.1f} % slower: {}",
                                (simplest->time_us() / best.time_us() - 1) * 100,
                                axes_text(pick(*simplest, work, false))));
  const auto expected = best.counter("best_chunks"), streams = best.counter("best_streams");
  const Row* even = fastest(only(rows, [](const Row& row) {
    return is_plain_cut(row) && row.counter("chunks").value_or(0) > 1 && row.axis("mem") == "pinned";
  }));
  if (expected && streams && even)
    hints.push_back(
        fmt::format("from the stages alone, {:.0f} equal chunks on {:.0f} streams were expected to do "
                    "best; {:.0f} did",
                    *expected, *streams, *even->counter("chunks")));
  return hints;
}

std::vector<std::string> hints_for(const Row& best, const Rows& rows, const std::vector<std::string>& work) {
  std::vector<std::string> hints;
  if (best.family == "pipeline") hints = pipeline_hints(best, rows, work);
  if (best.family == "concurrent") {
    const auto possible = best.counter("possible_speedup");
    if (possible && *possible < kRoomToGain)
      hints.push_back(
          fmt::format("one product fills the device ({:.0f} blocks, {:.0f} at once): more streams cannot "
                      "gain over {:.2f}x",
                      *best.counter("blocks"), *best.counter("resident_blocks"), *possible));
    else if (possible)
      hints.push_back(fmt::format("one product leaves room for {:.2f}x ({:.0f} blocks, {:.0f} at once)",
                                  *possible, *best.counter("blocks"), *best.counter("resident_blocks")));
  }
  const auto bound = best.counter("bound_pct"), copy = best.counter("pct_of_copy");
  if (copy && *copy >= kNearBoundPct) hints.push_back("at memory speed");
  if (bound && *bound >= kNearBoundPct) {
    hints.push_back(best.bound_by.empty()
                        ? "at its limit"
                        : fmt::format("at its limit: only a faster {} or less for it to do would "
                                      "help",
                                      best.bound_by));
  } else if (best.bound_by == "submission") {
    hints.push_back("the submitting thread sets the pace: fewer, larger calls, or a graph");
  } else if (bound && best.family != "concurrent") {
    hints.push_back(fmt::format(
        "{:.0f} % of the time is beyond its limit: finer chunks or more streams may help", 100 - *bound));
  }
  return hints;
}

std::vector<Choice> choose(const Run& run) {
  std::vector<std::pair<std::string, Rows>> groups;  // by family and work, in the order of their first rows
  for (const Row& row : run.rows) {
    const auto comparison = comparisons().find(row.family);
    if (row.failed() || comparison == comparisons().end()) continue;
    std::string key = row.family;
    for (const auto& [axis, value] : pick(row, comparison->second.work, true))
      key += "/" + axis + ":" + value;
    auto found = std::ranges::find(groups, key, &std::pair<std::string, Rows>::first);
    if (found == groups.end()) found = groups.insert(groups.end(), {key, {}});
    found->second.push_back(&row);
  }
  std::vector<Choice> choices;
  for (const auto& [key, rows] : groups) {
    const auto& [work, baseline_axes] = comparisons().at(rows.front()->family);
    const Row& best = *best_of(rows);
    const auto baseline =
        std::ranges::find_if(rows, [&axes = baseline_axes](const Row* row) { return matches(*row, axes); });
    if (rows.size() < 2 || baseline == rows.end()) continue;
    Choice choice{.family = best.family,
                  .where = pick(best, work, true),
                  .best = pick(best, work, false),
                  .row = best.name,
                  .baseline = (*baseline)->name,
                  .over = baseline_axes,
                  .time_us = best.time_us(),
                  .gain = gain_over(**baseline, best),
                  .bound_pct = best.counter("bound_pct"),
                  .bound_by = best.bound_by,
                  .hints = hints_for(best, rows, work)};
    if (const auto copy = best.counter("pct_of_copy"); copy && !choice.bound_pct) choice.bound_pct = copy;
    choices.push_back(std::move(choice));
  }
  return choices;
}

const Row* find_row(const Run& run, const std::string& family, const Axes& axes) {
  for (const Row& row : run.rows)
    if (row.family == family && !row.failed() && matches(row, axes)) return &row;
  return nullptr;
}

/// From which n on a graph stops paying, and after how many replays it is paid back.
std::vector<std::string> graph_advice(const Run& run) {
  std::vector<std::string> lines;
  double last_paying = 0, first_not = 0;
  for (const Row& graph : run.rows) {
    if (graph.family != "sequence" || graph.failed() || graph.axis("submit") != "graph" ||
        graph.axis("timing") != "steady")
      continue;
    const Axes same = {{"timing", "steady"}, {"kernels", graph.axis("kernels")}, {"n", graph.axis("n")}};
    const auto with = [&](const char* submit) {
      Axes axes = same;
      axes.emplace_back("submit", submit);
      return find_row(run, "sequence", axes);
    };
    const Row* launch = with("launch");
    if (!launch) continue;
    const Gain gain = gain_over(*launch, graph);
    std::string line = fmt::format("n {}, {} kernels back to back: {:.2f}x over launches",
                                   format_count(graph.axis("n")), graph.axis("kernels"), gain.ratio);
    if (const Row* pdl = with("graph_pdl"))
      line += fmt::format(", {:.2f}x with programmatic dependent launches", gain_over(*launch, *pdl).ratio);
    lines.push_back(line);
    const double n = graph.number("n");
    if (gain.ratio >= kWorthIt) last_paying = std::max(last_paying, n);
    if (gain.ratio < kWorthIt && (first_not == 0 || n < first_not)) first_not = n;
  }
  if (!lines.empty())
    lines.push_back(first_not == 0 ? "they pay at every n that was measured"
                    : last_paying > first_not
                        ? "they pay and do not pay in turn as n grows: the host is too unsteady to tell"
                        : fmt::format("they stop paying (under {:.0f} %) at n {}", (kWorthIt - 1) * 100,
                                      format_count(fmt::format("{:.0f}", first_not))));
  for (const Row& replay : run.rows) {
    if (replay.family != "graph_cost" || replay.failed() || replay.axis("phase") != "replay") continue;
    const auto phase = [&](const char* name) {
      return find_row(
          run, "graph_cost",
          {{"phase", name}, {"width", replay.axis("width")}, {"kernels", replay.axis("kernels")}});
    };
    const Row *capture = phase("capture"), *instantiate = phase("instantiate"), *upload = phase("upload"),
              *loop = phase("loop");
    if (!capture || !instantiate || !upload || !loop) continue;
    const double cost = capture->time_us() + instantiate->time_us() + upload->time_us();
    const double saved = loop->time_us() - replay.time_us();
    const double noise = std::hypot(noise_of(*loop) * loop->time_us(), noise_of(replay) * replay.time_us());
    const std::string what = fmt::format(
        "{}{}: making the graph takes {}", counted(replay.number("kernels"), "kernel"),
        replay.axis("width") == "1" ? "" : " in " + replay.axis("width") + " chains", format_time(cost));
    lines.push_back(saved > noise
                        ? fmt::format("{}, a replay saves {}: paid back after {}", what, format_time(saved),
                                      counted(std::ceil(cost / saved), "replay"))
                        : what + ", a replay saves nothing: never paid back");
  }
  return lines;
}

std::vector<std::string> buffering_advice(const Run& run) {
  std::vector<std::string> lines;
  for (const Row& serial : run.rows) {
    if (serial.family != "double_buffer" || serial.failed() || serial.axis("sync") != "serial" ||
        serial.axis("submit") != "launch")
      continue;
    const auto other = [&](const char* sync, const char* buffers) {
      return find_row(run, "double_buffer",
                      {{"sync", sync},
                       {"buffers", buffers},
                       {"submit", "launch"},
                       {"result", serial.axis("result")},
                       {"dim", serial.axis("dim")},
                       {"batches", serial.axis("batches")}});
    };
    const Row *two = other("per_buffer", "2"), *whole = other("whole_stream", "2");
    const auto share = serial.counter("transfer_pct");
    if (!two || !share) continue;
    const Gain gain = gain_over(serial, *two);
    std::string line =
        fmt::format("dim {}{}: copies take {:.0f} % of a batch; two buffers gain {:.2f}x", serial.axis("dim"),
                    serial.axis("result") == "host" ? ", results copied back" : "", *share, gain.ratio);
    if (whole) line += fmt::format(", waiting for the whole stream {:.2f}x", gain_over(serial, *whole).ratio);
    line += gain.ratio >= kWorthIt ? ": worth it" : ": not worth it";
    lines.push_back(line);
  }
  return lines;
}

/// Why a row hid less than half of what it could; nothing where it was not meant to hide anything.
std::optional<std::pair<std::string, std::string>> cause_of(const Row& row, const Run& run) {
  using Cause = std::pair<std::string, std::string>;
  const bool pageable = row.axis("mem") == "pageable";
  const auto hidden = row.counter("overlap_pct");
  if (row.axis("order") == "sequential" || row.axis("sync") == "serial" || row.axis("order") == "zero_copy")
    return std::nullopt;
  if (row.family == "concurrent") {
    if (row.axis("streams") == "1") return std::nullopt;  // the baseline
    const auto possible = row.counter("possible_speedup");
    if (possible && *possible < kRoomToGain)
      return Cause{"device already full", "run such kernels one after the other"};
  }
  if (pageable && row.family == "pipeline")
    return Cause{"pageable memory: each copy keeps the submitting thread busy",
                 "use pinned or registered memory"};
  if (!hidden || *hidden >= kLostBelowPct) return std::nullopt;
  if (run.about("copy_engines") == "1")
    return Cause{"one copy engine: copies in and out take turns",
                 "overlap kernels with copies of one direction"};
  if (row.axis("sync") == "whole_stream")
    return Cause{"whole-stream wait: the next copy waits for the kernel just enqueued",
                 "wait for the last reader of the buffer (sync per_buffer)"};
  if (row.axis("buffers") == "1")
    return Cause{"one buffer: nothing can be copied while it is read", "use two buffers"};
  if (row.axis("streams") == "1") return Cause{"too few streams", "use two or more"};
  if (row.counter("host_bound").value_or(0) > 0 || row.bound_by == "submission")
    return Cause{"submission bound: enqueuing takes as long as the work", "use larger chunks or a graph"};
  if (row.family == "concurrent")
    return Cause{"kernels compete: their blocks fit beside each other, but share what each can use alone",
                 "no order of launches changes that"};
  const auto chunks = row.counter("chunks"), best = row.counter("best_chunks");
  if (chunks && best && *chunks > 2 * *best)
    return Cause{"chunks too small: each pays its fixed costs", fmt::format("cut into about {:.0f}", *best)};
  if (chunks && best && 2 * *chunks < *best)
    return Cause{"chunks too large: the first and the last overlap with nothing",
                 fmt::format("cut into about {:.0f}", *best)};
  if (row.axis("order") == "breadth_first")
    return Cause{"order: all copies in are queued before the first copy out",
                 "use order depth_first or engine_streams"};
  return Cause{"not known", "look at a timeline"};
}

std::vector<Loss> find_losses(const Run& run) {
  std::vector<Loss> losses;
  for (const Row& row : run.rows) {
    if (row.failed()) continue;
    if (row.family != "pipeline" && row.family != "double_buffer" && row.family != "concurrent") continue;
    const auto cause = cause_of(row, run);
    if (!cause) continue;
    auto found = std::ranges::find(losses, cause->first, &Loss::cause);
    if (found == losses.end()) found = losses.insert(losses.end(), {cause->first, cause->second, {}});
    found->rows.push_back(row.name);
  }
  return losses;
}

}  // namespace

Gain gain_over(const Row& baseline, const Row& row) {
  const double ratio = row.time_us() > 0 ? baseline.time_us() / row.time_us() : 1;
  const double noise = std::hypot(noise_of(baseline), noise_of(row));
  return {ratio, ratio * (1 - noise), ratio * (1 + noise)};
}

Advice advise(const Run& run) {
  return {choose(run), graph_advice(run), buffering_advice(run), find_losses(run), check_rules(run)};
}

}  // namespace overlap::report
