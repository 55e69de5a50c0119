// History: where series changed, whether they drift, and by which commit. A series that did either is a
// section with its chart; the others are one list, which only pages and CSV show.
#include <fmt/format.h>

#include <algorithm>

#include "judge/format.hpp"
#include "show/findings.hpp"

namespace overlap::report {
namespace {

/// A change, marked if nobody knows of it and it is still there.
Section::Line line_of(const ChangePoint& change) {
  const double ratio = change.after_us / change.before_us;
  const bool bad = ratio > 1 && !change.recovered && change.acknowledged.empty();
  const std::string remark = !change.acknowledged.empty() ? "acknowledged: " + change.acknowledged
                             : change.recovered           ? "recovered since"
                                                          : "";
  const std::string by = format_change(ratio), before = format_time(change.before_us),
                    after = format_time(change.after_us);
  return {.fields = {{change.commit},
                     {change.date},
                     {before, change.before_us},
                     {after, change.after_us},
                     {by, ratio, bad ? Mark::bad : Mark::none},
                     {remark}},
          .told = {fmt::format("  {} at {} ({}): {} -> {}{}{}", by, change.commit, change.date, before, after,
                               remark.empty() ? "" : ", ", remark)}};
}

}  // namespace

// The summary counts before the quiet series are added: those are one section, and did not change.
Document history(const std::vector<Series>& all) {
  Document document{.title = "Overlap: history"};
  Section quiet{.kind = Section::Kind::entry, .columns = {{"row"}}};
  for (const Series& series : all) {
    if (series.changes.empty() && !series.drift) {
      quiet.rows.push_back({.fields = {{series.name}}, .quiet = true});
      continue;
    }
    Section section{
        .kind = Section::Kind::entry,
        .title = series.name,
        .lead = fmt::format("{}, {} runs, now {}", series.context, series.times_us.size(),
                            format_time(series.times_us.back())),
        .columns = {{"commit"}, {"date"}, {"before", true}, {"after", true}, {"change", true}, {"remark"}},
        .charts = {chart_of(series)}};
    for (const ChangePoint& change : series.changes) section.rows.push_back(line_of(change));
    if (series.drift)
      section.notes.push_back(
          fmt::format("drifts: {} over its last stretch", format_change(1 + *series.drift)));
    document.sections.push_back(std::move(section));
  }
  const auto bad = std::ranges::count_if(all, is_bad);
  document.mark = bad > 0 ? Mark::bad : Mark::good;
  document.summary = fmt::format("{} series, {} changed or drifting, {} slower and not acknowledged",
                                 all.size(), document.sections.size(), bad);
  quiet.title = fmt::format("{} series without a change", quiet.rows.size());
  if (!quiet.rows.empty()) document.sections.push_back(std::move(quiet));
  return document;
}

}  // namespace overlap::report
