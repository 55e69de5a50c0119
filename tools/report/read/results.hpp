// Google Benchmark JSON, versions 1.7 to 1.9, read into rows. The only code that knows the JSON.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "names/row_id.hpp"
#include "read/json.hpp"

namespace overlap::report {

/// A file that cannot be read as results; what() holds the file, the place in it, and the reason.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a repetition says beside its time, as it was written.
struct Written {
  double time_us = 0;
  std::optional<double> cpu_time_us{};
  double iterations = 1, threads = 1;
  const char* unit = "us";  ///< of the times in the file
  double unit_us = 1;
  /// Empty if the row has but this repetition: then they are the row's.
  std::vector<std::pair<std::string, double>> counters{};
};

/// One row of a run, its repetitions taken together.
struct Row {
  RowId id;
  Axes defaults{};  ///< what its family's late axes are where the name leaves them out (judge/normal.hpp)
  /// One of a file with summaries only.
  std::vector<double> times_us;  ///< per repetition: the median of its samples, else its mean
  std::vector<std::pair<std::string, double>> counters;  ///< by name; medians over the repetitions
  std::string bound_by;       ///< the part of the machine that the row says bounds it
  std::string failure;        ///< not empty: why the row has no time
  bool skipped = false;       ///< left out on purpose: `failure` says why, and nothing is wrong
  bool invalid = false;       ///< the failure is the file's, not the run's: a field that makes no sense
  bool summary_only = false;  ///< the file has aggregates of the repetitions, not the repetitions

  /// The repetition in the middle, by time; none where only some counters were kept.
  std::shared_ptr<const Written> written{};

  /// Has no time, be it that something went wrong or that it was skipped.
  bool failed() const { return !failure.empty(); }
  const std::string& family() const { return id.family; }
  /// By which the row is known everywhere. Made each time.
  std::string name() const { return id.key(); }
  /// The axis's value, a late axis's default included; empty if the row has no such axis.
  const std::string& axis(std::string_view name) const {
    const std::string& named = id.axis(name);
    return named.empty() ? value_of(defaults, name) : named;
  }
  /// The axis's value as a number; 0 if it is none.
  /// Takes the digits at its beginning, so "2^20" would be 2: names hold plain numbers.
  double number(std::string_view axis) const;
  /// A counter that is there and finite.
  std::optional<double> counter(std::string_view name) const;
  /// Changes or adds a counter; takes it away if there is no value.
  void set_counter(std::string_view name, std::optional<double> value);
  double time_us() const;  ///< median over the repetitions; the row may not have failed
};

/// One file: one run of the program.
struct Run {
  std::string path;
  /// As text, whatever it is in the file; objects and arrays in it (such as "caches") are left out.
  std::map<std::string, std::string> context;
  Json written_context = Json::object();  ///< all of it, as it was written
  std::vector<Row> rows;                  ///< in the order they were registered; equal names have ordinals
  std::vector<std::string> warnings;      ///< what was read otherwise than it was written

  /// The context's value; empty if there is none.
  std::string about(std::string_view key) const;
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

/// The middle value, or the mean of the middle two. There must be a value.
double median(std::vector<double> values);

/// Gives rows of equal names ordinals, in their order, until every row has a name of its own.
/// @return how many got one.
std::size_t tell_apart(std::vector<Row>& rows);

}  // namespace overlap::report
