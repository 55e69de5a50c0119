// Each format starts from the same series: a row over all runs that have it, in the order of the first run.
#include "show/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "read/json.hpp"
#include "show/escape.hpp"

namespace overlap::report {
namespace {

/// A row over all runs that have it.
struct Series {
  const Row* first;
  std::vector<double> times_us;
  std::vector<double> bytes_per_second;
};

/// Every row that has a time in some run, in the order in which they appear first.
std::vector<Series> gather(const std::vector<Run>& runs) {
  std::vector<Series> all;
  std::unordered_map<std::string, std::size_t> index;
  for (const Run& run : runs) {
    for (const Row& row : run.rows) {
      if (row.failed()) continue;
      const auto [at, added] = index.try_emplace(row.name(), all.size());
      if (added) all.push_back({&row, {}, {}});
      Series& series = all[at->second];
      series.times_us.push_back(row.time_us());
      if (const auto rate = row.counter("bytes_per_second")) series.bytes_per_second.push_back(*rate);
    }
  }
  return all;
}

/// As files end: with a line break.
std::string dumped(const Json& json) { return json.dump() + "\n"; }

}  // namespace

// The context is the first run's, a row's counters those of the first run that has it; cpu_time
// repeats real_time.
std::string export_gbench(const std::vector<Run>& runs) {
  Json context = Json::object();
  for (const auto& [key, value] : runs.front().context) context[key] = value;
  for (const char* number : {"num_cpus", "mhz_per_cpu", "json_schema_version"})
    if (context.find(number)) context[number] = std::atoll(runs.front().about(number).c_str());
  context["caches"] = Json::array();  // one reader refuses a context without it
  Json rows = Json::array();
  for (const Series& series : gather(runs)) {
    const Row& row = *series.first;
    const double time_us = median(series.times_us);
    Json each = Json::object({{"name", print(row.id)},
                              {"run_name", print(row.id)},
                              {"family_index", rows.elements().size()},
                              {"per_family_instance_index", 0},
                              {"run_type", "iteration"},
                              {"repetitions", 1},
                              {"repetition_index", 0},
                              {"threads", 1},
                              {"iterations", 1},
                              {"real_time", time_us},
                              {"cpu_time", time_us},
                              {"time_unit", "us"}});
    for (const auto& [name, value] : row.counters)
      if (row.counter(name) && !each.find(name)) each[name] = value;
    rows.push_back(std::move(each));
  }
  return dumped(Json::object({{"context", std::move(context)}, {"benchmarks", std::move(rows)}}));
}

// The range is half of what lies between the least and the most of the runs; one run has none.
std::string export_github_action(const std::vector<Run>& runs) {
  Json list = Json::array();
  for (const Series& series : gather(runs)) {
    const auto [least, most] = std::ranges::minmax(series.times_us);
    Json each =
        Json::object({{"name", series.first->name()}, {"unit", "us"}, {"value", median(series.times_us)}});
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
      Json json = Json::object({{"value", median(values) * scale}});
      if (values.size() > 1) json["lower_value"] = least * scale;
      if (values.size() > 1) json["upper_value"] = most * scale;
      return json;
    };
    Json each = Json::object({{"latency", metric(series.times_us, 1e3)}});
    if (!series.bytes_per_second.empty()) each["throughput"] = metric(series.bytes_per_second, 1);
    report[series.first->name()] = std::move(each);
  }
  return dumped(report);
}

// Runs stand in the order of their dates, whatever the order of the files. A run without a row leaves its
// field empty.
std::string export_otava(const std::vector<Run>& runs) {
  const std::vector<Series> columns = gather(runs);
  std::string text = "time,commit";
  for (const Series& series : columns) text += "," + csv_field(series.first->name());
  text += "\n";
  std::vector<const Run*> in_time;
  for (const Run& run : runs) in_time.push_back(&run);
  std::ranges::stable_sort(in_time, {}, [](const Run* run) { return run->about("date"); });
  for (const Run* run : in_time) {
    std::unordered_map<std::string, double> times;
    for (const Row& row : run->rows)
      if (!row.failed()) times[row.name()] = row.time_us();
    text += csv_field(run->about("date")) + "," + csv_field(run->about("revision"));
    for (const Series& series : columns) {
      const auto found = times.find(series.first->name());
      text += found == times.end() ? "," : fmt::format(",{}", found->second);
    }
    text += "\n";
  }
  return text;
}

}  // namespace overlap::report
