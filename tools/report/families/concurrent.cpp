// concurrent: independent products. Whether streams can help is known before anything runs: from the blocks
// of one product and how many of them the device holds.
#include <fmt/format.h>

#include "families/families.hpp"
#include "names/context_keys.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

/// Whether blocks alone leave no room for a second product.
bool is_full(const Row& row) {
  constexpr double kRoomToGain = 1.1;
  return row.counter(counter::kPossibleSpeedup).value_or(kRoomToGain) < kRoomToGain;
}

/// How much room one product leaves; nothing if the row does not say.
std::vector<std::string> hints_on(const Row& best, const Rows&) {
  const auto possible = best.counter(counter::kPossibleSpeedup);
  if (!possible) return {};
  const double blocks = best.counter(counter::kBlocks).value_or(0),
               resident = best.counter(counter::kResidentBlocks).value_or(0);
  if (is_full(best))
    return {fmt::format(
        "one product fills the device ({:.0f} blocks, {:.0f} at once): more streams cannot gain over "
        "{:.2f}x",
        blocks, resident, *possible)};
  return {fmt::format("one product leaves room for {:.2f}x ({:.0f} blocks, {:.0f} at once)", *possible,
                      blocks, resident)};
}

/// A full device comes first, however much the row hid: there was no room for more.
std::optional<Cause> why_lost(const Row& row, const Run& run) {
  if (row.axis("streams") == "1") return std::nullopt;  // the baseline
  if (is_full(row)) return Cause{"device already full", "run such kernels one after the other"};
  if (!hid_little(row)) return std::nullopt;
  if (run.about(context::kCopyEngines) == "1") return one_copy_engine();
  if (is_paced_by_submission(row)) return paced_by_submission();
  return Cause{"kernels compete: their blocks fit beside each other, but share what each can use alone",
               "no order of launches changes that"};
}

}  // namespace

FamilyReport concurrent_report() {
  return {.name = "concurrent",
          .work = {"tasks", "dim"},
          .tables = std::vector<std::string>(),
          .plain = {{"streams", "1"}, {"submit", "launch"}},
          .baseline = {{{"streams", "1"}}},
          .data = {"tasks", "dim"},
          .columns = {{{counter::kPossibleSpeedup, "possible", Metric::Form::ratio}}},
          .hints = hints_on,
          .lost_because = why_lost};
}

}  // namespace overlap::report
