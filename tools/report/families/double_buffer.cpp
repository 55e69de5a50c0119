// double_buffer: what the next copy waits for, and how many buffers are worth having.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "families/families.hpp"
#include "judge/format.hpp"
#include "judge/noise.hpp"
#include "names/context_keys.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

constexpr double kMuch = 1.10;  // a gain that nobody would call little

/// Which numbers of buffers beyond two gain more than chance would give.
std::vector<std::string> notes_on(const Rows& rows) {
  std::map<double, const Row*> best;  // of per_buffer, by buffers
  for (const Row* row : only(rows, {{"sync", "per_buffer"}})) {
    const Row*& known = best[row->number("buffers")];
    if (!known || row->time_us() < known->time_us()) known = row;
  }
  if (!best.contains(2)) return {};
  const Row& two = *best[2];
  std::vector<std::string> no_better, better;
  for (const auto& [buffers, row] : best) {
    if (buffers <= 2) continue;
    const double ratio = two.time_us() / row->time_us();
    const bool beyond_noise = ratio - 1 > noise_of(two, *row);
    (beyond_noise ? better : no_better).push_back(fmt::format("{:.0f} ({})", buffers, format_change(ratio)));
  }
  std::vector<std::string> notes;
  if (!no_better.empty())
    notes.push_back(fmt::format("no better than 2 buffers beyond noise: {}", fmt::join(no_better, ", ")));
  if (!better.empty()) notes.push_back(fmt::format("better than 2 buffers: {}", fmt::join(better, ", ")));
  return notes;
}

/// The row of the same job that waits in another way, call by call.
const Row* other_way(const Rows& rows, const Row& row, const char* sync, const char* buffers) {
  return fastest(only(rows, {{"sync", sync},
                             {"buffers", buffers},
                             {"submit", "launch"},
                             {"result", row.axis("result")},
                             {"dim", row.axis("dim")},
                             {"batches", row.axis("batches")}}));
}

/// Whether two buffers are worth it, a line per job.
std::vector<std::string> buffering_lines(const Rows& rows) {
  std::vector<std::string> lines;
  for (const Row* serial : only(rows, {{"sync", "serial"}, {"submit", "launch"}})) {
    const Row *two = other_way(rows, *serial, "per_buffer", "2"),
              *whole = other_way(rows, *serial, "whole_stream", "2");
    const auto share = serial->counter(counter::kTransferPct);
    if (!two || !share) continue;
    const double gain = gain_over(*serial, *two).ratio;
    std::string line = fmt::format(
        "dim {}{}: copies take {:.0f} % of a batch; two buffers gain {:.2f}x", serial->axis("dim"),
        serial->axis("result") == "host" ? ", results copied back" : "", *share, gain);
    if (whole)
      line += fmt::format(", waiting for the whole stream {:.2f}x", gain_over(*serial, *whole).ratio);
    lines.push_back(line + (gain >= kWorthIt ? ": worth it" : ": not worth it"));
  }
  return lines;
}

/// The waits are asked for before the machine's pace: a whole-stream wait hides nothing on any machine. One
/// copy engine is the exception.
std::optional<Cause> why_lost(const Row& row, const Run& run) {
  if (row.axis("sync") == "serial" || !hid_little(row)) return std::nullopt;
  if (run.about(context::kCopyEngines) == "1") return one_copy_engine();
  if (row.axis("sync") == "whole_stream")
    return Cause{"whole-stream wait: the next copy waits for the kernel just enqueued",
                 "wait for the last reader of the buffer (sync per_buffer)"};
  if (row.axis("buffers") == "1")
    return Cause{"one buffer: nothing can be copied while it is read", "use two buffers"};
  return is_paced_by_submission(row) ? paced_by_submission() : not_known();
}

/// A serial row and what two buffers make of it, by the share of copies.
struct Regime {
  const Row *serial, *two;
  double share_pct, gain;
};

