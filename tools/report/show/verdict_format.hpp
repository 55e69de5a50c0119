// A judgement as text, Markdown for a pull request, CSV, JSON and JUnit. Pure.
#pragma once

#include <string>

#include "judge/verdict.hpp"

namespace overlap::report {

/// A value of the metric, as people read it.
std::string metric_text(double value, const std::string& metric);
/// What to say of a row beside its numbers: why it has its verdict, or what would settle it.
std::string remark_of(const Comparison& row);
/// Runs, tolerance, how many rows of each verdict, geometric mean: one line.
std::string judgement_summary(const Judgement& judgement, const CompareOptions& options);

/// For a terminal: the rows that somebody should look at, then counts.
std::string judgement_text(const Judgement& judgement, const CompareOptions& options);
/// For a pull request: worst first, under 65,536 characters, which is what GitHub takes.
std::string judgement_markdown(const Judgement& judgement, const CompareOptions& options);
/// A line per row (RFC 4180); text that a spreadsheet would take for a formula is defused.
std::string judgement_csv(const Judgement& judgement);
/// {"schema": "overlap-compare-1", ...}; what a row has not is absent.
std::string judgement_json(const Judgement& judgement, const CompareOptions& options);
/// A test case per row: regressed, failed, removed and invalid ones fail, inconclusive ones are skipped.
std::string judgement_junit(const Judgement& judgement);

}  // namespace overlap::report
