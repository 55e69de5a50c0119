// What the rows of a table say together, in a sentence: fits and comparisons that no single row can show.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "read/results.hpp"

namespace overlap::report {

/// Time of a copy of so many bytes: fixed_us + bytes / (gb_per_s * 1e3).
struct LinearFit {
  double fixed_us = 0;
  double gb_per_s = 0;
};

/// Least squares of the relative error, so that small copies count as much as large ones. Needs two sizes.
/// @return whether there is such a line, with neither figure negative.
bool fit_copies(const std::vector<std::pair<double, double>>& bytes_and_us, LinearFit& fit);

/// How far two runs of a row may differ by chance: twice the standard error of its median, relative; at least
/// half a percent.
double noise_of(const Row& row);

/// The notes on a table of one family's rows.
std::vector<std::string> notes_on(const std::string& family, const std::vector<const Row*>& rows);

}  // namespace overlap::report
