// pipeline: how much of the copies streams hide, in which order, in how many chunks.
#include <fmt/format.h>

#include "families/families.hpp"
#include "judge/format.hpp"
#include "names/context_keys.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

constexpr double kFlat = 1.01;  // rows this close are equally good
/// Up to which a simpler configuration is worth a mention, over the best.
constexpr double kSimplerMayCost = 1.05;

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

Rule::Verdict verdict(bool holds) { return holds ? Rule::Verdict::holds : Rule::Verdict::does_not_hold; }

/// A plain program that is nearly as fast, and how many equal chunks did best beside what the model expects.
std::vector<std::string> hints_on(const Row& best, const Rows& rows) {
  std::vector<std::string> hints;
  const Rows plain = only(rows, [](const Row& row) {
    return is_plain_cut(&row) && row.axis("mem") == "pinned" && row.axis("order") != "zero_copy";
  });
  const Row* simplest = fastest(only(plain, {{"order", "depth_first"}}));
  if (simplest && simplest != &best && simplest->time_us() < kSimplerMayCost * best.time_us())
    hints.push_back(fmt::format("simpler, {:.1f} % slower: {}",
                                (simplest->time_us() / best.time_us() - 1) * 100,
                                axes_text(pick(*simplest, {"n", "work"}, false))));
  const auto expected = best.counter(counter::kBestChunks);
  const Row* even = fastest(only(plain, [](const Row& row) { return chunks_of(row) > 1; }));
  if (expected && even)
    hints.push_back(fmt::format("equal chunks: {:.0f} on {} streams measured best (model: {:.0f})",
                                chunks_of(*even), even->axis("streams"), *expected));
  return hints;
}

/// Why a row hid little, the surest cause first. Pageable rows have their cause however much they hid. Chunks
/// are too many or too few if they are off by more than a factor of 2 from what the model expects.
std::optional<Cause> why_lost(const Row& row, const Run& run) {
  const std::string& order = row.axis("order");
  if (order == "sequential" || order == "zero_copy") return std::nullopt;
  if (row.axis("mem") == "pageable")
    return Cause{"pageable memory: each copy keeps the submitting thread busy",
                 "use pinned or registered memory"};
  if (!hid_little(row)) return std::nullopt;
  if (run.about(context::kCopyEngines) == "1") return one_copy_engine();
  if (row.axis("streams") == "1") return Cause{"too few streams", "use two or more"};
  if (is_paced_by_submission(row)) return paced_by_submission();
  const auto chunks = row.counter(counter::kChunks), best = row.counter(counter::kBestChunks);
  if (chunks && best && *chunks > 2 * *best)
    return Cause{"chunks too small: each pays its fixed costs", fmt::format("cut into about {:.0f}", *best)};
  if (chunks && best && 2 * *chunks < *best)
    return Cause{"chunks too large: the first and the last overlap with nothing",
                 fmt::format("cut into about {:.0f}", *best)};
  if (order == "breadth_first")
    return Cause{"order: all copies in are queued before the first copy out",
                 "use order depth_first or engine_streams"};
  return not_known();
}

/// Rows of the largest n, at which copies matter most, whose kernel does its work once.
Rows largest(const Rows& rows) {
  const auto most = std::ranges::max_element(rows, {}, [](const Row* row) { return row->number("n"); });
  return most == rows.end() ? Rows() : only(rows, {{"n", (*most)->axis("n")}, {"work", "1"}});
}

/// Middle of the gains of all rows that could overlap, over the fastest sequential row: pageable rows scatter
/// so much that the best of many says nothing.
std::optional<double> usual_gain(const Rows& rows, const char* mem, std::vector<std::string>& names) {
  const Rows same = only(rows, {{"mem", mem}});
  const Row* sequential = fastest(only(same, {{"order", "sequential"}}));
  Rows overlapped = only(same, [](const Row& row) { return row.number("streams") > 1; });
  if (!sequential || overlapped.empty()) return std::nullopt;
  std::ranges::sort(overlapped, {}, [](const Row* row) { return row->time_us(); });
  const Row& middle = *overlapped[overlapped.size() / 2];
  names.insert(names.end(), {sequential->name(), middle.name()});
  return sequential->time_us() / middle.time_us();
}

