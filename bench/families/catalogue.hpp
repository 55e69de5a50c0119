// The catalogue: every family, a file each.
//
// To add a family: write bench/families/<family>.cpp with its fixture and its Family, declare it here, list
// it in catalogue.cpp and in bench/CMakeLists.txt. That is all: names, flags, presets, order, data,
// measuring, checking and JSON follow from what the Family says. For tables of its own, give it facts, or a
// file in tools/report/families.
#pragma once

#include <vector>

#include "harness/family.hpp"

namespace overlap {

Family concurrent_family();
Family cpu_family();
Family double_buffer_family();
Family graph_cost_family();
Family pipeline_family();
Family sequence_family();
Family swish_family();
Family timer_family();
Family transfer_family();

/// All of them, in the order they run: short work first, bulk work after it.
std::vector<Family> catalogue();

}  // namespace overlap
