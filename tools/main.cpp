// overlap-report: arguments, files, exit codes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>

#include "advise.hpp"
#include "results.hpp"
#include "table.hpp"
#include "view.hpp"

namespace overlap::report {
namespace {

enum ExitCode { kFine = 0, kRowFailed = 1, kUsage = 2, kUnreadable = 3 };

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

std::vector<Run> read_runs(const Options& options) {
  std::vector<Run> runs;
  for (const std::string& file : options.files) runs.push_back(read_run(file));
  return runs;
}

/// Says how many rows failed. @return the exit code for it.
int failed_rows(const std::vector<Run>& runs) {
  std::size_t failed = 0;
  for (const Run& run : runs)
    failed += static_cast<std::size_t>(std::ranges::count_if(run.rows, &Row::failed));
  if (failed > 0) complain(fmt::format("{} rows failed", failed));
  return failed > 0 ? kRowFailed : kFine;
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
  const std::vector<Run> runs = read_runs(options);
  const std::vector<View> views = make_views(runs, parse_baseline(options.baseline, runs));
  const auto format = options.format == "md"     ? to_markdown
                      : options.format == "csv"  ? to_csv
                      : options.format == "json" ? to_json
                                                 : to_text;
  write(format(views, runs), options.output);
  return failed_rows(runs);
}

int advise_on(const Options& options) {
  const std::vector<Run> runs = read_runs(options);
  std::string text;
  for (const Run& run : runs) {
    const Advice advice = advise(run);
    if (!text.empty()) text += options.format == "json" ? "" : "\n";
    text += options.format == "json" ? advice_json(advice, run) : advice_text(advice, run);
  }
  write(text, options.output);
  return failed_rows(runs);
}

/// Adds the options that every command takes.
void add_common(CLI::App& command, Options& options, const std::vector<std::string>& formats) {
  command.add_option("files", options.files, "JSON files, each one run")->required();
  command
      .add_option("--format", options.format,
                  fmt::format("{} (default {})", fmt::join(formats, ", "), formats.front()))
      ->check(CLI::IsMember(formats));
  command.add_option("-o,--output", options.output, "Write to this file instead of standard output");
}

int run(int argc, char** argv) {
  CLI::App app("Turns the JSON of overlap-bench into speedup tables and advice.", "overlap-report");
  app.require_subcommand(1);
  app.footer("Exit codes: 0 fine, 1 a row failed, 2 usage, 3 unreadable input.");
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help
  } catch (const CLI::ParseError& e) {
    throw UsageError(std::string(e.what()) + "; see overlap-report --help");
  }
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
