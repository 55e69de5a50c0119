// Google Benchmark JSON, versions 1.7 to 1.9, read into rows. The only code that knows the JSON.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace overlap::report {

/// A file that cannot be read as results; what() holds the file, the place in it, and the reason.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One row of a run, its repetitions taken together.
struct Row {
  std::string name;    ///< without Google Benchmark's own suffixes
  std::string mode;    ///< those of them that make it another measurement: "/manual_time", "/threads:4"
  std::string family;  ///< up to the first axis
  std::vector<std::pair<std::string, std::string>> axes;
  std::vector<double> times_us;  ///< per repetition: the median of its samples, else its mean
  std::vector<std::pair<std::string, double>> counters;  ///< by name; medians over the repetitions
  std::string bound_by;       ///< the part of the machine that the row says bounds it
  std::string failure;        ///< not empty: why the row has no time
  bool invalid = false;       ///< the failure is the file's, not the run's: a field that makes no sense
  bool summary_only = false;  ///< the file has aggregates of the repetitions, not the repetitions

  bool failed() const { return !failure.empty(); }
  /// The axis's value; empty if the row has no such axis.
  std::string axis(const std::string& name) const;
  /// The axis's value as a number; 0 if it is none.
  double number(const std::string& axis) const;
  /// A counter that is there and finite.
  std::optional<double> counter(const std::string& name) const;
  double time_us() const;  ///< median over the repetitions; the row may not have failed
};

/// One file: one run of the program.
struct Run {
  std::string path;
  std::map<std::string, std::string> context;
  std::vector<Row> rows;  ///< in the order they were registered; equal names are told apart by " #2"
  std::vector<std::string> warnings;  ///< what was read otherwise than it was written

  /// The context's value; empty if there is none.
  std::string about(const std::string& key) const;
};

/// Reads what Google Benchmark writes, its faults included (see json_text.hpp). A row with a field that is
/// missing or wrong is a failed row that says so; nothing is read as 0, and no row is left out without a
/// warning.
/// @throws InputError if the file is missing, empty, truncated, or something else than Google Benchmark's
/// JSON; what() has the file, the offset and the reason.
/// @param counters  the only ones to keep; empty: all.
Run read_run(const std::string& path, const std::vector<std::string>& counters = {});

/// The same from text, `path` being what messages call it.
Run parse_run(const std::string& text, const std::string& path,
              const std::vector<std::string>& counters = {});

double median(std::vector<double> values);

}  // namespace overlap::report
