// The file that says how far each row may move: written by hand, or from runs of the same program (A/A).
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "judge/verdict.hpp"
#include "read/pattern.hpp"

namespace overlap::report {

/// Reads {"schema": "overlap-tolerances-1", "tolerances": [{"pattern": REGEX, "tolerance": 0.05}, ...]},
/// where "row": NAME may stand for a pattern and "5%" for 0.05; the last that fits a row counts.
/// @throws InputError with the file and what is wrong with it.
std::vector<Tolerance> read_tolerances(const std::string& path);

/// What rows move by themselves.
struct MeasuredTolerances {
  std::vector<Tolerance> tolerances;  ///< one a row, by its whole name
  std::vector<std::string> warnings;
};

/// From at least three runs of the same program on the same machine: three times the standard deviation of a
/// difference of two runs, but not less than `least` and not more than the 10 that a file may say. A run that
/// a comparison would leave out as an outlier (two_sides.hpp) is left out here, with a warning.
MeasuredTolerances tolerances_from(const std::vector<Run>& runs, double least);

/// What read_tolerances() reads.
std::string tolerances_json(const std::vector<Tolerance>& tolerances);

/// Finds rows' tolerances: names at once, since measured tolerances name every row; patterns one by one.
class ToleranceFinder {
 public:
  /// @param otherwise  of rows that none fits.
  /// @throws std::invalid_argument for a broken pattern.
  ToleranceFinder(const std::vector<Tolerance>& all, double otherwise);

  /// The tolerance that stands last of those that fit.
  double of(const std::string& row);
  /// How many have fitted a row.
  std::size_t fitted() const;
  /// A sentence on those that no row has asked for; empty if there are none.
  std::string warning() const;

 private:
  const std::vector<Tolerance>& all_;
  double otherwise_;
  std::vector<bool> used_;
  std::unordered_map<std::string, std::size_t> names_;
  std::vector<std::pair<Pattern, std::size_t>> patterns_;
};

}  // namespace overlap::report
