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

/// As a terminal shows it: work, configuration, gain, and a line for each hint. Begins with an empty line,
/// which sets choices apart.
std::vector<std::string> told(const Choice& choice) {
  std::string result =
      fmt::format("  {}, {:.2f}x ({:.2f} to {:.2f}) over {}", format_time(choice.time_us), choice.gain.ratio,
                  choice.gain.low, choice.gain.high, axes_text(choice.over));
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
      .lead = "the simplest configuration within noise of the fastest; ranges are this run's spread",
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
  const auto times = [](double ratio) { return Field(fmt::format("{:.2f}x", ratio), ratio); };
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
  std::vector<std::string> lines = {fmt::format("  {:<13}  {}{}", word_of(rule.verdict), rule.rule,
                                                rule.why.empty() ? "" : ": " + rule.why)};
  for (const std::string& row : rule.rows) lines.push_back(fmt::format("  {:<13}    {}", "", row));
  return lines;
}

/// A row per rule. Only what was measured gets a mark.
Section rules(const Advice& advice) {
  Section section{.title = "Rules of thumb on this machine", .columns = {{"verdict"}, {"rule"}, {"why"}}};
  for (const Rule& rule : advice.rules) {
    const Mark mark = rule.verdict == Rule::Verdict::holds           ? Mark::good
                      : rule.verdict == Rule::Verdict::does_not_hold ? Mark::bad
                                                                     : Mark::none;
    section.rows.push_back({.fields = {{word_of(rule.verdict), std::nullopt, mark}, {rule.rule}, {rule.why}},
                            .told = told(rule)});
  }
  return section;
}

}  // namespace

std::string word_of(Rule::Verdict verdict) {
  switch (verdict) {
    case Rule::Verdict::holds: return "holds";
    case Rule::Verdict::does_not_hold: return "does not hold";
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
