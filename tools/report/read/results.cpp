// Each object of "benchmarks" is a repetition or a summary of a row. Objects of one name and instance are
// gathered; repetitions count, summaries only where there are none. A row's time is the median of its samples
// where it says so (p50_us), since one late sample moves a mean. Versions before 1.8 say error_occurred,
// later ones skipped as well.
#include "read/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "names/counters.hpp"
#include "read/fields.hpp"
#include "read/json_text.hpp"

namespace overlap::report {
namespace {

/// Fields of a row that are not counters.
const std::unordered_set<std::string_view>& standard_fields() {
  static const std::unordered_set<std::string_view> fields = {"name",
                                                              "family_index",
                                                              "per_family_instance_index",
                                                              "run_name",
                                                              "run_type",
                                                              "repetitions",
                                                              "threads",
                                                              "repetition_index",
                                                              "iterations",
                                                              "real_time",
                                                              "cpu_time",
                                                              "time_unit",
                                                              "aggregate_name",
                                                              "aggregate_unit",
                                                              "error_occurred",
                                                              "error_message",
                                                              "skipped",
                                                              "skip_message",
                                                              "label",
                                                              "big_o",
                                                              "cpu_coefficient",
                                                              "real_coefficient",
                                                              "rms"};
  return fields;
}

/// @throws InputError that names the file.
[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw InputError(path + ": " + reason);
}

using Counters = std::vector<std::pair<std::string, double>>;

/// The unit of time and its microseconds; nothing for another word.
std::optional<std::pair<const char*, double>> unit_of(const std::string& word) {
  for (const auto& unit :
       {std::pair("ns", 1e-3), std::pair("us", 1.0), std::pair("ms", 1e3), std::pair("s", 1e6)})
    if (word == unit.first) return unit;
  return std::nullopt;
}

/// Why a row has no time, if it says so itself: errors before 1.8, errors and skips since.
std::string failure_of(const Fields& fields) {
  if (fields.flag("error_occurred")) {
    const std::string message = fields.text("error_message");
    return message.empty() ? "failed without a message" : message;
  }
  if (fields.flag("skipped")) return "skipped: " + fields.text("skip_message");
  return "";
}

/// The time of a row in microseconds, or what is wrong with it.
std::pair<double, std::string> time_of(const Fields& fields, const Counters& counters) {
  const Value* time = fields.find("real_time");
  if (!time) return {0, "real_time is missing"};
  if (time->kind == Value::Kind::null) return {0, "real_time is not finite"};
  if (time->kind != Value::Kind::number) return {0, "real_time is not a number"};
  const auto unit = unit_of(fields.text("time_unit"));
  if (!unit) return {0, fmt::format("time_unit is '{}', not ns, us, ms or s", fields.text("time_unit"))};
  // The median of the samples, where the row has it: one late sample moves the mean, and not this.
  // Zero is a time: rows that take next to nothing have it. Whoever divides by a time looks first.
  const auto p50 = std::ranges::find(counters, counter::kP50Us, &Counters::value_type::first);
  const double time_us = p50 != counters.end() ? p50->second : time->number * unit->second;
  if (!(time_us >= 0)) return {0, fmt::format("a time of {} us", time_us)};
  return {time_us, ""};
}

/// What the JSON rows of one name hold: repetitions, or the library's summaries of them.
struct Gathered {
  Row row;
  std::pair<double, double>
      order;  ///< of registration: a run that shuffles its repetitions writes rows as they end
  std::vector<Counters> repetitions;  ///< their counters
  /// What else the repetitions say, if it is kept; of a file without them the last summary.
  std::vector<Written> written;
  std::optional<std::pair<double, Counters>> median, mean;
};

/// Takes in one object: a failure, a repetition, or a summary. Of failures the first is kept, but one that
/// was skipped has not failed if another has. Of summaries only the median and the mean are a time;
/// deviations and their like are left out. A summary whose own time makes no sense does not fail its row.
/// @return whether the row was one of fitted complexity, which has no time.
bool gather(Gathered& into, Fields&& fields, bool keep_written) {
  const auto fail = [&](std::string failure, bool invalid, bool skipped = false) {
    if (!into.row.failure.empty() && (skipped || !into.row.skipped)) return;
    into.row.failure = std::move(failure);
    into.row.invalid = invalid;
    into.row.skipped = skipped;
  };
  if (std::string failure = failure_of(fields); !failure.empty())
    return fail(std::move(failure), false, !fields.flag("error_occurred")), false;
  if (fields.find("big_o") || fields.find("rms")) return true;
  const bool aggregate = fields.text("run_type") == "aggregate";
  const std::string aggregate_name = fields.text("aggregate_name");
  if (aggregate && aggregate_name != "median" && aggregate_name != "mean") return false;
  constexpr std::string_view kBoundBy = kBoundByLabel;
  if (const std::string label = fields.text("label"); label.starts_with(kBoundBy))
    into.row.bound_by = label.substr(kBoundBy.size());
  Counters counters;
  counters.reserve(fields.values.size());
  for (auto& [key, value] : fields.values)
    if (value.kind == Value::Kind::number && !standard_fields().contains(key))
      counters.emplace_back(std::move(key), value.number);
  auto [time_us, wrong] = time_of(fields, counters);
  if (!wrong.empty()) {
    if (!aggregate) fail(fmt::format("offset {}: {}", fields.offset, wrong), true);
    return false;
  }
  if (into.repetitions.empty()) into.written.clear();
  if (keep_written && (!aggregate || into.repetitions.empty())) {
    const auto [unit, unit_us] = *unit_of(fields.text("time_unit"));
    const auto cpu_time = fields.number("cpu_time");
    into.written.push_back({time_us, cpu_time ? std::optional(*cpu_time * unit_us) : std::nullopt,
                            fields.number("iterations").value_or(1), fields.number("threads").value_or(1),
                            unit, unit_us});
  }
  if (aggregate) {
    (aggregate_name == "median" ? into.median : into.mean).emplace(time_us, std::move(counters));
    return false;
  }
  into.row.times_us.push_back(time_us);
  into.repetitions.push_back(std::move(counters));
  return false;
}

/// The row that its objects make. One failed repetition fails the row, whatever the others took. Times stay
/// apart by repetition; a counter is the median over the repetitions that have it. Without repetitions the
/// library's median stands in, and without that its mean.
Row finish(Gathered gathered) {
  Row& row = gathered.row;
  if (row.failed()) {
    row.times_us.clear();
    return std::move(row);
  }
  auto& summary = gathered.median ? gathered.median : gathered.mean;
  if (row.times_us.empty() && summary) {
    row.summary_only = true;
    row.times_us = {summary->first};
    row.counters = std::move(summary->second);
  } else if (gathered.repetitions.size() == 1) {
    row.counters = std::move(gathered.repetitions[0]);
  } else {
    std::map<std::string, std::vector<double>> values;
    for (const auto& counters : gathered.repetitions)
      for (const auto& [key, value] : counters) values[key].push_back(value);
    for (auto& [key, all] : values) row.counters.emplace_back(key, report::median(std::move(all)));
  }
  if (std::vector<Written>& all = gathered.written; !all.empty()) {
    for (std::size_t i = 0; all.size() > 1 && i < all.size(); ++i)
      all[i].counters = std::move(gathered.repetitions[i]);
    const auto middle = all.begin() + (std::ssize(all) - 1) / 2;
    std::ranges::nth_element(all, middle, {}, &Written::time_us);
    row.written = std::make_shared<Written>(std::move(*middle));
  }
  if (row.times_us.empty()) row.failure = "no time in the file";
  row.invalid = row.failed();
  return std::move(row);
}

/// Collects rows by name. Equal names of different instances are different rows.
class Rows {
 public:
  Rows(const std::string& path, Run& run, std::size_t expected, bool keep_written)
      : path_(path), run_(run), keep_written_(keep_written) {
    rows_.reserve(expected);
    index_.reserve(expected);
  }