/// Holds if pageable rows gain less than half of what pinned ones do.
Rule pageable_kills_overlap(const Rows& all) {
  Rule rule{.rule = "pageable memory kills overlap"};
  const Rows rows = largest(all);
  std::vector<std::string> names;
  const auto pageable = usual_gain(rows, "pageable", names), pinned = usual_gain(rows, "pinned", names);
  if (!pageable || !pinned) return rule;
  rule.rows = std::move(names);
  rule.verdict = verdict(*pageable - 1 < (*pinned - 1) / 2);
  rule.why = fmt::format("rows with several streams usually gain {:.2f}x pinned and {:.2f}x pageable",
                         *pinned, *pageable);
  return rule;
}

/// Holds if more streams are no faster, within kFlat. It takes rows with fewer streams than `least` to tell.
RuleCheck few_streams_suffice(int place, double least, double most) {
  return {place, [=](const Rows& all) {
            Rule rule{.rule = fmt::format("{:.0f} to {:.0f} streams suffice", least, most)};
            const Rows rows = only(largest(all), [](const Row& row) {
              return row.axis("mem") == "pinned" && goes_in_turn(row.id.axes);
            });
            const auto among = [&](double from, double to) {
              return fastest(only(rows, [=](const Row& row) {
                return row.number("streams") >= from && row.number("streams") <= to;
              }));
            };
            const Row *within = among(least, most), *more = among(most + 1, HUGE_VAL),
                      *fewer = among(0, least - 1);
            if (!within || !fewer) return rule;
            rule.rows = {within->name(), fewer->name()};
            if (more) rule.rows.push_back(more->name());
            const double by_more = more ? within->time_us() / more->time_us() : 1;
            rule.verdict = verdict(by_more <= kFlat);
            rule.why = fmt::format("{} streams do best among them; fewer take {}", within->axis("streams"),
                                   format_change(fewer->time_us() / within->time_us()));
            if (more) rule.why += fmt::format(", more take {}", format_change(1 / by_more));
            return rule;
          }};
}

/// Not measured unless the sweep goes to twice as many chunks as do best.
Rule small_chunks_lose(const Rows& all) {
  Rule rule{.rule = "small chunks lose to fixed costs"};
  const Rows chunked = only(largest(all), [](const Row& row) {
    return row.axis("mem") == "pinned" && chunks_of(row) > 1 && is_plain_cut(&row);
  });
  const Row* best = fastest(chunked);
  if (!best) return rule;
  double most = 0;
  for (const Row* row : chunked) most = std::max(most, chunks_of(*row));
  if (most < 2 * chunks_of(*best)) return rule;  // the sweep ends before they are small
  const Row& small = *fastest(only(chunked, [&](const Row& row) { return chunks_of(row) == most; }));
  rule.verdict = verdict(small.time_us() > kLittle * best->time_us());
  rule.why = fmt::format("{:.0f} chunks take {} over {:.0f}", most,
                         format_change(small.time_us() / best->time_us()), chunks_of(*best));
  rule.rows = {best->name(), small.name()};
  return rule;
}

}  // namespace

FamilyReport pipeline_report() {
  return {
      .name = "pipeline",
      .work = {"n", "work"},
      .tables = {{"n", "mem", "work"}},
      .plain = {{"order", "sequential"}, {"mem", "pinned"}, {"submit", "launch"}},
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
      .remedy = "finer chunks or more streams may help",
      .lost_because = why_lost,
      .rules = {{1, pageable_kills_overlap},
                few_streams_suffice(2, 2, 4),
                few_streams_suffice(3, 4, 8),
                {9, small_chunks_lose}}};
}

}  // namespace overlap::report
