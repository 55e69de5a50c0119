// What the report finds, as documents: a builder for each finding, in a file of its own. Pure.
#pragma once

#include <string>
#include <vector>

#include "judge/advise.hpp"
#include "judge/history.hpp"
#include "judge/verdict.hpp"
#include "judge/view.hpp"
#include "show/document.hpp"

namespace overlap::report {

/// Speedup tables: a section per view, the files side by side.
/// @param views  made of these `runs`, in this order.
Document tables(const std::vector<View>& views, const std::vector<Run>& runs);
/// The same for programs: one table, a row per row and file, a column for every axis and each of `metrics`.
Document table_records(const std::vector<View>& views, const std::vector<Run>& runs,
                       const std::vector<Metric>& metrics);

/// What to do, by a run each.
Document advice(const std::vector<Advice>& all, const std::vector<Run>& runs);
std::string word_of(Rule::Verdict verdict);  ///< "understated"

/// All verdicts, in the order in which they are counted.
inline constexpr Verdict kVerdicts[] = {Verdict::regressed, Verdict::failed,       Verdict::removed,
                                        Verdict::invalid,   Verdict::inconclusive, Verdict::improved,
                                        Verdict::added,     Verdict::same};

/// Verdicts, worst first. Rows that stayed the same are quiet.
Document comparison(const Judgement& judgement, const CompareOptions& options);
/// The same for programs: a row per row, with everything that the verdict was made of.
Document comparison_records(const Judgement& judgement);
/// "+5.1 % (+4.2 % to +6.0 %)"; empty where there is no ratio.
std::string change_of(const Comparison& row);
/// What to say of a row beside its numbers: why it has its verdict, or what would settle it.
std::string remark_of(const Comparison& row);

/// Series that changed or drift, a section each; those that did neither are quiet.
Document history(const std::vector<Series>& all);

/// A run in a line, with its letter if it stands beside others.
/// The letter is that of file_letter().
std::string describe_among(const std::vector<Run>& runs, std::size_t file);
/// The runs as the machines of a document.
std::vector<Machine> machines_of(const std::vector<Run>& runs);

}  // namespace overlap::report
