// overlap-report: the command line. What each command does is in commands.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "read/results.hpp"

namespace overlap::report {
namespace {

/// The formats that every document has, and those for programs.
std::vector<std::string> shown_as(const std::vector<std::string>& for_programs) {
  std::vector<std::string> formats = {"text", "md", "csv", "html"};
  formats.insert(formats.end(), for_programs.begin(), for_programs.end());
  return formats;
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
  command->add_option("--baseline", arguments.baseline, "JSON files of the old program");
  command->add_option("--baseline-store", arguments.store, "Take the baseline from this store (see history)");
  command->add_option("--commit", arguments.commit, "Of the store: the runs of this commit");
  command->add_option("--last", arguments.last, "Of the store: the last so many runs");
  command->add_option("--new", arguments.fresh, "JSON files of the new program")->required();
  command->add_option("--metric", arguments.metric,
                      "time (default), or a counter; COUNTER:lower or COUNTER:higher where its name does not "
                      "say what is better");
  command
      ->add_option("--tolerance", arguments.options.tolerance,
                   "Relative change that nobody minds (default 0.02)")
      ->check(CLI::Range(0.0, 10.0));
  command->add_option("--tolerances", arguments.tolerances,
                      "File of tolerances by row or pattern, by hand or from `noise`");
  command->add_option("--alpha", arguments.options.alpha, "False discovery rate (default 0.05)")
      ->check(CLI::Range(0.0, 1.0));
  command
      ->add_option("--allow-context-diff", arguments.options.allowed_differences,
                   "Context key that may differ, such as driver; repeatable")
      ->allow_extra_args(false);
  command->add_flag("--fail-on-inconclusive", arguments.fail_on_inconclusive,
                    "Exit 4 if a row is inconclusive");
  command->add_flag("--advisory", arguments.advisory, "Exit 0 whatever the verdicts");
  add_output(*command, options, shown_as({"json", "junit"}));
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
  add_common(*table_command, options, shown_as({"json"}));
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
  add_common(*advise_command, options, shown_as({"json"}));
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
  HistoryArguments history;
  CLI::App* history_command =
      app.add_subcommand("history", "An append-only store of runs, and where its series changed.");
  history_command->require_subcommand(1);
  CLI::App* add_command = history_command->add_subcommand(
      "add",
      "Append runs to the store: a line each, in one write under a lock. Makes the store if there is none.");
  add_command->add_option("store", history.store, "The store, a file of JSON lines")->required();
  add_command->add_option("files", options.files, "JSON files, each one run")->required();
  CLI::App* show_command =
      history_command->add_subcommand("show",
                                      "Change points and slow drift of every row, each with the commit that "
                                      "it began with. Exit code 1 if a row got slower\n"
                                      "and stayed so, and nobody acknowledged it.");
  show_command->add_option("store", history.store, "The store")->required();
  show_command->add_option("--acknowledged", history.acknowledged,
                           "File of changes that are meant, each until a date");
  show_command
      ->add_option("--least-change", history.options.least_change,
                   "Smallest change that matters (default 0.02)")
      ->check(CLI::Range(0.0, 10.0));
  show_command->add_flag("--advisory", history.advisory, "Exit 0 whatever has changed");
  add_output(*show_command, options, shown_as({"json"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help
  } catch (const CLI::ParseError& e) {
    throw UsageError(std::string(e.what()) + "; see overlap-report --help");
  }
  if (add_command->parsed()) return history_add(history, options);
  if (show_command->parsed()) return history_show(history, options);
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
