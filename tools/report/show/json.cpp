// One function per thing that a schema has, named after it. Schemas are read by other programs: members keep
// their names, order and meaning; new ones may be added.
#include "show/json.hpp"

#include <cctype>
#include <span>
#include <utility>

#include "read/json.hpp"

namespace overlap::report {
namespace {

/// Values stay text, as in the row's name.
Json object_of(const Axes& axes) {
  Json json = Json::object();
  for (const auto& [axis, value] : axes) json[axis] = value;
  return json;
}

/// Where results come from: the run's path and context.
Json file_of(const Run& run) { return Json::object({{"path", run.path}, {"context", run.context}}); }

/// What one file says of a row; marks only where they are set.
Json result_of(const Cell& cell, std::span<const Metric> metrics, std::size_t file) {
  Json json = Json::object({{"file", file}});
  for (const Metric& metric : metrics)
    if (const auto value = cell.number(metric.name)) json.add(metric.name, *value);
  if (!cell.bound_by.empty()) json["bound_by"] = cell.bound_by;
  if (!cell.failure.empty()) json["failure"] = cell.failure;
  if (cell.skipped) json["skipped"] = true;
  if (cell.over_budget) json["over_budget"] = true;
  return json;
}

/// Rows with all their axes, so that a reader need not know which of them the view fixes. Results of files
/// that lack the row are left out.
Json view_of(const View& view) {
  Json rows = Json::array();
  for (const ViewRow& row : view.rows) {
    Json results = Json::array();
    for (std::size_t file = 0; file < row.cells.size(); ++file)
      if (row.cells[file].present) results.push_back(result_of(row.cells[file], view.metrics, file));
    rows.push_back(Json::object(
        {{"name", row.name}, {"axes", object_of(all_axes(view, row))}, {"results", std::move(results)}}));
  }
  Json json = Json::object(
      {{"family", view.family}, {"baseline", object_of(view.baseline)}, {"rows", std::move(rows)}});
  if (!view.notes.empty()) json["notes"] = view.notes;
  return json;
}

/// A choice with the names of its rows, by which they are found in the run.
Json choice_of(const Choice& choice) {
  Json gain = Json::object({{"ratio", choice.gain.ratio}});
  if (choice.gain.low) gain["low"] = *choice.gain.low;
  if (choice.gain.high) gain["high"] = *choice.gain.high;
  Json json = Json::object({{"family", choice.family},
                            {"where", object_of(choice.where)},
                            {"best", object_of(choice.best)},
                            {"row", choice.row},
                            {"baseline", choice.baseline},
                            {"time_us", choice.time_us},
                            {"gain", std::move(gain)},
                            {"hints", choice.hints},
                            {"ties", choice.ties},
                            {"unclear", choice.unclear}});
  if (choice.bound_pct) json["bound_pct"] = *choice.bound_pct;
  if (!choice.bound_by.empty()) json["bound_by"] = choice.bound_by;
  return json;
}

/// A row's verdict and all that it was made of.
Json comparison_of(const Comparison& row) {
  Json json =
      Json::object({{"name", row.name}, {"verdict", word_of(row.verdict)}, {"tolerance", row.tolerance}});
  for (const auto& [name, side] : {std::pair("baseline", &row.baseline), std::pair("new", &row.fresh)})
    if (!side->runs.empty()) {
      json[name] = Json::object({{"runs", side->runs},
                                 {"median", side->median},
                                 {"spread", side->spread},
                                 {"judged", side->judged}});
      if (side->outlier) json[name]["outlier"] = *side->outlier;
    }
  if (row.ratio > 0) json["ratio"] = row.ratio;
  for (const auto& [name, value] :
       {std::pair("low", row.low), std::pair("high", row.high), std::pair("p", row.p), std::pair("q", row.q)})
    if (value) json[name] = *value;
  if (row.runs_to_settle > 0) json["runs_to_settle"] = row.runs_to_settle;
  if (!row.reason.empty()) json["reason"] = row.reason;
  return json;
}

/// "Double buffering" is double_buffering.
std::string key_of(std::string title) {
  for (char& c : title) c = c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return title;
}

/// An array of what `make` makes of each.
template <class T, class Make>
Json list_of(const std::vector<T>& all, const Make& make) {
  Json json = Json::array();
  for (const T& each : all) json.push_back(make(each));
  return json;
}

Json change_of(const ChangePoint& change) {
  Json json = Json::object({{"commit", change.commit},
                            {"date", change.date},
                            {"before_us", change.before_us},
                            {"after_us", change.after_us},
                            {"p", change.p},
                            {"recovered", change.recovered}});
  if (!change.acknowledged.empty()) json["acknowledged"] = change.acknowledged;
  if (change.more_runs > 0) json["more_runs"] = change.more_runs;
  return json;
}

Json drift_of(const Drift& drift) {
  Json json = Json::object({{"from_commit", drift.from_commit},
                            {"from_date", drift.from_date},
                            {"to_commit", drift.to_commit},
                            {"to_date", drift.to_date},
                            {"before_us", drift.before_us},
                            {"after_us", drift.after_us},
                            {"change", drift.after_us / drift.before_us - 1},
                            {"p", drift.p},
                            {"recovered", drift.recovered}});
  if (!drift.acknowledged.empty()) json["acknowledged"] = drift.acknowledged;
  return json;
}

/// The whole series, changes or none: a reader can draw it. `drift` is the last one's change.
Json series_of(const Series& series) {
  const auto outlier_of = [](const Outlier& outlier) {
    return Json::object({{"commit", outlier.commit},
                         {"date", outlier.date},
                         {"time_us", outlier.time_us},
                         {"level_us", outlier.level_us},
                         {"run", outlier.at}});
  };
  Json json = Json::object({{"name", series.name},
                            {"context", series.context},
                            {"times_us", series.times_us},
                            {"commits", series.commits},
                            {"dates", series.dates},
                            {"changes", list_of(series.changes, change_of)}});
  if (!series.drifts.empty())
    json["drift"] = series.drifts.back().after_us / series.drifts.back().before_us - 1;
  json["drifts"] = list_of(series.drifts, drift_of);
  json["unsettled"] = list_of(series.unsettled, change_of);
  json["outliers"] = list_of(series.outliers, outlier_of);
  json["machine"] = series.machine;
  if (!series.before.empty()) json["before"] = series.before;
  return json;
}

/// What there is to do after one run. Each section is a member named after its title, beside those that all
/// advice has.
Json advice_of(const Advice& advice, const Run& run) {
  const auto loss_of = [](const Loss& loss) {
    return Json::object({{"cause", loss.cause}, {"remedy", loss.remedy}, {"rows", loss.rows}});
  };
  const auto rule_of = [](const Rule& rule) {
    return Json::object(
        {{"rule", rule.rule}, {"verdict", word_of(rule.verdict)}, {"why", rule.why}, {"rows", rule.rows}});
  };
  Json json = Json::object({{"schema", "overlap-advice-1"},
                            {"file", file_of(run)},
                            {"choices", list_of(advice.choices, choice_of)}});
  for (const AdviceSection& section : advice.sections) json[key_of(section.title)] = section.lines;
  json["lost_overlap"] = list_of(advice.losses, loss_of);
  json["rules"] = list_of(advice.rules, rule_of);
  return json;
}

}  // namespace

std::string table_json(const std::vector<View>& views, const std::vector<Run>& runs) {
  return Json::object({{"schema", "overlap-table-1"},
                       {"files", list_of(runs, file_of)},
                       {"views", list_of(views, view_of)}})
             .dump() +
         "\n";
}

std::string advice_json(const std::vector<Advice>& all, const std::vector<Run>& runs) {
  Json json = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) json.push_back(advice_of(all[i], runs[i]));
  return (all.size() == 1 ? json.elements()[0] : json).dump() + "\n";
}

