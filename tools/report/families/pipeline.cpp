// pipeline: how much of the copies streams hide, in which order, in how many chunks.
#include <fmt/format.h>

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

using Verdict = Rule::Verdict;

/// Equal chunks, A and B copied separately: the cut that a plain program makes.
bool is_plain_cut(const Axes& row) {
  const std::string &schedule = value_of(row, "schedule"), &layout = value_of(row, "layout");
  return (schedule.empty() || schedule == "even") && (layout.empty() || layout == "separate");
}
bool is_plain_cut(const Row* row) { return is_plain_cut(row->id.axes); }

/// Call by call, where the rows differ in that.
bool is_launched(const Axes& row) {
  const std::string& submit = value_of(row, "submit");
  return submit.empty() || submit == "launch";
}

/// Chunks go to streams in turn.
bool goes_in_turn(const Axes& row) {
  const std::string& order = value_of(row, "order");
  return order == "depth_first" || order == "breadth_first";
}

/// How many chunks the row was cut into; 0 if it does not say.
double chunks_of(const Row& row) { return row.counter(counter::kChunks).value_or(0); }

/// Whose results the CPU never gets at speed: all arrays of such a row are write-combined, and C is one.
std::optional<std::string> advised_if(const Row& row) {
  return row.axis("mem") == "write_combined" ? std::nullopt : std::optional(std::string());
}

/// How many equal chunks on how many streams did best, beside what the model expects. Of ties the fewest
/// streams, then chunks.
std::vector<std::string> hints_on(const Row& best, const Rows& rows) {
  std::vector<std::string> hints;
  if (best.axis("order") == "zero_copy")
    hints.push_back("only for kernels that read and write each element once, as this one does");
  const Rows even = only(rows, [](const Row& row) {
    return is_plain_cut(&row) && row.axis("mem") == "pinned" && goes_in_turn(row.id.axes) &&
           chunks_of(row) > 1;
  });
  const auto expected = best.counter(counter::kBestChunks);
  if (!expected || even.empty()) return hints;
  const Row& quickest = *fastest(even);
  const Rows ties = only(even, [&](const Row& row) {
    return row.time_us() <= quickest.time_us() * (1 + tolerance_of(row, quickest));
  });
  const Row& simplest = **std::ranges::min_element(
      ties, {}, [](const Row* row) { return std::pair(row->number("streams"), chunks_of(*row)); });
  hints.push_back(fmt::format("equal chunks: {:.0f} on {} do best (model: {:.0f})", chunks_of(simplest),
                              counted(simplest.number("streams"), "stream"), *expected));
  return hints;
}

/// Why a row hid little, the surest cause first. Pageable rows have their cause however much they hid. Chunks
/// are too many or too few if they are off by more than a factor of 2 from what the model expects.
std::optional<Cause> why_lost(const Row& row, const Run& run) {
  const std::string& order = row.axis("order");
  if (order == "sequential" || order == "zero_copy") return std::nullopt;
  if (row.axis("mem") == "pageable")
    return Cause{"pageable memory: each copy keeps the submitting thread busy",
                 "use pinned or registered memory", "mem"};
  if (!hid_little(row)) return std::nullopt;
  if (run.about(context::kCopyEngines) == "1") return one_copy_engine();
  if (row.axis("streams") == "1") return Cause{"too few streams", "use two or more", "streams"};
  if (is_paced_by_submission(row)) return paced_by_submission(row);
  const auto chunks = row.counter(counter::kChunks), best = row.counter(counter::kBestChunks);
  if (chunks && best && *chunks > 2 * *best)
    return Cause{"chunks too small: each pays its fixed costs", fmt::format("cut into about {:.0f}", *best),
                 "chunk"};
  if (chunks && best && 2 * *chunks < *best)
    return Cause{"chunks too large: the first and the last overlap with nothing",
                 fmt::format("cut into about {:.0f}", *best), "chunk"};
  if (order == "breadth_first")
    return Cause{"order: all copies in are queued before the first copy out",
                 "use order depth_first or engine_streams", "order"};
  return not_known();
}

/// Rows of the largest n, at which copies matter most, whose kernel does its work once.
Rows largest(const Rows& rows) {
  const auto most = std::ranges::max_element(rows, {}, [](const Row* row) { return row->number("n"); });
  return most == rows.end() ? Rows() : only(rows, {{"n", (*most)->axis("n")}, {"work", "1"}});
}

