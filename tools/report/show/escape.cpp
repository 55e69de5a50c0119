// One pass over the bytes each. UTF-8 goes through as it is: what is escaped is ASCII.
#include "show/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

namespace overlap::report {

// C1 are the two bytes C2 80 to C2 9F; a lone byte of 80 to 9F is no UTF-8, which the reader has replaced.
std::string printable(const std::string& text, bool keep_lines) {
  const auto is_control = [keep_lines](unsigned char c) {
    if (keep_lines && (c == '\n' || c == '\t')) return false;
    return c < 0x20 || c == 0x7F;
  };
  const auto is_suspect = [&](char c) { return is_control(static_cast<unsigned char>(c)) || c == '\xC2'; };
  if (std::ranges::none_of(text, is_suspect)) return text;
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const unsigned next = c == 0xC2 && i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (is_control(c)) {
      shown += fmt::format("\\x{:02x}", c);
    } else if (next >= 0x80 && next < 0xA0) {
      shown += fmt::format("\\x{:02x}", next);
      ++i;
    } else {
      shown += text[i];
    }
  }
  return shown;
}

std::string csv_field(const std::string& text) {
  std::string field = printable(text, true);
  double number = 0;
  const auto read = std::from_chars(field.data(), field.data() + field.size(), number);
  const bool is_number = read.ec == std::errc() && read.ptr == field.data() + field.size();
  const bool is_formula =
      !field.empty() && !is_number && std::string_view("=+-@\t\r").find(field[0]) != std::string_view::npos;
  if (is_formula) field.insert(0, "'");
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string markdown_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : printable(text, true)) {
    if (std::string_view("\\|`*_[]<>").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return escaped;
}

std::string xml_escaped(const std::string& text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view character = std::string_view(text).substr(i, 3);
    if (character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF") {
      i += 2;
      continue;
    }
    switch (c) {
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '&': escaped += "&amp;"; break;
      case '"': escaped += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n') escaped += c;
    }
  }
  return escaped;
}

}  // namespace overlap::report
