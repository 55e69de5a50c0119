// What to do, from the numbers of one run: the best configuration of everything that was swept, what graphs
// are worth, where overlap was lost and why, and how true rules of thumb are on this machine. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/family_report.hpp"
#include "judge/noise.hpp"

namespace overlap::report {

/// The best of rows that do the same work: of those that are as fast as the fastest, within kTie or noise,
/// the simplest that may be advised.
struct Choice {
  std::string family;
  Axes where;  ///< what they share
  Axes best;   ///< what the best one chose
  /// Names of the best row and of the one that it gains over.
  std::string row, baseline;
  Axes over;  ///< what makes the baseline one
  double time_us = 0;
  Gain gain;
  /// How close to its bound, in percent; nothing if the row has none.
  std::optional<double> bound_pct;
  std::string bound_name = "its bound";  ///< what bound_pct is of
  std::string bound_by;
  std::vector<std::string> hints;  ///< what to change, or why nothing can be
  /// Names of other rows that may be advised: within kTie of the best one, and faster by more than that but
  /// not by more than noise. The first are the simplest.
  std::vector<std::string> ties{}, unclear{};

  /// Whether the plain configuration is the best one: nothing gains over it.
  bool is_plain() const { return row == baseline; }
};

/// Rows whose overlap got lost for the same reason.
struct Loss {
  std::string cause, remedy;
  std::vector<std::string> rows;
};

/// What families have to say of themselves under one title; no lines where their rows are not there.
struct AdviceSection {
  std::string title;
  std::vector<std::string> lines;
};

/// All that there is to say of one run.
struct Advice {
  std::vector<Choice> choices;
  std::vector<AdviceSection> sections;  ///< of the families' own
  std::vector<Loss> losses;
  std::vector<Rule> rules;
};

/// Families that only the run describes are added. Parts for which there are no rows are empty; rules are
/// there all the same, as not measured.
Advice advise(const Run& run, const Families& families);

/// The rules of thumb by themselves.
std::vector<Rule> check_rules(const Run& run, const Families& families);

}  // namespace overlap::report
