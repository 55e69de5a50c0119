// overlap-report: the command line. Each command has a help text, its options, and one function of
// commands.cpp that is called when the words have been read; what that returns is the exit code.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>
#include <stdexcept>

#include "commands.hpp"
#include "judge/share.hpp"
#include "read/results.hpp"

namespace overlap::report {
namespace {

/// A share that becomes a plain number (read_share()), of at most `most`.
CLI::Validator share(double most) {
  const auto read = [most](std::string& text) -> std::string {
    try {
      const double value = read_share(text);
      if (value > most) return fmt::format("{} is above {} %", text, most * 100);
      text = fmt::format("{}", value);
      return "";
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
  };
  CLI::Validator validator;
  validator.description("5% or 0.05").operation(read);
  return validator;
}

/// A word that says something: neither empty, as a variable of CI that is not set, nor of several lines.
CLI::Validator word() {
  const auto check = [](std::string& text) -> std::string {
    if (text.empty()) return "is empty: leave the option out, or set the variable that it is from";
    return std::ranges::any_of(text, [](unsigned char c) { return c < ' '; }) ? "has control characters" : "";
  };
  CLI::Validator validator;
  validator.description("").operation(check);
  return validator;
}

/// A number of things, of which there is at least one: nine digits at most.
CLI::Validator count() {
  const auto check = [](std::string& text) -> std::string {
    const bool digits =
        !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == text.npos;
    return digits && text.find_first_not_of('0') != text.npos ? "" : text + " is no number of 1 or more";
  };
  CLI::Validator validator;
  validator.description("").operation(check);
  return validator;
}

constexpr double kMostTolerance = 10;  // as in files of tolerances

constexpr const char* kFooter =
    R"(Files are Google Benchmark's JSON, whoever's program wrote them. Text around the JSON is left out. Of a file that was
cut off, the complete rows are taken, with a warning; compare, noise and history add do so with --salvage.
In CSV and JSON, times are in microseconds and ratios are plain numbers.

Exit codes: 0 fine, 1 a row failed, regressed or was removed, 2 usage, 3 unreadable input,
4 inconclusive rows (if asked), 5 runs that cannot be compared.)";

constexpr const char* kTable =
    R"(Speedup tables, one per family and size. Several files stand side by side, and every speedup is
within one file; files of one machine, build and revision that share no row are joined.
Columns: time is the median; ± the standard deviation over the mean; of bound compares with the least time
that the stages allow; hidden is the share of what overlap could hide; of copy compares with a device-to-device
copy of as many bytes; over CPU with one CPU thread; CPU free is the share of the time in which the submitting
thread is free; submit_us is the CPU time to enqueue one operation; bound by is the part that is busy longest.)";
constexpr const char* kTableExamples = R"(
Examples:
  overlap-report table run.json
  overlap-report table h200.json l40s.json --format md -o table.md
  overlap-report table run.json --baseline submit=graph)";

constexpr const char* kAdvise =
    R"(What to do, from the numbers of a run: the best configuration of all that was swept and how far it is from its
limit, from which n on graphs stop paying and after how many replays they are paid back, whether double
buffering pays, where overlap was lost and why, and which rules of thumb hold on this machine. In JSON, several
files give a list.)";
constexpr const char* kAdviseExamples = R"(
Examples:
  overlap-report advise run.json
  overlap-report advise run.json --format html -o advice.html)";

constexpr const char* kCompare =
    R"(A verdict per row, and an exit code for CI. Runs differ, so compare several runs of each build, five or more,
alternating (tools/compare.sh does). Each file is one run of the program. A row is REGRESSED or IMPROVED if the
whole 95 % interval of its ratio lies beyond the tolerance and, over all rows tested, at most 5 % of such calls are
false; SAME if the interval lies within; else INCONCLUSIVE, with the number of runs that would settle it. A side of one
or two runs is never called. One run far from the others is an outlier, named and left out; two or more are another
level, and such a row gets no verdict.)";
constexpr const char* kCompareExamples = R"(
Examples:
  overlap-report compare --baseline main-*.json --new branch-*.json
  overlap-report compare --baseline a*.json --new b*.json --metric bytes_per_second --format md -o comment.md)";

constexpr const char* kNoise =
    R"(Tolerances for `compare --tolerances`, from runs of the same program on the same machine: how far each row
moves by itself (three standard deviations of a difference of two runs).)";

constexpr const char* kExport =
    R"(Runs for other trackers, medians over the files, failed rows left out (and the exit code 1): gbench, Google
