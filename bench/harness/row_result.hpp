// What one repetition of a row came to, as a value: shown on the console, written into the JSON, and whatever
// else wants to hang on a row.
#pragma once

#include <string>

#include "harness/limits.hpp"
#include "harness/measure.hpp"
#include "names/row_id.hpp"

namespace overlap {

struct RowResult {
  RowId id{};
  MeasurePlan plan{};  ///< of all repetitions of the row, also of one that failed
  Measurement measured{};
  Stages stages{};         ///< what its bound is made of
  std::string bound_by{};  ///< the part that is busy longest; empty where the family does not say
  Counters counters{};     ///< every counter of the row, those of the stages included
  std::size_t bytes = 0;   ///< payload of one operation; 0: moves no data
  std::string failure{};   ///< not empty: the row has no times, and this is why

  bool failed() const { return !failure.empty(); }
};

}  // namespace overlap
