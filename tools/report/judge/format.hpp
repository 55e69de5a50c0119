// Numbers, axes and runs as people read them, in sentences and in tables. Pure, and the same in any locale.
#pragma once

#include <string>

#include "names/row_id.hpp"
#include "read/results.hpp"

namespace overlap::report {

/// Three digits, more from 1000 on: "0.123", "1.23", "12.3", "123", "1234".
std::string format_digits(double value);

/// "1.84 ns", "12.3 us", "4.56 ms": three or four digits, the unit that fits.
std::string format_time(double us);

/// "4.24 TB/s", "12.3 MB/s" of the unit "B/s"; "12.3 M" without one. Three or four digits; a prefix is a
/// power of 1000.
std::string format_rate(double per_second, const std::string& unit);

/// "+1.2 %" for a ratio of 1.012. Nothing is shown as "+0.0 %", whichever side it comes from.
std::string format_change(double ratio);

/// "16,777,216"; text that is no whole number stays as it is.
std::string format_count(const std::string& value);

/// "1 replay", "2,000 replays": a whole number of things.
std::string counted(double count, const std::string& what);

/// "order depth_first, streams 2".
std::string axes_text(const Axes& axes, const char* separator = ", ");

/// The device that a run was made on.
/// The GPU; else host and CPUs; "unknown device" if the run says neither.
std::string device_of(const Run& run);

/// One line: device, versions, revision, file. Which versions, names/context_keys.hpp says.
/// Leaves out what the run does not know.
std::string describe_run(const Run& run);

}  // namespace overlap::report
