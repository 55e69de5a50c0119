// What each command does, in order: read the files, judge, write in the format that was asked for, and say by
// the exit code what it came to. Whatever is computed or laid out lies in judge/ and show/.
#include "commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>

#include "families/families.hpp"
#include "files.hpp"
#include "judge/advise.hpp"
#include "judge/format.hpp"
#include "judge/normal.hpp"
#include "judge/tolerances.hpp"
#include "judge/view.hpp"
#include "names/context_keys.hpp"
#include "names/counters.hpp"
#include "read/instant.hpp"
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

/// Says how many rows failed; those that were skipped on purpose have not. @return the exit code for it.
int failed_rows(const std::vector<Run>& runs) {
  std::size_t failed = 0;
  for (const Run& run : runs)
    failed += static_cast<std::size_t>(
        std::ranges::count_if(run.rows, [](const Row& row) { return row.failed() && !row.skipped; }));
  if (failed > 0) complain(counted(static_cast<double>(failed), "row") + " failed");
  return failed > 0 ? kBad : kFine;
}

/// Says so if the runs are not of one machine, build and revision.
/// @param result  what would be made of all of them, and the remedy.
/// @param allowed  keys of the context in which they may differ.
bool are_one(const std::vector<Run>& runs, const std::string& result,
             const std::vector<std::string>& allowed = {}) {
  const std::string why = why_apart(runs, allowed);
  if (!why.empty()) complain(why + ": " + result);
  return why.empty();
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

/// Reads "COUNTER" or "COUNTER:higher". Which way is better of a counter that does not say is asked for
/// later.
/// @throws UsageError for another direction.
void read_metric(CompareArguments& arguments) {
  const auto colon = arguments.metric.find(':');
  arguments.options.metric = arguments.metric.substr(0, colon);
  const std::string direction = colon == std::string::npos ? "" : arguments.metric.substr(colon + 1);
  if (!direction.empty() && direction != "lower" && direction != "higher")
    throw UsageError("--metric " + arguments.metric +
                     ": after the colon, write lower or higher, whichever is better");
  arguments.options.lower_is_better =
      direction.empty() ? lower_is_better(arguments.options.metric).value_or(true) : direction == "lower";
}

/// Takes out runs that are there twice, and says so.
std::vector<Run> without_copies(std::vector<Run> runs) {
  for (const std::string& sentence : drop_copies(runs)) complain("warning: " + sentence);
  return runs;
}

/// Says in what runs differ that may not. @return whether there was anything.
bool refuse_incomparable(const std::vector<ContextDifference>& differences) {
  bool any = false;
  for (const ContextDifference& difference : differences) {
    if (!difference.blocks) continue;
    any = true;
    complain(
        fmt::format("{} differs ({}): these runs cannot be compared; compare --allow-context-diff={} does it "
                    "all the same",
                    difference.key, fmt::join(difference.values, " / "), difference.key));
  }
  return any;
}

/// @throws UsageError for a metric that no row has, with those that there are, and for one that neither says
/// by its name nor was said to be better lower or higher.
void require_metric(const CompareArguments& arguments, const std::vector<Run>& baseline,
                    const std::vector<Run>& fresh) {
  const std::string& metric = arguments.options.metric;
  if (metric == "time") return;
  const auto has_it = [&](const Run& run) {
    return std::ranges::any_of(run.rows, [&](const Row& row) { return row.any_counter(metric).has_value(); });
  };
  if (std::ranges::any_of(baseline, has_it) || std::ranges::any_of(fresh, has_it)) {
    if (metric == arguments.metric && !lower_is_better(metric))
      throw UsageError(fmt::format("--metric {}: say what is better, as in --metric {}:lower or {}:higher",
                                   metric, metric, metric));
    return;
  }
  std::set<std::string> known = {"time"};
  const auto file = std::ranges::find_if(fresh, [](const Run& run) { return !run.file.empty(); });
  if (file != fresh.end())  // other counters were not kept; what is no file cannot be read again
    for (const Row& row : read_run(file->path).rows)
      for (const auto& [name, value] : row.counters) known.insert(name);
  throw UsageError(fmt::format("--metric {}: no row has it; there are {}", metric, fmt::join(known, ", ")));
}

/// @throws UsageError for a key that neither we nor any run knows.
void require_known_keys(const std::vector<std::string>& keys, const std::vector<Run>& baseline,
                        const std::vector<Run>& fresh) {
  std::set<std::string> known;
  for (const ContextKey& key : all_context_keys()) known.insert(key.name);
  for (const auto* side : {&baseline, &fresh})
    for (const Run& run : *side) {
      for (const auto& [key, value] : run.context) known.insert(key);
      for (const auto& [key, value] : run.written_context.members()) known.insert(key);
    }
  for (const std::string& key : keys)
    if (!known.contains(key))
      throw UsageError(
          fmt::format("--allow-context-diff {}: no such key; there are {}", key, fmt::join(known, ", ")));
}

/// The exit code of a comparison, and why.
Outcome outcome_of(const Judgement& judgement, const CompareArguments& arguments) {
  std::vector<std::string> bad;
  for (const Verdict verdict : {Verdict::regressed, Verdict::failed, Verdict::removed, Verdict::invalid})
    if (const std::size_t count = judgement.count(verdict); count > 0)
      bad.push_back(fmt::format("{} {}", count, word_of(verdict)));
  const std::size_t open = judgement.count(Verdict::inconclusive);
  Outcome outcome{kFine, "no row regressed, failed, was removed or is invalid"};
  if (!bad.empty())
    outcome = {kBad, fmt::format("{}", fmt::join(bad, ", "))};
  else if (open > 0 && arguments.fail_on_inconclusive)
    outcome = {kInconclusive, fmt::format("{} {}", open, word_of(Verdict::inconclusive))};
  if (arguments.advisory && outcome.code != kFine)
    outcome = {kFine, "advisory, else " + std::to_string(outcome.code) + ": " + outcome.reason};
  return outcome;
}

/// A store with its rows as read_runs() has them, so that both sides of a comparison have the same names.
Store open_store(const std::string& path) {
  Store store = read_store(path);
  for (Run& run : store.runs) normalise(run, known_families());
  for (const std::string& warning : store.warnings) complain("warning: " + path + ": " + warning);
  return store;
}

/// The runs of the store that --commit or --last name, of the machine of the new runs if it has any.
/// @throws UsageError for a metric that a store does not keep, and for a commit that it does not have.
std::vector<Run> stored_baseline(const CompareArguments& arguments, const Run& fresh) {
  if (arguments.options.metric != "time")
    throw UsageError("--baseline-store keeps times: --metric needs files");
  const Store store = open_store(arguments.store);
  if (store.runs.empty()) throw InputError(arguments.store + ": has no runs");
  if (arguments.commit.empty() == (arguments.last == 0))
    throw UsageError("--baseline-store needs either --commit or --last");
  std::vector<Run> runs = arguments.last > 0 ? last_runs(store, arguments.last, &fresh)
                                             : runs_of_commit(store, arguments.commit, &fresh);
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
  std::vector<Run> runs = merged(without_copies(read_runs(options.files, CutOff::accepted)));
  for (Run& run : runs) add_guests(run, known_families());
  std::vector<View> views = make_views(runs, parse_baseline(options.baseline, runs), known_families());
  write_output(options.format == "json" ? table_json(views, runs)
               : options.format == "csv"
                   ? table_csv(views, runs, metrics_of(with_strangers(known_families(), runs)))
                   : shown(tables(std::move(views), runs, options.format == "html"), options.format),
               options.output);
  return failed_rows(runs);
}

int advise_on(const Options& options) {
  keep_apart(options.files, options.output);
  const std::vector<Run> runs = merged(without_copies(read_runs(options.files, CutOff::accepted)));
  std::vector<Advice> all;
  for (const Run& run : runs) all.push_back(advise(run, known_families()));
  write_output(options.format == "json" ? advice_json(all, runs) : shown(advice(all, runs), options.format),
               options.output);
  return failed_rows(runs);
}

int export_runs(const Options& options) {
  keep_apart(options.files, options.output);
  // Trackers of commits take a line a run; all else holds one run, or the medians of several.
  const bool by_commit = options.format == "otava",
             as_written = options.format.empty() || options.format == "gbench";
  const std::vector<Run> runs = without_copies(read_runs(options.files, CutOff::accepted, {}, as_written));
  if (!are_one(runs, "an export holds runs of one machine and build: export each by itself",
               by_commit ? std::vector<std::string>{context::kRevision} : std::vector<std::string>{}))
    return kIncomparable;
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
    if (!arguments.commit.empty() || arguments.last > 0)
      throw UsageError("compare: --commit and --last choose from a store: give --baseline-store");
    std::vector<std::string> files = arguments.baseline;
    files.insert(files.end(), arguments.fresh.begin(), arguments.fresh.end());
    baseline = read_runs(files, cut_off(options), counters);  // side by side, both sides of them
    const auto first_fresh = baseline.begin() + static_cast<std::ptrdiff_t>(arguments.baseline.size());
    fresh.assign(std::make_move_iterator(first_fresh), std::make_move_iterator(baseline.end()));
    baseline.erase(first_fresh, baseline.end());
  } else {
    fresh = read_runs(arguments.fresh, cut_off(options), counters);
    baseline = stored_baseline(arguments, fresh.front());
  }
  for (std::vector<Run>* side : {&baseline, &fresh}) {
    *side = without_copies(std::move(*side));
    const bool is_stored = side == &baseline && !arguments.store.empty();  // where commits differ as a rule
    const std::string why = is_stored ? "" : why_apart(*side, arguments.options.allowed_differences);
    if (!why.empty()) complain("warning: on one side, " + why + ": that counts as noise of its rows");
  }
  require_metric(arguments, baseline, fresh);
  require_known_keys(arguments.options.allowed_differences, baseline, fresh);
  Judgement judgement = judge(baseline, fresh, arguments.options);
  std::ranges::move(on_both_sides(baseline, fresh), std::back_inserter(judgement.warnings));
  baseline.clear(), fresh.clear();  // their room is for what is written
  for (const std::string& warning : judgement.warnings) complain("warning: " + warning);
  if (refuse_incomparable(judgement.context)) return kIncomparable;
  if (!arguments.tolerances.empty() && judgement.tolerances_fitted == 0)
    throw UsageError("--tolerances " + arguments.tolerances +
                     ": none of its tolerances fits a row of these runs");
  const Outcome outcome = outcome_of(judgement, arguments);
  write_output(options.format == "json"    ? compare_json(judgement, arguments.options, outcome)
               : options.format == "junit" ? compare_junit(judgement, arguments.options, outcome)
               : options.format == "csv"   ? to_csv(comparison_records(judgement, arguments.options))
                                           : shown(comparison(judgement, arguments.options), options.format),
               options.output);
  return outcome.code;
}

