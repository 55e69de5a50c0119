// Which of many places is most like another one, found without looking through all of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace overlap::report {

/// Places that were given once, each a value for every column.
class Nearest {
 public:
  /// @param places  one or more, all of the same columns.
  explicit Nearest(const std::vector<const std::vector<std::string>*>& places);
  /// Which of them has the same value as `values` in most columns; of equals the first.
  std::size_t find(const std::vector<std::string>& values);

 private:
  /// Numbers for the texts of a column, from 1 on, so that places are compared by numbers; 0 for a text that
  /// none of the places has there.
  using Words = std::unordered_map<std::string, std::size_t>;
  using Place = std::vector<std::size_t>;    ///< a word for each of the columns
  using Columns = std::vector<std::size_t>;  ///< some of the columns

  /// The same as find(), of a place that is not one of them.
  std::size_t search(const Place& place);
  /// The same by looking through all of them.
  std::size_t search_all(const Place& place) const;
  /// The first that has the place's words in these columns.
  std::optional<std::size_t> first_with(const Place& place, const Columns& columns);

  std::vector<std::size_t> columns_;  ///< those in which the places differ: others make none better
  std::vector<Words> words_;          ///< by column
  std::vector<Place> places_;
  std::map<Place, std::size_t> known_;  ///< what was found
  std::map<Columns, std::vector<std::size_t>>
      indexes_;  ///< places in the order of their words in some columns
};

}  // namespace overlap::report
