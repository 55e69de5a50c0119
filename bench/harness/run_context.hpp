// What a reader of the JSON has to know about the machine and the program.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/options.hpp"
#include "harness/session.hpp"

namespace overlap {

/// Keys and values, in the order in which the JSON has them.
using Context = std::vector<std::pair<std::string, std::string>>;

/// The context of a run, by the keys of names/context_keys.hpp; what nobody can tell is "unknown". Families
/// that bring facts for the report are in it.
Context run_context(const Session& session, const Options& options, const std::vector<Family>& families,
                    double timer_floor_us, const std::string& clock);

/// A clock in MHz as the context has it.
std::string clock_text(std::optional<double> mhz);

}  // namespace overlap
