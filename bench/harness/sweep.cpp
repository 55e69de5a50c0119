#include "harness/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "families/pipeline/chunks.hpp"

namespace overlap {
namespace {

constexpr std::size_t kMostValues = 4096;  // of one axis: more is a slip of the hand

/// Splits at every `separator`.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<std::int64_t> multiplied(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// "4096", "2^20", "64Ki", "3M"; nothing if it is no such number or does not fit.
std::optional<std::int64_t> parse_number(std::string_view text) {
  if (const auto caret = text.find('^'); caret != std::string_view::npos) {
    const auto base = parse_number(text.substr(0, caret)), exponent = parse_number(text.substr(caret + 1));
    if (!base || !exponent || *exponent < 0 || *exponent > 63) return std::nullopt;
    std::optional<std::int64_t> power = 1;
    for (std::int64_t i = 0; i < *exponent && power; ++i) power = multiplied(*power, *base);
    return power;
  }
  constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
      {"Ki", 1 << 10}, {"Mi", 1 << 20},  {"Gi", 1 << 30},     {"k", 1000},
      {"K", 1000},     {"M", 1'000'000}, {"G", 1'000'000'000}};
  std::int64_t unit = 1;
  for (const auto& [suffix, factor] : kUnits) {
    if (!text.ends_with(suffix)) continue;
    unit = factor;
    text.remove_suffix(suffix.size());
    break;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return multiplied(number, unit);
}

[[noreturn]] void refuse_value(const Axis& axis, const std::string& value, const std::string& remedy) {
  throw UsageError(fmt::format("axis {}: '{}' is not a value{}", axis.name, value, remedy));
}

constexpr const char* kNumberHelp = "; write 4096, 2^20, 64Ki, 3M, n/16, or a range 1..32*2 or 1..8+1";

/// "1..32*2" or "1..8+1".
std::vector<std::string> parse_range(const Axis& axis, const std::string& text) {
  const auto dots = text.find("..");
  const auto step_at = text.find_first_of("*+", dots);
  if (step_at == std::string::npos)
    refuse_value(axis, text, ": a range needs its step, as in 1..32*2 or 1..8+1");
  const auto first = parse_number(std::string_view(text).substr(0, dots));
  const auto last = parse_number(std::string_view(text).substr(dots + 2, step_at - dots - 2));
  const auto step = parse_number(std::string_view(text).substr(step_at + 1));
  if (!first || !last || !step) refuse_value(axis, text, kNumberHelp);
  const bool geometric = text[step_at] == '*';
  if (*first > *last || *step < (geometric ? 2 : 1) || (geometric && *first < 1))
    refuse_value(axis, text, ": that range is empty or never ends");
  std::vector<std::string> values;
  for (std::int64_t value = *first; value <= *last;) {
    values.push_back(std::to_string(value));
    if (values.size() > kMostValues) refuse_value(axis, text, ": that range has too many values");
    if (geometric ? __builtin_mul_overflow(value, *step, &value)
                  : __builtin_add_overflow(value, *step, &value))
      break;
  }
  return values;
}

/// The row's n, divided by K and rounded up, for a value written "n/K".
std::string resolve(const std::string& value, std::int64_t n) {
  const std::int64_t divisor = *parse_number(std::string_view(value).substr(2));
  return std::to_string(
      std::min(n, rounded_chunk(std::max<std::int64_t>(1, n / divisor + (n % divisor != 0)))));
}

const std::string& preset_values(const Axis& axis, const std::string& preset, bool host) {
  if (preset == "full") return axis.full;
  if (preset == "paper") return axis.paper;
  return host && !axis.host_quick.empty() ? axis.host_quick : axis.quick;
}

const std::vector<std::string> kPresets = {"quick", "paper", "full"};

/// One --sweep, taken apart and checked against the catalogue.
struct Override {
  std::string family;  ///< empty: every family that has the axis
  std::string axis;
  std::string values;
};

Override parse_override(const std::vector<Family>& families, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UsageError("--sweep=" + text + ": write --sweep=AXIS=VALUE[,VALUE...]; --list-axes shows them");
  Override result{"", text.substr(0, equals), text.substr(equals + 1)};
  if (const auto dot = result.axis.find('.'); dot != std::string::npos) {
    result.family = result.axis.substr(0, dot);
    result.axis = result.axis.substr(dot + 1);
  }
  std::vector<std::string> family_names, axis_names;
  for (const Family& family : families) {
    family_names.push_back(family.name);
    if (!result.family.empty() && family.name != result.family) continue;
    for (const Axis& axis : family.axes) {
      if (std::ranges::find(axis_names, axis.name) == axis_names.end()) axis_names.push_back(axis.name);
    }
  }
  if (!result.family.empty() && std::ranges::find(family_names, result.family) == family_names.end())
    throw UsageError("--sweep=" + text + ": no family '" + result.family + "'" +
                     did_you_mean(result.family, family_names));
  if (std::ranges::find(axis_names, result.axis) == axis_names.end())
    throw UsageError("--sweep=" + text + ": no axis '" + result.axis + "'" +
                     (result.family.empty() ? "" : " in family " + result.family) +
                     did_you_mean(result.axis, axis_names));
  return result;
}

/// A word for several families' choices may be right for one and wrong for another: `submit` has graph_pdl in
/// one only. It is refused only where no family takes it.
std::vector<std::string> values_for(const Family& family, const Axis& axis, const Override& override,
                                    const std::vector<Family>& families) {
  if (axis.choices.empty()) return parse_values(axis, override.values);
  Axis everywhere = axis;
  for (const Family& other : families) {
    if (!override.family.empty() && other.name != family.name) continue;
    for (const Axis& same : other.axes) {
      if (same.name != axis.name) continue;
      for (const std::string& choice : same.choices)
        if (std::ranges::find(everywhere.choices, choice) == everywhere.choices.end())
          everywhere.choices.push_back(choice);
    }
  }
  auto values = parse_values(everywhere, override.values);
  std::erase_if(values,
                [&](const auto& v) { return std::ranges::find(axis.choices, v) == axis.choices.end(); });
  return values;
}

std::string row_name(const Family& family, const Point& point) {
  std::string name = family.name;
  for (const auto& [axis, value] : point.coordinates()) name += "/" + axis + ":" + value;
  return name;
}

/// Every combination of the values, the last axis fastest; "n/K" is resolved by the row's own n.
std::vector<Point> combine(const Family& family, const std::vector<std::vector<std::string>>& values) {
  std::vector<Point> points(1);
  for (std::size_t a = 0; a < family.axes.size(); ++a) {
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (const std::string& value : values[a]) {
        longer.push_back(point);
        longer.back().set(family.axes[a].name, value);
      }
    }
    points = std::move(longer);
  }
  for (Point& point : points) {
    for (const auto& [axis, value] : std::vector(point.coordinates()))
      if (value.starts_with("n/")) point.set(axis, resolve(value, point.number("n")));
  }
  return points;
}

}  // namespace

void Point::set(const std::string& axis, const std::string& value) {
  for (auto& [name, old] : coordinates_) {
    if (name != axis) continue;
    old = value;
    return;
  }
  coordinates_.emplace_back(axis, value);
}

const std::string& Point::text(std::string_view axis) const {
  for (const auto& [name, value] : coordinates_)
    if (name == axis) return value;
  throw std::logic_error("no axis " + std::string(axis) + " in this row");
}

std::int64_t Point::number(std::string_view axis) const {
  const std::string& value = text(axis);
  std::int64_t number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);  // parse_values wrote it
  return number;
}

std::int64_t Point::number(std::string_view axis, std::int64_t least, std::int64_t most) const {
  const std::int64_t value = number(axis);
  if (value < least) throw std::invalid_argument(fmt::format("{}:{} is below {}", axis, value, least));
  if (value > most) throw std::invalid_argument(fmt::format("{}:{} is above {}", axis, value, most));
  return value;
}

std::vector<std::string> parse_values(const Axis& axis, const std::string& text) {
  std::vector<std::string> values;
  for (const std::string& part : split(text, ',')) {
    if (!axis.choices.empty()) {
      if (std::ranges::find(axis.choices, part) == axis.choices.end())
        refuse_value(axis, part, did_you_mean(part, axis.choices));
      values.push_back(part);
    } else if (part.find("..") != std::string::npos) {
      for (std::string& value : parse_range(axis, part)) values.push_back(std::move(value));
    } else if (part.starts_with("n/") && axis.name != "n") {
      const auto divisor = parse_number(std::string_view(part).substr(2));
      if (!divisor || *divisor < 1) refuse_value(axis, part, kNumberHelp);
      values.push_back("n/" + std::to_string(*divisor));
    } else {
      const auto number = parse_number(part);
      if (!number) refuse_value(axis, part, kNumberHelp);
      values.push_back(std::to_string(*number));
    }
  }
  return values;
}

std::vector<PlannedRow> plan_rows(const std::vector<Family>& families, const SweepRequest& request,
                                  const DeviceInfo& device) {
  if (std::ranges::find(kPresets, request.preset) == kPresets.end())
    throw UsageError("--preset=" + request.preset + " is unknown" + did_you_mean(request.preset, kPresets));
  std::vector<Override> overrides;
  for (const std::string& text : request.overrides) overrides.push_back(parse_override(families, text));

  std::vector<PlannedRow> rows;
  for (const Family& family : families) {
    std::vector<std::vector<std::string>> values;
    std::set<std::string, std::less<>> swept;
    for (const Axis& axis : family.axes) {
      values.push_back(parse_values(axis, preset_values(axis, request.preset, device.backend == "host")));
      if (axis.available)
        std::erase_if(values.back(), [&](const auto& v) { return !axis.available(v, device); });
      for (const Override& override : overrides) {
        if (override.axis != axis.name || (!override.family.empty() && override.family != family.name))
          continue;
        values.back() = values_for(family, axis, override, families);
        swept.insert(axis.name);
      }
    }
    std::vector<Point> points;
    std::set<std::string> seen;
    for (Point& point : combine(family, values)) {
      if (family.canonical) family.canonical(point);
      if (family.wanted && !family.wanted(point, [&](std::string_view axis) { return swept.contains(axis); }))
        continue;
      if (seen.insert(row_name(family, point)).second) points.push_back(std::move(point));
    }
    // Rows that share their data follow each other; groups stand in the order of their first row.
    std::vector<std::vector<std::string>> groups;
    const auto group_of = [&](const Point& point) {
      std::vector<std::string> key;
      for (const std::string& axis : family.data_axes) key.push_back(point.text(axis));
      const auto found = std::ranges::find(groups, key);
      if (found != groups.end()) return found - groups.begin();
      groups.push_back(key);
      return static_cast<std::ptrdiff_t>(groups.size() - 1);
    };
    std::vector<std::pair<std::ptrdiff_t, Point>> grouped;
    for (Point& point : points) grouped.emplace_back(group_of(point), std::move(point));
    std::ranges::stable_sort(grouped, {}, [](const auto& pair) { return pair.first; });
    for (auto& [group, point] : grouped) {
      std::string name = row_name(family, point);
      rows.push_back({&family, std::move(point), std::move(name)});
    }
  }
  return rows;
}

std::string describe_axes(const std::vector<Family>& families, bool host) {
  std::string text =
      "Names read family/axis:value/.../manual_time. Change an axis with --sweep=[FAMILY.]AXIS=V[,V...].\n";
  for (const Family& family : families) {
    text += fmt::format("\n{}: {}\n", family.name, family.summary);
    for (const Axis& axis : family.axes) {
      text += fmt::format("  {:<8} {}\n", axis.name, axis.help);
      if (!axis.choices.empty())
        text += fmt::format("  {:<8}   any of  {}\n", "", fmt::join(axis.choices, ","));
      for (const std::string& preset : kPresets)
        text += fmt::format("  {:<8}   {:<7} {}\n", "", preset, preset_values(axis, preset, host));
    }
  }
  return text;
}

namespace {

/// Letters to insert, delete or change to get from one word to the other (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& candidate : known) {
    const bool starts = !word.empty() && candidate.starts_with(word);
    ranked.emplace_back(starts ? 1 : edit_distance(word, candidate), candidate);
  }
  std::ranges::stable_sort(ranked, {}, [](const auto& pair) { return pair.first; });
  std::vector<std::string> near;
  for (const auto& [distance, candidate] : ranked)
    if (distance <= std::max<std::size_t>(2, word.size() / 3) && near.size() < 3)
      near.push_back("'" + candidate + "'");
  if (!near.empty()) return "; did you mean " + fmt::format("{}", fmt::join(near, " or ")) + "?";
  return "; known are " + fmt::format("{}", fmt::join(known, ", "));
}

}  // namespace overlap