int noise(const CompareArguments& arguments, const Options& options) {
  keep_apart(options.files, options.output);
  const std::vector<Run> runs = without_copies(read_runs(options.files, cut_off(options)));
  if (!are_one(runs, "tolerances are of runs of one program on one machine",
               arguments.options.allowed_differences))
    return kIncomparable;
  if (runs.size() < 3) throw UsageError("noise: give at least three runs of the same program");
  const MeasuredTolerances measured = tolerances_from(runs, arguments.options.tolerance);
  for (const std::string& warning : measured.warnings) complain("warning: " + warning);
  write_output(tolerances_json(measured.tolerances), options.output);
  return kFine;
}

int history_add(const HistoryArguments& arguments, const Options& options) {
  if (!arguments.date.empty() && !instant_of(arguments.date))
    throw UsageError("--date " + arguments.date +
                     " is no date: write it as 2027-01-31 or 2027-01-31T12:30:00+01:00");
  if (arguments.store == kStandard) throw UsageError("history add: a store is a file, not -");
  keep_apart(options.files, arguments.store, "the store");
  std::vector<Run> runs = without_copies(read_runs(options.files, cut_off(options)));
  for (Run& run : runs) {
    if (!arguments.commit.empty()) run.context[context::kRevision] = arguments.commit;
    if (!arguments.date.empty()) run.context[context::kDate] = arguments.date;
    if (!instant_of(run.about(context::kDate)))
      complain("warning: " + run.path +
               ": has no date that can be read, and will stand behind the run before it in the store: --date "
               "says when it was");
  }
  for (const std::string& sentence : append_to_store(arguments.store, runs)) complain("warning: " + sentence);
  return failed_rows(runs);
}

int history_show(HistoryArguments& arguments, const Options& options) {
  keep_apart({arguments.store, arguments.acknowledged}, options.output);
  const Store store = open_store(arguments.store);
  if (!arguments.acknowledged.empty())
    arguments.options.acknowledged = read_acknowledgements(arguments.acknowledged);
  const std::vector<Series> all = analyse(store, arguments.options);
  write_output(options.format == "json" ? history_json(all) : shown(history(all), options.format),
               options.output);
  return !arguments.advisory && std::ranges::any_of(all, is_bad) ? kBad : kFine;
}

}  // namespace overlap::report
