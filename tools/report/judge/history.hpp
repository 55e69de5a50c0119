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

/// The runs of a row in one context class, in the order of the store; its three lists are of equal length.
struct Series {
  std::string name, context;
  std::vector<double> times_us;
  std::vector<std::string> commits, dates;
  std::vector<ChangePoint> changes;
  std::optional<double> drift;  ///< relative change over the last stretch, if it moves steadily
};

/// How much of a change is one.
struct HistoryOptions {
  double least_change = 0.02;  ///< smaller ones are nobody's business
  /// Of change points (corrected for the places tried) and of drifts, beyond which they are chance.
  double p = 0.001;
  std::vector<Acknowledgement> acknowledged{};
};

/// Change points by splitting a stretch where Welch's t on logarithms is largest, as long as it is
/// significant; drift by the slope of the last stretch. Deterministic.
/// Failed rows and rows without a time are no part of a series. Acknowledgements expire by the newest date in
/// the store.
std::vector<Series> analyse(const Store& store, const HistoryOptions& options);

/// Whether something got slower, stayed so, and nobody has acknowledged it.
/// Drift to longer times cannot be acknowledged.
bool is_bad(const Series& series);

}  // namespace overlap::report
