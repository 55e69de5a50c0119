// Text made safe for the formats that it is put into.
#pragma once

#include <string>

namespace overlap::report {

/// A field of CSV (RFC 4180): quoted where it has to be.
/// Quotes in it are doubled.
std::string csv_field(const std::string& text);

/// A field of CSV that no spreadsheet takes for a formula.
/// Such text begins with one of = + - @, a tab or a carriage return; an apostrophe ahead of it makes it text.
/// A negative number is no formula.
std::string harmless_csv_field(const std::string& text);

/// Text that GitHub-flavoured Markdown shows as it is, on one line.
/// Line breaks become spaces: a table's row is one line.
std::string markdown_escaped(const std::string& text);

/// Text or attribute of XML; control characters, which XML 1.0 has no way to write, are left out.
std::string xml_escaped(const std::string& text);

}  // namespace overlap::report
