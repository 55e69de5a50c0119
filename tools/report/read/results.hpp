// Google Benchmark JSON, versions 1.0 to 1.9, read into rows. The only code that knows the JSON.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "names/row_id.hpp"
#include "read/bytes.hpp"
#include "read/json.hpp"

namespace overlap::report {

/// What a repetition says beside its time, as it was written.
struct Written {
  double time_us = 0;
  std::optional<double> cpu_time_us{};
  double iterations = 1, threads = 1;
  const char* unit = "us";  ///< of the times in the file
  double unit_us = 1;
  std::string label{};
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
  bool invalid = false;       ///< the failure is the file's, not the run's: a field that makes no sense
  bool skipped = false;       ///< the failure is that the program left the row out on purpose
  bool summary_only = false;  ///< the file has aggregates of the repetitions, not the repetitions
  /// Whether counters by names of ours (names/counters.hpp) mean what they mean to us.
  bool ours = true;
  /// The repetition in the middle, by time; none where only some counters were kept.
  std::shared_ptr<const Written> written{};

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
  /// A counter that is there and finite. By a name of ours only where it is ours: somebody else's "batch" or
  /// "cv" says nothing that the report could use.
  std::optional<double> counter(std::string_view name) const;
  /// The same whoever's it is: for --metric, exports, and columns of families that the report does not know.
  std::optional<double> any_counter(std::string_view name) const;
  /// Changes or adds a counter; takes it away if there is no value.
  void set_counter(std::string_view name, std::optional<double> value);
  double time_us() const;  ///< median over the repetitions; the row may not have failed
  /// How many threads ran it at once: its name's "/threads:4".
  std::size_t threads() const;
};

/// One file: one run of the program.
struct Run {
  std::string path;
  std::string file{};  ///< which file it is, by whatever name; empty: none that could be there twice
  /// As text, whatever it is in the file; objects and arrays in it (such as "caches") are left out.
  std::map<std::string, std::string> context;
  Json written_context = Json::object();  ///< all of it, as it was written; empty for runs of a store
  std::vector<Row> rows;                  ///< in the order they were registered; equal names have ordinals
  std::vector<std::string> warnings;      ///< what was read otherwise than it was written
  /// Not empty: the file ends too soon, and where. Its complete rows are here, others are missing.
  std::string cut_off{};

  /// The context's value; empty if there is none.
  std::string about(std::string_view key) const;
};

/// Reads what Google Benchmark writes, its faults included (see json_text.hpp). A row with a field that is
/// missing or wrong is a failed row that says so; nothing is read as 0, and no row is left out without a
/// warning. Of a file that was cut off, its complete rows.
/// @throws InputError if the file is missing, empty, or something else than Google Benchmark's JSON; what()
/// has the file, the offset, the reason, and what to do.
/// @param path      kStandard is standard input.
/// @param counters  the only ones to keep; empty: all.
Run read_run(const std::string& path, const std::vector<std::string>& counters = {});

/// The same from text, `path` being what messages call it.
Run parse_run(const std::string& text, const std::string& path,
              const std::vector<std::string>& counters = {});

/// Whether a context was written by a program of this harness, or its companion in PyTorch: then counters by
/// our names are ours in every row. Rows of other programs say so themselves (counter::kOurs).
bool is_our_context(const std::map<std::string, std::string>& context);

/// Whether rows of several threads (Row::threads()) of two runs mean the same by their time. Versions before
/// 1.9.0 of the library divided it by the number of threads: such rows of unlike versions are not to be
/// compared, nor those of a version that cannot be told.
bool same_thread_time(const Run& a, const Run& b);

/// A word for what the time of rows of several threads is in this run: equal where same_thread_time() says
/// so.
std::string thread_time_word(const Run& run);

/// The middle value, or the mean of the middle two. There must be a value.
double median(std::vector<double> values);

/// Gives rows of equal names ordinals, in their order, until every row has a name of its own.
/// @return how many got one.
std::size_t tell_apart(std::vector<Row>& rows);

}  // namespace overlap::report
