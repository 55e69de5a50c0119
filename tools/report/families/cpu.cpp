// cpu: the reference of other families' work. The thread that submits is the one that computes.
#include "families/families.hpp"

namespace overlap::report {

FamilyReport cpu_report() { return {.name = "cpu", .submits = false}; }

}  // namespace overlap::report
