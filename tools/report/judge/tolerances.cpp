#include "judge/tolerances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <unordered_map>

namespace overlap::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMost = 10;  // a row that moves by more by itself says nothing at all

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw InputError(path + ": " + reason);
}

}  // namespace

std::vector<Tolerance> read_tolerances(const std::string& path) {
  std::ifstream in(path);
  if (!in) refuse(path, "cannot be opened");
  Json json;
  try {
    json = Json::parse(in);
  } catch (const Json::parse_error& e) {
    refuse(path, fmt::format("offset {}: {}", e.byte, e.what()));
  }
  if (!json.is_object() || json.value("schema", "") != "overlap-tolerances-1" ||
      !json["tolerances"].is_array())
    refuse(path,
           "is no tolerance file: it needs \"schema\": \"overlap-tolerances-1\" and a list \"tolerances\"");
  std::vector<Tolerance> tolerances;
  for (const Json& each : json["tolerances"]) {
    const std::string where = fmt::format("tolerances[{}]", tolerances.size());
    const bool is_name = each.is_object() && each.contains("row");
    const char* rows = is_name ? "row" : "pattern";
    if (!each.is_object() || !each.contains(rows) || !each[rows].is_string() || !each.contains("tolerance") ||
        !each["tolerance"].is_number())
      refuse(path, where + " needs a \"pattern\" or a \"row\", and a \"tolerance\", such as 0.05 for 5 %");
    Tolerance tolerance{each[rows], each["tolerance"], is_name};
    if (!(tolerance.relative > 0 && tolerance.relative <= kMost))
      refuse(path, fmt::format("{}: the tolerance must lie between 0 and {}", where, kMost));
    try {
      if (!is_name) const std::regex check(tolerance.rows, std::regex::extended);
    } catch (const std::regex_error& e) {
      refuse(path, where + ": '" + tolerance.rows + "' is no regular expression: " + e.what());
    }
    tolerances.push_back(std::move(tolerance));
  }
  return tolerances;
}

std::vector<Tolerance> tolerances_from(const std::vector<Run>& runs, double least) {
  std::vector<std::pair<std::string, std::vector<double>>> logs;  // by row, in the order of the first run
  std::unordered_map<std::string, std::size_t> index;
  for (const Run& run : runs) {
    for (const Row& row : run.rows) {
      if (row.failed() || !(row.time_us() > 0)) continue;
      const auto [at, added] = index.try_emplace(row.name, logs.size());
      if (added) logs.emplace_back(row.name, std::vector<double>());
      logs[at->second].second.push_back(std::log(row.time_us()));
    }
  }
  std::vector<Tolerance> tolerances;
  for (const auto& [name, values] : logs) {
    if (values.size() < 3) continue;
    double mean = 0, squares = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
    const double tolerance = std::max(least, std::expm1(3 * std::sqrt(2.0) * deviation));
    tolerances.push_back({name, std::min(kMost, std::ceil(tolerance * 1e4) / 1e4), true});
  }
  return tolerances;
}

std::string tolerances_json(const std::vector<Tolerance>& tolerances) {
  Json json = {{"schema", "overlap-tolerances-1"}, {"tolerances", Json::array()}};
  for (const Tolerance& each : tolerances)
    json["tolerances"].push_back(
        {{each.is_name ? "row" : "pattern", each.rows}, {"tolerance", each.relative}});
  return json.dump(2) + "\n";
}

}  // namespace overlap::report
