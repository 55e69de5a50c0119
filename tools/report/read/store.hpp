// An append-only store of runs: a text file of JSON lines, a run each.
#pragma once

#include <string>
#include <vector>

#include "read/results.hpp"

namespace overlap::report {

/// What a store's file holds. Each run's path is "FILE:LINE".
struct Store {
  std::vector<Run> runs;  ///< in the order they were added, whatever their dates
  std::vector<std::string> warnings;
};

/// Reads a store. Lines that cannot be read are left out and said, and so are runs that it has already.
/// @throws InputError if the file cannot be opened, and if it is something else, which what() names.
Store read_store(const std::string& path);

/// Appends runs, each as one line by one write under a lock: two writers do not disturb each other, and a
/// reader sees whole lines. A line that a crash cut off stays as it is, and stays out of the way. Makes the
/// file if there is none. What does not fit on the disk is taken away again. A run that the store has
/// already, or that was given twice, is added once: same context, date included, same rows and times.
/// @return a sentence for each that was left out, with the line that has it.
/// @throws InputError if it cannot be written, and if the file is there and no store, which stays as it is.
std::vector<std::string> append_to_store(const std::string& path, const std::vector<Run>& runs);

/// The values of the context keys in which runs must agree for their times to be compared, in a line.
std::string context_class(const Run& run);

/// In what the context class of a run differs from another run's, with what the run has: "driver 1,
/// build_type debug". Empty if it does not.
std::string context_unlike(const Run& run, const Run& other);

/// The machine that each run was made on, in a few words: the GPU by its UUID, or where a run has none, host
/// and CPUs (context_class() has the GPU's name). A run without a UUID belongs to the one UUID that other
/// runs have on such a host, with such a GPU and as many CPUs; if they have several, nobody knows which, and
/// it stands apart. Empty where a run says nothing.
std::vector<std::string> machines_in(const std::vector<Run>& runs);

/// The places of the runs, oldest first, by the "date" of their context (read/instant.hpp); runs of one
/// instant in the order of the store. A run without a date comes right after the run before it in the store.
std::vector<std::size_t> by_date(const std::vector<Run>& runs);

/// The runs of a commit, oldest first, or the newest `count` runs, newest first: of the machine and context
/// class of `like`, or where the store has none of these or `like` is null, of the newest run.
std::vector<Run> runs_of_commit(const Store& store, const std::string& commit, const Run* like = nullptr);
std::vector<Run> last_runs(const Store& store, std::size_t count, const Run* like = nullptr);

/// A change that is meant, of rows whose name the pattern finds, until the date has passed: a step that
/// begins with the commit, and drift in which the commit lies. Without a commit it is all drift of these
/// rows. `pattern` is a POSIX extended regular expression; `until` is a date, the last day included.
struct Acknowledgement {
  std::string commit, pattern, reason, until;
};

/// Reads {"schema": "overlap-acknowledged-1", "changes": [{"commit", "pattern", "reason", "until":
/// "2027-01-31"}]}; "commit" may be left out.
/// @throws InputError, also for a pattern that is no regular expression and a date that is none.
std::vector<Acknowledgement> read_acknowledgements(const std::string& path);

}  // namespace overlap::report