/// The middle of rows' times, and how far it may be off by their scatter: rows that differ in order or cut
/// scatter too, so that this is rather much than little.
struct Middle {
  const Row* row = nullptr;
  double noise = 0;
};

/// How far the middle of three or more values may be off by their scatter, relative: twice its standard
/// error. By the quartiles, since a few rows of a slow spell move a deviation and not the middle.
double noise_of_middle(std::vector<double> values) {
  constexpr double kMedian = 1.25, kQuartiles = 1.349;  // of a normal distribution, in standard deviations
  std::ranges::sort(values);
  const std::size_t count = values.size(), quarter = count / 4;
  const double deviation = std::log(values[count - 1 - quarter] / values[quarter]) / kQuartiles;
  return 2 * kMedian * deviation / std::sqrt(static_cast<double>(count));
}

Middle middle_of(Rows rows) {
  if (rows.empty()) return {};
  std::ranges::sort(rows, {}, [](const Row* row) { return row->time_us(); });
  const Row* middle = rows[rows.size() / 2];
  if (rows.size() < 3) return {middle, noise_of(*middle).value_or(0)};
  std::vector<double> times;
  for (const Row* row : rows) times.push_back(row->time_us());
  return {middle, noise_of_middle(times)};
}

/// How much faster rows with several streams usually are than rows with one. Middles and not the best:
/// pageable rows scatter so much that the best of many says nothing.
struct UsualGain {
  Middle one, several;

  double ratio() const { return one.row->time_us() / several.row->time_us(); }
  double noise() const { return std::hypot(one.noise, several.noise); }
};

/// Nothing without rows of both kinds. Only cuts that pageable memory has too, so that like is compared.
std::optional<UsualGain> usual_gain(const Rows& rows, const char* mem) {
  const Rows same = only(rows, [&](const Row& row) {
    return row.axis("mem") == mem && is_plain_cut(&row) && row.axis("order") != "zero_copy";
  });
  const UsualGain gain{middle_of(only(same, [](const Row& row) { return row.number("streams") == 1; })),
                       middle_of(only(same, [](const Row& row) { return row.number("streams") > 1; }))};
  return gain.one.row && gain.several.row ? std::optional(gain) : std::nullopt;
}

/// By how much of what several streams gain in pinned memory is left in pageable, less noise: true if a tenth
/// at most, overstated up to a half, false beyond; understated if several streams even cost kWorthIt there,
/// beyond noise. Not measurable where there is little to kill, or where noise is a third of it.
Rule pageable_kills_overlap(const Rows& all) {
  constexpr double kEnough = 1.15, kDead = 0.1, kHalf = 0.5;
  Rule rule{.rule = "pageable memory kills overlap"};
  const Rows rows = largest(all);
  const auto pageable = usual_gain(rows, "pageable"), pinned = usual_gain(rows, "pinned");
  if (!pageable || !pinned) {
    rule.why = "it takes rows with one stream and with several, both pinned and pageable";
    return rule;
  }
  for (const UsualGain& gain : {*pinned, *pageable})
    rule.rows.insert(rule.rows.end(), {gain.one.row->name(), gain.several.row->name()});
  const double whole = pinned->ratio() - 1;
  rule.why = fmt::format("several streams are {:.2f}x as fast as one pinned, {:.2f}x pageable",
                         pinned->ratio(), pageable->ratio());
  if (pinned->ratio() < kEnough) {
    rule.verdict = Verdict::not_measurable;
    rule.why += ": too little to kill";
    return rule;
  }
  if (std::hypot(pageable->noise(), pinned->noise()) > whole / 3) {
    rule.verdict = Verdict::not_measurable;
    rule.why += "; too noisy to tell";
    return rule;
  }
  const double left = (pageable->ratio() - 1) / whole;
  const double noise = pageable->noise(), surely_left = left - noise / whole;
  rule.verdict = pageable->ratio() * (1 + noise) < 1 / kWorthIt ? Verdict::understated
                 : surely_left <= kDead                         ? Verdict::is_true
                 : surely_left <= kHalf                         ? Verdict::overstated
                                                                : Verdict::is_false;
  rule.why +=
      left <= 0 ? ": nothing of the gain is left" : fmt::format(": {:.0f} % of the gain is left", left * 100);
  return rule;
}

