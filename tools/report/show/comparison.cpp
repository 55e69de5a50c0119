// Verdicts: what each row did, how sure that is, and what it all comes to. Rows stand in the order of the
// judgement, worst first; the records hold everything that a verdict was made of.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "judge/format.hpp"
#include "judge/two_sides.hpp"
#include "show/findings.hpp"

namespace overlap::report {
namespace {

constexpr std::size_t kManyRuns = 1000;  // more than anybody makes

/// A value of the metric, as people read it.
std::string metric_text(double value, const std::string& metric) {
  if (metric == "time" || metric.ends_with("_us")) return format_time(value);
  return fmt::format("{:.4g}", value);
}

/// "37.3 us \u00B1 1.2 %" of what is judged; one run has no spread.
std::string side_text(const Side& side, const std::string& metric) {
  const std::string value = metric_text(side.judged, metric);
  return side.runs.size() > 1 ? fmt::format("{} \u00B1 {:.1f} %", value, side.spread * 100) : value;
}

/// "2.5 %", "258 %".
std::string percent_text(double share) { return fmt::format("{:.{}f} %", share * 100, share < 0.1 ? 1 : 0); }

/// Outliers of rows that a terminal does not list; empty if there are none.
std::string quiet_outliers(const Judgement& judgement) {
  std::size_t rows = 0;
  std::string such_as;
  for (const Comparison& row : judgement.rows) {
    if (row.verdict != Verdict::same || !(row.baseline.outlier || row.fresh.outlier)) continue;
    if (rows++ == 0)
      such_as = fmt::format("{} ({})", row.name,
                            row.fresh.outlier ? fmt::format("new run {}", *row.fresh.outlier + 1)
                                              : fmt::format("baseline run {}", *row.baseline.outlier + 1));
  }
  if (rows == 0) return "";
  return fmt::format(
      "{} of those that stayed the same {} a run far from all others, which is left out, such as {}.",
      counted(static_cast<double>(rows), "row"), rows == 1 ? "has" : "have", such_as);
}

/// How the runs differ, and what to do about it where that stops the comparison.
std::string difference_line(const ContextDifference& difference) {
  return fmt::format("{} differs{}: {}", difference.key,
                     difference.blocks ? " and makes the runs incomparable (--allow-context-diff=" +
                                             difference.key + " to compare all the same)"
                                       : "",
                     fmt::join(difference.values, " / "));
}

/// Runs, tolerance, how many rows of each verdict, geometric mean.
std::string summary_of(const Judgement& judgement, const CompareOptions& options) {
  std::vector<std::string> counts;
  for (const Verdict verdict : kVerdicts)
    if (const std::size_t count = judgement.count(verdict); count > 0)
      counts.push_back(fmt::format("{} {}", count, word_of(verdict)));
  const std::string least = percent_text(judgement.least_tolerance),
                    most = percent_text(judgement.most_tolerance);
  const std::string tolerance = options.tolerances.empty() ? "tolerance " + percent_text(options.tolerance)
                                : least == most            ? "tolerances by row (" + most + ")"
                                                : "tolerances by row (" + least + " to " + most + ")";
  return fmt::format(
      "{} baseline and {} new runs, metric {}, {}, false discovery rate {:.0f} %: {}. "
      "Geometric mean of {} ratios: {:.4f}.",
      judgement.baseline_runs, judgement.fresh_runs, options.metric, tolerance, options.alpha * 100,
      fmt::join(counts, ", "), judgement.geomean_rows, judgement.geomean);
}

/// Whether there are rows to test, but too few runs for any of them.
bool nothing_tested(const Judgement& judgement) {
  return judgement.geomean_rows > 0 && std::min(judgement.baseline_runs, judgement.fresh_runs) < kLeastRuns;
}

/// Bad is what fails a comparison.
Mark mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::regressed:
    case Verdict::failed:
    case Verdict::removed:
    case Verdict::invalid: return Mark::bad;
    case Verdict::improved: return Mark::good;
    default: return Mark::none;
  }
}

/// Two lines for a terminal: row names are too long for a column.
std::vector<std::string> told(const Comparison& row, const std::string& remark, const std::string& metric) {
  constexpr std::size_t kIndent = 14;
  std::string verdict = word_of(row.verdict), text(kIndent - 1, ' ');
  verdict.resize(kIndent, ' ');
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text.append("   ").append(part);
  };
  if (!row.baseline.runs.empty() && !row.fresh.runs.empty())
    add(side_text(row.baseline, metric) + " -> " + side_text(row.fresh, metric));
  add(change_of(row));
  add(remark);
  std::vector<std::string> lines(2);
  lines[0] = std::move(verdict) + row.name;
  lines[1] = std::move(text);
  return lines;
}

/// 0 stands for none in a comparison.
std::optional<double> ratio_of(const Comparison& row) {
  return row.ratio > 0 ? std::optional(row.ratio) : std::nullopt;
}

}  // namespace

