// What each command does, in order: read the files, judge, write in the format that was asked for, and say by
// the exit code what it came to. Whatever is computed or laid out lies in judge/ and show/.
#include "commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "families/families.hpp"
#include "files.hpp"
#include "judge/advise.hpp"
#include "judge/normal.hpp"
#include "judge/tolerances.hpp"
#include "judge/view.hpp"
#include "names/counters.hpp"
#include "read/merge.hpp"
#include "read/results.hpp"
#include "show/escape.hpp"
#include "show/export.hpp"
#include "show/findings.hpp"
#include "show/json.hpp"
#include "show/render.hpp"

namespace overlap::report {
namespace {

/// What becomes of files that end too soon where rows are judged or kept.
CutOff cut_off(const Options& options) { return options.salvage ? CutOff::accepted : CutOff::refused; }

/// Says how many rows failed. @return the exit code for it.
int failed_rows(const std::vector<Run>& runs) {
  std::size_t failed = 0;
  for (const Run& run : runs)
    failed += static_cast<std::size_t>(std::ranges::count_if(run.rows, &Row::failed));
  if (failed > 0) complain(fmt::format("{} rows failed", failed));
  return failed > 0 ? kBad : kFine;
}

/// The axes of `table --baseline`. Late axes at their default are found too, though names leave them out.
/// @throws UsageError for a word without "=", and if no row of any run has all of them.
Axes parse_baseline(const std::vector<std::string>& words, const std::vector<Run>& runs) {
  Axes baseline;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError("--baseline " + word + ": write AXIS=VALUE, such as order=sequential");
    baseline.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  if (baseline.empty()) return baseline;
  const bool any = std::ranges::any_of(runs, [&](const Run& run) {
    return std::ranges::any_of(run.rows, [&](const Row& row) { return has_all(row, baseline); });
  });
  if (!any)
    throw UsageError("--baseline: no row has " + words.front() + (words.size() > 1 ? " and the others" : ""));
  return baseline;
}

/// The document in one of the formats that every document has.
std::string shown(const Document& document, const std::string& format) {
  if (format == "md") return to_markdown(document);
  if (format == "html") return to_html(document);
  if (format == "csv") return to_csv(document);
  return to_text(document);
}

/// Reads "COUNTER" or "COUNTER:higher".
/// @throws UsageError for another direction, and for a counter whose name does not say what is better.
void read_metric(CompareArguments& arguments) {
  const auto colon = arguments.metric.find(':');
  arguments.options.metric = arguments.metric.substr(0, colon);
  const std::string direction = colon == std::string::npos ? "" : arguments.metric.substr(colon + 1);
  if (!direction.empty() && direction != "lower" && direction != "higher")
    throw UsageError("--metric " + arguments.metric +
                     ": after the colon, write lower or higher, whichever is better");
  const auto known = lower_is_better(arguments.options.metric);
  if (direction.empty() && !known)
    throw UsageError("--metric " + arguments.metric +
                     ": say whether lower or higher is better, as in --metric " + arguments.metric +
                     ":higher");
  arguments.options.lower_is_better = direction.empty() ? *known : direction == "lower";
}

/// A store with its rows as read_runs() has them, so that both sides of a comparison have the same names.
Store open_store(const std::string& path) {
  Store store = read_store(path);
  for (Run& run : store.runs) normalise(run, known_families());
  for (const std::string& warning : store.warnings) complain("warning: " + path + ": " + warning);
  return store;
}

/// The runs of the store that --commit or --last name.
/// @throws UsageError for a metric that a store does not keep, and for a commit that it does not have.
std::vector<Run> stored_baseline(const CompareArguments& arguments) {
  if (arguments.options.metric != "time")
    throw UsageError("--baseline-store keeps times: --metric needs files");
  const Store store = open_store(arguments.store);
  if (store.runs.empty()) throw InputError(arguments.store + ": has no runs");
  if (arguments.commit.empty() == (arguments.last == 0))
    throw UsageError("--baseline-store needs either --commit or --last");
  std::vector<Run> runs =
      arguments.last > 0 ? last_runs(store, arguments.last) : runs_of_commit(store, arguments.commit);
  if (runs.empty()) {
    std::string known;
    for (const Run& run : store.runs)
      if (known.find(run.about("revision")) == std::string::npos)
        known += (known.empty() ? "" : ", ") + run.about("revision");
    throw UsageError("--commit " + arguments.commit + ": the store has only " + known);
  }
  return runs;
}

}  // namespace

void complain(const std::string& text) {
  std::fputs(("overlap-report: " + printable(text, true) + "\n").c_str(), stderr);
}

// CSV is the one format that is not of the document: programs want a row per row, and the same columns.
int table(const Options& options) {
  keep_apart(options.files, options.output);
  std::vector<Run> runs = merged(read_runs(options.files, CutOff::accepted));
  for (Run& run : runs) add_guests(run, known_families());
  const std::vector<View> views = make_views(runs, parse_baseline(options.baseline, runs), known_families());
  write_output(options.format == "json" ? table_json(views, runs)
        : options.format == "csv"
            ? to_csv(table_records(views, runs, metrics_of(with_strangers(known_families(), runs))))
            : shown(tables(views, runs), options.format),
        options.output);
  return failed_rows(runs);
}

int advise_on(const Options& options) {
  keep_apart(options.files, options.output);
  const std::vector<Run> runs = merged(read_runs(options.files, CutOff::accepted));
  std::vector<Advice> all;
  std::string json;
  for (const Run& run : runs) {
    all.push_back(advise(run, known_families()));
    if (options.format == "json") json += advice_json(all.back(), run);
  }
  write_output(options.format == "json" ? json : shown(advice(all, runs), options.format), options.output);
  return failed_rows(runs);
}

int export_runs(const Options& options) {
  keep_apart(options.files, options.output);
  const std::vector<Run> runs = read_runs(options.files, CutOff::accepted);
  write_output(options.format == "github-action" ? export_github_action(runs)
        : options.format == "bencher"     ? export_bencher(runs)
        : options.format == "otava"       ? export_otava(runs)
                                          : export_gbench(runs),
        options.output);
  return failed_rows(runs);
}

int compare(CompareArguments& arguments, const Options& options) {
  std::vector<std::string> inputs = arguments.baseline;
  inputs.insert(inputs.end(), arguments.fresh.begin(), arguments.fresh.end());
  inputs.insert(inputs.end(), {arguments.store, arguments.tolerances});
  keep_apart(inputs, options.output);
  read_metric(arguments);
  if (!arguments.tolerances.empty()) arguments.options.tolerances = read_tolerances(arguments.tolerances);
  // Only what the comparison reads is kept. A bound is made of several counters (normalise()).
  std::vector<std::string> counters = {arguments.options.metric, counter::kBatch};
  const std::vector<std::string>& bounds = bound_counters();
  if (std::ranges::find(bounds, arguments.options.metric) != bounds.end())
    counters.insert(counters.end(), bounds.begin(), bounds.end());
  std::vector<Run> baseline, fresh;
  if (arguments.store.empty()) {
    if (arguments.baseline.empty())
      throw UsageError("compare: give --baseline FILES, or --baseline-store with --commit or --last");
    std::vector<std::string> files = arguments.baseline;
    files.insert(files.end(), arguments.fresh.begin(), arguments.fresh.end());
    baseline = read_runs(files, cut_off(options), counters);  // side by side, both sides of them
    const auto first_fresh = baseline.begin() + static_cast<std::ptrdiff_t>(arguments.baseline.size());
    fresh.assign(std::make_move_iterator(first_fresh), std::make_move_iterator(baseline.end()));
    baseline.erase(first_fresh, baseline.end());
  } else {
    baseline = stored_baseline(arguments);
    fresh = read_runs(arguments.fresh, cut_off(options), counters);
    warn_of_thread_times(baseline, fresh);
  }
  const Judgement judgement = judge(baseline, fresh, arguments.options);
  for (const std::string& warning : judgement.warnings) complain("warning: " + warning);
  if (!judgement.comparable()) {
    for (const ContextDifference& difference : judgement.context)
      if (difference.blocks)
        complain(fmt::format(
            "{} differs ({}): these runs cannot be compared; --allow-context-diff={} to do it all the same",
            difference.key, fmt::join(difference.values, " / "), difference.key));
    return kIncomparable;
  }
  write_output(options.format == "json"    ? compare_json(judgement, arguments.options)
        : options.format == "junit" ? compare_junit(judgement)
        : options.format == "csv"   ? to_csv(comparison_records(judgement))
                                    : shown(comparison(judgement, arguments.options), options.format),
        options.output);
  if (arguments.advisory) return kFine;
  if (judgement.bad()) return kBad;
  return arguments.fail_on_inconclusive && judgement.count(Verdict::inconclusive) > 0 ? kInconclusive : kFine;
}

int noise(const CompareArguments& arguments, const Options& options) {
  if (options.files.size() < 3) throw UsageError("noise: give at least three runs of the same program");
  keep_apart(options.files, options.output);
  write_output(tolerances_json(tolerances_from(read_runs(options.files, cut_off(options)), arguments.options.tolerance)),
        options.output);
  return kFine;
}

int history_add(const HistoryArguments& arguments, const Options& options) {
  if (arguments.store == kStandard) throw UsageError("history add: a store is a file, not -");
  keep_apart(options.files, arguments.store, "the store");
  const std::vector<Run> runs = read_runs(options.files, cut_off(options));
  append_to_store(arguments.store, runs);
  return failed_rows(runs);
}

int history_show(HistoryArguments& arguments, const Options& options) {
  keep_apart({arguments.store, arguments.acknowledged}, options.output);
  const Store store = open_store(arguments.store);
  if (!arguments.acknowledged.empty())
    arguments.options.acknowledged = read_acknowledgements(arguments.acknowledged);
  const std::vector<Series> all = analyse(store, arguments.options);
  write_output(options.format == "json" ? history_json(all) : shown(history(all), options.format), options.output);
  return !arguments.advisory && std::ranges::any_of(all, is_bad) ? kBad : kFine;
}

}  // namespace overlap::report
