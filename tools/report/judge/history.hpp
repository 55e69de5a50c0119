// What the series of a store say: where they changed, whether they drift. Pure.
//
// Runs on another GPU, driver, backend or build are another series of the same row: a new card is no
// regression.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "read/store.hpp"

namespace overlap::report {

/// A lasting change of a row, between two runs.
struct ChangePoint {
  std::string commit, date;            ///< of the first run after it
  double before_us = 0, after_us = 0;  ///< medians of the stretches beside it
  double p = 0;
  bool recovered = false;    ///< a later stretch is as it was before
  std::string acknowledged;  ///< not empty: somebody knows, and why
};

struct Series {
  std::string name, context;
  std::vector<double> times_us;
  std::vector<std::string> commits, dates;
  std::vector<ChangePoint> changes;
  std::optional<double> drift;  ///< relative change over the last stretch, if it moves steadily
};

struct HistoryOptions {
  double least_change = 0.02;  ///< smaller ones are nobody's business
  double p = 0.001;
  std::vector<Acknowledgement> acknowledged{};
};

/// Change points by splitting a stretch where Welch's t on logarithms is largest, as long as it is
/// significant; drift by the slope of the last stretch. Deterministic.
std::vector<Series> analyse(const Store& store, const HistoryOptions& options);

/// Whether something got slower, stayed so, and nobody has acknowledged it.
bool is_bad(const Series& series);

}  // namespace overlap::report
