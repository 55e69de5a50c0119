// The families of bench/torch: the same work in PyTorch. torch_swish shows the raw kernel, measured by the
// C++ program on the same machine, among its own rows.
#include "families/families.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

/// The row of torch_swish that does the same work by another impl.
std::optional<RowId> same_work(const Row& row, const char* impl) {
  if (row.axis("impl") == impl) return std::nullopt;
  return RowId{
      .family = row.family(),
      .axes = {
          {"impl", impl}, {"pass", row.axis("pass")}, {"n", row.axis("n")}, {"dtype", row.axis("dtype")}}};
}

/// What the C++ program measured of the kernel that the extension calls: with the widest access, on the same
/// buffers over and over, as PyTorch calls it.
std::optional<RowId> raw_kernel(const Row& row) {
  if (row.family() != "swish" || !has_all(row, {{"impl", "vector"}, {"cache", "hot"}, {"timing", "steady"}}))
    return std::nullopt;
  return RowId{.family = "torch_swish",
               .axes = {{"pass", row.axis("pass")},
                        {"impl", "kernel"},
                        {"submit", "launch"},
                        {"n", row.axis("n")},
                        {"dtype", "float32"}},
               .suffix = row.id.suffix};
}

}  // namespace

FamilyReport torch_swish_report() {
  constexpr auto kForm = Metric::Form::precise_percent;
  return {.name = "torch_swish",
          .work = {"pass", "n", "dtype"},
          .tables = {{"n", "dtype"}},
          .plain = {{"impl", "silu"}, {"submit", "launch"}},
          .baseline = {{{"impl", "silu"}}},
          .simplicity = {{.axis = "impl", .words = {"silu", "composed", "compiled", "extension", "kernel"}},
                         {.axis = "submit", .words = {"launch", "graph"}}},
          .columns = {{{counter::kPctOfCopy, "of copy", kForm}, Column::Place::after_limit},
                      {{"pct_of_kernel", "of kernel", kForm}, Column::Place::after_limit}},
          .references = {{.metric = "times_cpu", .row = [](const Row& row) { return same_work(row, "cpu"); }},
                         {.metric = "pct_of_kernel",
                          .scale = 100,
                          .row = [](const Row& row) { return same_work(row, "kernel"); }}},
          .guest = raw_kernel};
}

/// Has the axes of double_buffer that PyTorch's program sweeps, and none of its stages.
FamilyReport torch_double_buffer_report() {
  return {.name = "torch_double_buffer",
          .work = {"dim", "batches"},
          .plain = {{"sync", "serial"}},
          .simplicity = {{.axis = "sync", .words = {"serial", "whole_stream", "per_buffer"}},
                         {.axis = "buffers"}}};
}

FamilyReport torch_streams_report() {
  return {.name = "torch_streams",
          .work = {"dim", "submit"},
          .tables = std::vector<std::string>(),
          .plain = {{"streams", "1"}},
          .simplicity = {{.axis = "streams"}}};
}

}  // namespace overlap::report
