#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "judge/advise.hpp"
#include "judge/format.hpp"
#include "show/table.hpp"

namespace overlap::report {

std::string verdict_text(Rule::Verdict verdict) {
  switch (verdict) {
    case Rule::Verdict::holds: return "holds";
    case Rule::Verdict::does_not_hold: return "does not hold";
    case Rule::Verdict::not_measured: break;
  }
  return "not measured";
}

namespace {

constexpr std::size_t kRowsShown = 2;  // of a list; JSON has them all

std::string choice_text(const Choice& choice) {
  std::string text =
      fmt::format("\n{}   {}\n  {}\n  {}, {:.2f}x ({:.2f} to {:.2f}) over {}", choice.family,
                  axes_text(choice.where, "   "), axes_text(choice.best, ", "), format_time(choice.time_us),
                  choice.gain.ratio, choice.gain.low, choice.gain.high, axes_text(choice.over, ", "));
  if (choice.bound_pct)
    text += fmt::format("; {:.1f} % of {}", *choice.bound_pct,
                        choice.family == "swish" ? "a device copy" : "its bound");
  text += choice.bound_by.empty() ? "\n" : fmt::format("; bound by {}\n", choice.bound_by);
  for (const std::string& hint : choice.hints) text += "  - " + hint + "\n";
  return text;
}

std::string section(const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  return fmt::format("\n{}\n  {}\n", title, fmt::join(lines, "\n  "));
}

}  // namespace

std::string advice_text(const Advice& advice, const Run& run) {
  std::string text = describe_run(run) +
                     "\n\nBEST CONFIGURATIONS: the simplest of those that are as fast as the fastest; "
                     "intervals by this run's own spread\n";
  for (const Choice& choice : advice.choices) text += choice_text(choice);
  text += section("GRAPHS", advice.graphs);
  text += section("DOUBLE BUFFERING", advice.buffering);
  if (!advice.losses.empty()) text += "\nWHERE OVERLAP WAS LOST\n";
  for (const Loss& loss : advice.losses) {
    text += fmt::format("  {} row{}: {}\n    {}\n", loss.rows.size(), loss.rows.size() == 1 ? "" : "s",
                        loss.cause, loss.remedy);
    for (std::size_t i = 0; i < std::min(kRowsShown, loss.rows.size()); ++i)
      text += "    " + loss.rows[i] + "\n";
    if (loss.rows.size() > kRowsShown)
      text += fmt::format("    and {} more\n", loss.rows.size() - kRowsShown);
  }
  text += "\nRULES OF THUMB ON THIS MACHINE\n";
  for (const Rule& rule : advice.rules) {
    text += fmt::format("  {:<13}  {}{}\n", verdict_text(rule.verdict), rule.rule,
                        rule.why.empty() ? "" : ": " + rule.why);
    for (const std::string& row : rule.rows) text += fmt::format("  {:<13}    {}\n", "", row);
  }
  return text;
}

std::string advice_json(const Advice& advice, const Run& run) {
  using Json = nlohmann::ordered_json;
  const auto object = [](const Axes& axes) {
    Json result = Json::object();
    for (const auto& [axis, value] : axes) result[axis] = value;
    return result;
  };
  Json json = {{"schema", "overlap-advice-1"},
               {"file", {{"path", run.path}, {"context", run.context}}},
               {"choices", Json::array()},
               {"graphs", advice.graphs},
               {"double_buffering", advice.buffering},
               {"lost_overlap", Json::array()},
               {"rules", Json::array()}};
  for (const Choice& choice : advice.choices) {
    Json each = {
        {"family", choice.family},
        {"where", object(choice.where)},
        {"best", object(choice.best)},
        {"row", choice.row},
        {"baseline", choice.baseline},
        {"time_us", choice.time_us},
        {"gain", {{"ratio", choice.gain.ratio}, {"low", choice.gain.low}, {"high", choice.gain.high}}},
        {"hints", choice.hints}};
    if (choice.bound_pct) each["bound_pct"] = *choice.bound_pct;
    if (!choice.bound_by.empty()) each["bound_by"] = choice.bound_by;
    json["choices"].push_back(std::move(each));
  }
  for (const Loss& loss : advice.losses)
    json["lost_overlap"].push_back({{"cause", loss.cause}, {"remedy", loss.remedy}, {"rows", loss.rows}});
  for (const Rule& rule : advice.rules)
    json["rules"].push_back({{"rule", rule.rule},
                             {"verdict", verdict_text(rule.verdict)},
                             {"why", rule.why},
                             {"rows", rule.rows}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace overlap::report
