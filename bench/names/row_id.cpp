// From the end: the ordinal, then the segments that Google Benchmark appends. From the front: the family,
// which is the first segment, then axes. Whatever is no axis is kept as it was, so that printing gives it
// back.
#include "names/row_id.hpp"

#include <algorithm>
#include <charconv>

namespace overlap {
namespace {

/// Ahead of a number from 2 on, at the very end of a name.
constexpr std::string_view kOrdinalMark = " #";

constexpr std::string_view kThreads = "threads:";

/// Segments by which Google Benchmark says how a row is timed.
bool is_mode(std::string_view segment) {
  return segment == "real_time" || segment == "process_time" || segment.starts_with(kThreads);
}

/// Segments of Google Benchmark's that do not make a row another one.
bool is_setting(std::string_view segment) {
  if (segment == "manual_time") return true;
  for (const char* start : {"min_time:", "min_warmup_time:", "iterations:", "repeats:"})
    if (segment.starts_with(start)) return true;
  return false;
}

/// The segments of a suffix, each of which begins with a slash.
template <class Use>
void for_each_segment(std::string_view suffix, const Use& use) {
  while (!suffix.empty()) {
    suffix.remove_prefix(1);
    const std::string_view segment = suffix.substr(0, suffix.find('/'));
    use(segment);
    suffix.remove_prefix(segment.size());
  }
}

/// Where the axis's name ends; npos for a segment that is no axis. "std::x" is none.
std::size_t axis_end(std::string_view segment) {
  const auto colon = segment.find(':');
  if (colon == 0 || colon == std::string_view::npos) return std::string_view::npos;
  return segment.substr(colon).starts_with("::") ? std::string_view::npos : colon;
}

/// The slash that ends the segment at `at`; npos if it is the last one. A slash in brackets that close
/// belongs to the name: "read(/dev/null)", "copy<a/b>".
std::size_t segment_end(std::string_view name, std::size_t at) {
  std::size_t depth = 0, inside = std::string_view::npos;  // the first slash in a bracket that is open
  for (; at < name.size(); ++at) {
    const char c = name[at];
    if (std::string_view("([{<").find(c) != std::string_view::npos) {
      ++depth;
    } else if (std::string_view(")]}>").find(c) != std::string_view::npos && depth > 0) {
      if (--depth == 0) inside = std::string_view::npos;
    } else if (c == '/') {
      if (depth == 0) return at;
      inside = std::min(inside, at);
    }
  }
  return inside;
}

/// What tables call the axis at place `at`.
std::string label_of(const Axes& axes, std::size_t at) {
  const auto named = [&axes](const std::string& name) {
    return std::ranges::find(axes, name, &Axes::value_type::first) != axes.end();
  };
  const std::string& name = axes[at].first;
  const auto same = std::count_if(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(at),
                                  [&name](const auto& axis) { return axis.first == name; });
  if (!name.empty()) return same == 0 ? name : name + " #" + std::to_string(same + 1);
  std::string label;
  std::ptrdiff_t number = 0;
  for (std::ptrdiff_t seen = 0; seen <= same; ++seen) do
      label = "arg" + std::to_string(++number);
    while (named(label));
  return label;
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

/// Family and axes.
void append_bare(std::string& name, const RowId& id) {
  name += id.family;
  for (const auto& [axis, value] : id.axes) {
    name.append("/").append(axis);
    if (!axis.empty()) name += ':';
    name += value;
  }
}

void append_ordinal(std::string& name, std::size_t ordinal) {
  if (ordinal > 1) name.append(kOrdinalMark).append(std::to_string(ordinal));
}

}  // namespace

const std::string& value_of(const Axes& axes, std::string_view name) {
  static const std::string kNone;
  const auto found = std::ranges::find(axes, name, &Axes::value_type::first);
  return found == axes.end() ? kNone : found->second;
}

// Most names are those of an axis; labels are made where none is.
const std::string& RowId::axis(std::string_view name) const {
  const std::string& named = value_of(axes, name);
  if (!named.empty() || axes_are_labels()) return named;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (label_of(axes, i) == name) return axes[i].second;
  return named;
}

bool RowId::axes_are_labels() const {
  for (auto axis = axes.begin(); axis != axes.end(); ++axis) {
    const auto is_same = [axis](const auto& other) { return other.first == axis->first; };
    if (axis->first.empty() || std::any_of(axes.begin(), axis, is_same)) return false;
  }
  return true;
}

Axes RowId::labelled() const {
  Axes all = axes;
  if (!axes_are_labels())
    for (std::size_t i = 0; i < all.size(); ++i) all[i].first = label_of(axes, i);
  return all;
}

std::string RowId::mode() const {
  std::string mode;
  for_each_segment(suffix, [&mode](std::string_view segment) {
    if (is_mode(segment)) mode.append("/").append(segment);
  });
  return mode;
}

std::string RowId::threads() const {
  std::string threads;
  for_each_segment(suffix, [&threads](std::string_view segment) {
    if (segment.starts_with(kThreads)) threads = segment.substr(kThreads.size());
  });
  return threads;
}

std::string RowId::clock() const {
  std::string clock;
  for_each_segment(suffix, [&clock](std::string_view segment) {
    if (segment == "real_time" || segment == "process_time" || segment == "manual_time")
      clock.append(clock.empty() ? "" : "/").append(segment);
  });
  return clock;
}

std::vector<std::string> RowId::settings() const {
  std::vector<std::string> settings;
  for_each_segment(suffix, [&settings](std::string_view segment) {
    if (is_setting(segment) && segment != "manual_time") settings.emplace_back(segment);
  });
  return settings;
}

std::string RowId::key() const {
  std::string name;
  append_bare(name, *this);
  if (!suffix.empty()) name += mode();
  append_ordinal(name, ordinal);
  return name;
}

// Every text is a name: what is no axis becomes one without a name.
RowId parse_row_id(std::string_view name) {
  RowId id;
  id.ordinal = take_ordinal(name);
  id.suffix = take_suffix(name);
  // The first segment is the family, with the slashes that the name begins with.
  std::size_t at = segment_end(name, std::min(name.find_first_not_of('/'), name.size()));
  id.family = name.substr(0, at);
  while (at != std::string_view::npos) {
    const auto next = segment_end(name, at + 1);
    const std::string_view segment =
        name.substr(at + 1, next == std::string_view::npos ? next : next - at - 1);
    const auto colon = axis_end(segment);
    if (colon != std::string_view::npos)
      id.axes.emplace_back(segment.substr(0, colon), segment.substr(colon + 1));
    else
      id.axes.emplace_back("", segment);
    at = next;
  }
  return id;
}

std::string print(const RowId& id) {
  std::string name;
  append_bare(name, id);
  name += id.suffix;
  append_ordinal(name, id.ordinal);
  return name;
}

}  // namespace overlap
