// A tolerance names a row or a pattern. Names come by the thousand, from measured noise, and are looked up;
// patterns are written by hand, and tried one by one.
#include "judge/tolerances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "judge/share.hpp"
#include "judge/statistics.hpp"
#include "judge/two_sides.hpp"
#include "read/json.hpp"
#include "read/recognise.hpp"

namespace overlap::report {
namespace {

/// As a factor, 11 times as long. `noise` writes no more than `compare` takes.
constexpr double kMost = 10;  // a row that moves by more by itself says nothing at all

/// @throws InputError that names the file.
[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw InputError(path + ": " + reason);
}

/// A tolerance from which on hardly anything would be called.
constexpr double kWild = 0.5;

/// How names of our rows ended when patterns of some files were written.
constexpr const char* kOldEnd = "/manual_time";

}  // namespace

std::vector<Tolerance> read_tolerances(const std::string& path) {
  const std::string text = read_all(path);
  if (text.find("overlap-tolerances-1") == std::string::npos)
    refuse(input_name(path), described(text, Wanted::tolerances));
  Json json;
  try {
    json = Json::parse(text);
  } catch (const JsonError& e) {
    refuse(path, fmt::format("offset {}: {}", e.offset, e.what()));
  }
  const Json *schema = json.find("schema"), *list = json.find("tolerances");
  if (!schema || !schema->is_string() || schema->text() != "overlap-tolerances-1" || !list ||
      !list->is_array())
    refuse(path,
           "is no tolerance file: it needs \"schema\": \"overlap-tolerances-1\" and a list \"tolerances\"");
  std::vector<Tolerance> tolerances;
  for (const Json& each : list->elements()) {
    const std::string where = fmt::format("tolerances[{}]", tolerances.size());
    const Json *row = each.find("row"), *pattern = each.find("pattern"), *relative = each.find("tolerance");
    const Json* rows = row ? row : pattern;
    if (!rows || !rows->is_string() || !relative || !(relative->is_number() || relative->is_string()))
      refuse(path, where + " needs a \"pattern\" or a \"row\", and a \"tolerance\", such as 0.05 or \"5%\"");
    Tolerance tolerance{rows->text(), 0, row != nullptr};
    try {
      // Rows are measured and may move by more than their time; a 5 that somebody wrote is meant as 5 %.
      tolerance.relative = row && relative->is_number()
                               ? relative->number()
                               : read_share(relative->is_string() ? relative->text() : relative->dump());
    } catch (const std::invalid_argument& e) {
      refuse(path, where + ": " + e.what());
    }
    if (!(tolerance.relative > 0 && tolerance.relative <= kMost))
      refuse(path, fmt::format("{}: the tolerance must lie between 0 and {}", where, kMost));
    try {
      if (!tolerance.is_name) const Pattern check(tolerance.rows);
    } catch (const std::invalid_argument& e) {
      refuse(path, where + ": " + e.what());
    }
    tolerances.push_back(std::move(tolerance));
  }
  return tolerances;
}

MeasuredTolerances tolerances_from(const std::vector<Run>& runs, double least) {
  struct Times {
    std::string row;
    std::vector<double> us;
    std::vector<std::size_t> runs;  ///< which, by index
  };
  std::vector<Times> all;  // in the order of the first run
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const Row& row : runs[i].rows) {
      if (row.failed() || !(row.time_us() > 0)) continue;
      const auto [at, added] = index.try_emplace(row.name(), all.size());
      if (added) all.push_back({row.name(), {}, {}});
      all[at->second].us.push_back(row.time_us());
      all[at->second].runs.push_back(i);
    }
  }
  MeasuredTolerances measured;
  std::size_t outliers = 0, wild = 0;
  std::string such_as, wildest;
  for (const Times& times : all) {
    // A row of fewer runs falls under the tolerance of all others.
    if (times.us.size() < kLeastRuns) continue;
    const SideRuns side = look_at(times.us, {}, least).baseline;
    if (side.outlier && outliers++ == 0)
      such_as = fmt::format("{} in {}", times.row, runs[times.runs[*side.outlier]].path);
    // A difference of two runs has the square root of 2 times their deviation. Written in whole 0.01 %,
    // upwards.
    const double tolerance = std::max(least, std::expm1(3 * std::sqrt(2.0) * deviation_of(side.logs)));
    measured.tolerances.push_back({times.row, std::min(kMost, std::ceil(tolerance * 1e4) / 1e4), true});
    if (tolerance > kWild && wild++ == 0) wildest = times.row;
  }
  if (outliers > 0)
    measured.warnings.push_back(
        fmt::format("{} of {} rows have a run far from all others, which is left out, such as {}", outliers,
                    measured.tolerances.size(), such_as));
  if (wild > 0)
    measured.warnings.push_back(fmt::format(
        "{} of {} rows move by more than {:.0f} % by themselves, such as {}: what they do will not be seen",
        wild, measured.tolerances.size(), kWild * 100, wildest));
  return measured;
}

ToleranceFinder::ToleranceFinder(const std::vector<Tolerance>& all, double otherwise)
    : all_(all), otherwise_(otherwise), used_(all.size()) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].is_name)
      names_[all_[i].rows] = i;
    else
      patterns_.emplace_back(Pattern(all_[i].rows), i);
  }
  // As names were written by older versions, or by other programs.
  for (std::size_t i = all_.size(); i-- > 0;)
    if (all_[i].is_name) names_.try_emplace(parse_row_id(all_[i].rows).key(), i);
}

double ToleranceFinder::of(const std::string& row) {
  std::optional<std::size_t> last;
  const auto fits = [&](std::size_t i) {
    used_[i] = true;
    last = std::max(last.value_or(i), i);
  };
  if (const auto named = names_.find(row); named != names_.end()) fits(named->second);
  for (const auto& [pattern, i] : patterns_)
    if (pattern.finds_in(row) || pattern.finds_in(row + kOldEnd)) fits(i);
  return last ? all_[*last].relative : otherwise_;
}

std::size_t ToleranceFinder::fitted() const {
  return static_cast<std::size_t>(std::ranges::count(used_, true));
}

std::string ToleranceFinder::warning() const {
  const std::size_t idle = all_.size() - fitted();
  if (idle == 0) return "";
  const auto first = static_cast<std::size_t>(std::ranges::find(used_, false) - used_.begin());
  return fmt::format("{} of {} tolerances fit no row, such as '{}': have rows been renamed?", idle,
                     all_.size(), all_[first].rows);
}

std::string tolerances_json(const std::vector<Tolerance>& tolerances) {
  Json list = Json::array();
  for (const Tolerance& each : tolerances)
    list.push_back(
        Json::object({{each.is_name ? "row" : "pattern", each.rows}, {"tolerance", each.relative}}));
  return Json::object({{"schema", "overlap-tolerances-1"}, {"tolerances", std::move(list)}}).dump() + "\n";
}

}  // namespace overlap::report
