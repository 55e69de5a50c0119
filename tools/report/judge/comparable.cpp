// Which runs may be compared: what their contexts say, and whether they are runs of their own.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "judge/verdict.hpp"
#include "names/context_keys.hpp"
#include "names/family_facts.hpp"

namespace overlap::report {
namespace {

/// Whether two runs are one: the same file, or the same moment and the same times to the last digit. A row or
/// two may agree by chance.
bool is_copy(const Run& a, const Run& b) {
  constexpr std::ptrdiff_t kTooManyForChance = 3;
  if (a.path == b.path || (!a.file.empty() && a.file == b.file)) return true;
  const auto same = [](const Row& x, const Row& y) { return x.id == y.id && x.times_us == y.times_us; };
  const auto has_time = [](const Row& row) { return !row.failed() && row.times_us.front() > 0; };
  return !a.about(context::kDate).empty() && a.about(context::kDate) == b.about(context::kDate) &&
         std::ranges::count_if(a.rows, has_time) >= kTooManyForChance &&
         std::ranges::equal(a.rows, b.rows, same);
}

}  // namespace

std::vector<ContextDifference> context_differences(const std::vector<const Run*>& runs,
                                                   const std::vector<std::string>& allowed) {
  std::vector<ContextDifference> differences;
  const auto look = [&](const std::string& key, Agreement agreement) {
    std::vector<std::string> values;
    for (const Run* run : runs) {
      std::string value = run->about(key);
      // What an older program did not write yet is no difference that anybody has to look at.
      if (value.empty() && agreement == Agreement::noted) continue;
      if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
    }
    if (values.size() < 2) return;
    // Names leave out a late axis at its default: where defaults differ, equal names are different rows.
    const auto same_defaults = [&](const std::string& value) {
      return parse_family_facts(value).defaults == parse_family_facts(values.front()).defaults;
    };
    const bool is_family = key.starts_with(context::kFamilyPrefix);
    const bool matters =
        is_family ? !std::ranges::all_of(values, same_defaults) : agreement == Agreement::required;
    differences.push_back({key, values, matters && std::ranges::find(allowed, key) == allowed.end()});
  };
  // Where there is no GPU, the CPUs are what was measured.
  const bool any_gpu =
      std::ranges::any_of(runs, [](const Run* run) { return !run->about(context::kGpu).empty(); });
  for (const ContextKey& key : all_context_keys()) {
    const bool is_device = !any_gpu && std::string_view(key.name) == context::kNumCpus;
    if (key.agreement != Agreement::free) look(key.name, is_device ? Agreement::required : key.agreement);
  }
  std::set<std::string> families;
  for (const Run* run : runs)
    for (const auto& [key, value] : run->context)
      if (key.starts_with(context::kFamilyPrefix)) families.insert(key);
  for (const std::string& key : families) look(key, Agreement::noted);
  return differences;
}

std::vector<std::string> drop_copies(std::vector<Run>& runs) {
  std::vector<std::string> said;
  std::vector<Run> kept;
  for (Run& run : runs) {
    const auto first = std::ranges::find_if(kept, [&](const Run& each) { return is_copy(each, run); });
    if (first == kept.end())
      kept.push_back(std::move(run));
    else
      said.push_back(fmt::format("{} is the same run as {}: it counts once", run.path, first->path));
  }
  runs = std::move(kept);
  return said;
}

std::vector<std::string> on_both_sides(const std::vector<Run>& baseline, const std::vector<Run>& fresh) {
  std::vector<std::string> said;
  for (const Run& run : fresh)
    if (std::ranges::any_of(baseline, [&](const Run& other) { return is_copy(other, run); }))
      said.push_back(run.path + " is on both sides, and does not differ from itself");
  return said;
}

}  // namespace overlap::report