  /// Finds the row that an object belongs to, or begins it. All repetitions and summaries of a row have one
  /// `run_name`; `name` has the summary's behind it. Indices tell rows of one name apart; a file without them
  /// has one row a name.
  /// @throws InputError if the object has no name.
  void add(Fields&& fields) {
    if (fields.text("name").empty())
      refuse(path_, fmt::format("offset {}: benchmarks[{}] has no name", fields.offset, count_));
    ++count_;
    std::string written = fields.text("run_name");
    if (written.empty()) written = fields.text("name");
    RowId id = parse_row_id(written);
    const std::pair<double, double> order = {fields.number("family_index").value_or(0),
                                             fields.number("per_family_instance_index").value_or(0)};
    auto& instances = index_[written];
    auto found = std::ranges::find_if(instances, [&](std::size_t at) { return rows_[at].order == order; });
    if (found == instances.end()) {
      instances.push_back(rows_.size());
      found = instances.end() - 1;
      rows_.emplace_back();
      rows_.back().order = order;
      if (instances.size() > 1 && first_same_.empty()) first_same_ = written;
      rows_.back().row.id = std::move(id);
    }
    if (gather(rows_[*found], std::move(fields), keep_written_)) ++fitted_;
  }

  /// Makes the rows, in the order of registration, and says what was left out or told apart. Sorting is
  /// stable: rows of files without indices stay as they stand.
  void finish_all() {
    // A row of fitted complexity alone is no row.
    if (fitted_ > 0)
      std::erase_if(rows_, [](const Gathered& g) {
        return g.row.times_us.empty() && !g.row.failed() && !g.median && !g.mean;
      });
    if (!std::ranges::is_sorted(rows_, {}, &Gathered::order))
      std::ranges::stable_sort(rows_, {}, &Gathered::order);
    run_.rows.reserve(rows_.size());
    std::size_t summaries = 0;
    for (Gathered& gathered : rows_) {
      run_.rows.push_back(finish(std::move(gathered)));
      if (run_.rows.back().summary_only) ++summaries;
    }
    const std::size_t same_names = tell_apart(run_.rows);
    const auto warn = [&](std::size_t count, const std::string& what) {
      if (count > 0) run_.warnings.push_back(fmt::format("{} {}", count, what));
    };
    warn(same_names, "rows have the name of another" +
                         (first_same_.empty() ? "" : ", such as '" + first_same_ + "'") +
                         ": told apart by #2, #3 ...");
    warn(fitted_, "rows of fitted complexity (BigO, RMS) left out: they are no measurements");
    warn(summaries,
         "rows are summaries of repetitions that the file does not have: no test can be made with them");
  }
  /// Objects seen, of every kind.
  std::size_t count() const { return count_; }

