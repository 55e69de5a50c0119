// Where a sweep stands, on a terminal; nothing elsewhere.
#pragma once

#include <string>

#include "harness/stopwatch.hpp"

namespace overlap {

/// One line on standard error that is written over: count, time left, row.
class Progress {
 public:
  /// @param all  rows that will run, repetitions counted.
  explicit Progress(std::size_t all);

  void show(const std::string& row);  ///< the row that begins
  void clear() const;                 ///< before anything else is printed
  std::size_t started() const { return started_; }
  double seconds() const { return running_.seconds(); }  ///< since it was made

 private:
  std::size_t all_;
  bool terminal_;
  std::size_t started_ = 0;
  Stopwatch running_;
};

}  // namespace overlap
