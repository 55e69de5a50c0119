// From what was asked for to the rows that will run: presets, --sweep, and the order.
#pragma once

#include <string>
#include <vector>

#include "harness/family.hpp"
#include "harness/words.hpp"

namespace overlap {

/// What Google Benchmark appends to the name of every row.
inline constexpr const char* kTimedByHand = "/manual_time";

/// A row that will run.
struct PlannedRow {
  const Family* family;
  Point point;
  RowId id;

  std::string name() const { return print(id); }  ///< as Google Benchmark prints it, without its suffix
};

/// What the command line asked for.
struct SweepRequest {
  std::string preset = "quick";
  std::vector<std::string> overrides{};  ///< "[family.]axis=value[,value...]"
  bool host = false;                     ///< whether the host backend's values are meant
};

/// The rows of a request on `device`, in the order they run: rows that share data one after the other, groups
/// that launch side by side after all others, else as families and values are listed. The rows point into
/// `families`.
/// @throws UsageError for an unknown preset, family, axis or value.
std::vector<PlannedRow> plan_rows(const std::vector<Family>& families, const SweepRequest& request,
                                  const DeviceInfo& device);

/// The values that `text` stands for: "1,2,4", "2^20", "64Ki", "3M", "1..32*2", "1..8+1", "n", "n/16".
/// @throws UsageError
std::vector<std::string> parse_values(const Axis& axis, const std::string& text);

/// A table of every family, axis and value, for --list-axes.
std::string describe_axes(const std::vector<Family>& families, bool host);

}  // namespace overlap
