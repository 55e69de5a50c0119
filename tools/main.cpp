// overlap-report: arguments, files, exit codes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>

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

struct TableOptions {
  std::vector<std::string> files;
  std::vector<std::string> baseline;
  std::string format = "text";
  std::string output;
};

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

int table(const TableOptions& options) {
  std::vector<Run> runs;
  for (const std::string& file : options.files) runs.push_back(read_run(file));
  const std::vector<View> views = make_views(runs, parse_baseline(options.baseline, runs));
  const auto format = options.format == "md"     ? to_markdown
                      : options.format == "csv"  ? to_csv
                      : options.format == "json" ? to_json
                                                 : to_text;
  write(format(views, runs), options.output);
  std::size_t failed = 0;
  for (const Run& run : runs)
    failed += static_cast<std::size_t>(std::ranges::count_if(run.rows, &Row::failed));
  if (failed > 0) complain(fmt::format("{} rows failed", failed));
  return failed > 0 ? kRowFailed : kFine;
}

int run(int argc, char** argv) {
  CLI::App app("Turns the JSON of overlap-bench into speedup tables.", "overlap-report");
  app.require_subcommand(1);
  app.footer("Exit codes: 0 fine, 1 a row failed, 2 usage, 3 unreadable input.");
  TableOptions options;
  CLI::App* table_command = app.add_subcommand("table",
                                               "Speedup tables, one per family and size. Several files stand "
                                               "side by side; every speedup is within one file.\n"
                                               "Columns: time is the median; \u00B1 the standard deviation "
                                               "over the mean; of copy compares with a device-to-device\n"
                                               "copy of as many bytes; over CPU with one CPU thread; "
                                               "submit_us is the CPU time to enqueue one operation.");
  table_command->add_option("files", options.files, "JSON files, each one run")->required();
  table_command
      ->add_option("--baseline", options.baseline,
                   "AXIS=VALUE that speedups are over, repeatable (default: per family, in the title)")
      ->allow_extra_args(false);
  table_command->add_option("--format", options.format, "text (default), md, csv or json")
      ->check(CLI::IsMember({"text", "md", "csv", "json"}));
  table_command->add_option("-o,--output", options.output, "Write to this file instead of standard output");
  table_command->footer(
      "\nExamples:\n"
      "  overlap-report table run.json\n"
      "  overlap-report table h200.json l40s.json --format md -o table.md\n"
      "  overlap-report table run.json --baseline submit=graph");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help
  } catch (const CLI::ParseError& e) {
    throw UsageError(std::string(e.what()) + "; see overlap-report --help");
  }
  return table(options);
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
