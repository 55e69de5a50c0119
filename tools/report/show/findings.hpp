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
/// @param with_charts  only pages show them.
Document tables(std::vector<View> views, const std::vector<Run>& runs, bool with_charts = true);
/// The same for programs, as CSV: a line per row and file, with the row's whole name, and a column for every
/// axis and each of `metrics`.
std::string table_csv(const std::vector<View>& views, const std::vector<Run>& runs,
                      const std::vector<Metric>& metrics);

/// What to do, by a run each.
Document advice(const std::vector<Advice>& all, const std::vector<Run>& runs);
std::string word_of(Rule::Verdict verdict);  ///< "understated"

/// All verdicts, in the order in which they are counted.
inline constexpr Verdict kVerdicts[] = {Verdict::regressed, Verdict::failed,       Verdict::removed,
                                        Verdict::invalid,   Verdict::inconclusive, Verdict::improved,
                                        Verdict::added,     Verdict::not_measured, Verdict::same};

/// Verdicts, worst first. Rows that stayed the same are quiet. Where nothing could be tested it says so once.
Document comparison(const Judgement& judgement, const CompareOptions& options);
/// The same for programs: a row per row, with everything that the verdict was made of.
Document comparison_records(const Judgement& judgement, const CompareOptions& options);
/// "+5.1 % (+4.2 % to +6.0 %)"; empty where there is no ratio.
std::string change_of(const Comparison& row);
/// What to say of a row beside its numbers: why it has its verdict, what would settle it, which run is an
/// outlier.
std::string remark_of(const Comparison& row, const std::string& metric);
/// Why a comparison ends with its exit code.
struct Outcome {
  int code = 0;
  std::string reason;
};

/// Series that changed or drift, a section each; those that did neither are quiet.
Document history(const std::vector<Series>& all);

/// A run in a line, with its letter if it stands beside others.
/// The letter is that of file_letter().
std::string describe_among(const std::vector<Run>& runs, std::size_t file);
/// The runs as the machines of a document.
std::vector<Machine> machines_of(const std::vector<Run>& runs);

}  // namespace overlap::report
