#include "results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

namespace overlap::report {
namespace {

using Json = nlohmann::json;

/// Fields of a row that are not counters.
const std::set<std::string> kStandardFields = {"name",
                                               "family_index",
                                               "per_family_instance_index",
                                               "run_name",
                                               "run_type",
                                               "repetitions",
                                               "repetition_index",
                                               "threads",
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

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw InputError(path + ": " + reason);
}

/// How Google Benchmark's own segments of a name begin; "manual_time" and its like stand alone.
bool is_framework_segment(const std::string& segment) {
  for (const char* alone : {"manual_time", "real_time", "process_time"})
    if (segment == alone) return true;
  for (const char* start : {"min_time:", "min_warmup_time:", "iterations:", "repeats:", "threads:"})
    if (segment.starts_with(start)) return true;
  return false;
}

/// Takes "family/axis:value/.../manual_time" apart.
Row named(const std::string& run_name) {
  Row row;
  std::istringstream segments(run_name);
  for (std::string segment; std::getline(segments, segment, '/');) {
    if (is_framework_segment(segment)) continue;
    row.name += (row.name.empty() ? "" : "/") + segment;
    const auto colon = segment.find(':');
    if (colon != std::string::npos && colon > 0 && !row.family.empty()) {
      row.axes.emplace_back(segment.substr(0, colon), segment.substr(colon + 1));
    } else if (row.axes.empty()) {
      row.family += (row.family.empty() ? "" : "/") + segment;
    } else {
      row.axes.emplace_back("", segment);
    }
  }
  return row;
}

std::string text_field(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The number, or 0.
double number_field(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

bool flag_field(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() && found->get<bool>();
}

double us_per(const std::string& unit, const std::string& path, const std::string& row) {
  if (unit == "ns") return 1e-3;
  if (unit == "us") return 1;
  if (unit == "ms") return 1e3;
  if (unit == "s") return 1e6;
  refuse(path, fmt::format("row '{}': time_unit is '{}', not ns, us, ms or s", row, unit));
}

/// Why a row has no time, if it says so itself: errors before 1.8, errors and skips since.
std::string failure_of(const Json& json) {
  if (flag_field(json, "error_occurred")) {
    const std::string message = text_field(json, "error_message");
    return message.empty() ? "failed without a message" : message;
  }
  if (flag_field(json, "skipped")) return "skipped: " + text_field(json, "skip_message");
  return "";
}

/// What the JSON rows of one name hold: repetitions, or the library's median of them where it kept no others.
struct Gathered {
  Row row;
  std::pair<double, double>
      order;  ///< of registration: a run that shuffles its repetitions writes rows as they end
  std::map<std::string, std::vector<double>> counters;
  std::optional<double> median_us;
  std::map<std::string, double> median_counters;
};

void gather(Gathered& into, const Json& json, const std::string& path) {
  if (std::string failure = failure_of(json); !failure.empty()) {
    if (into.row.failure.empty()) into.row.failure = std::move(failure);
    return;
  }
  const bool aggregate = text_field(json, "run_type") == "aggregate";
  if (aggregate && text_field(json, "aggregate_name") != "median") return;
  if (json.contains("big_o") || json.contains("rms")) return;
  const auto time = json.find("real_time");
  if (time == json.end() || !time->is_number())
    refuse(path, fmt::format("row '{}': real_time is {}", into.row.name,
                             time == json.end() ? "missing" : "not a number"));
  // Says so in the row's label, the one text that Google Benchmark keeps for a row.
  constexpr std::string_view kBoundBy = "bound_by:";
  if (const std::string label = text_field(json, "label"); label.starts_with(kBoundBy))
    into.row.bound_by = label.substr(kBoundBy.size());
  double time_us = time->get<double>() * us_per(text_field(json, "time_unit"), path, into.row.name);
  std::map<std::string, double> counters;
  for (const auto& [key, value] : json.items())
    if (value.is_number() && !kStandardFields.contains(key)) counters[key] = value.get<double>();
  // The median of the samples, where the row has it: one late sample moves the mean, and not this.
  if (const auto p50 = counters.find("p50_us"); p50 != counters.end()) time_us = p50->second;
  if (!(time_us >= 0)) refuse(path, fmt::format("row '{}': a time of {} us", into.row.name, time_us));
  if (aggregate) {
    into.median_us = time_us;
    into.median_counters = counters;
    return;
  }
  into.row.times_us.push_back(time_us);
  for (const auto& [key, value] : counters) into.counters[key].push_back(value);
}

Row finish(Gathered gathered) {
  Row& row = gathered.row;
  if (row.times_us.empty() && gathered.median_us) {
    row.times_us = {*gathered.median_us};
    row.counters = gathered.median_counters;
  }
  for (auto& [key, values] : gathered.counters) row.counters[key] = median(values);
  if (row.failed()) row.times_us.clear();
  if (!row.failed() && row.times_us.empty()) row.failure = "no time in the file";
  return row;
}

Json parse_json(const std::string& text, const std::string& path) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    refuse(path,
           text.empty() ? "is empty: the run that made it wrote nothing" : "holds nothing but white space");
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    std::string reason = e.what();
    if (const auto at = reason.find("] "); at != std::string::npos) reason = reason.substr(at + 2);
    if (e.byte > text.size())
      reason = "the file is cut off: the run that made it did not finish (" + reason + ")";
    refuse(path, fmt::format("offset {}: {}", e.byte, reason));
  }
}

}  // namespace

std::string Row::axis(const std::string& axis_name) const {
  for (const auto& [key, value] : axes)
    if (key == axis_name) return value;
  return "";
}

double Row::number(const std::string& axis_name) const {
  const std::string text = axis(axis_name);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<double> Row::counter(const std::string& counter_name) const {
  const auto found = counters.find(counter_name);
  if (found == counters.end() || !std::isfinite(found->second)) return std::nullopt;
  return found->second;
}

double Row::time_us() const { return median(times_us); }

std::string Run::about(const std::string& key) const {
  const auto found = context.find(key);
  return found == context.end() ? "" : found->second;
}

Run parse_run(const std::string& text, const std::string& path) {
  const Json json = parse_json(text, path);
  if (!json.is_object() || !json.contains("benchmarks") || !json["benchmarks"].is_array())
    refuse(path, "offset 0: is JSON, but not Google Benchmark's: it has no \"benchmarks\" array");
  if (!json.contains("context") || !json["context"].is_object())
    refuse(path, "offset 0: has no \"context\" object: is it a list of names instead of a run?");
  Run run;
  run.path = path;
  for (const auto& [key, value] : json["context"].items()) {
    if (value.is_string()) run.context[key] = value.get<std::string>();
    if (value.is_number() || value.is_boolean()) run.context[key] = value.dump();
  }
  if (const std::string version = run.about("json_schema_version"); !version.empty() && version != "1")
    refuse(path, "json_schema_version is " + version + ", only 1 is known");

  std::vector<Gathered> rows;
  std::map<std::string, std::size_t> index;
  for (const Json& each : json["benchmarks"]) {
    if (!each.is_object() || text_field(each, "name").empty())
      refuse(path, fmt::format("benchmarks[{}] has no name", &each - &json["benchmarks"][0]));
    std::string name = text_field(each, "run_name");
    if (name.empty()) name = text_field(each, "name");
    const auto [at, added] = index.try_emplace(name, rows.size());
    if (added) {
      rows.emplace_back();
      rows.back().row = named(name);
      rows.back().order = {number_field(each, "family_index"),
                           number_field(each, "per_family_instance_index")};
    }
    gather(rows[at->second], each, path);
  }
  if (rows.empty()) refuse(path, "has no rows: its filter matched nothing");
  std::ranges::stable_sort(rows, {}, &Gathered::order);
  for (Gathered& gathered : rows) run.rows.push_back(finish(std::move(gathered)));
  return run;
}

Run read_run(const std::string& path) {
  if (std::filesystem::is_directory(path)) refuse(path, "is a folder");
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(path, std::string("cannot be opened: ") + std::strerror(errno));
  std::ostringstream text;
  if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  return parse_run(text.str(), path);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace overlap::report
