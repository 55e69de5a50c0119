// concurrent: independent products. Whether streams can help is known before anything runs: from the blocks
// of one product and how many of them the device holds.
#include <fmt/format.h>

#include "families/families.hpp"
#include "judge/noise.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

/// Whether blocks alone leave no room for a second product.
bool is_full(const Row& row) {
  constexpr double kRoomToGain = 1.1;
  return row.counter(counter::kPossibleSpeedup).value_or(kRoomToGain) < kRoomToGain;
}

/// How much room one product leaves, and whether streams made use of it; nothing if the row does not say.
std::vector<std::string> hints_on(const Row& best, const Rows& rows) {
  const auto possible = best.counter(counter::kPossibleSpeedup);
  if (!possible) return {};
  const double blocks = best.counter(counter::kBlocks).value_or(0),
               resident = best.counter(counter::kResidentBlocks).value_or(0);
  if (is_full(best))
    return {fmt::format(
        "one product fills the device ({:.0f} blocks, {:.0f} at once): more streams cannot gain over "
        "{:.2f}x",
        blocks, resident, *possible)};
  std::string hint = fmt::format("one product leaves room for {:.2f}x ({:.0f} blocks, {:.0f} at once)",
                                 *possible, blocks, resident);
  const Row* alone = find_row(rows, {{"streams", "1"}, {"submit", best.axis("submit")}});
  if (alone && alone != &best)
    hint +=
        fmt::format("; {} streams make {:.2f}x of it{}", best.axis("streams"), gain_over(*alone, best).ratio,
                    hid_little(best) ? ": side by side, kernels share what each can use alone" : "");
  return {hint};
}

/// Only where a launch can be made cheaper: on a full device, and among kernels that compete for what it has,
/// no order of launches gains anything.
std::optional<Cause> why_lost(const Row& row, const Run&) {
  if (row.axis("streams") == "1" || is_full(row) || !hid_little(row)) return std::nullopt;
  return is_paced_by_submission(row) ? std::optional(paced_by_submission(row)) : std::nullopt;
}

}  // namespace

FamilyReport concurrent_report() {
  return {.name = "concurrent",
          .work = {"tasks", "dim"},
          .tables = std::vector<std::string>(),
          .plain = {{"streams", "1"}, {"submit", "launch"}},
          .baseline = {{{"streams", "1"}}},
          .simplicity = {{.axis = "submit", .words = {"launch", "graph"}}, {.axis = "streams"}},
          .data = {"tasks", "dim"},
          .columns = {{{counter::kPossibleSpeedup, "possible", Metric::Form::ratio}}},
          .hints = hints_on,
          .lost_because = why_lost};
}

}  // namespace overlap::report
