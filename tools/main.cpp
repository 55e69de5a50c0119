// overlap-report: arguments, files, exit codes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <future>

#include "advise.hpp"
#include "export.hpp"
#include "results.hpp"
#include "table.hpp"
#include "tolerances.hpp"
#include "verdict_format.hpp"
#include "view.hpp"

namespace overlap::report {
namespace {

/// kBad: a row regressed, failed, was removed or makes no sense.
enum ExitCode { kFine = 0, kBad = 1, kUsage = 2, kUnreadable = 3, kInconclusive = 4, kIncomparable = 5 };

/// Wrong words on the command line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Never throws, unlike fmt::print: standard error may be closed or full.
void complain(const std::string& text) { std::fputs(("overlap-report: " + text + "\n").c_str(), stderr); }

/// What commands have in common.
struct Options {
  std::vector<std::string> files;
  std::vector<std::string> baseline;
  std::string format = "text";
  std::string output;
};

std::vector<Run> read_runs(const std::vector<std::string>& files,
                           const std::vector<std::string>& counters = {}) {
  // Side by side: most of a comparison's time is reading.
  std::vector<std::future<Run>> reading;
  for (const std::string& file : files)
    reading.push_back(std::async(std::launch::async, read_run, file, counters));
  std::vector<Run> runs;
  for (auto& each : reading) {
    runs.push_back(each.get());
    for (const std::string& warning : runs.back().warnings)
      complain("warning: " + runs.back().path + ": " + warning);
  }
  return runs;
}

/// Says how many rows failed. @return the exit code for it.
int failed_rows(const std::vector<Run>& runs) {
  std::size_t failed = 0;
  for (const Run& run : runs)
    failed += static_cast<std::size_t>(std::ranges::count_if(run.rows, &Row::failed));
  if (failed > 0) complain(fmt::format("{} rows failed", failed));
  return failed > 0 ? kBad : kFine;
}

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
    return std::ranges::any_of(run.rows, [&](const Row& row) {
      return std::ranges::all_of(baseline,
                                 [&](const auto& axis) { return row.axis(axis.first) == axis.second; });
    });
  });
  if (!any)
    throw UsageError("--baseline: no row has " + words.front() + (words.size() > 1 ? " and the others" : ""));
  return baseline;
}

void write(const std::string& text, const std::string& path) {
  if (path.empty()) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw UsageError("standard output takes no more");
    return;
  }
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw UsageError("-o " + path + ": cannot write there");
}

int table(const Options& options) {
  const std::vector<Run> runs = read_runs(options.files);
  const std::vector<View> views = make_views(runs, parse_baseline(options.baseline, runs));
  const auto format = options.format == "md"     ? to_markdown
                      : options.format == "csv"  ? to_csv
                      : options.format == "json" ? to_json
                                                 : to_text;
  write(format(views, runs), options.output);
  return failed_rows(runs);
}

int advise_on(const Options& options) {
  const std::vector<Run> runs = read_runs(options.files);
  std::string text;
  for (const Run& run : runs) {
    const Advice advice = advise(run);
    if (!text.empty()) text += options.format == "json" ? "" : "\n";
    text += options.format == "json" ? advice_json(advice, run) : advice_text(advice, run);
  }
  write(text, options.output);
  return failed_rows(runs);
}

/// What only `compare` and `noise` take.
struct CompareArguments {
  std::vector<std::string> baseline, fresh;
  std::string metric = "time";
  std::string tolerances;
  bool fail_on_inconclusive = false;
  bool advisory = false;
  CompareOptions options;
};

/// Reads "COUNTER" or "COUNTER:higher".
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

