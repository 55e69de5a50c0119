// Rows picked by what they are: the words in which families ask their questions. Pure.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "read/results.hpp"

namespace overlap::report {

/// Points into a run, which must outlive it and keep its rows in place.
using Rows = std::vector<const Row*>;

/// Whether the row did not fail and took any time: one of 0 has no ratio to another.
bool has_time(const Row& row);

/// The rows of a family that have a time, in the order of the run.
Rows measured(const Run& run, std::string_view family);

/// Whether the row has all these values.
/// Of axes that its name has; defaults of late axes are the family's to know (FamilyReport::has_all).
bool has_all(const Row& row, const Axes& wanted);

/// Those that `keep` is true of.
template <class Keep>
Rows only(const Rows& rows, const Keep& keep) {
  Rows kept;
  std::ranges::copy_if(rows, std::back_inserter(kept), [&](const Row* row) { return keep(*row); });
  return kept;
}
/// Those that have all these values.
Rows only(const Rows& rows, const Axes& wanted);

/// The fastest, the first of equals; nullptr if there are none.
const Row* fastest(const Rows& rows);

/// The first with these values; nullptr if there is none.
const Row* find_row(const Rows& rows, const Axes& wanted);

/// Finds the rows of a run by what they are, however many they are. The run must outlive it and keep its rows
/// in place.
class RowFinder {
 public:
  explicit RowFinder(const Run& run) : run_(run) {}
  /// The first row of the family that has a time and all these axes; nullptr if there is none.
  const Row* find(const RowId& wanted);

 private:
  const Run& run_;
  /// By family and names of axes, once each has been asked for; then by values.
  std::unordered_map<std::string, std::unordered_map<std::string, const Row*>> found_;
};

/// The row's values of these axes, defaults included; without those that it has not.
Axes values_of(const Row& row, const std::vector<std::string>& axes);

/// The row's axes that are listed, or those that are not.
/// In the order of the row's name.
Axes pick(const Row& row, const std::vector<std::string>& axes, bool listed);

}  // namespace overlap::report
