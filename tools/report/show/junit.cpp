// Verdicts as JUnit, which CI shows as tests. Written by hand: it is four elements.
#include <fmt/format.h>

#include "show/escape.hpp"
#include "show/json.hpp"

namespace overlap::report {
namespace {

/// The element that a test of this verdict has; empty if it passed.
std::string element_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::regressed:
    case Verdict::removed: return "failure";
    case Verdict::failed:
    case Verdict::invalid: return "error";
    case Verdict::inconclusive:
    case Verdict::not_measured: return "skipped";
    default: return "";
  }
}

}  // namespace

std::string compare_junit(const Judgement& judgement, const CompareOptions& options, const Outcome& outcome) {
  const std::size_t failures = judgement.count(Verdict::regressed) + judgement.count(Verdict::removed);
  const std::size_t errors = judgement.count(Verdict::failed) + judgement.count(Verdict::invalid);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"overlap-report compare\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n"
      "  <properties><property name=\"exit_code\" value=\"{}\"/><property name=\"exit_reason\" "
      "value=\"{}\"/></properties>\n",
      judgement.rows.size(), failures, errors,
      judgement.count(Verdict::inconclusive) + judgement.count(Verdict::not_measured), outcome.code,
      xml_escaped(outcome.reason));
  for (const Comparison& row : judgement.rows) {
    text += fmt::format("  <testcase classname=\"overlap\" name=\"{}\"", xml_escaped(row.name));
    const std::string element = element_of(row.verdict), change = change_of(row),
                      remark = remark_of(row, options.metric);
    text += element.empty() ? "/>\n"
                            : fmt::format("><{} message=\"{}: {}{}{}\"/></testcase>\n", element,
                                          word_of(row.verdict), xml_escaped(change),
                                          change.empty() || remark.empty() ? "" : "; ", xml_escaped(remark));
  }
  return text + "</testsuite>\n";
}

}  // namespace overlap::report