/// The fastest row for each number of streams that chunks went to in turn; a sequential row has one.
std::map<double, const Row*> by_streams(const Rows& rows) {
  std::map<double, const Row*> best;
  for (const Row* row : largest(rows)) {
    if (row->axis("mem") != "pinned" || !is_plain_cut(row)) continue;
    if (!goes_in_turn(row->id.axes) && row->axis("order") != "sequential") continue;
    const Row*& known = best[row->number("streams")];
    if (!known || row->time_us() < known->time_us()) known = row;
  }
  return best;
}

/// By the fewest streams that come within kTie of the best, or within noise. True if they lie in the rule's
/// range; overstated if fewer do already. If it takes more than the range has, understated where its end
/// loses under kWorthIt, else false. Not measurable if no number of streams gains kWorthIt over one. Whether
/// fewer do has to be measured too, at half the range's beginning or above; and whether more would.
RuleCheck few_streams_suffice(int place, double least, double most) {
  return {
      place, [=](const Rows& all) {
        Rule rule{.rule = fmt::format("{:.0f} to {:.0f} streams suffice", least, most)};
        const std::map<double, const Row*> best = by_streams(all);
        const auto end = std::find_if(best.rbegin(), best.rend(), [&](const auto& each) {
          return each.first >= least && each.first <= most;
        });
        if (end == best.rend() || !best.contains(1)) {
          rule.why = fmt::format(
              "it takes rows with one stream and with {:.0f} to {:.0f}, chunks in turn, "
              "mem pinned",
              least, most);
          return rule;
        }
        const Row& quickest = *std::ranges::min_element(best, {}, [](const auto& each) {
                                 return each.second->time_us();
                               })->second;
        const auto fewest = std::ranges::find_if(best, [&](const auto& each) {
          return each.second->time_us() <= quickest.time_us() * (1 + tolerance_of(*each.second, quickest));
        });
        const double loss = end->second->time_us() / quickest.time_us();
        rule.rows = {fewest->second->name(), end->second->name()};
        if (&quickest != fewest->second && &quickest != end->second) rule.rows.push_back(quickest.name());
        if (best.at(1)->time_us() / quickest.time_us() < kWorthIt) {
          rule.verdict = Verdict::not_measurable;
          rule.why = fmt::format("no number of streams is {:.0f} % faster than one", (kWorthIt - 1) * 100);
          return rule;
        }
        rule.why = fmt::format("{} as fast as the best, within {:.0f} %; {:.0f} lose {:.1f} %",
                               fewest->first == 1 ? std::string("1 stream is")
                                                  : fmt::format("{:.0f} streams are", fewest->first),
                               (tolerance_of(*fewest->second, quickest)) * 100, end->first, (loss - 1) * 100);
        const bool fewer_known = std::ranges::any_of(
            best, [&](const auto& each) { return each.first >= least / 2 && each.first < least; });
        if (fewest->first < least) {
          rule.verdict = Verdict::overstated;
        } else if (fewest->first > most) {
          rule.verdict = loss < kWorthIt ? Verdict::understated : Verdict::is_false;
        } else if (!fewer_known || fewest->first == best.rbegin()->first) {
          rule.why += fewer_known ? "; no more were measured" : "; fewer were not measured";
        } else {
          rule.verdict = Verdict::is_true;
        }
        return rule;
      }};
}

