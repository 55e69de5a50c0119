// Two sets of runs against each other: a verdict per row that stands when the runs are made again. Pure.
//
// A file is one run of the program, and runs are what is counted: repetitions within a run share its memory,
// its clocks and its neighbours, and however many they are they do not say how far the next run will be off.
// Each run gives one value a row, its median. two_sides.hpp has the test of a row. A row is only called if
// the whole interval of its ratio lies beyond the tolerance and the false discovery rate over all rows that
// were tested stays below alpha. A side of fewer than three runs is never called.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "read/results.hpp"

namespace overlap::report {

/// invalid: a row that makes no sense in its file, lacks the metric in some runs, or has a value without a
/// ratio. not_measured: skipped on purpose, or failed on both sides: no news.
enum class Verdict { regressed, improved, same, inconclusive, added, removed, failed, invalid, not_measured };
std::string word_of(Verdict verdict);  ///< "REGRESSED"

/// How far a row may move before anybody wants to know.
struct Tolerance {
  std::string rows;  ///< a regular expression found in the rows' names, or one row's whole name
  /// 0.05: up to 5 % more, or as much less.
  double relative = 0;
  bool is_name = false;
};

/// What a comparison is asked to do; the defaults are those of the command line.
struct CompareOptions {
  std::string metric = "time";  ///< or a counter
  bool lower_is_better = true;
  double tolerance = 0.02;              ///< of rows that none of the next names
  std::vector<Tolerance> tolerances{};  ///< the last that matches counts
  /// The false discovery rate over all rows that are tested.
  double alpha = 0.05;
  std::vector<std::string> allowed_differences{};  ///< context keys that may differ
};

/// What one side knows of a row.
struct Side {
  std::vector<double> runs;  ///< the metric of each run that has the row
  double median = 0;         ///< of all of them
  double judged = 0;  ///< geometric mean of those that are judged: what is shown, and what ratios are of
  double spread = 0;  ///< standard deviation over mean of those; 0 of one run
  std::optional<std::size_t> outlier;  ///< index of the run that is not judged
};

/// A row and its verdict. Ratios are of the metric, so above 1 is worse only if lower is better.
struct Comparison {
  std::string name;
  Verdict verdict = Verdict::inconclusive;
  Side baseline, fresh;
  double ratio = 0;                 ///< new over baseline, of what is judged; 0: there is none
  std::optional<double> low, high;  ///< 95 % interval of the ratio
  std::optional<double> p, q;       ///< q is p corrected for all rows that were tested
  double tolerance = 0;
  std::size_t runs_to_settle = 0;  ///< of an inconclusive row: runs a side that would probably do
  std::string reason;              ///< why it has its verdict, where numbers do not say it
};

/// A context key in which runs differ.
struct ContextDifference {
  std::string key;
  std::vector<std::string> values;
  bool blocks = false;
};

/// What a comparison finds.
struct Judgement {
  std::vector<Comparison>
      rows;  ///< worst first: regressed, failed, removed, invalid, inconclusive, then the rest
  std::vector<ContextDifference> context;
  std::vector<std::string> warnings;
  std::size_t baseline_runs = 0, fresh_runs = 0;
  double geomean = 1;  ///< of the ratios of rows that both sides have
  std::size_t geomean_rows = 0;
  std::size_t tested_rows = 0;                     ///< had runs enough to be judged
  std::size_t tolerances_fitted = 0;               ///< of those given, how many fit a row
  double least_tolerance = 0, most_tolerance = 0;  ///< of all rows

  /// Whether no context key blocks. Verdicts are there either way.
  bool comparable() const;
  std::size_t count(Verdict verdict) const;
  bool bad() const;  ///< a regressed, failed, removed or invalid row
};

/// Keys with more than one value over all runs. A required key that a run does not have counts as another
/// value; one that is only noted does not.
/// @param allowed  keys whose difference is shown and stops nothing.
std::vector<ContextDifference> context_differences(const std::vector<const Run*>& runs,
                                                   const std::vector<std::string>& allowed);

/// Takes out runs that are there twice, under whatever names: the same run says nothing new.
/// @return a sentence for each.
std::vector<std::string> drop_copies(std::vector<Run>& runs);

/// A sentence for each run that is on both sides.
std::vector<std::string> on_both_sides(const std::vector<Run>& baseline, const std::vector<Run>& fresh);

/// Rows are matched by name. Either side may lack some.
/// @throws std::invalid_argument for a broken pattern.
Judgement judge(const std::vector<Run>& baseline, const std::vector<Run>& fresh,
                const CompareOptions& options);

}  // namespace overlap::report
