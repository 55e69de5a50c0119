// Each format starts from the same series: a row over all runs that have it, in the order of the first run.
#include "show/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <unordered_map>

#include "names/counters.hpp"
#include "read/json.hpp"
#include "read/store.hpp"
#include "show/escape.hpp"

namespace overlap::report {
namespace {

/// A row over all runs that have it.
struct Series {
  std::vector<const Row*> rows;
  std::vector<double> times_us;

  const Row& first() const { return *rows.front(); }
  /// The row whose time is in the middle.
  const Row& middle() const {
    std::vector<const Row*> sorted = rows;
    std::ranges::stable_sort(sorted, {}, &Row::time_us);
    return *sorted[(sorted.size() - 1) / 2];
  }
  std::vector<double> bytes_per_second() const {
    std::vector<double> all;
    for (const Row* row : rows)
      if (const auto rate = row->counter("bytes_per_second")) all.push_back(*rate);
    return all;
  }
};

/// Every row that has a time in some run, in the order in which they appear first.
std::vector<Series> gather(const std::vector<Run>& runs) {
  std::vector<Series> all;
  std::unordered_map<std::string, std::size_t> index;
  for (const Run& run : runs) {
    for (const Row& row : run.rows) {
      if (row.failed()) continue;
      const auto [at, added] = index.try_emplace(row.name(), all.size());
      if (added) all.emplace_back();
      all[at->second].rows.push_back(&row);
      all[at->second].times_us.push_back(row.time_us());
    }
  }
  return all;
}

/// What all runs say of where they were made, each key as the first that has it wrote it.
Json context_of(const std::vector<Run>& runs) {
  Json context = Json::object();
  for (const Run& run : runs) {
    for (const auto& [key, value] : run.written_context.members())
      if (!context.find(key)) context.add(key, value);
    for (const auto& [key, value] : run.context)  // of a run that nobody wrote as a file
      if (!context.find(key)) context.add(key, value);
  }
  if (const Json* caches = context.find("caches"); !caches || !caches->is_array())
    context["caches"] = Json::array();  // one reader refuses a context without it
  return context;
}

/// Without the last digits, which arithmetic makes and nobody measured.
double tidy(double value) { return std::strtod(fmt::format("{:.15g}", value).c_str(), nullptr); }

/// The median as it would have been written; that of one run as it was.
double tidy_median(const std::vector<double>& values) {
  return values.size() == 1 ? values[0] : tidy(median(values));
}

/// A time in another unit, which is read back as the same number of microseconds: the shortest such text.
double in_unit(double us, double unit_us) {
  const double value = us / unit_us;
  for (const int digits : {15, 16, 17}) {
    const double shown = std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
    if (shown * unit_us == us) return shown;
  }
  for (const double beside : {std::nextafter(value, 0.0), std::nextafter(value, 2 * value)})
    if (beside * unit_us == us) return beside;
  return value;
}

/// Whole numbers without a point, as the library writes counts.
Json count_of(double count) {
  constexpr double kMost = 9007199254740992;  // 2^53: above, not every whole number is one of these
  if (std::floor(count) == count && std::fabs(count) < kMost) return static_cast<std::int64_t>(count);
  return count;
}

/// As files end: with a line break.
std::string dumped(const Json& json) { return json.dump() + "\n"; }

}  // namespace

// Times are medians over the runs. All else of a row is what the repetition in the middle wrote, of the run
// in the middle. p50_us is a time too, which our reader prefers.
std::string export_gbench(const std::vector<Run>& runs) {
  Json rows = Json::array();
  std::int64_t index = 0;
  for (const Series& series : gather(runs)) {
    const Row& row = series.middle();
    const Written written = row.written ? *row.written : Written();
    const double time_us = tidy_median(series.times_us);
    Json each = Json::object({{"name", print(row.id)},
                              {"family_index", index++},
                              {"per_family_instance_index", 0},
                              {"run_name", print(row.id)},
                              {"run_type", "iteration"},
                              {"repetitions", 1},
                              {"repetition_index", 0},
                              {"threads", count_of(written.threads)},
                              {"iterations", count_of(written.iterations)},
                              {"real_time", in_unit(time_us, written.unit_us)},
                              {"cpu_time", in_unit(written.cpu_time_us.value_or(time_us), written.unit_us)},
                              {"time_unit", written.unit}});
    for (const auto& [name, value] : written.counters.empty() ? row.counters : written.counters)
      if (std::isfinite(value) && !each.find(name))
        each.add(name, row.ours && name == counter::kP50Us ? time_us : value);
    if (!written.label.empty()) each.add("label", written.label);
    rows.push_back(std::move(each));
  }
  return dumped(Json::object({{"context", context_of(runs)}, {"benchmarks", std::move(rows)}}));
}

// The range is half of what lies between the least and the most of the runs; one run has none.
std::string export_github_action(const std::vector<Run>& runs) {
  Json list = Json::array();
  for (const Series& series : gather(runs)) {
    const auto [least, most] = std::ranges::minmax(series.times_us);
    Json each = Json::object(
        {{"name", series.first().name()}, {"unit", "us"}, {"value", tidy_median(series.times_us)}});
    if (series.times_us.size() > 1) each["range"] = fmt::format("\u00B1 {:.3g}", (most - least) / 2);
    if (const std::string gpu = runs.front().about("gpu"); !gpu.empty())
      each["extra"] = gpu + ", driver " + runs.front().about("driver");
    list.push_back(std::move(each));
  }
  return dumped(list);
}

std::string export_bencher(const std::vector<Run>& runs) {
  Json report = Json::object();
  for (const Series& series : gather(runs)) {
    // The limits are the least and the most of the runs; one run has none.
    const auto metric = [](const std::vector<double>& values, double scale) {
      const auto [least, most] = std::ranges::minmax(values);
      Json json = Json::object({{"value", tidy(median(values) * scale)}});
      if (values.size() > 1) json["lower_value"] = tidy(least * scale);
      if (values.size() > 1) json["upper_value"] = tidy(most * scale);
      return json;
    };
    Json each = Json::object({{"latency", metric(series.times_us, 1e3)}});
    if (const std::vector<double> rates = series.bytes_per_second(); !rates.empty())
      each["throughput"] = metric(rates, 1);
    report.add(series.first().name(), std::move(each));
  }
  return dumped(report);
}

// Runs stand in the order of their dates, whatever the order of the files. A run without a row leaves its
// field empty.
std::string export_otava(const std::vector<Run>& runs) {
  const std::vector<Series> columns = gather(runs);
  std::string text = "time,commit";
  for (const Series& series : columns) text += "," + csv_field(series.first().name());
  text += "\n";
  for (const std::size_t place : by_date(runs)) {
    const Run& run = runs[place];
    std::unordered_map<std::string, double> times;
    for (const Row& row : run.rows)
      if (!row.failed()) times[row.name()] = row.time_us();
    text += csv_field(run.about("date")) + "," + csv_field(run.about("revision"));
    for (const Series& series : columns) {
      const auto found = times.find(series.first().name());
      text += found == times.end() ? "," : fmt::format(",{}", found->second);
    }
    text += "\n";
  }
  return text;
}

}  // namespace overlap::report
