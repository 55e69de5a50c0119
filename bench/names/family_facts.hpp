// What a report has to know of a family to compare its rows. A family that the report has no file for brings
// it along, as one line of text in the context of its runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "names/row_id.hpp"

namespace overlap {

struct FamilyFacts {
  std::vector<std::string> work{};     ///< axes whose equal values mean the same job: one table, one choice
  Axes plain{};                        ///< what a program without overlap does: the baseline
  Axes defaults{};                     ///< of axes that were added late: what a row without them means
  std::vector<std::string> columns{};  ///< counters worth a column

  bool empty() const { return work.empty() && plain.empty() && defaults.empty() && columns.empty(); }
  bool operator==(const FamilyFacts&) const = default;
};

/// "work=n,mem; plain=order:sequential; defaults=alloc:kept; columns=kernel_us".
std::string print(const FamilyFacts& facts);

/// Reads what print() wrote; leaves out what it does not know.
FamilyFacts parse_family_facts(std::string_view text);

}  // namespace overlap
