#include "show/verdict_format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "show/escape.hpp"
#include "show/table.hpp"

namespace overlap::report {
namespace {

constexpr std::size_t kMostCharacters = 65'536;
constexpr Verdict kVerdicts[] = {Verdict::regressed,    Verdict::failed,   Verdict::removed, Verdict::invalid,
                                 Verdict::inconclusive, Verdict::improved, Verdict::added,   Verdict::same};

/// "+5.1 % (+4.2 % to +6.0 %)".
std::string change_of(const Comparison& row) {
  if (row.ratio <= 0) return "";
  if (!row.low) return format_change(row.ratio);
  return fmt::format("{} ({} to {})", format_change(row.ratio), format_change(*row.low),
                     format_change(*row.high));
}

/// "37.3 us \u00B1 1.2 %"; one run has no spread.
std::string side_of(const Side& side, const std::string& metric) {
  const std::string value = metric_text(side.median, metric);
  return side.runs.size() > 1 ? fmt::format("{} \u00B1 {:.1f} %", value, side.spread * 100) : value;
}

std::string difference_line(const ContextDifference& difference) {
  return fmt::format("{} differs{}: {}", difference.key,
                     difference.blocks ? " and makes the runs incomparable (--allow-context-diff=" +
                                             difference.key + " to compare all the same)"
                                       : "",
                     fmt::join(difference.values, " / "));
}

/// Whether a reader has to see the row.
bool worth_showing(const Comparison& row) { return row.verdict != Verdict::same; }

std::string escaped_xml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '&': escaped += "&amp;"; break;
      case '"': escaped += "&quot;"; break;
      default:
        // XML 1.0 has no way to write other control characters.
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n') escaped += c;
    }
  }
  return escaped;
}

/// A field that no spreadsheet takes for a formula.
std::string harmless_field(const std::string& text) {
  const bool formula = !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos;
  return csv_field(formula ? "'" + text : text);
}

std::string number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }

std::string counts_line(const Judgement& judgement) {
  std::vector<std::string> counts;
  for (const Verdict verdict : kVerdicts)
    if (const std::size_t count = judgement.count(verdict); count > 0)
      counts.push_back(fmt::format("{} {}", count, word_of(verdict)));
  return fmt::format("{}", fmt::join(counts, ", "));
}

}  // namespace

std::string metric_text(double value, const std::string& metric) {
  if (metric == "time" || metric.ends_with("_us")) return format_time(value);
  return fmt::format("{:.4g}", value);
}

std::string remark_of(const Comparison& row) {
  if (row.verdict != Verdict::inconclusive) return row.reason;
  return row.runs_to_settle >= 1000 ? "1,000 runs a side would not settle it"
                                    : fmt::format("about {} runs a side would settle it", row.runs_to_settle);
}

std::string judgement_summary(const Judgement& judgement, const CompareOptions& options) {
  return fmt::format(
      "{} baseline and {} new runs, metric {}, tolerance {:.1f} %, false discovery rate {:.0f} %: {}. "
      "Geometric mean of "
      "{} ratios: {:.4f}.",
      judgement.baseline_runs, judgement.fresh_runs, options.metric, options.tolerance * 100,
      options.alpha * 100, counts_line(judgement), judgement.geomean_rows, judgement.geomean);
}

std::string judgement_text(const Judgement& judgement, const CompareOptions& options) {
  std::string text;
  for (const ContextDifference& difference : judgement.context) text += difference_line(difference) + "\n";
  for (const Comparison& row : judgement.rows) {
    if (!worth_showing(row)) continue;
    text += fmt::format("{:<12}  {}\n", word_of(row.verdict), row.name);
    std::string detail;
    if (!row.baseline.runs.empty() && !row.fresh.runs.empty())
      detail = side_of(row.baseline, options.metric) + " -> " + side_of(row.fresh, options.metric);
    for (const std::string& part : {change_of(row), remark_of(row)})
      if (!part.empty()) detail += (detail.empty() ? "" : "   ") + part;
    text += fmt::format("{:<12}    {}\n", "", detail);
  }
  return text + judgement_summary(judgement, options) + "\n";
}

