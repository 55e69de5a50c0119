// Dates as people and programs write them, as points in time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace overlap::report {

/// Seconds since 1970 in UTC of an ISO 8601 date: "2027-01-31", or with a time behind it, as in
/// "2027-01-31T12:30:00+01:00", "2027-01-31 12:30:00 +0100" (git's) and "2027-01-31T12:30Z". Without an
/// offset it is UTC; fractions of a second are dropped. A date may have slashes, as old versions of Google
/// Benchmark write it.
/// @return nothing for what is none, such as the 31st of June.
std::optional<std::int64_t> instant_of(std::string_view text);

/// The day of an instant in UTC: "2027-01-31".
std::string day_of(std::int64_t instant);

}  // namespace overlap::report