/// All jobs whose results stay on the device and that ran both ways.
std::vector<Regime> regimes(const Rows& rows) {
  std::vector<Regime> all;
  for (const Row* serial : only(rows, {{"sync", "serial"}, {"submit", "launch"}, {"result", "device"}})) {
    const Row* two = other_way(rows, *serial, "per_buffer", "2");
    const auto share = serial->counter(counter::kTransferPct);
    if (two && share) all.push_back({serial, two, *share, serial->time_us() / two->time_us()});
  }
  return all;
}

/// "double buffering <words> when copies take so much of the time": whether all rows in that range hold.
RuleCheck double_buffering(int place, double least_pct, double most_pct, const char* words,
                           bool (*holds)(double gain)) {
  return {place, [=](const Rows& rows) {
            Rule rule{.rule = fmt::format(
                          "double buffering {} when copies take {}", words,
                          least_pct > 0 ? fmt::format("{:.0f} to {:.0f} % of the time", least_pct, most_pct)
                                        : fmt::format("under {:.0f} % of the time", most_pct))};
            bool all_hold = true;
            for (const Regime& regime : regimes(rows)) {
              if (regime.share_pct < least_pct || regime.share_pct >= most_pct) continue;
              all_hold = all_hold && holds(regime.gain);
              rule.why += fmt::format("{}dim {}: copies take {:.0f} %, two buffers gain {:.2f}x",
                                      rule.why.empty() ? "" : "; ", regime.serial->axis("dim"),
                                      regime.share_pct, regime.gain);
              rule.rows.insert(rule.rows.end(), {regime.serial->name(), regime.two->name()});
            }
            if (!rule.rows.empty())
              rule.verdict = all_hold ? Rule::Verdict::holds : Rule::Verdict::does_not_hold;
            return rule;
          }};
}

/// Holds if the third gains under kLittle in every job.
Rule third_buffer_adds_little(const Rows& rows) {
  Rule rule{.rule = "a third buffer adds little"};
  double most = 0;
  for (const Regime& regime : regimes(rows)) {
    const Row* three = other_way(rows, *regime.serial, "per_buffer", "3");
    if (!three) continue;
    most = std::max(most, regime.two->time_us() / three->time_us());
    rule.rows.insert(rule.rows.end(), {regime.two->name(), three->name()});
  }
  if (rule.rows.empty()) return rule;
  rule.verdict = most < kLittle ? Rule::Verdict::holds : Rule::Verdict::does_not_hold;
  rule.why = fmt::format("three buffers are {} faster than two where they do most", format_change(most));
  return rule;
}

}  // namespace

FamilyReport double_buffer_report() {
  return {.name = "double_buffer",
          .work = {"dim", "batches", "result"},
          .plain = {{"sync", "serial"}, {"submit", "launch"}},
          .baseline = {{{"sync", "serial"}}},
          .data = {"dim", "batches", "result"},
          .columns = {{{counter::kTransferPct, "copies", Metric::Form::percent}}},
          .charts = {{.title = "Time over buffers",
                      .x_axis = "buffers",
                      .y_metric = "time_us",
                      .x = "buffers",
                      .y = "ms",
                      .line = {"sync", "submit"},
                      .keep = [](const Axes& row) { return value_of(row, "sync") == "per_buffer"; },
                      .scale = 1e-3}},
          .notes = notes_on,
          .remedy = "finer chunks or more streams may help",
          .lost_because = why_lost,
          .topic = {"Double buffering", buffering_lines},
          .rules = {double_buffering(5, 30, 50, "pays", [](double gain) { return gain >= kMuch; }),
                    double_buffering(6, 15, 30, "pays little",
                                     [](double gain) { return gain > 1 && gain < kMuch; }),
                    double_buffering(7, 0, 15, "costs", [](double gain) { return gain < 1; }),
                    {8, third_buffer_adds_little}}};
}

}  // namespace overlap::report
