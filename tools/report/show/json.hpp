// Findings for programs: JSON under a schema's name, and JUnit. What a row has not is absent, never 0 or
// null. Pure.
#pragma once

#include <string>
#include <vector>

#include "judge/advise.hpp"
#include "judge/history.hpp"
#include "judge/verdict.hpp"
#include "judge/view.hpp"
#include "show/findings.hpp"

namespace overlap::report {

/// {"schema": "overlap-table-1", "files": [...], "views": [...]}.
/// Results name their file by its index in "files". Times are in microseconds.
std::string table_json(const std::vector<View>& views, const std::vector<Run>& runs);
/// {"schema": "overlap-advice-1", ...} of one run; of several an array of these.
std::string advice_json(const std::vector<Advice>& all, const std::vector<Run>& runs);
/// {"schema": "overlap-compare-1", ...}.
std::string compare_json(const Judgement& judgement, const CompareOptions& options, const Outcome& outcome);
/// {"schema": "overlap-changes-1", "series": [...]}.
std::string history_json(const std::vector<Series>& all);

/// A test case per row: regressed, failed, removed and invalid ones fail, inconclusive ones are skipped.
/// Failed and invalid ones are JUnit's errors, regressed and removed ones its failures.
std::string compare_junit(const Judgement& judgement, const CompareOptions& options, const Outcome& outcome);

}  // namespace overlap::report