int compare(CompareArguments& arguments, const Options& options) {
  read_metric(arguments);
  if (!arguments.tolerances.empty()) arguments.options.tolerances = read_tolerances(arguments.tolerances);
  std::vector<std::string> files = arguments.baseline;
  files.insert(files.end(), arguments.fresh.begin(), arguments.fresh.end());
  std::vector<Run> baseline = read_runs(files, {arguments.options.metric, "batch"});
  const auto first_fresh = baseline.begin() + static_cast<std::ptrdiff_t>(arguments.baseline.size());
  const std::vector<Run> fresh(std::make_move_iterator(first_fresh), std::make_move_iterator(baseline.end()));
  baseline.erase(first_fresh, baseline.end());
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
  write(options.format == "md"      ? judgement_markdown(judgement, arguments.options)
        : options.format == "csv"   ? judgement_csv(judgement)
        : options.format == "json"  ? judgement_json(judgement, arguments.options)
        : options.format == "junit" ? judgement_junit(judgement)
                                    : judgement_text(judgement, arguments.options),
        options.output);
  if (arguments.advisory) return kFine;
  if (judgement.bad()) return kBad;
  return arguments.fail_on_inconclusive && judgement.count(Verdict::inconclusive) > 0 ? kInconclusive : kFine;
}

int export_runs(const Options& options) {
  const std::vector<Run> runs = read_runs(options.files);
  write(options.format == "github-action" ? export_github_action(runs)
        : options.format == "bencher"     ? export_bencher(runs)
        : options.format == "otava"       ? export_otava(runs)
                                          : export_gbench(runs),
        options.output);
  return failed_rows(runs);
}

int noise(const CompareArguments& arguments, const Options& options) {
  if (options.files.size() < 3) throw UsageError("noise: give at least three runs of the same program");
  write(tolerances_json(tolerances_from(read_runs(options.files), arguments.options.tolerance)),
        options.output);
  return kFine;
}

/// Adds what every command takes beside its files.
void add_output(CLI::App& command, Options& options, const std::vector<std::string>& formats) {
  command
      .add_option("--format", options.format,
                  fmt::format("{} (default {})", fmt::join(formats, ", "), formats.front()))
      ->check(CLI::IsMember(formats));
  command.add_option("-o,--output", options.output, "Write to this file instead of standard output");
}

void add_common(CLI::App& command, Options& options, const std::vector<std::string>& formats) {
  command.add_option("files", options.files, "JSON files, each one run")->required();
  add_output(command, options, formats);
}

CLI::App* add_compare(CLI::App& app, CompareArguments& arguments, Options& options) {
  CLI::App* command = app.add_subcommand(
      "compare",
      "A verdict per row, and an exit code for CI. Each file is one run of the program; give several a side, "
      "five or more, made\n"
      "in turn (tools/compare.sh does): one run says nothing of the next. A row is REGRESSED or IMPROVED if "
      "the whole 95 %\n"
      "interval of its ratio lies beyond the tolerance and, over all rows tested, at most 5 % of such calls "
      "are false; SAME\n"
      "if the interval lies within; else INCONCLUSIVE, with the number of runs that would settle it.");
  command->add_option("--baseline", arguments.baseline, "JSON files of the old program")->required();
  command->add_option("--new", arguments.fresh, "JSON files of the new program")->required();
  command->add_option("--metric", arguments.metric,
                      "time (default), or a counter; COUNTER:lower or COUNTER:higher where its name does not "
                      "say what is better");
  command
      ->add_option("--tolerance", arguments.options.tolerance,
                   "Relative change that nobody minds (default 0.02)")
      ->check(CLI::Range(0.0, 10.0));
  command->add_option("--tolerances", arguments.tolerances,
                      "File of tolerances by pattern, by hand or from `noise`");
  command->add_option("--alpha", arguments.options.alpha, "False discovery rate (default 0.05)")
      ->check(CLI::Range(0.0, 1.0));
  command
      ->add_option("--allow-context-diff", arguments.options.allowed_differences,
                   "Context key that may differ, such as driver; repeatable")
      ->allow_extra_args(false);
  command->add_flag("--fail-on-inconclusive", arguments.fail_on_inconclusive,
                    "Exit 4 if a row is inconclusive");
  command->add_flag("--advisory", arguments.advisory, "Exit 0 whatever the verdicts");
  add_output(*command, options, {"text", "md", "csv", "json", "junit"});
  command->footer(
      "\nExamples:\n"
      "  overlap-report compare --baseline main-*.json --new branch-*.json\n"
      "  overlap-report compare --baseline a*.json --new b*.json --metric bytes_per_second --format md -o "
      "comment.md");
  return command;
}

