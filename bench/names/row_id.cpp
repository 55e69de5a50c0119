// From the end: the ordinal, then the segments that Google Benchmark appends. From the front: the family, up
// to the first segment that reads as an axis. Whatever is left is kept as it was, so that printing gives it
// back.
#include "names/row_id.hpp"

#include <algorithm>
#include <charconv>

namespace overlap {
namespace {

/// Ahead of a number from 2 on, at the very end of a name.
constexpr std::string_view kOrdinalMark = " #";

/// Segments by which Google Benchmark says how a row is timed.
bool is_mode(std::string_view segment) {
  return segment == "real_time" || segment == "process_time" || segment.starts_with("threads:");
}

/// Segments of Google Benchmark's that do not make a row another one.
bool is_setting(std::string_view segment) {
  if (segment == "manual_time") return true;
  for (const char* start : {"min_time:", "min_warmup_time:", "iterations:", "repeats:"})
    if (segment.starts_with(start)) return true;
  return false;
}

/// Where the axis's name ends; npos for a segment that is no axis. "std::x" is none.
std::size_t axis_end(std::string_view segment) {
  const auto colon = segment.find(':');
  if (colon == 0 || colon == std::string_view::npos) return std::string_view::npos;
  return segment.substr(colon).starts_with("::") ? std::string_view::npos : colon;
}

/// Cuts off " #2" and the like.
std::size_t take_ordinal(std::string_view& name) {
  const auto mark = name.rfind(kOrdinalMark);
  if (mark == std::string_view::npos) return 1;
  const std::string_view digits = name.substr(mark + kOrdinalMark.size());
  std::size_t ordinal = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  const bool whole = error == std::errc() && end == digits.data() + digits.size() && digits[0] != '0';
  if (!whole || ordinal < 2) return 1;
  name = name.substr(0, mark);
  return ordinal;
}

/// Cuts off the segments at the end that are Google Benchmark's. The first segment is never one.
std::string take_suffix(std::string_view& name) {
  std::size_t end = name.size();
  for (;;) {
    const auto slash = name.substr(0, end).rfind('/');
    if (slash == std::string_view::npos || slash == 0) break;
    const std::string_view segment = name.substr(slash + 1, end - slash - 1);
    if (!is_mode(segment) && !is_setting(segment)) break;
    end = slash;
  }
  std::string suffix(name.substr(end));
  name = name.substr(0, end);
  return suffix;
}

}  // namespace

const std::string& value_of(const Axes& axes, std::string_view name) {
  static const std::string kNone;
  const auto found = std::ranges::find(axes, name, &Axes::value_type::first);
  return found == axes.end() ? kNone : found->second;
}

const std::string& RowId::axis(std::string_view name) const { return value_of(axes, name); }

std::string RowId::mode() const {
  std::string mode;
  for (std::string_view rest = suffix; !rest.empty();) {
    rest.remove_prefix(1);  // the slash
    const std::string_view segment = rest.substr(0, rest.find('/'));
    if (is_mode(segment)) mode.append("/").append(segment);
    rest.remove_prefix(segment.size());
  }
  return mode;
}

std::string RowId::key() const {
  RowId bare{family, axes, mode(), ordinal};
  return print(bare);
}

// Every text is a name: what is no axis behind the first one becomes an axis without a name.
RowId parse_row_id(std::string_view name) {
  RowId id;
  id.ordinal = take_ordinal(name);
  id.suffix = take_suffix(name);
  // The family goes up to the first axis, whatever lies between: "BM_copy<float>/8/1024" is one.
  std::size_t at = name.find('/');
  id.family = name.substr(0, at);
  while (at != std::string_view::npos) {
    const auto next = name.find('/', at + 1);
    const std::string_view segment =
        name.substr(at + 1, next == std::string_view::npos ? next : next - at - 1);
    const auto colon = axis_end(segment);
    if (colon != std::string_view::npos)
      id.axes.emplace_back(segment.substr(0, colon), segment.substr(colon + 1));
    else if (id.axes.empty())
      id.family.append("/").append(segment);
    else
      id.axes.emplace_back("", segment);
    at = next;
  }
  return id;
}

std::string print(const RowId& id) {
  std::string name = id.family;
  for (const auto& [axis, value] : id.axes) name += axis.empty() ? "/" + value : "/" + axis + ":" + value;
  name += id.suffix;
  if (id.ordinal > 1) name += std::string(kOrdinalMark) + std::to_string(id.ordinal);
  return name;
}

}  // namespace overlap
