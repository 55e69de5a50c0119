// History: where series changed, whether they drift, and by which commit. A series in which anything was
// found is a section with its chart; the others are one list, which only pages and CSV show.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "judge/explanation.hpp"
#include "judge/format.hpp"
#include "show/findings.hpp"

namespace overlap::report {
namespace {

/// "from to", or one of them if both are the same.
std::string span_of(const std::string& from, const std::string& to) {
  return from == to ? from : from + " to " + to;
}

/// A run by its commit, and its date in brackets, as far as it says them.
std::string named(const std::string& commit, const std::string& date, std::size_t at) {
  if (commit.empty()) return date.empty() ? fmt::format("run {}", at + 1) : date;
  return date.empty() ? commit : fmt::format("{} ({})", commit, date);
}

/// A finding as a line: of a table, and as a terminal tells it, `what` standing before the remark.
struct Told {
  std::string commit, date;
  double before_us = 0, after_us = 0;
  std::string remark, sentence;
  bool bad = false;
};
Section::Line line_of(const Told& told) {
  const double ratio = told.after_us / told.before_us;
  const std::string before = format_time(told.before_us), after = format_time(told.after_us);
  return {.fields = {{told.commit},
                     {told.date},
                     {before, told.before_us},
                     {after, told.after_us},
                     {format_change(ratio), ratio, told.bad ? Mark::bad : Mark::none},
                     {told.remark}},
          .told = {fmt::format("  {}{}{}", told.sentence, told.remark.empty() ? "" : ", ", told.remark)}};
}

/// What to say of a change or drift beside its numbers.
template <class Change>
std::string remark_on(const Change& change) {
  return !change.acknowledged.empty() ? "acknowledged: " + change.acknowledged
         : change.recovered           ? "recovered since"
                                      : "";
}

/// Marked if nobody knows of it and it is still there.
template <class Change>
bool is_open(const Change& change) {
  return change.after_us > change.before_us && !change.recovered && change.acknowledged.empty();
}

Section::Line line_of(const ChangePoint& change) {
  std::string remark = remark_on(change);
  if (change.more_runs > 0)
    remark = fmt::format("not settled: {}{}{}", counted(static_cast<double>(change.more_runs), "more run"),
                         remark.empty() ? "" : ", ", remark);
  return line_of(
      {.commit = change.commit,
       .date = change.date,
       .before_us = change.before_us,
       .after_us = change.after_us,
       .remark = remark,
       .sentence = fmt::format("{} at {}: {} -> {}", format_change(change.after_us / change.before_us),
                               named(change.commit, change.date, change.at), format_time(change.before_us),
                               format_time(change.after_us)),
       .bad = change.more_runs == 0 && is_open(change)});
}

Section::Line line_of(const Drift& drift) {
  const std::string remark = remark_on(drift);
  Section::Line line =
      line_of({.commit = span_of(drift.from_commit, drift.to_commit),
               .date = span_of(drift.from_date, drift.to_date),
               .before_us = drift.before_us,
               .after_us = drift.after_us,
               .remark = remark,
               .sentence = fmt::format("drifts: {} from {} to {}: {} -> {}",
                                       format_change(drift.after_us / drift.before_us),
                                       named(drift.from_commit, drift.from_date, drift.from),
                                       named(drift.to_commit, drift.to_date, drift.to),
                                       format_time(drift.before_us), format_time(drift.after_us)),
               .bad = is_open(drift)});
  line.fields.back().text = remark.empty() ? "drift" : "drift, " + remark;
  return line;
}

Section::Line line_of(const Outlier& outlier) {
  return line_of(
      {.commit = outlier.commit,
       .date = outlier.date,
       .before_us = outlier.level_us,
       .after_us = outlier.time_us,
       .remark = "outlier",
       .sentence = fmt::format("{} at {}: {} beside {}", format_change(outlier.time_us / outlier.level_us),
                               named(outlier.commit, outlier.date, outlier.at), format_time(outlier.time_us),
                               format_time(outlier.level_us))});
}

}  // namespace

Document history(const std::vector<Series>& all) {
  Document document{.title = "Overlap: history"};
  Section quiet{.kind = Section::Kind::entry, .columns = {{"row"}}};
  std::size_t changed = 0, unsettled = 0, with_outliers = 0;
  std::map<std::string, std::size_t> begun;  // series that begin with another context, by the one before
  for (const Series& series : all) {
    if (!series.before.empty()) ++begun[series.before];
    if (!has_changed(series) && series.outliers.empty()) {
      quiet.rows.push_back({.fields = {{series.name}}, .quiet = true});
      continue;
    }
    Section section{
        .kind = Section::Kind::entry,
        .title = series.name,
        .lead = fmt::format("{}{}{}, {} runs, now {}{}", series.context, series.machine.empty() ? "" : ", ",
                            series.machine, series.times_us.size(), format_time(series.times_us.back()),
                            series.before.empty() ? "" : "; before: " + series.before),
        .columns = {{"commit"}, {"date"}, {"before", true}, {"after", true}, {"change", true}, {"remark"}},
        .charts = {chart_of(series)}};
    const auto add = [&section](const auto& findings) {
      for (const auto& each : findings) section.rows.push_back(line_of(each));
    };
    add(series.changes);
    add(series.drifts);
    add(series.unsettled);
    add(series.outliers);
    document.sections.push_back(std::move(section));
    changed += series.changes.empty() && series.drifts.empty() ? 0 : 1;
    unsettled += series.unsettled.empty() ? 0 : 1;
    with_outliers += series.outliers.empty() ? 0 : 1;
  }
  for (const auto& [before, count] : begun)
    document.lead.push_back(fmt::format(
        "{} begin{} with another context; before: {}. What changed between the two is not judged.",
        count == 1 ? "1 series" : fmt::format("{} series", count), count == 1 ? "s" : "", before));
  const auto bad = std::ranges::count_if(all, is_bad);
  document.mark = bad > 0 ? Mark::bad : Mark::good;
  document.summary = fmt::format("{} series, {} changed or drifting, {} slower and not acknowledged",
                                 all.size(), changed, bad);
  if (unsettled > 0) document.summary += fmt::format(", {} not settled", unsettled);
  if (with_outliers > 0) document.summary += fmt::format(", {} with outliers", with_outliers);
  const auto few = std::ranges::count_if(
      all, [](const Series& series) { return series.times_us.size() < kLeastExplained; });
  if (few > 0)
    document.summary += fmt::format(", {} of fewer than {} runs, which show nothing", few, kLeastExplained);
  quiet.title = fmt::format("{} series without a change", quiet.rows.size());
  if (!quiet.rows.empty()) document.sections.push_back(std::move(quiet));
  return document;
}

}  // namespace overlap::report
