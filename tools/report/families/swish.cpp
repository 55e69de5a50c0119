// swish: a kernel at memory speed, held against a device-to-device copy of as many bytes.
#include "families/families.hpp"
#include "names/counters.hpp"

namespace overlap::report {

FamilyReport swish_report() {
  return {.name = "swish",
          .work = {"pass", "cache", "timing", "n"},
          .tables = {{"n", "cache", "timing"}},
          .plain = {{"impl", "plain"}},
          .baseline = {{{"impl", "scalar"}}},
          .simplicity = {{.axis = "impl", .words = {"plain", "scalar", "vector"}}},
          .columns = {{{counter::kPctOfCopy, "of copy", Metric::Form::precise_percent},
                       Column::Place::after_limit}},
          .references = {{.metric = "times_cpu", .row = [](const Row& row) {
                            return RowId{.family = "cpu",
                                         .axes = {{"op", "swish_" + row.axis("pass")}, {"n", row.axis("n")}}};
                          }}}};
}

}  // namespace overlap::report