Benchmark JSON with one plain row a name; github-action, a customSmallerIsBetter list; bencher, Bencher Metric
Format; otava, CSV for Apache Otava, a line a run.)";

constexpr const char* kHistory = "An append-only store of runs, and where its series changed.";
constexpr const char* kHistoryAdd =
    R"(Append runs to the store: a line each, in one write under a lock. Makes the store if there is none; a file that
is no store is refused. Runs may be added in any order: their dates order them.)";
constexpr const char* kHistoryAddExamples = R"~(
Examples:
  overlap-report history add store.jsonl run.json
  overlap-report history add store.jsonl old-*.json --commit "$sha" --date "$(git show -s --format=%cI "$sha")")~";
constexpr const char* kHistoryShow =
    R"(What happened to every row on every machine, by the dates of its runs: steps, each with the commit that it began
with; slow drift, as one finding from one commit to another; and outliers, single runs that no change is judged
by. A change that fewer than four runs show is "not settled", with the number of runs that will tell. Exit code
1 if a row got slower, at once or slowly, and stayed so, and nobody acknowledged it.)";
constexpr const char* kHistoryShowFooter = R"(
The file of --acknowledged:
  {"schema": "overlap-acknowledged-1", "changes": [
    {"commit": "4ec61c7", "pattern": "^pipeline/", "reason": "checks every row", "until": "2027-01-31"}]}
It covers a step that begins with the commit, and drift in which the commit lies, of rows that the pattern (a
POSIX extended regular expression) finds. Without a commit it covers all drift of these rows, and no step.)";

/// Adds what every command takes that writes something.
void add_output(CLI::App& command, Options& options, const std::vector<std::string>& formats) {
  const std::string help = fmt::format("{} (default {})", fmt::join(formats, ", "), formats.front());
  command.add_option("--format", options.format, help)->check(CLI::IsMember(formats));
  command
      .add_option("-o,--output", options.output,
                  "Write to this file instead of standard output; the file is replaced as a whole")
      ->check(word());
}

/// The same for what people read, which has every format; `more` are for programs.
void add_document(CLI::App& command, Options& options, const std::vector<std::string>& more) {
  std::vector<std::string> formats = {"text", "md", "csv", "html"};
  formats.insert(formats.end(), more.begin(), more.end());
  add_output(command, options, formats);
}

/// What commands read: at least one file.
void add_files(CLI::App& command, Options& options) {
  command.add_option("files", options.files, "JSON files, each one run; - is standard input")->required();
}

/// Keys of the context in which runs may differ.
void add_allowed(CLI::App& command, CompareOptions& options) {
  command
      .add_option("--allow-context-diff", options.allowed_differences,
                  "Context key that may differ, such as driver; repeatable")
      ->allow_extra_args(false);
}

/// For commands that judge or keep rows: a file that was cut off lacks some.
void add_salvage(CLI::App& command, Options& options) {
  command.add_flag("--salvage", options.salvage, "Take the complete rows of files that were cut off");
}

/// What `compare` takes beside its output. Of --baseline and --baseline-store one must be there, which
/// commands.cpp sees to.
void add_comparison(CLI::App& command, CompareArguments& arguments) {
  command.add_option("--baseline", arguments.baseline, "JSON files of the old program");
  command.add_option("--baseline-store", arguments.store, "Take the baseline from this store (see history)")
      ->excludes("--baseline")
      ->check(word());
  command.add_option("--commit", arguments.commit, "Of the store: the runs of this commit")->check(word());
  command.add_option("--last", arguments.last, "Of the store: the newest so many runs, by their dates")
      ->check(count());
  command.add_option("--new", arguments.fresh, "JSON files of the new program")->required();
  command
      .add_option("--metric", arguments.metric,
                  "time (default), or a counter; COUNTER:lower or COUNTER:higher where its name does not "
                  "say what is better")
      ->check(word());
  command
      .add_option("--tolerance", arguments.options.tolerance,
                  "Relative change that nobody minds (default 0.02)")
      ->transform(share(kMostTolerance));
  command
      .add_option("--tolerances", arguments.tolerances,
                  "File of tolerances by row or pattern, by hand or from `noise`")
      ->check(word());
  command.add_option("--alpha", arguments.options.alpha, "False discovery rate (default 0.05)")
      ->transform(share(1))
      ->check(CLI::Range(1e-12, 1.0));
  add_allowed(command, arguments.options);
  command.add_flag("--fail-on-inconclusive", arguments.fail_on_inconclusive,
                   "Exit 4 if a row is inconclusive");
  command.add_flag("--advisory", arguments.advisory, "Exit 0 whatever the verdicts");
}

