// Few runs a side, and whether they differ: which of them are judged, how noisy each side is, and what can be
// said of the ratio. Pure.
//
// THE METHOD. All is done on logarithms, so that a ratio and its inverse count alike.
// 1. One run that lies far from all others of its side is an outlier: it is named, and judged is what is
//    left. Two or more runs far from the rest are another level, and so is one that lies where the other side
//    does. Such a row gets no verdict.
// 2. How much noisier one side is than the other is a property of the machine at that time, and all rows
//    together know it far better than the few runs of one: a range of ratios follows (noise_ratio()). Where
//    it is not, and few rows are much noisier on the smaller side, these may be called by chance: sides of
//    equal size are safe from that (3 % of suites where a tenth of the rows is four times as noisy; 3 v 20,
//    75 %).
// 3. For a known ratio, Student's t with n + m - 2 degrees of freedom is exact, whatever the sizes of the
//    sides. The largest error within the range is taken. Welch's test, which estimates the ratio from the row
//    alone, takes a side of three that happens to agree for one without noise.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace overlap::report {

/// A side of fewer runs is shown, but never judged.
inline constexpr std::size_t kLeastRuns = 3;

/// The runs of one side of a row.
struct SideRuns {
  std::vector<double> logs;            ///< of those that are judged
  std::optional<std::size_t> outlier;  ///< index of the one that is not
  bool two_levels = false;
};

/// A row's runs on both sides.
struct TwoSides {
  SideRuns baseline, fresh;

  /// Whether there is enough of it, and one level a side.
  bool can_be_judged() const;
};

/// Looks at the runs of a row, values above 0. What lies within `tolerance` is never an outlier or a level.
TwoSides look_at(const std::vector<double>& baseline, const std::vector<double>& fresh, double tolerance);

/// Between which the variance of the new side over that of the baseline lies.
struct NoiseRatio {
  double low = 0.25, high = 4;
};

/// The range that these rows show, of those that can be judged. A single row says little: then the standard
/// deviations of the sides may differ by a factor of two. The more rows agree, the narrower it is.
NoiseRatio noise_ratio(std::span<const TwoSides> rows);

/// The difference of two sides' means, new less baseline, its standard error and degrees of freedom.
struct Difference {
  double mean = 0, standard_error = 0, df = 0;
};
/// Of a row that can be judged; the largest standard error within the range.
Difference difference_of(const TwoSides& row, const NoiseRatio& ratio);

}  // namespace overlap::report
