#include "show/escape.hpp"

#include <string_view>

namespace overlap::report {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string markdown_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\|`*_[]<>").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return escaped;
}

}  // namespace overlap::report
