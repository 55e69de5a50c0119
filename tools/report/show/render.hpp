// Documents as text. Pure: the same document gives the same bytes, whatever the locale. A file each:
// text.cpp, markdown.cpp, csv.cpp, html.cpp.
#pragma once

#include <string>

#include "show/document.hpp"

namespace overlap::report {

/// For a terminal: columns lined up, the summary last.
std::string to_text(const Document& document);

/// GitHub-flavoured Markdown; a comment stays under the 65,536 characters that GitHub takes.
std::string to_markdown(const Document& document);

/// CSV (RFC 4180): numbers as they are, and no text that a spreadsheet would take for a formula. Several
/// sections share one table, which has every column that any of them has.
std::string to_csv(const Document& document);

/// A page that holds all it needs: opens offline, on a phone, in the dark.
std::string to_html(const Document& document);

}  // namespace overlap::report
