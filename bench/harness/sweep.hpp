// What is swept: families, their axes, the values of each preset, and what --sweep may say about them.
//
// The words here are the words of row names, flags, tables and JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "overlap/device.hpp"

namespace overlap {

class Fixture;
class Session;

/// Wrong words on the command line; what() names the nearest right ones.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An axis of a family and its values in each preset, written as --sweep takes them.
struct Axis {
  std::string name;
  std::string help;
  std::string quick, paper, full;
  std::string host_quick{};            ///< replaces `quick` on the host backend, where it would take too long
  std::vector<std::string> choices{};  ///< the words it may take; empty: a number
  /// Whether the device has `value`. Presets leave out what it has not; a row that was asked for fails.
  std::function<bool(const std::string& value, const DeviceInfo& device)> available{};
};

/// One row's coordinates, in the order of the family's axes.
class Point {
 public:
  void set(const std::string& axis, const std::string& value);
  const std::string& text(std::string_view axis) const;
  std::int64_t number(std::string_view axis) const;
  /// number(axis), if it lies in [least, most]. @throws std::invalid_argument that names axis, value and
  /// limits.
  std::int64_t number(std::string_view axis, std::int64_t least, std::int64_t most) const;
  const std::vector<std::pair<std::string, std::string>>& coordinates() const { return coordinates_; }
  bool operator==(const Point&) const = default;

 private:
  std::vector<std::pair<std::string, std::string>> coordinates_;
};

/// Whether --sweep chose the values of an axis.
using AskedFor = std::function<bool(std::string_view axis)>;

/// A family of the catalogue: what one operation is, its axes, and how a row of it is made.
struct Family {
  std::string name;
  std::string summary;
  std::vector<Axis> axes;
  /// Axes that decide which data a row works on. Rows that share them run one after the other.
  std::vector<std::string> data_axes;
  /// Rewrites coordinates that mean nothing for this row (one stream has no second), so that equal rows are
  /// one.
  std::function<void(Point&)> canonical;
  /// Whether a row is worth running. What was asked for is: `asked(axis)` says whether --sweep chose that
  /// axis's values. A row that cannot work is left out unless all the axes that make it so were asked for.
  std::function<bool(const Point&, const AskedFor& asked)> wanted;
  /// Makes the fixture. @throws std::invalid_argument or DeviceError: the row fails with that reason.
  std::function<std::unique_ptr<Fixture>(const Point&, Session&)> make;
};

/// A row that will run.
struct PlannedRow {
  const Family* family;
  Point point;
  std::string name;  ///< as Google Benchmark prints it, without its own suffix
};

/// What the command line asked for.
struct SweepRequest {
  std::string preset = "quick";
  std::vector<std::string> overrides{};  ///< "[family.]axis=value[,value...]"
};

/// The rows of a request on `device`, in the order they run.
/// @throws UsageError for an unknown preset, family, axis or value.
std::vector<PlannedRow> plan_rows(const std::vector<Family>& families, const SweepRequest& request,
                                  const DeviceInfo& device);

/// The values that `text` stands for: "1,2,4", "2^20", "64Ki", "3M", "1..32*2", "1..8+1", "n/16".
/// @throws UsageError
std::vector<std::string> parse_values(const Axis& axis, const std::string& text);

/// A table of every family, axis and value, for --list-axes.
std::string describe_axes(const std::vector<Family>& families, bool host);

/// "; did you mean 'x'?" with the nearest of `known`, or the whole list if nothing is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace overlap
