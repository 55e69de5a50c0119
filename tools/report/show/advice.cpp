// Advice in parts: the best configurations, what families have to say of themselves, where overlap was lost,
// and rules of thumb. A part with nothing in it is left out. A terminal shows what has many words as lines,
// not columns.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "judge/format.hpp"
#include "show/findings.hpp"

namespace overlap::report {
namespace {

constexpr std::size_t kRowsShown = 2;  // of a list; JSON has them all

/// "1.40x (1.37 to 1.43) over mem pageable"; no range where a row is a single sample.
std::string gain_text(const Choice& choice) {
  if (choice.is_plain()) return "the plain configuration: nothing gains over it beyond 2 % or noise";
  const std::string range = choice.gain.low && choice.gain.high
                                ? fmt::format(" ({:.2f} to {:.2f})", *choice.gain.low, *choice.gain.high)
                                : "";
  return fmt::format("{:.2f}x{} over {}", choice.gain.ratio, range, axes_text(choice.over));
}

/// As a terminal shows it: work, configuration, gain, and a line for each hint. Begins with an empty line,
/// which sets choices apart.
std::vector<std::string> told(const Choice& choice) {
  std::string result = fmt::format("  {}, {}", format_time(choice.time_us), gain_text(choice));
  if (choice.bound_pct) result += fmt::format("; {:.1f} % of {}", *choice.bound_pct, choice.bound_name);
  if (!choice.bound_by.empty()) result += "; bound by " + choice.bound_by;
  std::vector<std::string> lines = {"", choice.family + "   " + axes_text(choice.where, "   "),
                                    "  " + axes_text(choice.best), result};
  for (const std::string& hint : choice.hints) lines.push_back("  - " + hint);
  return lines;
}

/// A row per choice. The range of the gain is this run's own: another run may lie beyond it.
Section choices(const Advice& advice) {
  Section section{
      .title = "Best configurations",
      .lead =
          "the simplest configuration within 2 % of the fastest, or within noise; ranges are this run's "
          "spread",
      .columns = {{"family"},
                  {"work"},
                  {"best"},
                  {"time", true},
                  {"gain", true},
                  {"from", true},
                  {"to", true},
                  {"of bound", true},
                  {"over"},
                  {"bound by"},
                  {"remarks"}}};
  const auto times = [](std::optional<double> ratio) {
    return ratio ? Field(fmt::format("{:.2f}x", *ratio), ratio) : Field();
  };
  for (const Choice& choice : advice.choices)
    section.rows.push_back(
        {.fields = {{choice.family},
                    {axes_text(choice.where)},
                    {axes_text(choice.best)},
                    {format_time(choice.time_us), choice.time_us},
                    times(choice.gain.ratio),
                    times(choice.gain.low),
                    times(choice.gain.high),
                    choice.bound_pct ? Field(fmt::format("{:.1f} %", *choice.bound_pct), choice.bound_pct)
                                     : Field(),
                    {axes_text(choice.over)},
                    {choice.bound_by},
                    {fmt::format("{}", fmt::join(choice.hints, "; "))}},
         .told = told(choice)});
  return section;
}

/// Cause, remedy, and the first rows that lost overlap so.
std::vector<std::string> told(const Loss& loss) {
  std::vector<std::string> lines = {
      fmt::format("  {}: {}", counted(static_cast<double>(loss.rows.size()), "row"), loss.cause),
      "    " + loss.remedy};
  for (std::size_t i = 0; i < std::min(kRowsShown, loss.rows.size()); ++i)
    lines.push_back("    " + loss.rows[i]);
  if (loss.rows.size() > kRowsShown)
    lines.push_back(fmt::format("    and {} more", loss.rows.size() - kRowsShown));
  return lines;
}

/// A row per cause, with one of its rows as an example.
Section losses(const Advice& advice) {
  Section section{.title = "Where overlap was lost",
                  .columns = {{"cause"}, {"remedy"}, {"rows", true}, {"such as"}}};
  for (const Loss& loss : advice.losses) {
    const auto count = static_cast<double>(loss.rows.size());
    section.rows.push_back(
        {.fields = {{loss.cause}, {loss.remedy}, {fmt::format("{:.0f}", count), count}, {loss.rows.front()}},
         .told = told(loss)});
  }
  return section;
}

/// The answer and why, with the rows that it stands on below.
std::vector<std::string> told(const Rule& rule) {
  std::vector<std::string> lines = {fmt::format("  {:<14}  {}{}", word_of(rule.verdict), rule.rule,
                                                rule.why.empty() ? "" : ": " + rule.why)};
  for (const std::string& row : rule.rows) lines.push_back(fmt::format("  {:<14}    {}", "", row));
  return lines;
}

/// A row per rule. What is true and what is false gets a mark, what lies between none.
Section rules(const Advice& advice) {
  Section section{.title = "Rules of thumb on this machine", .columns = {{"verdict"}, {"rule"}, {"why"}}};
  for (const Rule& rule : advice.rules) {
    const Mark mark = rule.verdict == Rule::Verdict::is_true    ? Mark::good
                      : rule.verdict == Rule::Verdict::is_false ? Mark::bad
                                                                : Mark::none;
    section.rows.push_back({.fields = {{word_of(rule.verdict), std::nullopt, mark}, {rule.rule}, {rule.why}},
                            .told = told(rule)});
  }
  return section;
}

}  // namespace

std::string word_of(Rule::Verdict verdict) {
  switch (verdict) {
    case Rule::Verdict::is_true: return "true";
    case Rule::Verdict::understated: return "understated";
    case Rule::Verdict::overstated: return "overstated";
    case Rule::Verdict::is_false: return "false";
    case Rule::Verdict::not_measurable: return "not measurable";
    case Rule::Verdict::not_measured: break;
  }
  return "not measured";
}

// With several runs each part is there once a run, under the run's letter.
Document advice(const std::vector<Advice>& all, const std::vector<Run>& runs) {
  Document document{.title = "Overlap: advice", .machines = machines_of(runs)};
  for (std::size_t file = 0; file < all.size(); ++file) {
    const Advice& one = all[file];
    std::vector<Section> sections = {choices(one)};
    for (const AdviceSection& each : one.sections)
      sections.push_back({.title = each.title, .notes = each.lines});
    sections.push_back(losses(one));
    sections.push_back(rules(one));
    for (Section& section : sections) {
      if (section.rows.empty() && section.notes.empty() && section.lead.empty()) continue;
      section.kind = Section::Kind::part;
      if (all.size() > 1) section.title = file_letter(file) + ": " + section.title;
      document.sections.push_back(std::move(section));
    }
  }
  return document;
}

}  // namespace overlap::report
