#include "read/merge.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace overlap::report {
namespace {

constexpr const char* kMachine[] = {"backend", "gpu", "compute_capability", "driver"};

bool same_machine(const Run& a, const Run& b) {
  return std::ranges::all_of(kMachine, [&](const char* key) { return a.about(key) == b.about(key); });
}

bool share_a_row(const Run& a, const Run& b) {
  std::set<std::string_view> names;
  for (const Row& row : a.rows) names.insert(row.name);
  return std::ranges::any_of(b.rows, [&](const Row& row) { return names.contains(row.name); });
}

bool is_torch_swish(const Row& row) { return row.family == "torch_swish"; }

/// Whether PyTorch's way of calling the kernel is that of this row: widest access, the same buffers every
/// time.
bool is_raw_kernel(const Row& row) {
  return row.family == "swish" && row.axis("impl") == "vector" && row.axis("cache") == "hot" &&
         row.axis("timing") == "steady";
}

}  // namespace

std::vector<Run> merged(std::vector<Run> runs) {
  std::vector<Run> result;
  for (Run& run : runs) {
    const auto into = std::ranges::find_if(result, [&](const Run& earlier) {
      return !earlier.rows.empty() && !run.rows.empty() && same_machine(earlier, run) &&
             !share_a_row(earlier, run);
    });
    if (into == result.end()) {
      result.push_back(std::move(run));
      continue;
    }
    into->path += " + " + run.path;
    into->context.merge(run.context);  // what only the later one says
    std::ranges::move(run.rows, std::back_inserter(into->rows));
    std::ranges::move(run.warnings, std::back_inserter(into->warnings));
  }
  return result;
}

void add_raw_kernels(Run& run) {
  const auto pass_and_n = [](const Row& row) { return std::pair(row.axis("pass"), row.axis("n")); };
  std::set<std::pair<std::string, std::string>> wanted;
  for (const Row& row : run.rows)
    if (is_torch_swish(row) && row.axis("dtype") == "float32") wanted.insert(pass_and_n(row));
  std::vector<Row> kernels;
  for (const Row& row : run.rows) {
    if (!is_raw_kernel(row) || !wanted.contains(pass_and_n(row))) continue;
    Row kernel = row;
    kernel.family = "torch_swish";
    kernel.axes = {{"pass", row.axis("pass")},
                   {"impl", "kernel"},
                   {"submit", "launch"},
                   {"n", row.axis("n")},
                   {"dtype", "float32"}};
    kernels.push_back(std::move(kernel));
  }
  for (Row& kernel : kernels) {
    const auto beside = std::ranges::find_if(run.rows, [&](const Row& row) {
      return is_torch_swish(row) && row.axis("pass") == kernel.axis("pass") && row.axis("impl") != "kernel";
    });
    run.rows.insert(beside, std::move(kernel));
  }
}

}  // namespace overlap::report