 private:
  const std::string& path_;
  Run& run_;
  bool keep_written_;
  std::vector<Gathered> rows_;
  /// By name, the places in rows_ of its instances.
  std::unordered_map<std::string, std::vector<std::size_t>> index_;
  std::size_t count_ = 0, fitted_ = 0;
  std::string first_same_;
};

}  // namespace

std::size_t tell_apart(std::vector<Row>& rows) {
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, std::size_t> last;  // ordinals given, by the name that they were given to
  std::size_t told = 0;
  for (Row& row : rows) {
    std::string name = row.name();
    if (taken.insert(name).second) continue;
    ++told;
    std::size_t& ordinal = last.try_emplace(std::move(name), row.id.ordinal).first->second;
    do row.id.ordinal = ++ordinal;
    while (!taken.insert(row.name()).second);
  }
  return told;
}

double Row::number(std::string_view axis_name) const {
  const std::string& text = axis(axis_name);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<double> Row::counter(std::string_view counter_name) const {
  const auto found = std::ranges::find(counters, counter_name, &std::pair<std::string, double>::first);
  if (found == counters.end() || !std::isfinite(found->second)) return std::nullopt;
  return found->second;
}

void Row::set_counter(std::string_view counter_name, std::optional<double> value) {
  std::erase_if(counters, [&](const auto& counter) { return !value && counter.first == counter_name; });
  if (!value) return;
  const auto found = std::ranges::find(counters, counter_name, &std::pair<std::string, double>::first);
  if (found == counters.end())
    counters.emplace_back(counter_name, *value);
  else
    found->second = *value;
}

// Of one repetition it is that repetition's own median (time_of), so a median of medians.
double Row::time_us() const { return median(times_us); }

std::string Run::about(std::string_view key) const {
  const auto found = context.find(std::string(key));
  return found == context.end() ? "" : found->second;
}

Run parse_run(const std::string& text, const std::string& path, const std::vector<std::string>& counters) {
  Run run;
  run.path = path;
  CleanText clean;
  try {
    clean = clean_json(text);
  } catch (const TextError& e) {
    refuse(path, fmt::format("offset {}: {}", e.offset, e.what()));
  }
  run.warnings = clean.warnings;
  Rows rows(path, run, clean.row_offsets.size(), counters.empty());
  // p50_us stays whatever was asked for: it is the row's time. So do the fields that say what a row is.
  const auto keep = [&counters](std::string_view key) {
    return counters.empty() || standard_fields().contains(key) || key == counter::kP50Us ||
           std::ranges::find(counters, key) != counters.end();
  };
  const ParsedFile file =
      parse_fields(clean, path, keep, [&rows](Fields&& fields) { rows.add(std::move(fields)); });
  if (!file.has_benchmarks)
    refuse(path, "offset 0: is JSON, but not Google Benchmark's: it has no \"benchmarks\" array");
  if (!file.has_context)
    refuse(path, "offset 0: has no \"context\" object: is it a list of names instead of a run?");
  run.context = file.context;
  run.written_context = file.written_context;
  if (const std::string version = run.about("json_schema_version"); !version.empty() && version != "1")
    refuse(path, "json_schema_version is " + version + ", only 1 is known");
  if (file.duplicates > 0)
    run.warnings.push_back(fmt::format("{} fields are there twice, such as '{}': the first counts",
                                       file.duplicates, file.first_duplicate));
  if (rows.count() == 0) refuse(path, "has no rows: its filter matched nothing");
  rows.finish_all();
  if (run.rows.empty()) refuse(path, "has no measured rows, only fitted complexity (BigO, RMS)");
  return run;
}

Run read_run(const std::string& path, const std::vector<std::string>& counters) {
  if (std::filesystem::is_directory(path)) refuse(path, "is a folder");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) refuse(path, std::string("cannot be opened: ") + std::strerror(errno));
  std::string text;
  constexpr std::size_t kPiece = 1 << 20;
  for (std::size_t size = 0, read = 1; read > 0; size += read) {
    text.resize(size + kPiece);
    read = std::fread(text.data() + size, 1, kPiece, file.get());
    text.resize(size + read);
  }
  if (std::ferror(file.get())) refuse(path, std::string("cannot be read: ") + std::strerror(errno));
  return parse_run(text, path, counters);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace overlap::report