std::string compare_json(const Judgement& judgement, const CompareOptions& options, const Outcome& outcome) {
  Json counts = Json::object();
  for (const Verdict verdict : kVerdicts) counts[word_of(verdict)] = judgement.count(verdict);
  const auto difference_of = [](const ContextDifference& difference) {
    return Json::object(
        {{"key", difference.key}, {"values", difference.values}, {"blocks", difference.blocks}});
  };
  Json geomean = Json::object({{"ratio", judgement.geomean}, {"rows", judgement.geomean_rows}});
  return Json::object({{"schema", "overlap-compare-1"},
                       {"metric", options.metric},
                       {"alpha", options.alpha},
                       {"baseline_runs", judgement.baseline_runs},
                       {"new_runs", judgement.fresh_runs},
                       {"comparable", judgement.comparable()},
                       {"bad", judgement.bad()},
                       {"exit_code", outcome.code},
                       {"exit_reason", outcome.reason},
                       {"tested_rows", judgement.tested_rows},
                       {"geomean", std::move(geomean)},
                       {"counts", std::move(counts)},
                       {"context_differences", list_of(judgement.context, difference_of)},
                       {"warnings", judgement.warnings},
                       {"rows", list_of(judgement.rows, comparison_of)}})
             .dump() +
         "\n";
}

std::string history_json(const std::vector<Series>& all) {
  return Json::object({{"schema", "overlap-changes-1"}, {"series", list_of(all, series_of)}}).dump() + "\n";
}

}  // namespace overlap::report
