// Looking through all rows is fast enough where it is done once; who asks for every row has a RowFinder.
#include "judge/rows.hpp"

namespace overlap::report {

bool has_time(const Row& row) { return !row.failed() && row.time_us() > 0; }

Rows measured(const Run& run, std::string_view family) {
  Rows rows;
  for (const Row& row : run.rows)
    if (row.family() == family && has_time(row)) rows.push_back(&row);
  return rows;
}

bool has_all(const Row& row, const Axes& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& axis) { return row.axis(axis.first) == axis.second; });
}

Rows only(const Rows& rows, const Axes& wanted) {
  return only(rows, [&](const Row& row) { return has_all(row, wanted); });
}

const Row* fastest(const Rows& rows) {
  const auto found = std::ranges::min_element(rows, {}, [](const Row* row) { return row->time_us(); });
  return found == rows.end() ? nullptr : *found;
}

const Row* find_row(const Rows& rows, const Axes& wanted) {
  const auto found = std::ranges::find_if(rows, [&](const Row* row) { return has_all(*row, wanted); });
  return found == rows.end() ? nullptr : *found;
}

const Row* RowFinder::find(const RowId& wanted) {
  const char separator = '\0';  // which no name has
  std::string family = wanted.family, values;
  for (const auto& [axis, value] : wanted.axes) {
    family.append(1, separator).append(axis);
    values.append(value).append(1, separator);
  }
  const auto [rows, first_time] = found_.try_emplace(family);
  if (first_time) {
    for (const Row& row : run_.rows) {
      if (row.family() != wanted.family || row.failed()) continue;
      std::string key;
      for (const auto& [axis, value] : wanted.axes) key.append(row.axis(axis)).append(1, separator);
      rows->second.try_emplace(std::move(key), &row);
    }
  }
  const auto found = rows->second.find(values);
  return found == rows->second.end() ? nullptr : found->second;
}

Axes values_of(const Row& row, const std::vector<std::string>& axes) {
  Axes values;
  for (const std::string& axis : axes)
    if (const std::string& value = row.axis(axis); !value.empty()) values.emplace_back(axis, value);
  return values;
}

Axes pick(const Row& row, const std::vector<std::string>& axes, bool listed) {
  Axes picked;
  for (const auto& each : row.id.axes)
    if ((std::ranges::find(axes, each.first) != axes.end()) == listed) picked.push_back(each);
  return picked;
}

}  // namespace overlap::report
