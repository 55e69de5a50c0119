// Three steps. Values: for each axis of each family, those of the preset, or of the last --sweep that names
// it; axes that follow others take theirs over. Rows: every combination of a family's values, made canonical,
// once each, if it is wanted. Order: rows in groups that share data, groups that launch side by side last.
#include "harness/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace overlap {
namespace {

constexpr std::size_t kMostValues = 4096;  // of one axis: more is a slip of the hand

/// Refuses a value of an axis, with the remedy.
[[noreturn]] void refuse_value(const Axis& axis, const std::string& value, const std::string& remedy) {
  throw UsageError(fmt::format("axis {}: '{}' is not a value{}", axis.name, value, remedy));
}

/// The remedy for every number that cannot be read.
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

/// Whether a value is a part of the row's n: "n" or "n/16".
bool is_part_of_n(std::string_view value) { return value == "n" || value.starts_with("n/"); }

/// The part of `n` that `value` names, rounded up, and to a round number where the axis wants one.
std::string resolve(const Axis& axis, const std::string& value, std::int64_t n) {
  const std::int64_t divisor = value == "n" ? 1 : *parse_number(std::string_view(value).substr(2));
  const std::int64_t part = std::max<std::int64_t>(1, n / divisor + (n % divisor != 0));
  return std::to_string(axis.round ? std::min(n, axis.round(part)) : part);
}

const std::vector<std::string> kPresets = {"quick", "paper", "full"};

/// One --sweep, taken apart and checked against the catalogue.
struct Override {
  std::string family;  ///< empty: every family that has the axis
  std::string axis;
  std::string values;
};

/// Reads "[family.]axis=values" and looks both names up. @throws UsageError with the nearest names.
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
    for (const Axis& axis : family.axes)
      if (!contains(axis_names, axis.name)) axis_names.push_back(axis.name);
  }
  if (!result.family.empty() && !contains(family_names, result.family))
    throw UsageError("--sweep=" + text + ": no family '" + result.family + "'" +
                     did_you_mean(result.family, family_names));
  if (!contains(axis_names, result.axis))
    throw UsageError("--sweep=" + text + ": no axis '" + result.axis + "'" +
                     (result.family.empty() ? "" : " in family " + result.family) +
                     did_you_mean(result.axis, axis_names));
  return result;
}

/// The values that an override has for a family's axis. A value may be right for one family and wrong for
/// another: only `sequence` can submit a graph_pdl, and a part of n needs an n. It is refused only where no
/// family takes it.
std::vector<std::string> values_for(const Family& family, const Axis& axis, const Override& override,
                                    const std::vector<Family>& families) {
  std::vector<const Family*> meant;
  for (const Family& other : families)
    if (other.has_axis(axis.name) && (override.family.empty() || other.name == override.family))
      meant.push_back(&other);
  Axis anyones = axis;
  for (const Family* other : meant)
    for (const std::string& choice : std::ranges::find(other->axes, axis.name, &Axis::name)->choices)
      if (!contains(anyones.choices, choice)) anyones.choices.push_back(choice);
  auto values = parse_values(axis.choices.empty() ? axis : anyones, override.values);
  const bool any_has_n = std::ranges::any_of(meant, [](const Family* each) { return each->has_axis("n"); });
  for (const std::string& value : values)
    if (axis.choices.empty() && is_part_of_n(value) && !any_has_n)
      refuse_value(axis, value, fmt::format(": {} has no n to take a part of; write a number", family.name));
  std::erase_if(values, [&](const std::string& value) {
    return axis.choices.empty() ? is_part_of_n(value) && !family.has_axis("n")
                                : !contains(axis.choices, value);
  });
  return values;
}

/// The values of every axis of every family, and which of them --sweep chose.
class Values {
 public:
  /// Axes that follow others come last, when those have their values.
  /// @throws UsageError for an override that fits nothing.
  Values(const std::vector<Family>& families, const SweepRequest& request, const DeviceInfo& device)
      : families_(families), host_(request.host), preset_(request.preset) {
    for (const std::string& text : request.overrides) overrides_.push_back(parse_override(families, text));
    for (const Family& family : families)
      for (const Axis& axis : family.axes) set(family, axis, device);
    for (const Family& family : families)
      for (const Axis& axis : family.axes)
        if (!axis.follows.empty() && !chosen(family.name, axis.name)) follow(family, axis);
  }

  /// In the order that they were asked for; empty if there is no such axis.
  const std::vector<std::string>& of(std::string_view family, std::string_view axis) const {
    static const std::vector<std::string> kNone;
    const auto found = values_.find({std::string(family), std::string(axis)});
    return found == values_.end() ? kNone : found->second;
  }
  /// Whether a --sweep named the axis of this family.
  bool chosen(std::string_view family, std::string_view axis) const {
    return chosen_.contains({std::string(family), std::string(axis)});
  }

 private:
  using Key = std::pair<std::string, std::string>;

