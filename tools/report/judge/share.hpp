// Shares as people write them.
#pragma once

#include <string_view>

namespace overlap::report {

/// 0.05 of "0.05", "5%" and "5 %".
/// @throws std::invalid_argument for what is no share, is below 0, or is 1 or more without a percent sign:
/// whoever writes 5 means 5 %, with which 500 % would let everything pass.
double read_share(std::string_view text);

}  // namespace overlap::report
