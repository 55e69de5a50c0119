// Text made safe for the formats that it is put into.
#pragma once

#include <string>

namespace overlap::report {

/// Text that moves no cursor and colours nothing: control characters (C0, DEL and C1) are written out, as
/// \x1b. Line breaks and tabs too, unless they are to stay.
std::string printable(const std::string& text, bool keep_lines = false);

/// A text of CSV (RFC 4180): quoted where it has to be, and nothing that a spreadsheet takes for a formula or
/// a terminal for a command. Formulas begin with one of = + - @, a tab or a carriage return; an apostrophe
/// ahead of it makes it text. A negative number is no formula.
std::string csv_field(const std::string& text);

/// Text that GitHub-flavoured Markdown shows as it is, on one line.
/// Line breaks become spaces: a table's row is one line.
std::string markdown_escaped(const std::string& text);

/// Text or attribute of XML; what XML 1.0 has no way to write, control characters, U+FFFE and U+FFFF, is left
/// out.
std::string xml_escaped(const std::string& text);

}  // namespace overlap::report
