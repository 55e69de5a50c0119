// transfer: one copy. Tables by kind of memory; under each, what a copy costs to start and per byte.
#include <fmt/format.h>

#include <optional>

#include "families/families.hpp"
#include "judge/statistics.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

/// The line through times over bytes, a sentence per direction.
/// None where the line has no sense: a rate or a start that is negative.
std::vector<std::string> notes_on(const Rows& rows) {
  std::vector<std::string> notes;
  for (const char* direction : {"h2d", "d2h", "duplex", "d2d"}) {
    std::vector<std::pair<double, double>> sizes;
    for (const Row* row : only(rows, {{"dir", direction}}))
      sizes.emplace_back(row->number("bytes"), row->time_us());
    const auto line = fit_line(sizes);
    if (line && line->slope > 0 && line->at_zero >= 0)
      notes.push_back(
          fmt::format("{}: {:.1f} us + bytes / {:.1f} GB/s", direction, line->at_zero, 1e-3 / line->slope));
  }
  return notes;
}

/// A CPU reads write-combined memory past its caches, many times slower than other memory: such a copy out is
/// fast and what comes after it is not. What it only wrote can be copied in from there.
std::optional<std::string> advised_if(const Row& row) {
  if (row.axis("mem") != "write_combined") return "";
  if (row.axis("dir") == "h2d") return "if the CPU only writes it";
  return std::nullopt;
}

}  // namespace

FamilyReport transfer_report() {
  return {.name = "transfer",
          .work = {"dir", "bytes"},
          .tables = {{"mem"}},
          .plain = {{"mem", "pageable"}},
          .simplicity = {{.axis = "mem", .words = {"pageable", "pinned", "registered", "write_combined"}}},
          .advised_if = advised_if,
          .columns = {{{counter::kH2dGbPerS, "in GB/s"}}, {{counter::kD2hGbPerS, "out GB/s"}}},
          .charts = {{.title = "Rate over bytes",
                      .x_axis = "bytes",
                      .y_metric = "gb_per_s",
                      .x = "bytes",
                      .y = "GB/s",
                      .line = {"dir"}}},
          .notes = notes_on};
}

}  // namespace overlap::report
