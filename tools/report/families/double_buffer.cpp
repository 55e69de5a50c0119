// double_buffer: what the next copy waits for, and how many buffers are worth having.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "families/families.hpp"
#include "judge/format.hpp"
#include "judge/noise.hpp"
#include "names/context_keys.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

constexpr double kMuch = 1.10;  // a gain that nobody would call little

/// Which numbers of buffers beyond two do better, and which worse, than chance or kTie would have it.
std::vector<std::string> notes_on(const Rows& rows) {
  std::map<double, const Row*> best;  // of per_buffer, by buffers
  for (const Row* row : only(rows, {{"sync", "per_buffer"}})) {
    if (!has_time(*row)) continue;
    const Row*& known = best[row->number("buffers")];
    if (!known || row->time_us() < known->time_us()) known = row;
  }
  if (!best.contains(2)) return {};
  const Row& two = *best[2];
  std::vector<std::string> same, better, worse;
  double within = kTie;
  for (const auto& [buffers, row] : best) {
    if (buffers <= 2) continue;
    const double times = row->time_us() / two.time_us(), tolerance = tolerance_of(two, *row);
    if (std::max(times, 1 / times) <= 1 + tolerance) {
      same.push_back(fmt::format("{:.0f}", buffers));
      within = std::max(within, tolerance);
    } else if (times < 1) {
      better.push_back(fmt::format("{:.0f} (takes {:.1f} % less time)", buffers, (1 - times) * 100));
    } else {
      worse.push_back(fmt::format("{:.0f} (takes {:.1f} % more time)", buffers, (times - 1) * 100));
    }
  }
  std::vector<std::string> notes;
  if (!same.empty())
    notes.push_back(fmt::format("within {:.0f} % of 2 buffers: {}", within * 100, fmt::join(same, ", ")));
  if (!better.empty()) notes.push_back(fmt::format("better than 2 buffers: {}", fmt::join(better, ", ")));
  if (!worse.empty()) notes.push_back(fmt::format("worse than 2 buffers: {}", fmt::join(worse, ", ")));
  return notes;
}

/// The rows of each job by their way to wait, call by call: the fastest of each.
class Ways {
 public:
  explicit Ways(const Rows& rows) {
    for (const Row* row : only(rows, {{"submit", "launch"}})) {
      const Row*& known = fastest_[way(*row, row->axis("sync"), row->axis("buffers"))];
      if (!known || row->time_us() < known->time_us()) known = row;
    }
  }
  /// The same job as the row's; nullptr if nothing does it in this way.
  const Row* find(const Row& row, const std::string& sync, const std::string& buffers) const {
    const auto found = fastest_.find(way(row, sync, buffers));
    return found == fastest_.end() ? nullptr : found->second;
  }

 private:
  using Way = std::vector<std::string>;
  static Way way(const Row& row, const std::string& sync, const std::string& buffers) {
    return {sync, buffers, row.axis("result"), row.axis("dim"), row.axis("batches")};
  }
  std::map<Way, const Row*> fastest_;
};

/// Whether noise leaves open if the gain of `row` is worth it.
bool is_unclear(const Row& serial, const Row& row) {
  const Gain gain = gain_over(serial, row);
  return gain.low && *gain.low<kWorthIt&& * gain.high >= kWorthIt&& * gain.high>(1 + kTooNoisy) * gain.ratio;
}

/// Whether two buffers are worth it, a line per job.
std::vector<std::string> buffering_lines(const Rows& rows) {
  std::vector<std::string> lines;
  const Ways ways(rows);
  for (const Row* serial : only(rows, {{"sync", "serial"}, {"submit", "launch"}})) {
    const Row *two = ways.find(*serial, "per_buffer", "2"), *whole = ways.find(*serial, "whole_stream", "2");
    const auto share = serial->counter(counter::kTransferPct);
    if (!two || !share) continue;
    const double gain = gain_over(*serial, *two).ratio;
    std::string line =
        fmt::format("dim {}, {}{}: copies take {:.0f} % of a batch; {:.2f}x with two buffers",
                    serial->axis("dim"), serial->axis("batches") + " batches",
                    serial->axis("result") == "host" ? ", results copied back" : "", *share, gain);
    if (whole)
      line += fmt::format(", {:.2f}x where each copy waits for the whole stream",
                          gain_over(*serial, *whole).ratio);
    lines.push_back(line + (is_unclear(*serial, *two) ? ": too noisy to tell"
                            : gain >= kWorthIt        ? ": worth it"
                                                      : ": not worth it"));
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
                 "wait for the last reader of the buffer (sync per_buffer)", "sync"};
  if (row.axis("buffers") == "1")
    return Cause{"one buffer: nothing can be copied while it is read", "use two buffers", "buffers"};
  return is_paced_by_submission(row) ? paced_by_submission(row) : not_known();
}

/// A serial row and what two buffers make of it, by the share of copies.
struct Regime {
  const Row *serial, *two;
  double share_pct, gain;
};

/// All jobs whose results stay on the device and that ran both ways.
std::vector<Regime> regimes(const Rows& rows) {
  std::vector<Regime> all;
  const Ways ways(rows);
  for (const Row* serial : only(rows, {{"sync", "serial"}, {"submit", "launch"}, {"result", "device"}})) {
    const Row* two = ways.find(*serial, "per_buffer", "2");
    const auto share = serial->counter(counter::kTransferPct);
    if (two && share) all.push_back({serial, two, *share, serial->time_us() / two->time_us()});
  }
  return all;
}

using Verdict = Rule::Verdict;

bool is_too_noisy(const Row& a, const Row& b) { return noise_of(a, b).value_or(0) > kTooNoisy; }