  /// The preset's values that the device has, or those of the last override that names the axis.
  void set(const Family& family, const Axis& axis, const DeviceInfo& device) {
    auto& values = values_[{family.name, axis.name}];
    if (const std::string usual = axis.values(preset_, host_); !usual.empty())
      values = parse_values(axis, usual);
    if (axis.available)
      std::erase_if(values, [&](const std::string& value) { return !axis.available(value, device); });
    for (const Override& override : overrides_) {
      if (override.axis != axis.name || (!override.family.empty() && override.family != family.name))
        continue;
      values = values_for(family, axis, override, families_);
      chosen_.insert({family.name, axis.name});
    }
  }
  /// Every value that the axes it follows have, each once.
  void follow(const Family& family, const Axis& axis) {
    auto& values = values_[{family.name, axis.name}];
    for (const std::string& other : axis.follows)
      for (const std::string& value : of(other, axis.name))
        if (!contains(values, value)) values.push_back(value);
  }

  const std::vector<Family>& families_;
  bool host_;
  std::string preset_;
  std::vector<Override> overrides_;
  std::map<Key, std::vector<std::string>> values_;
  std::set<Key> chosen_;
};

/// What one family sees of them.
class AskedOf : public Asked {
 public:
  AskedOf(const Family& family, const Values& values) : family_(family), values_(values) {}
  bool operator()(std::string_view axis) const override { return values_.chosen(family_.name, axis); }
  bool operator()(std::string_view family, std::string_view axis) const override {
    return values_.chosen(family, axis);
  }
  bool has(std::string_view family, std::string_view axis, const std::string& value) const override {
    return contains(values_.of(family, axis), value);
  }

 private:
  const Family& family_;
  const Values& values_;
};

/// Every combination of the values, the last axis fastest; parts of n are resolved by the row's own n.
std::vector<Point> combine(const Family& family, const Values& values) {
  std::vector<Point> points(1);
  for (const Axis& axis : family.axes) {
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (const std::string& value : values.of(family.name, axis.name)) {
        longer.push_back(point);
        longer.back().set(axis.name, value);
      }
    }
    points = std::move(longer);
  }
  for (Point& point : points)
    for (const Axis& axis : family.axes)
      if (axis.choices.empty() && is_part_of_n(point.text(axis.name)))
        point.set(axis.name, resolve(axis, point.text(axis.name), point.number("n")));
  return points;
}

/// The rows of a family that are worth running, each once, in the order of their values.
/// Canonical first: points that mean the same row become equal, and count once.
std::vector<PlannedRow> rows_of(const Family& family, const Values& values) {
  std::vector<PlannedRow> rows;
  std::set<std::string> seen;
  const AskedOf asked(family, values);
  for (Point& point : combine(family, values)) {
    if (family.canonical) family.canonical(point);
    if (family.wanted && !family.wanted(point, asked)) continue;
    RowId id = family.id_of(point);
    if (seen.insert(print(id)).second) rows.push_back({&family, std::move(point), std::move(id)});
  }
  return rows;
}

/// Rows that share data, in the order they run.
struct Group {
  std::vector<PlannedRow> rows;
  bool side_by_side = false;
};

/// Groups stand in the order of their first rows. Without data to share, every row is a group.
std::vector<Group> grouped(std::vector<PlannedRow> rows) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> index;
  for (PlannedRow& row : rows) {
    const Family& family = *row.family;
    const std::string key = family.data_axes.empty() ? row.name() : family.data_key(row.point);
    const auto [at, added] = index.try_emplace(key, groups.size());
    if (added) groups.emplace_back();
    Group& group = groups[at->second];
    group.side_by_side = group.side_by_side || (family.side_by_side && family.side_by_side(row.point));
    group.rows.push_back(std::move(row));
  }
  return groups;
}

}  // namespace

std::vector<std::string> parse_values(const Axis& axis, const std::string& text) {
  std::vector<std::string> values;
  for (const std::string& part : split(text, ',')) {
    if (!axis.choices.empty()) {
      if (!contains(axis.choices, part)) refuse_value(axis, part, did_you_mean(part, axis.choices));
      values.push_back(part);
    } else if (part.find("..") != std::string::npos) {
      for (std::string& value : parse_range(axis, part)) values.push_back(std::move(value));
    } else if (is_part_of_n(part) && axis.name != "n") {
      const auto divisor = part == "n" ? 1 : parse_number(std::string_view(part).substr(2));
      if (!divisor || *divisor < 1) refuse_value(axis, part, kNumberHelp);
      values.push_back(part == "n" ? part : "n/" + std::to_string(*divisor));
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
  if (!contains(kPresets, request.preset))
    throw UsageError("--preset=" + request.preset + " is unknown" + did_you_mean(request.preset, kPresets));
  const Values values(families, request, device);
  std::vector<Group> groups;
  for (const Family& family : families)
    for (Group& group : grouped(rows_of(family, values))) groups.push_back(std::move(group));
  std::ranges::stable_sort(groups, {}, &Group::side_by_side);
  std::vector<PlannedRow> rows;
  for (Group& group : groups) std::ranges::move(group.rows, std::back_inserter(rows));
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
      if (!axis.follows.empty())
        text += fmt::format("  {:<8}   as in   {}\n", "", fmt::join(axis.follows, ", "));
      for (const std::string& preset : axis.follows.empty() ? kPresets : std::vector<std::string>())
        text += fmt::format("  {:<8}   {:<7} {}\n", "", preset, axis.values(preset, host));
    }
  }
  return text;
}

}  // namespace overlap