std::string change_of(const Comparison& row) {
  if (row.ratio <= 0) return "";
  if (!row.low) return format_change(row.ratio);
  return fmt::format("{} ({} to {})", format_change(row.ratio), format_change(*row.low),
                     format_change(*row.high));
}

std::string remark_of(const Comparison& row, const std::string& metric) {
  std::vector<std::string> parts;
  if (!row.reason.empty()) parts.push_back(row.reason);
  for (const auto& [name, side] : {std::pair("baseline", &row.baseline), std::pair("new", &row.fresh)})
    if (side->outlier)
      parts.push_back(fmt::format("{} run {} is an outlier at {}", name, *side->outlier + 1,
                                  metric_text(side->runs[*side->outlier], metric)));
  if (row.runs_to_settle >= kManyRuns)
    parts.push_back("1,000 runs a side would not settle it");
  else if (row.runs_to_settle > 0)
    parts.push_back(fmt::format("about {} runs a side would settle it", row.runs_to_settle));
  return fmt::format("{}", fmt::join(parts, "; "));
}

Document comparison(const Judgement& judgement, const CompareOptions& options) {
  Section section{.columns = {{"verdict"},
                              {"row"},
                              {"baseline", true},
                              {"new", true},
                              {"change", true},
                              {"from", true},
                              {"to", true},
                              {"remark"}},
                  .notes = judgement.warnings};
  const auto side = [&](const Side& s) {
    return s.runs.empty() ? Field() : Field(metric_text(s.judged, options.metric), s.judged);
  };
  const auto change = [](const std::optional<double>& ratio) {
    return ratio ? Field(format_change(*ratio), ratio) : Field();
  };
  const bool untested = nothing_tested(judgement);
  section.rows.reserve(judgement.rows.size());
  for (const Comparison& row : judgement.rows) {
    const bool settled_by_runs = untested && row.runs_to_settle > 0;  // said once, on top
    const std::string remark = settled_by_runs ? "" : remark_of(row, options.metric);
    Section::Line& line = section.rows.emplace_back();
    line.quiet = row.verdict == Verdict::same;
    line.fields.reserve(section.columns.size());
    line.fields.emplace_back(word_of(row.verdict), std::nullopt, mark_of(row.verdict));
    line.fields.emplace_back(row.name);
    for (const Side* each : {&row.baseline, &row.fresh}) line.fields.push_back(side(*each));
    for (const auto& ratio : {ratio_of(row), row.low, row.high}) line.fields.push_back(change(ratio));
    line.fields.emplace_back(remark);
    line.told = told(row, remark, options.metric);
  }
  Document document{.title = "Overlap: comparison",
                    .mark = judgement.bad() ? Mark::bad
                            : untested      ? Mark::neutral
                                            : Mark::good,
                    .summary = summary_of(judgement, options),
                    .is_comment = true};
  document.sections.push_back(std::move(section));
  if (untested)
    document.lead.push_back(
        fmt::format("Nothing could be tested with {} baseline and {} new runs: make at least 3 of each, "
                    "better 5, in turn "
                    "(tools/compare.sh does)",
                    judgement.baseline_runs, judgement.fresh_runs));
  for (const ContextDifference& difference : judgement.context)
    document.lead.push_back(difference_line(difference));
  if (std::string outliers = quiet_outliers(judgement); !outliers.empty())
    document.lead.push_back(std::move(outliers));
  return document;
}

// Ratios, p and tolerances are plain numbers; a field is empty where a row has no such number.
Document comparison_records(const Judgement& judgement, const CompareOptions& options) {
  Section all;
  for (const char* head : {"verdict", "row", "baseline_runs", "baseline_median", "baseline_judged",
                           "baseline_spread", "new_runs", "new_median", "new_judged", "new_spread", "ratio",
                           "low", "high", "p", "q", "tolerance", "runs_to_settle", "reason"})
    all.columns.push_back({head});
  const auto number = [](std::optional<double> value) { return Field("", value); };
  const auto count = [&](std::size_t n) { return number(static_cast<double>(n)); };
  for (const Comparison& row : judgement.rows) {
    Section::Line line{{{word_of(row.verdict)}, {row.name}}};
    for (const Side* side : {&row.baseline, &row.fresh}) {
      const bool any = !side->runs.empty();
      line.fields.insert(line.fields.end(),
                         {count(side->runs.size()), any ? number(side->median) : Field(),
                          any ? number(side->judged) : Field(), any ? number(side->spread) : Field()});
    }
    for (const auto& value : {ratio_of(row), row.low, row.high, row.p, row.q, std::optional(row.tolerance)})
      line.fields.push_back(number(value));
    line.fields.push_back(row.runs_to_settle > 0 ? count(row.runs_to_settle) : Field());
    line.fields.emplace_back(remark_of(row, options.metric));
    all.rows.push_back(std::move(line));
  }
  Document document{.title = "Overlap: comparison"};
  document.sections.push_back(std::move(all));
  return document;
}

}  // namespace overlap::report