/// By what the most chunks lose over the number that does best: the middle of all rows on several streams
/// that were cut either way and are equal otherwise. True from kWorthIt on, overstated from kTie on, false
/// below; understated if they are slower than no overlap at all. Not measurable where noise leaves both true
/// and false open. Not measured unless the sweep goes to twice as many chunks as do best.
Rule small_chunks_lose(const Rows& all) {
  Rule rule{.rule = "small chunks lose to fixed costs"};
  const Rows pinned = only(largest(all), {{"mem", "pinned"}});
  const Rows chunked = only(pinned, [](const Row& row) {
    return chunks_of(row) > 1 && is_plain_cut(&row) && row.number("streams") > 1;
  });
  const Row* best = fastest(chunked);
  if (!best) return rule;
  double most = 0;
  for (const Row* row : chunked) most = std::max(most, chunks_of(*row));
  if (most < 2 * chunks_of(*best)) {  // the sweep ends before they are small
    rule.why = fmt::format("{:.0f} chunks do best; it takes rows with twice as many (--sweep=chunk=n/{:.0f})",
                           chunks_of(*best), 2 * chunks_of(*best));
    return rule;
  }
  std::vector<double> losses;
  std::vector<std::pair<const Row*, const Row*>> pairs;  // few chunks, many
  for (const Row* small : only(chunked, [&](const Row& row) { return chunks_of(row) == most; })) {
    Axes like = pick(*small, {"chunk"}, false);
    like.emplace_back("chunk", best->axis("chunk"));
    if (const Row* few = find_row(chunked, like)) {
      pairs.emplace_back(few, small);
      losses.push_back(small->time_us() / few->time_us());
    }
  }
  if (pairs.empty()) return rule;
  const double loss = median(losses);
  const auto pair = std::ranges::min_element(pairs, {}, [&](const auto& each) {
    return std::fabs(each.second->time_us() / each.first->time_us() - loss);
  });
  const auto& [few, small] = *pair;
  const double noise = losses.size() < 3 ? noise_of(*few, *small).value_or(0) : noise_of_middle(losses);
  const Row* sequential = fastest(only(pinned, {{"order", "sequential"}}));
  rule.rows = {few->name(), small->name()};
  rule.why = std::fabs(loss - 1) < 0.0005
                 ? fmt::format("{:.0f} chunks take as long as {:.0f}", most, chunks_of(*best))
                 : fmt::format("{:.0f} chunks take {:.1f} % {} time than {:.0f}", most,
                               std::fabs(loss - 1) * 100, loss > 1 ? "more" : "less", chunks_of(*best));
  const auto verdict_at = [&](double times) {
    return times >= kWorthIt ? Verdict::is_true : times > 1 + kTie ? Verdict::overstated : Verdict::is_false;
  };
  rule.verdict = verdict_at(loss);
  if (sequential && small->time_us() > sequential->time_us() * (1 + tolerance_of(*small, *sequential))) {
    rule.verdict = Verdict::understated;
    rule.why += ", and more than no overlap at all";
    rule.rows.push_back(sequential->name());
  } else if (verdict_at(loss * (1 + noise)) == Verdict::is_true &&
             verdict_at(loss / (1 + noise)) == Verdict::is_false) {
    rule.verdict = Verdict::not_measurable;
    rule.why += "; too noisy to tell";
  }
  return rule;
}

}  // namespace

FamilyReport pipeline_report() {
  return {
      .name = "pipeline",
      .work = {"n", "work"},
      .tables = {{"n", "mem", "work"}},
      .plain = {{"order", "sequential"}, {"mem", "pinned"}, {"submit", "launch"}},
      // Code first: events between streams, arrays laid out anew, a cut of its own. zero_copy is the least
      // code of all, but serves few kernels.
      .simplicity = {{.axis = "order",
                      .words = {"sequential", "depth_first", "breadth_first", "engine_streams", "zero_copy"}},
                     {.axis = "mem", .words = {"pinned", "registered", "pageable", "write_combined"}},
                     {.axis = "layout", .words = {"separate", "packed"}},
                     {.axis = "schedule", .words = {"even", "tapered"}},
                     {.axis = "submit", .words = {"launch", "graph"}},
                     {.axis = "streams"},
                     {.axis = "chunk", .more = true}},
      .advised_if = advised_if,
      .data = {"n", "mem", "work"},
      .other_bound = {{"order", "zero_copy"}},  // starts no copies, which is part of what others are held to
      .charts = {{.title = "Time over streams",
                  .x_axis = "streams",
                  .y_metric = "time_us",
                  .x = "streams",
                  .y = "ms",
                  .line = {"order", "chunk"},
                  .keep =
                      [](const Axes& row) {
                        return goes_in_turn(row) && is_launched(row) && is_plain_cut(row);
                      },
                  .scale = 1e-3},
                 {.title = "Speedup over chunk",
                  .x_axis = "chunk",
                  .y_metric = "speedup",
                  .x = "elements per chunk",
                  .y = "times sequential",
                  .line = {"order", "streams", "schedule", "layout"},
                  .keep =
                      [](const Axes& row) {
                        return (goes_in_turn(row) || value_of(row, "order") == "engine_streams") &&
                               is_launched(row);
                      }}},
      .references = {{.metric = "times_cpu",
                      .row = [](const Row& row) -> std::optional<RowId> {
                        if (row.axis("work") != "1") return std::nullopt;
                        return RowId{.family = "cpu", .axes = {{"op", "trig"}, {"n", row.axis("n")}}};
                      }}},
      .hints = hints_on,
      .remedy = "another order or cut (chunk, schedule, layout) may help",
      .lost_because = why_lost,
      .rules = {{1, pageable_kills_overlap},
                few_streams_suffice(2, 2, 4),
                few_streams_suffice(3, 4, 8),
                {9, small_chunks_lose}}};
}

}  // namespace overlap::report
