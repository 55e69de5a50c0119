// What renderers ask of a document.
#include "show/document.hpp"

#include <algorithm>

namespace overlap::report {

bool Section::quiet() const {
  return !rows.empty() && std::ranges::all_of(rows, [](const Line& row) { return row.quiet; });
}

}  // namespace overlap::report
