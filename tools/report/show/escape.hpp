// Text made safe for the formats that it is put into.
#pragma once

#include <string>

namespace overlap::report {

/// A field of CSV (RFC 4180): quoted where it has to be.
std::string csv_field(const std::string& text);

/// Text that GitHub-flavoured Markdown shows as it is, on one line.
std::string markdown_escaped(const std::string& text);

}  // namespace overlap::report
