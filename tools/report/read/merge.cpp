// The one rule by which runs belong together. What a run does not say of its driver, its build or its
// revision cannot differ; where it was made it has to say as the other does.
#include "read/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "names/context_keys.hpp"

namespace overlap::report {
namespace {

/// What the run says under a key; "unknown" says nothing.
std::string said(const Run& run, const char* key) {
  std::string value = run.about(key);
  return value == "unknown" ? "" : value;
}

/// Whether the row names stand in both, failed rows included.
bool share_a_name(const std::unordered_set<std::string>& names, const Run& run) {
  return std::ranges::any_of(run.rows, [&](const Row& row) { return names.contains(row.name()); });
}

/// Takes over what only the other one says.
void join_context(Run& into, const Run& run) {
  for (const auto& [key, value] : run.context)
    if (said(into, key.c_str()).empty()) into.context[key] = value;
  for (const auto& [key, value] : run.written_context.members())
    if (!into.written_context.find(key)) into.written_context.add(key, value);
}

}  // namespace

// A GPU's UUID is worth more than the name of a host, which containers make up. The library's own build type
// says nothing of a program that says its own, and distributions build all of them as "debug".
std::vector<Difference> differences(const Run& a, const Run& b) {
  std::vector<Difference> found;
  const auto look = [&](const char* key, bool must_say) {
    const std::string first = said(a, key), second = said(b, key);
    const bool says = must_say || (!first.empty() && !second.empty());
    if (says && first != second) found.push_back({key, first, second});
  };
  const auto both_say = [&](const char* key) { return !said(a, key).empty() && !said(b, key).empty(); };
  if (both_say(context::kGpuUuid)) {
    look(context::kGpuUuid, true);
  } else {
    for (const char* key : {context::kHostName, context::kGpu, context::kNumCpus}) look(key, true);
  }
  look(context::kBackend, true);
  look(context::kDriver, false);
  look(both_say(context::kBuildType) ? context::kBuildType : context::kLibraryBuildType, false);
  // Of foreign programs that do not say their revision, the same rows of another program may be anything.
  if (said(a, context::kBackend).empty() && said(b, context::kBackend).empty() &&
      !both_say(context::kRevision))
    look(context::kExecutable, false);
  look(context::kRevision, false);
  return found;
}

std::vector<Run> merged(std::vector<Run> runs) {
  std::vector<Run> result;
  std::vector<std::unordered_set<std::string>> names;  // of the rows of each
  for (Run& run : runs) {
    // The first that fits. A run without rows complements nothing.
    std::size_t into = 0;
    while (into < result.size() &&
           (names[into].empty() || run.rows.empty() || !differences(result[into], run).empty() ||
            share_a_name(names[into], run)))
      ++into;
    if (into == result.size()) {
      names.emplace_back();
      if (runs.size() > 1)
        for (const Row& row : run.rows) names.back().insert(row.name());
      result.push_back(std::move(run));
      continue;
    }
    Run& whole = result[into];
    whole.path += " + " + run.path;
    join_context(whole, run);
    for (const Row& row : run.rows) names[into].insert(row.name());
    std::ranges::move(run.rows, std::back_inserter(whole.rows));
    std::ranges::move(run.warnings, std::back_inserter(whole.warnings));
  }
  return result;
}

std::string why_apart(const std::vector<Run>& runs, const std::vector<std::string>& allowed) {
  if (runs.empty()) return "";
  Run all;  // what the runs so far say together
  all.context = runs.front().context;
  const auto who_said = [&](const std::string& key, const std::string& value) {
    const auto run =
        std::ranges::find_if(runs, [&](const Run& each) { return said(each, key.c_str()) == value; });
    return run == runs.end() ? runs.front().path : run->path;
  };
  for (const Run& run : runs) {
    std::string other;
    std::string text;
    for (const auto& [key, first, second] : differences(all, run)) {
      if (std::ranges::find(allowed, key) != allowed.end()) continue;
      const auto shown = [](const std::string& value) { return value.empty() ? "not said" : value; };
      if (other.empty()) other = who_said(key, first);
      text += fmt::format("{}{} ({} / {})", text.empty() ? "" : ", ", key, shown(first), shown(second));
    }
    if (!text.empty()) return fmt::format("{} and {} differ in {}", other, run.path, text);
    join_context(all, run);
  }
  return "";
}

}  // namespace overlap::report