/// What `history show` takes beside its output.
void add_history(CLI::App& command, HistoryArguments& arguments) {
  command.add_option("store", arguments.store, "The store; - is standard input")->required();
  command
      .add_option("--acknowledged", arguments.acknowledged,
                  "File of changes that are meant, each until a date")
      ->check(word());
  command
      .add_option("--least-change", arguments.options.least_change,
                  "Smallest change that matters (default 0.02)")
      ->transform(share(kMostTolerance));
  command.add_flag("--advisory", arguments.advisory, "Exit 0 whatever has changed");
}

/// Reads the words and runs the command that they name.
/// @return its exit code; 0 for --help.
/// @throws UsageError for words that make no command, and whatever the command throws.
int run(int argc, char** argv) {
  CLI::App app("Turns the JSON of overlap-bench into speedup tables, advice and verdicts.", "overlap-report");
  app.require_subcommand(1);
  app.footer(kFooter);
  Options options;
  CompareArguments comparing;
  HistoryArguments history;
  int code = kFine;

  CLI::App& table_command = *app.add_subcommand("table", kTable)->footer(kTableExamples);
  add_files(table_command, options);
  table_command
      .add_option("--baseline", options.baseline,
                  "AXIS=VALUE that speedups are over, repeatable (default: per family, in the title)")
      ->allow_extra_args(false);
  add_document(table_command, options, {"json"});
  table_command.callback([&] { code = table(options); });

  CLI::App& advise_command = *app.add_subcommand("advise", kAdvise)->footer(kAdviseExamples);
  add_files(advise_command, options);
  add_document(advise_command, options, {"json"});
  advise_command.callback([&] { code = advise_on(options); });

  CLI::App& compare_command = *app.add_subcommand("compare", kCompare)->footer(kCompareExamples);
  add_comparison(compare_command, comparing);
  add_salvage(compare_command, options);
  add_document(compare_command, options, {"json", "junit"});
  compare_command.callback([&] { code = compare(comparing, options); });

  CLI::App& noise_command = *app.add_subcommand("noise", kNoise);
  add_files(noise_command, options);
  add_salvage(noise_command, options);
  add_allowed(noise_command, comparing.options);
  noise_command.add_option("--least", comparing.options.tolerance, "Smallest tolerance (default 0.02)")
      ->transform(share(kMostTolerance));
  add_output(noise_command, options, {"json"});
  noise_command.callback([&] { code = noise(comparing, options); });

  CLI::App& export_command = *app.add_subcommand("export", kExport);
  add_files(export_command, options);
  add_output(export_command, options, {"gbench", "github-action", "bencher", "otava"});
  export_command.callback([&] { code = export_runs(options); });

  CLI::App& history_command = *app.add_subcommand("history", kHistory)->require_subcommand(1);
  CLI::App& add_command = *history_command.add_subcommand("add", kHistoryAdd)->footer(kHistoryAddExamples);
  add_command.add_option("store", history.store, "The store, a file of JSON lines")->required();
  add_files(add_command, options);
  add_salvage(add_command, options);
  add_command
      .add_option("--commit", history.commit, "The commit that the runs are of (default: as they say)")
      ->check(word());
  add_command.add_option("--date", history.date, "Its date, ISO 8601 (default: the runs' own dates)")
      ->check(word());
  add_command.callback([&] { code = history_add(history, options); });
  CLI::App& show_command = *history_command.add_subcommand("show", kHistoryShow)->footer(kHistoryShowFooter);
  add_history(show_command, history);
  add_document(show_command, options, {"json"});
  show_command.callback([&] { code = history_show(history, options); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help
  } catch (const CLI::ParseError& e) {
    throw UsageError(std::string(e.what()) + "; see overlap-report --help");
  }
  return code;
}

}  // namespace
}  // namespace overlap::report

/// Turns what is thrown into a line on standard error and an exit code.
int main(int argc, char** argv) {
  using namespace overlap::report;
  try {
    return run(argc, argv);
  } catch (const UsageError& e) {
    complain(e.what());
    return kUsage;
  } catch (const std::bad_alloc&) {
    complain("out of memory: give fewer or smaller files");
    return kUnreadable;
  } catch (const std::exception& e) {
    complain(e.what());
    return kUnreadable;
  }
}
