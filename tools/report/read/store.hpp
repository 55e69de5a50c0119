// An append-only store of runs: a text file of JSON lines, a run each.
#pragma once

#include <string>
#include <vector>

#include "read/results.hpp"

namespace overlap::report {

/// What a store's file holds. Each run's path is "FILE:LINE".
struct Store {
  std::vector<Run> runs;  ///< in the order they were added; context has "date" and "revision"
  std::vector<std::string> warnings;
};

/// Reads a store. Lines that cannot be read are left out and said.
/// @throws InputError if the file cannot be opened.
Store read_store(const std::string& path);

/// Appends runs, each as one line by one write under a lock: two writers do not disturb each other, and a
/// reader sees whole lines. A line that a crash cut off stays as it is, and stays out of the way. Makes the
/// file if there is none.
/// @throws InputError if it cannot be written.
void append_to_store(const std::string& path, const std::vector<Run>& runs);

/// The values of the context keys in which runs must agree for their times to be compared, in a line.
std::string context_class(const Run& run);

/// The runs of a commit, or the last `count` runs, of the newest run's context class.
/// The former in the order of the store, the latter newest first. Empty if there are none.
std::vector<Run> runs_of_commit(const Store& store, const std::string& commit);
std::vector<Run> last_runs(const Store& store, std::size_t count);

/// A change that is meant: rows whose name the pattern finds, from that commit on, until the date has passed.
/// `pattern` is a POSIX extended regular expression; `until` is a date, the last day included.
struct Acknowledgement {
  std::string commit, pattern, reason, until;
};

/// Reads {"schema": "overlap-acknowledged-1", "changes": [{"commit", "pattern", "reason", "until":
/// "2027-01-31"}]}.
/// @throws InputError, also for a pattern that is no regular expression and a date that is none.
std::vector<Acknowledgement> read_acknowledgements(const std::string& path);

}  // namespace overlap::report
