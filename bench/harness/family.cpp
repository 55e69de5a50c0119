// Points keep their coordinates as text, as they were asked for and as they stand in names. Fixtures read
// them as numbers within limits, which turns a wrong value into a failed row that says so.
#include "harness/family.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace overlap {

std::string Axis::values(const std::string& preset, bool host) const {
  const std::string every = quick.empty() ? fmt::format("{}", fmt::join(choices, ",")) : quick;
  if (preset == "quick") return host && !host_quick.empty() ? host_quick : every;
  if (preset == "full" && !full.empty()) return full;
  return paper.empty() ? every : paper;
}

Axis submit_axis() {
  return {.name = "submit",
          .help = "call by call, or captured once and launched as a graph",
          .choices = {"launch", "graph"}};
}

Axis streams_axis(std::string help) {
  return {.name = "streams",
          .help = std::move(help),
          .quick = "1,2,4,8",
          .paper = "1,2,4,8,16",
          .full = "1..32*2"};
}

Axis mem_axis() {
  return {.name = "mem",
          .help = "kind of host memory",
          .choices = {"pinned", "pageable", "registered", "write_combined"},
          .available = [](const std::string& value, const DeviceInfo& device) {
            return value != "write_combined" || device.write_combined;
          }};
}

void Point::set(const std::string& axis, const std::string& value) {
  const auto found = std::ranges::find(coordinates_, axis, &Axes::value_type::first);
  if (found == coordinates_.end())
    coordinates_.emplace_back(axis, value);
  else
    found->second = value;
}

const std::string& Point::text(std::string_view axis) const {
  const auto found = std::ranges::find(coordinates_, axis, &Axes::value_type::first);
  if (found == coordinates_.end()) throw std::logic_error("no axis " + std::string(axis) + " in this row");
  return found->second;
}

std::int64_t Point::number(std::string_view axis) const {
  const std::string& value = text(axis);
  std::int64_t number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);  // parse_values wrote it
  return number;
}

std::size_t Point::count(std::string_view axis, std::int64_t most) const {
  const std::int64_t value = number(axis);
  if (value < 1) throw std::invalid_argument(fmt::format("{}:{} is below 1", axis, value));
  if (value > most) throw std::invalid_argument(fmt::format("{}:{} is above {}", axis, value, most));
  return static_cast<std::size_t>(value);
}

bool Family::has_axis(std::string_view axis) const {
  return std::ranges::find(axes, axis, &Axis::name) != axes.end();
}

RowId Family::id_of(const Point& point) const {
  RowId id{.family = name};
  for (const Axis& axis : axes)
    if (const std::string& value = point.text(axis.name);
        axis.late_default.empty() || value != axis.late_default)
      id.axes.emplace_back(axis.name, value);
  return id;
}

std::string Family::data_key(const Point& point) const {
  std::string key = name;
  for (const std::string& axis : data_axes) key += "/" + axis + ":" + point.text(axis);
  return key;
}

}  // namespace overlap
