// An append-only store of runs, and what its series say: where they changed, whether they drift.
//
// A store is a text file of JSON lines, a run each. Runs on another GPU, driver, backend or build are another
// series of the same row: a new card is no regression.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "read/results.hpp"

namespace overlap::report {

/// Reads a store. Lines that cannot be read are left out and said. @throws InputError if the file cannot be
/// opened.
struct Store {
  std::vector<Run> runs;  ///< in the order they were added; context has "date" and "revision"
  std::vector<std::string> warnings;
};
Store read_store(const std::string& path);

/// Appends runs, each as one line by one write under a lock: two writers do not disturb each other, and a
/// reader sees whole lines. A line that a crash cut off stays as it is, and stays out of the way. Makes the
/// file if there is none.
/// @throws InputError if it cannot be written.
void append_to_store(const std::string& path, const std::vector<Run>& runs);

/// What makes times comparable: the context keys that `compare` blocks on.
std::string context_class(const Run& run);

/// The runs of a commit, or the last `count` runs, of the newest run's context class.
std::vector<Run> runs_of_commit(const Store& store, const std::string& commit);
std::vector<Run> last_runs(const Store& store, std::size_t count);

/// A lasting change of a row, between two runs.
struct ChangePoint {
  std::string commit, date;            ///< of the first run after it
  double before_us = 0, after_us = 0;  ///< medians of the stretches beside it
  double p = 0;
  bool recovered = false;    ///< a later stretch is as it was before
  std::string acknowledged;  ///< not empty: somebody knows, and why
};

struct Series {
  std::string name, context;
  std::vector<double> times_us;
  std::vector<std::string> commits, dates;
  std::vector<ChangePoint> changes;
  std::optional<double> drift;  ///< relative change over the last stretch, if it moves steadily
};

/// A change that is meant: rows whose name the pattern finds, from that commit on, until the date has passed.
struct Acknowledgement {
  std::string commit, pattern, reason, until;
};
/// Reads {"schema": "overlap-acknowledged-1", "changes": [{"commit", "pattern", "reason", "until":
/// "2027-01-31"}]}.
/// @throws InputError
std::vector<Acknowledgement> read_acknowledgements(const std::string& path);

struct HistoryOptions {
  double least_change = 0.02;  ///< smaller ones are nobody's business
  double p = 0.001;
  std::vector<Acknowledgement> acknowledged{};
};

/// Change points by splitting a stretch where Welch's t on logarithms is largest, as long as it is
/// significant; drift by the slope of the last stretch. Deterministic.
std::vector<Series> analyse(const Store& store, const HistoryOptions& options);

/// Whether something got slower, stayed so, and nobody has acknowledged it.
bool is_bad(const Series& series);

}  // namespace overlap::report
