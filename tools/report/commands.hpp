// The commands of overlap-report: files in, text out, an exit code. What they compute lies elsewhere.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "judge/history.hpp"
#include "judge/verdict.hpp"

namespace overlap::report {

/// What the process returns; README.md has the list.
/// kBad: a row regressed, failed, was removed or makes no sense.
enum ExitCode { kFine = 0, kBad = 1, kUsage = 2, kUnreadable = 3, kInconclusive = 4, kIncomparable = 5 };

/// Wrong words on the command line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What commands have in common.
struct Options {
  std::vector<std::string> files;
  std::vector<std::string> baseline;  ///< of `table`: AXIS=VALUE
  std::string format;
  std::string output;
  bool salvage = false;  ///< take what there is of files that were cut off
};

/// What `compare` and `noise` take.
struct CompareArguments {
  /// Paths, a run each. `fresh` is what the command line calls --new.
  std::vector<std::string> baseline, fresh;
  std::string store, commit;  ///< baseline from a store instead
  /// How many of the store's newest runs; 0: not asked for. Either this or `commit`.
  std::size_t last = 0;
  std::string metric = "time";
  /// Path of the file; empty: none.
  std::string tolerances;
  bool fail_on_inconclusive = false;
  bool advisory = false;
  CompareOptions options;
};

/// What `history` takes.
struct HistoryArguments {
  std::string store, acknowledged;
  std::string commit, date;  ///< of `add`: what the runs are of, instead of what they say; empty: as they say
  bool advisory = false;
  HistoryOptions options;
};

/// One line to standard error. Never throws, unlike fmt::print: it may be closed or full.
void complain(const std::string& text);

// Each returns its exit code. @throws UsageError, InputError
// Output is written before the exit code is known: failed rows are shown and then counted.
int table(const Options& options);
int advise_on(const Options& options);
int export_runs(const Options& options);
int compare(CompareArguments& arguments, const Options& options);
int noise(const CompareArguments& arguments, const Options& options);
int history_add(const HistoryArguments& arguments, const Options& options);
int history_show(HistoryArguments& arguments, const Options& options);

}  // namespace overlap::report
