// From the end: the ordinal, then the segments that Google Benchmark appends. From the front: the family,
// which is the first segment, then axes. Whatever is no axis is kept as it was, so that printing gives it
// back.
#include "names/row_id.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace overlap {
namespace {

/// Ahead of a number from 2 on, at the very end of a name.
constexpr std::string_view kOrdinalMark = " #";

constexpr std::string_view kThreads = "threads:";

constexpr std::string_view kManualTime = "manual_time";

/// Segments by which Google Benchmark says how a row is timed.
bool is_mode(std::string_view segment) {
  return segment == kManualTime || segment == "real_time" || segment == "process_time" ||
         segment.starts_with(kThreads);
}

/// Segments by which it says how often.
bool is_setting(std::string_view segment) {
  for (const char* start : {"min_time:", "min_warmup_time:", "iterations:", "repeats:"})
    if (segment.starts_with(start)) return true;
  return false;
}

/// Segments without which a row is known by the same name: "/manual_time", as most are timed, and the one
/// iteration of a program that measures by itself, as PyTorch's companion does.
bool says_nothing(std::string_view segment, bool is_manual) {
  return segment == kManualTime || (is_manual && segment == "iterations:1");
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
  const Axes all = labelled();
  const auto found = std::ranges::find(all, name, &Axes::value_type::first);
  return found == all.end() ? named : axes[static_cast<std::size_t>(found - all.begin())].second;
}

// Two by two while they are few: most names have a handful, and none has to be kept.
bool RowId::axes_are_labels() const {
  constexpr std::size_t kFew = 16;
  if (axes.size() > kFew) {
    std::set<std::string_view> names = {""};
    return std::ranges::all_of(axes, [&](const auto& axis) { return names.insert(axis.first).second; });
  }
  for (auto axis = axes.begin(); axis != axes.end(); ++axis) {
    const auto is_same = [axis](const auto& other) { return other.first == axis->first; };
    if (axis->first.empty() || std::any_of(axes.begin(), axis, is_same)) return false;
  }
  return true;
}

// A name that is taken is passed over, so that each label is there once.
Axes RowId::labelled() const {
  Axes all = axes;
  if (axes_are_labels()) return all;
  std::map<std::string, std::size_t> seen;  // how often each name was met
  for (const auto& [name, value] : axes) seen[name] = 0;
  std::size_t argument = 0;
  for (auto& [name, value] : all) {
    if (name.empty()) {
      do name = "arg" + std::to_string(++argument);
      while (seen.contains(name));
    } else if (const std::size_t count = ++seen[name]; count > 1) {
      name += " #" + std::to_string(count);
    }
  }
  return all;
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
    if (segment == "real_time" || segment == "process_time" || segment == kManualTime)
      clock.append(clock.empty() ? "" : "/").append(segment);
  });
  return clock;
}

std::vector<std::string> RowId::settings() const {
  std::vector<std::string> settings;
  const bool is_manual = clock() == kManualTime;
  for_each_segment(suffix, [&](std::string_view segment) {
    if (is_setting(segment) && !says_nothing(segment, is_manual)) settings.emplace_back(segment);
  });
  return settings;
}

std::string RowId::key() const {
  std::string name;
  append_bare(name, *this);
  const bool is_manual = !suffix.empty() && clock() == kManualTime;
  for_each_segment(suffix, [&](std::string_view segment) {
    if (is_whole || !says_nothing(segment, is_manual)) name.append("/").append(segment);
  });
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
