// Findings as the program makes them: with all families that it knows.
#pragma once

#include "families/families.hpp"
#include "judge/advise.hpp"
#include "judge/view.hpp"
#include "show/findings.hpp"

namespace overlap::report {

inline std::vector<View> make_views(const std::vector<Run>& runs, const Axes& baseline) {
  return make_views(runs, baseline, known_families());
}
inline Advice advise(const Run& run) { return advise(run, known_families()); }
inline std::vector<Rule> check_rules(const Run& run) { return check_rules(run, known_families()); }
inline std::string table_csv(const std::vector<View>& views, const std::vector<Run>& runs) {
  return table_csv(views, runs, metrics_of(known_families()));
}

}  // namespace overlap::report