/// "pays": a gain of kMuch in every job. Overstated if it is less in some, false if no job gains kLittle.
Verdict pays(double least, double most) {
  return least >= kMuch ? Verdict::is_true : most < kLittle ? Verdict::is_false : Verdict::overstated;
}
/// "pays little": between kLittle and kMuch in every job. Understated if some gain more and none less,
/// overstated if some gain nothing and none much, false if all lose or jobs do both.
Verdict pays_little(double least, double most) {
  if (most < 1 / kLittle || (least < kLittle && most > kMuch)) return Verdict::is_false;
  return least < kLittle ? Verdict::overstated : most > kMuch ? Verdict::understated : Verdict::is_true;
}
/// "costs": every job takes kLittle as long, or longer; understated at kMuch. Overstated if none gains
/// kLittle either, else false.
Verdict costs(double least, double most) {
  if (most >= kLittle) return Verdict::is_false;
  if (most > 1 / kLittle) return Verdict::overstated;
  return least < 1 / kMuch ? Verdict::understated : Verdict::is_true;
}

/// "double buffering <words> when copies take so much of the time": judged by the least and the most that any
/// job in that range gains.
RuleCheck double_buffering(int place, double least_pct, double most_pct, const char* words,
                           Verdict (*judge)(double least, double most)) {
  return {place, [=](const Rows& rows) {
            const std::string range = least_pct > 0
                                          ? fmt::format("{:.0f} to {:.0f} % of the time", least_pct, most_pct)
                                          : fmt::format("under {:.0f} % of the time", most_pct);
            Rule rule{.rule = fmt::format("double buffering {} when copies take {}", words, range)};
            double least = HUGE_VAL, most = 0;
            bool too_noisy = false;
            for (const Regime& regime : regimes(rows)) {
              if (regime.share_pct < least_pct || regime.share_pct >= most_pct) continue;
              too_noisy = too_noisy || is_too_noisy(*regime.serial, *regime.two);
              least = std::min(least, regime.gain);
              most = std::max(most, regime.gain);
              rule.why += fmt::format("{}dim {}: copies take {:.0f} %, {:.2f}x with two buffers",
                                      rule.why.empty() ? "" : "; ", regime.serial->axis("dim"),
                                      regime.share_pct, regime.gain);
              rule.rows.insert(rule.rows.end(), {regime.serial->name(), regime.two->name()});
            }
            if (rule.rows.empty()) {
              rule.why = fmt::format(
                  "no job in the run has that share: larger matrices have less to copy "
                  "(--sweep=double_buffer.dim=...)");
              return rule;
            }
            rule.verdict = too_noisy ? Verdict::not_measurable : judge(least, most);
            if (too_noisy) rule.why += "; too noisy to tell";
            return rule;
          }};
}

/// True if a third buffer changes nothing beyond kTie or noise in the job where it helps most. Understated up
/// to kMuch, false beyond; overstated if it costs time in every job.
Rule third_buffer_adds_little(const Rows& rows) {
  Rule rule{.rule = "a third buffer adds little"};
  double most = 0, tolerance = 0;
  std::string dim;
  bool too_noisy = false;
  const Ways ways(rows);
  for (const Regime& regime : regimes(rows)) {
    const Row* three = ways.find(*regime.serial, "per_buffer", "3");
    if (!three) continue;
    too_noisy = too_noisy || is_too_noisy(*regime.two, *three);
    rule.rows.insert(rule.rows.end(), {regime.two->name(), three->name()});
    const double gain = regime.two->time_us() / three->time_us();
    if (gain <= most) continue;
    most = gain;
    tolerance = tolerance_of(*regime.two, *three);
    dim = regime.serial->axis("dim");
  }
  if (rule.rows.empty()) return rule;
  const double beyond = 1 + tolerance;
  rule.verdict = too_noisy           ? Verdict::not_measurable
                 : most > kMuch      ? Verdict::is_false
                 : most > beyond     ? Verdict::understated
                 : most < 1 / beyond ? Verdict::overstated
                                     : Verdict::is_true;
  const std::string where = fmt::format("than two where it does best (dim {})", dim);
  rule.why = most > beyond
                 ? fmt::format("three buffers take {:.1f} % less time {}", (1 - 1 / most) * 100, where)
             : most < 1 / beyond
                 ? fmt::format("three buffers take {:.1f} % more time {}", (1 / most - 1) * 100, where)
                 : fmt::format("three buffers are within {:.0f} % of two, or slower", tolerance * 100);
  if (too_noisy) rule.why += "; too noisy to tell";
  return rule;
}

/// Rows that leave out the waits compute wrong results, caught or not.
std::optional<std::string> advised_if(const Row& row) {
  return row.axis("sync") == "none" ? std::nullopt : std::optional(std::string());
}

}  // namespace

FamilyReport double_buffer_report() {
  return {.name = "double_buffer",
          .work = {"dim", "batches", "result"},
          .plain = {{"sync", "serial"}, {"submit", "launch"}},
          .baseline = {{{"sync", "serial"}}},
          .simplicity = {{.axis = "sync", .words = {"serial", "whole_stream", "per_buffer"}},
                         {.axis = "submit", .words = {"launch", "graph"}},
                         {.axis = "buffers"}},
          .advised_if = advised_if,
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
          .remedy = "more batches, so that the first and the last weigh less, may help",
          .lost_because = why_lost,
          .topic = {"Double buffering", buffering_lines},
          .rules = {double_buffering(5, 30, 50, "pays", pays),
                    double_buffering(6, 15, 30, "pays little", pays_little),
                    double_buffering(7, 0, 15, "costs", costs),
                    {8, third_buffer_adds_little}}};
}

}  // namespace overlap::report
