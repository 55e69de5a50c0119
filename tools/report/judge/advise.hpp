// What to do, from the numbers of one run: the best configuration of everything that was swept, what graphs
// are worth, where overlap was lost and why, and which rules of thumb hold on this machine. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/view.hpp"
#include "read/results.hpp"

namespace overlap::report {

/// A ratio of two times, and the interval in which it lies by the spread of their samples in this run.
struct Gain {
  double ratio = 1, low = 1, high = 1;
};
Gain gain_over(const Row& baseline, const Row& row);

/// The best of rows that do the same work: of those that are as fast as the fastest within noise, the
/// simplest.
struct Choice {
  std::string family;
  Axes where;  ///< what they share
  Axes best;   ///< what the best one chose
  std::string row, baseline;
  Axes over;  ///< what makes the baseline one
  double time_us = 0;
  Gain gain;
  std::optional<double> bound_pct;
  std::string bound_by;
  std::vector<std::string> hints;  ///< what to change, or why nothing can be
};

/// Rows whose overlap got lost for the same reason.
struct Loss {
  std::string cause, remedy;
  std::vector<std::string> rows;
};

/// A rule of thumb, answered by this run.
struct Rule {
  enum class Verdict { holds, does_not_hold, not_measured };
  std::string rule;
  Verdict verdict = Verdict::not_measured;
  std::string why{};
  std::vector<std::string> rows{};
};

struct Advice {
  std::vector<Choice> choices;
  std::vector<std::string> graphs;     ///< from which n on they stop paying, when they are paid back
  std::vector<std::string> buffering;  ///< the regime of each dim by the share of its copies
  std::vector<Loss> losses;
  std::vector<Rule> rules;
};

Advice advise(const Run& run);

/// The rules of thumb by themselves.
std::vector<Rule> check_rules(const Run& run);

}  // namespace overlap::report