int run(int argc, char** argv) {
  CLI::App app("Turns the JSON of overlap-bench into speedup tables, advice and verdicts.", "overlap-report");
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 fine, 1 a row failed, regressed or was removed, 2 usage, 3 unreadable input, 4 "
      "inconclusive rows (if asked),\n"
      "5 runs that cannot be compared.");
  Options options;
  CLI::App* table_command = app.add_subcommand("table",
                                               "Speedup tables, one per family and size. Several files stand "
                                               "side by side; every speedup is within one file.\n"
                                               "Columns: time is the median; \u00B1 the standard deviation "
                                               "over the mean; of bound compares with the least time\n"
                                               "that the stages allow; hidden is the share of what overlap "
                                               "could hide; of copy compares with a device-to-device\n"
                                               "copy of as many bytes; over CPU with one CPU thread; CPU "
                                               "free is the share of the time in which the submitting\n"
                                               "thread is free; submit_us is the CPU time to enqueue one "
                                               "operation; bound by is the part that is busy longest.");
  add_common(*table_command, options, {"text", "md", "csv", "json"});
  table_command
      ->add_option("--baseline", options.baseline,
                   "AXIS=VALUE that speedups are over, repeatable (default: per family, in the title)")
      ->allow_extra_args(false);
  table_command->footer(
      "\nExamples:\n"
      "  overlap-report table run.json\n"
      "  overlap-report table h200.json l40s.json --format md -o table.md\n"
      "  overlap-report table run.json --baseline submit=graph");
  CLI::App* advise_command = app.add_subcommand(
      "advise",
      "What to do, from the numbers of a run: the best configuration of all that was swept and how far it is "
      "from its\n"
      "limit, from which n on graphs stop paying and after how many replays they are paid back, whether "
      "double\n"
      "buffering pays, where overlap was lost and why, and which rules of thumb hold on this machine.");
  add_common(*advise_command, options, {"text", "json"});
  advise_command->footer("\nExample:\n  overlap-report advise run.json");
  CompareArguments arguments;
  CLI::App* compare_command = add_compare(app, arguments, options);
  CLI::App* noise_command =
      app.add_subcommand("noise",
                         "Tolerances for `compare --tolerances`, from runs of the same program on the same "
                         "machine: how far each row moves by\n"
                         "itself (three standard deviations of a difference of two runs).");
  add_common(*noise_command, options, {"json"});
  noise_command->add_option("--least", arguments.options.tolerance, "Smallest tolerance (default 0.02)")
      ->check(CLI::Range(0.0, 10.0));
  CLI::App* export_command =
      app.add_subcommand("export",
                         "Runs for other trackers, medians over the files, failed rows left out (and the "
                         "exit code 1): gbench, Google Benchmark\n"
                         "JSON with one plain row a name; github-action, a customSmallerIsBetter list; "
                         "bencher, Bencher Metric Format; otava,\n"
                         "CSV for Apache Otava, a line a run.");
  add_common(*export_command, options, {"gbench", "github-action", "bencher", "otava"});
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help
  } catch (const CLI::ParseError& e) {
    throw UsageError(std::string(e.what()) + "; see overlap-report --help");
  }
  if (compare_command->parsed()) return compare(arguments, options);
  if (export_command->parsed()) return export_runs(options);
  if (noise_command->parsed()) return noise(arguments, options);
  return advise_command->parsed() ? advise_on(options) : table(options);
}

}  // namespace
}  // namespace overlap::report

int main(int argc, char** argv) {
  using namespace overlap::report;
  try {
    return run(argc, argv);
  } catch (const UsageError& e) {
    complain(e.what());
    return kUsage;
  } catch (const InputError& e) {
    complain(e.what());
    return kUnreadable;
  } catch (const std::exception& e) {
    complain(e.what());
    return kUnreadable;
  }
}