std::string judgement_markdown(const Judgement& judgement, const CompareOptions& options) {
  std::string text =
      fmt::format("### {} {}\n\n{}\n\n", judgement.bad() ? "\u274C" : "\u2705", "overlap-report compare",
                  markdown_escaped(judgement_summary(judgement, options)));
  for (const ContextDifference& difference : judgement.context)
    text += "- " + markdown_escaped(difference_line(difference)) + "\n";
  if (std::ranges::none_of(judgement.rows, worth_showing)) return text;
  text += "\n| verdict | row | baseline | new | change (95 %) | |\n|---|---|---:|---:|---:|---|\n";
  std::size_t left_out = 0;
  constexpr std::size_t kRoomForEnd = 100;
  for (const Comparison& row : judgement.rows) {
    if (!worth_showing(row)) continue;
    const std::string line =
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", word_of(row.verdict), markdown_escaped(row.name),
                    row.baseline.runs.empty() ? "" : metric_text(row.baseline.median, options.metric),
                    row.fresh.runs.empty() ? "" : metric_text(row.fresh.median, options.metric),
                    change_of(row), markdown_escaped(remark_of(row)));
    if (left_out > 0 || text.size() + line.size() + kRoomForEnd > kMostCharacters)
      ++left_out;
    else
      text += line;
  }
  if (left_out > 0) text += fmt::format("\n{} more rows do not fit here.\n", left_out);
  return text;
}

std::string judgement_csv(const Judgement& judgement) {
  std::string text =
      "verdict,row,baseline_runs,baseline_median,baseline_spread,new_runs,new_median,new_spread,ratio,low,"
      "high,p,q,tolerance,runs_to_settle,reason\r\n";
  for (const Comparison& row : judgement.rows) {
    const auto side = [](const Side& s) {
      return s.runs.empty() ? "0,," : fmt::format("{},{},{}", s.runs.size(), s.median, s.spread);
    };
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{}\r\n", word_of(row.verdict), harmless_field(row.name),
        side(row.baseline), side(row.fresh), row.ratio > 0 ? fmt::format("{}", row.ratio) : "",
        number(row.low), number(row.high), number(row.p), number(row.q), row.tolerance,
        row.runs_to_settle > 0 ? fmt::format("{}", row.runs_to_settle) : "", harmless_field(row.reason));
  }
  return text;
}

std::string judgement_json(const Judgement& judgement, const CompareOptions& options) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", "overlap-compare-1"},
               {"metric", options.metric},
               {"alpha", options.alpha},
               {"baseline_runs", judgement.baseline_runs},
               {"new_runs", judgement.fresh_runs},
               {"comparable", judgement.comparable()},
               {"bad", judgement.bad()},
               {"geomean", {{"ratio", judgement.geomean}, {"rows", judgement.geomean_rows}}},
               {"counts", Json::object()},
               {"context_differences", Json::array()},
               {"warnings", judgement.warnings},
               {"rows", Json::array()}};
  for (const Verdict verdict : kVerdicts) json["counts"][word_of(verdict)] = judgement.count(verdict);
  for (const ContextDifference& difference : judgement.context)
    json["context_differences"].push_back(
        {{"key", difference.key}, {"values", difference.values}, {"blocks", difference.blocks}});
  for (const Comparison& row : judgement.rows) {
    Json each = {{"name", row.name}, {"verdict", word_of(row.verdict)}, {"tolerance", row.tolerance}};
    const auto side = [&](const char* name, const Side& s) {
      if (!s.runs.empty()) each[name] = {{"runs", s.runs}, {"median", s.median}, {"spread", s.spread}};
    };
    side("baseline", row.baseline);
    side("new", row.fresh);
    if (row.ratio > 0) each["ratio"] = row.ratio;
    const std::pair<const char*, const std::optional<double>*> values[] = {
        {"low", &row.low}, {"high", &row.high}, {"p", &row.p}, {"q", &row.q}};
    for (const auto& [name, value] : values)
      if (*value) each[name] = **value;
    if (row.runs_to_settle > 0) each["runs_to_settle"] = row.runs_to_settle;
    if (!row.reason.empty()) each["reason"] = row.reason;
    json["rows"].push_back(std::move(each));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string judgement_junit(const Judgement& judgement) {
  const std::size_t failures = judgement.count(Verdict::regressed) + judgement.count(Verdict::removed);
  const std::size_t errors = judgement.count(Verdict::failed) + judgement.count(Verdict::invalid);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"overlap-report compare\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
      judgement.rows.size(), failures, errors, judgement.count(Verdict::inconclusive));
  for (const Comparison& row : judgement.rows) {
    const char* element = nullptr;
    if (row.verdict == Verdict::regressed || row.verdict == Verdict::removed) element = "failure";
    if (row.verdict == Verdict::failed || row.verdict == Verdict::invalid) element = "error";
    if (row.verdict == Verdict::inconclusive) element = "skipped";
    text += fmt::format("  <testcase classname=\"overlap\" name=\"{}\"", escaped_xml(row.name));
    if (!element) {
      text += "/>\n";
      continue;
    }
    const std::string change = change_of(row), remark = remark_of(row);
    text +=
        fmt::format("><{} message=\"{}: {}{}{}\"/></testcase>\n", element, word_of(row.verdict),
                    escaped_xml(change), change.empty() || remark.empty() ? "" : "; ", escaped_xml(remark));
  }
  return text + "</testsuite>\n";
}

}  // namespace overlap::report
