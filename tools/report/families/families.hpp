// Every family that the report knows, a file each. What such a file says is in judge/family_report.hpp.
//
// To add one: write families/<family>.cpp, declare it here and list it in families.cpp and CMakeLists.txt. A
// family without a file brings its facts along in the context of its runs, and gets tables and advice too.
#pragma once

#include "judge/family_report.hpp"

namespace overlap::report {

FamilyReport concurrent_report();
FamilyReport cpu_report();
FamilyReport double_buffer_report();
FamilyReport graph_cost_report();
FamilyReport pipeline_report();
FamilyReport sequence_report();
FamilyReport swish_report();
FamilyReport torch_double_buffer_report();
FamilyReport torch_streams_report();
FamilyReport torch_swish_report();
FamilyReport transfer_report();

/// All of them. Their own columns and their sections of advice stand in this order.
const Families& known_families();

}  // namespace overlap::report
