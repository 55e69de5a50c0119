// What the series of a store say: where they changed, whether they drift. Pure.
//
// A series is a row on one machine, with one GPU, driver, backend and build: a new card is no regression. It
// is ordered by the dates of its runs, whenever they were added. What explains it is explanation.hpp's; this
// adds commits, what is too small to matter, what has recovered and what is meant.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "read/store.hpp"

namespace overlap::report {

/// A lasting change of a row, between two runs.
struct ChangePoint {
  std::string commit, date;            ///< of the first run after it
  double before_us = 0, after_us = 0;  ///< the level before it, outliers left out, and what it makes of that
  double p = 0;              ///< that chance makes as large a step at this place, which was chosen among many
  bool recovered = false;    ///< the row was as fast (or slow) again later
  std::string acknowledged;  ///< not empty: somebody knows, and why
  std::size_t at = 0;        ///< place of the first run after it
  std::size_t more_runs = 0;  ///< not 0: so many are missing until it is settled whether it lasts
};

/// A slow change of a row over many runs, of which none is to blame by itself.
struct Drift {
  std::string from_commit, from_date;  ///< of the last run at the old level
  std::string to_commit, to_date;      ///< of the first run at the new
  double before_us = 0, after_us = 0;  ///< the level before it, and what it alone makes of that
  double p = 0;
  bool recovered = false;
  std::string acknowledged;
  std::size_t from = 0, to = 0;  ///< places of these runs
};

/// A run that was slow or fast by itself; no level and no change is judged by it.
struct Outlier {
  std::string commit, date;
  double time_us = 0, level_us = 0;  ///< what it took, and what runs beside it take
  std::size_t at = 0;
};

/// The runs of a row on one machine in one context class, oldest first; its three lists are of equal length.
struct Series {
  std::string name, context, machine;
  std::vector<double> times_us;
  std::vector<std::string> commits, dates;
  std::vector<ChangePoint> changes;
  std::vector<Drift> drifts;
  std::vector<Outlier> outliers;
  std::vector<ChangePoint> unsettled;  ///< those of the last three runs: one at most
  /// Not empty: the row was measured on this machine before, and what the context class was then, as far as
  /// it differs: "driver 1". Nothing compares the two.
  std::string before{};
};

/// How much of a change is one.
struct HistoryOptions {
  double least_change = 0.02;  ///< smaller ones are nobody's business
  std::vector<Acknowledgement> acknowledged{};
};

/// Deterministic. Failed rows and rows without a time are no part of a series. Acknowledgements expire by the
/// newest date in the store.
std::vector<Series> analyse(const Store& store, const HistoryOptions& options);

/// Whether something got slower, at once or slowly, stayed so, and nobody has acknowledged it. What is not
/// settled is not bad.
bool is_bad(const Series& series);

/// Whether anything was found but outliers.
bool has_changed(const Series& series);

}  // namespace overlap::report
