// What a family of benchmarks declares: its axes and their values, what one row of it is, which rows share
// data. The planner (sweep.hpp) makes rows of it, the runner measures them; neither knows a family.
//
// The words here are the words of row names, flags, tables and JSON.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "names/family_facts.hpp"
#include "names/row_id.hpp"
#include "overlap/device.hpp"

namespace overlap {

class Fixture;
class Session;

/// An axis of a family and its values in each preset, written as --sweep takes them. A preset without values
/// takes those of the one before it: paper those of quick, full those of paper; quick every choice.
struct Axis {
  std::string name;
  std::string help;
  std::vector<std::string> choices{};  ///< the words it may take; empty: a number
  std::string quick{}, paper{}, full{};
  std::string host_quick{};  ///< instead of `quick` on the host backend, where that would take too long
  /// Not empty: the axis was added after its family was published. It stands last, and at this value it is
  /// left out of names, so that those of before are those of now.
  std::string late_default{};
  /// Families whose values of an axis of this name it takes over.
  std::vector<std::string> follows{};
  /// Makes a round number of one that was written n/K.
  std::function<std::int64_t(std::int64_t)> round{};
  /// Whether the device has `value`. Presets leave out what it has not; a row that was asked for fails.
  std::function<bool(const std::string& value, const DeviceInfo& device)> available{};

  /// The values of a preset; empty for an axis that follows others and has none of its own.
  std::string values(const std::string& preset, bool host) const;
};

/// Axes that many families have. Change what differs.
Axis submit_axis();
Axis streams_axis(std::string help);
Axis mem_axis();

/// One row's coordinates, in the order of the family's axes.
class Point {
 public:
  void set(const std::string& axis, const std::string& value);
  const std::string& text(std::string_view axis) const;
  bool is(std::string_view axis, std::string_view value) const { return text(axis) == value; }
  /// The value's place among `words`, as the enum whose values stand in their order.
  template <class Enum>
  Enum choice(std::string_view axis, const std::vector<std::string>& words) const {
    return static_cast<Enum>(std::ranges::find(words, text(axis)) - words.begin());
  }
  std::int64_t number(std::string_view axis) const;
  /// number(axis), if it lies in [1, most].
  /// @throws std::invalid_argument that names axis, value and limits.
  std::size_t count(std::string_view axis,
                    std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  const Axes& coordinates() const { return coordinates_; }
  bool operator==(const Point&) const = default;

 private:
  Axes coordinates_;
};

/// What was asked for, as a family sees it that decides which rows are worth running.
class Asked {
 public:
  virtual ~Asked() = default;
  /// Whether --sweep chose the values of this family's axis.
  virtual bool operator()(std::string_view axis) const = 0;
  /// Whether --sweep chose the values of another family's axis.
  virtual bool operator()(std::string_view family, std::string_view axis) const = 0;
  /// Whether another family's axis has this value.
  virtual bool has(std::string_view family, std::string_view axis, const std::string& value) const = 0;
};

/// A family of the catalogue.
struct Family {
  std::string name;
  std::string summary;
  std::vector<Axis> axes;
  /// Axes that decide which data a row works on. Rows that share them run one after the other.
  std::vector<std::string> data_axes;
  /// Rewrites coordinates that mean nothing for this row (one stream has no second), so that equal rows are
  /// one.
  std::function<void(Point&)> canonical;
  /// Whether a row is worth running. What was asked for is. A row that cannot work is left out unless all the
  /// axes that make it so were asked for.
  std::function<bool(const Point&, const Asked&)> wanted;
  /// Whether a row launches kernels into several streams side by side, call by call. Their groups run after
  /// all others: the driver answers some hundred such launches by making every later boundary between kernels
  /// slower, in all streams, until the process ends. On an H200 (driver 580) that costs 0.18 us a kernel: a
  /// graph of 1000 empty ones takes 502 us before and 679 us after.
  std::function<bool(const Point&)> side_by_side;
  /// Makes the fixture. @throws std::invalid_argument or DeviceError: the row fails with that reason.
  std::function<std::unique_ptr<Fixture>(const Point&, Session&)> make;
  /// For a report that has no file for this family; travels in the context of the run.
  FamilyFacts facts{};

  bool has_axis(std::string_view axis) const;
  /// The row's name, without late axes at their default.
  RowId id_of(const Point& point) const;
  /// What rows have in common that share data.
  std::string data_key(const Point& point) const;
};

}  // namespace overlap
