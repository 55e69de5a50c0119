// What a run is asked, and how a file becomes one: text (json_text), objects (fields), rows (gather).
#include "read/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "names/context_keys.hpp"
#include "names/counters.hpp"
#include "read/fields.hpp"
#include "read/gather.hpp"
#include "read/json.hpp"

namespace overlap::report {
namespace {

/// @throws InputError that names the file.
[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw InputError(path + ": " + reason);
}

/// Reads a run from bytes, `path` being what messages call it.
Run parse(Bytes& bytes, const std::string& path, const std::vector<std::string>& counters) {
  Run run;
  run.path = path;
  Gather gather(path);
  // What says what a row is and whose stays, whatever was asked for; so does p50_us, the row's time.
  const auto keep = [&counters](std::string_view key) {
    return counters.empty() || is_standard_field(key) || key == counter::kP50Us || key == counter::kOurs ||
           std::ranges::find(counters, key) != counters.end();
  };
  ParsedFile file = parse_fields(bytes, path, keep, [&](const Fields& fields) { gather.add(fields); });
  run.context = std::move(file.context);
  run.warnings = std::move(file.warnings);
  for (const auto& [key, value] : file.context_json) {
    try {
      run.written_context.add(key, Json::parse(value));
    } catch (const JsonError& e) {
      run.warnings.push_back(fmt::format("\"{}\" of the context left out: {}", key, e.what()));
    }
  }
  if (const std::string version = run.about("json_schema_version"); !version.empty() && version != "1")
    refuse(path, "json_schema_version is " + version + ", only 1 is known");
  if (gather.count() == 0) refuse(path, "has no rows: its filter matched nothing");
  gather.finish(run, counters);
  if (run.rows.empty()) refuse(path, "has no measured rows, only fitted complexity (BigO, RMS)");
  if (!file.cut_off.empty())
    run.cut_off = fmt::format("{}; {} complete rows were read", file.cut_off, run.rows.size());
  return run;
}

/// What real_time of a row of several threads is. Versions before 1.9.0 of Google Benchmark divided it by the
/// number of threads (its pull request 1836).
enum class ThreadTime { divided, whole, unknown };

/// By the version as the library says it, such as "v1.9.4" or "v1.8.5-12-gabcdef". One that is not said is
/// older than 1.8.4; one between 1.8 and 1.9 may be either.
ThreadTime thread_time(const Run& run) {
  std::string_view text = run.context.contains(context::kLibraryVersion)
                              ? std::string_view(run.context.at(context::kLibraryVersion))
                              : "1.8.3";
  if (text.starts_with('v')) text.remove_prefix(1);
  unsigned major = 0, minor = 0;
  const char* const end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, major);
  if (error != std::errc() || dot == end || *dot != '.') return ThreadTime::unknown;
  const auto [rest, wrong] = std::from_chars(dot + 1, end, minor);
  if (wrong != std::errc()) return ThreadTime::unknown;
  if (major > 1 || (major == 1 && minor >= 9)) return ThreadTime::whole;
  return minor == 8 && std::string_view(rest, end).find('-') != std::string_view::npos ? ThreadTime::unknown
                                                                                       : ThreadTime::divided;
}

/// Has rows that differ only in what a key leaves out, such as BM_x and BM_x/manual_time, keep their whole
/// names: ordinals would go by their places.
void keep_whole_names(std::vector<Row>& rows) {
  const auto differs = [&](const Row& row) { return row.id.suffix != rows.front().id.suffix; };
  if (std::ranges::none_of(rows, differs)) return;
  std::unordered_map<std::string, std::size_t> first;
  first.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row& known = rows[first.try_emplace(rows[i].name(), i).first->second];
    if (known.id.suffix != rows[i].id.suffix) known.id.is_whole = rows[i].id.is_whole = true;
  }
}

}  // namespace

bool is_our_context(const std::map<std::string, std::string>& context) {
  return context.contains(context::kBackend) && context.contains(context::kSweep);
}

bool same_thread_time(const Run& a, const Run& b) { return thread_time_word(a) == thread_time_word(b); }

std::string thread_time_word(const Run& run) {
  switch (thread_time(run)) {
    case ThreadTime::divided: return "divided by threads";
    case ThreadTime::whole: return "whole";
    case ThreadTime::unknown: break;
  }
  return "that of " + run.about(context::kLibraryVersion);
}

std::size_t tell_apart(std::vector<Row>& rows) {
  keep_whole_names(rows);
  std::unordered_set<std::string> taken;
  taken.reserve(rows.size());
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

std::optional<double> Row::any_counter(std::string_view counter_name) const {
  const auto found = std::ranges::find(counters, counter_name, &std::pair<std::string, double>::first);
  if (found == counters.end() || !std::isfinite(found->second)) return std::nullopt;
  return found->second;
}

// bytes_per_second is the library's own, and means the same in every program.
std::optional<double> Row::counter(std::string_view counter_name) const {
  if (!ours && counter_name != counter::kBytesPerSecond && find_counter(counter_name)) return std::nullopt;
  return any_counter(counter_name);
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

// Of one repetition it is that repetition's own median (gather.cpp), so a median of medians.
double Row::time_us() const { return times_us.size() == 1 ? times_us[0] : median(times_us); }

std::size_t Row::threads() const {
  constexpr std::string_view kThreads = "/threads:";
  std::size_t count = 1;
  if (const auto at = id.suffix.find(kThreads); at != std::string::npos)
    std::from_chars(id.suffix.data() + at + kThreads.size(), id.suffix.data() + id.suffix.size(), count);
  return count;
}

std::string Run::about(std::string_view key) const {
  const auto found = context.find(std::string(key));
  return found == context.end() ? "" : found->second;
}

Run parse_run(const std::string& text, const std::string& path, const std::vector<std::string>& counters) {
  Bytes bytes = Bytes::of_text(text);
  return parse(bytes, path, counters);
}

Run read_run(const std::string& path, const std::vector<std::string>& counters) {
  Bytes bytes = Bytes::of_file(path);
  return parse(bytes, input_name(path), counters);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace overlap::report
