// One walk over the bytes. Most of a file is copied in long pieces; what a strict parser would refuse is put
// right where what was meant is certain. Offsets of the original are remembered, so that messages can name
// the place in the file and not in the cleaned text.
#include "read/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

namespace overlap::report {
namespace {

/// What stands for a character that cannot be read.
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Appends a code point up to U+10FFFF as one to four bytes (RFC 3629).
void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

/// Text in UTF-16 with its byte order mark; lone surrogates become U+FFFD.
/// The first two bytes say the order of the others; an odd one at the end is dropped.
std::string from_utf16(std::string_view text) {
  const bool little = text[0] == '\xFF';
  const auto unit = [&](std::size_t i) {
    const auto first = static_cast<unsigned char>(text[i]), second = static_cast<unsigned char>(text[i + 1]);
    return static_cast<std::uint32_t>(little ? second << 8 | first : first << 8 | second);
  };
  std::string out;
  for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
    const std::uint32_t high = unit(i);
    const bool pair = high >= 0xD800 && high < 0xDC00 && i + 3 < text.size() && unit(i + 2) >= 0xDC00 &&
                      unit(i + 2) < 0xE000;
    if (pair) {
      append_utf8(out, 0x10000 + ((high - 0xD800) << 10) + (unit(i + 2) - 0xDC00));
      i += 2;
    } else if (high >= 0xD800 && high < 0xE000) {
      out += kReplacement;
    } else {
      append_utf8(out, high);
    }
  }
  return out;
}

/// Bytes of the UTF-8 sequence at `at`; 0 if there is none (too short, too long, a surrogate, beyond
/// U+10FFFF).
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                     (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return wrong ? 0 : length;
}

/// White space as JSON has it (RFC 8259), and no other.
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Where the object begins: at the first character, or, where something was printed before it, at the first
/// line that begins with a brace.
/// A bracket counts at the first character only: a list is JSON too, though it is no run.
/// @return the length of the text if there is no object.
std::size_t find_object(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && is_space(text[at])) ++at;
  if (at == text.size()) return text.size();
  if (text[at] == '{' || text[at] == '[') return at;
  for (std::size_t line = at; line != std::string_view::npos && line < text.size();) {
    if (text[line] == '{') return line;
    line = text.find('\n', line);
    if (line != std::string_view::npos) ++line;
  }
  return text.size();
}

/// Bytes that mean the same before and after, outside and inside of strings.
constexpr std::array<bool, 256> plain_bytes(bool in_string) {
  std::array<bool, 256> plain{};
  for (unsigned c = in_string ? 0x20 : 0; c < 0x80; ++c) plain[c] = true;
  for (const char c : std::string_view(in_string ? "\"\\" : "\"{}[]NnIi-"))
    plain[static_cast<unsigned char>(c)] = false;
  return plain;
}
constexpr auto kPlain = plain_bytes(false), kPlainInString = plain_bytes(true);

/// Walks the text once.
class Cleaner {
 public:
  /// @param base  bytes of the file before `text`.
  Cleaner(std::string_view text, std::size_t base) : text_(text), base_(base) {}

  /// The object from its first brace to the one that closes it.
  /// @throws TextError if there is none, or another run behind it.
  CleanText run() {
    at_ = find_object(text_);
    if (at_ == text_.size()) {
      if (text_.empty()) throw TextError(base_, "is empty: the run that made it wrote nothing");
      const bool blank = std::ranges::all_of(text_, is_space);
      throw TextError(base_, blank ? "holds nothing but white space" : "holds no JSON object");
    }
    const bool before = std::ranges::any_of(text_.substr(0, at_), [](char c) { return !is_space(c); });
    if (before) note("text before the JSON left out", 0);
    out_.json.reserve(text_.size() - at_ + 16);
    mark();
    while (at_ < text_.size() && !done_) step();
    after();
    for (const auto& [kind, seen] : notes_)
      out_.warnings.push_back(
          seen.second == 1 ? fmt::format("offset {}: {}", seen.first, kind)
                           : fmt::format("offset {}: {}, {} times in all", seen.first, kind, seen.second));
    return std::move(out_);
  }

 private:
  /// Counts what was put right, by kind. Only the first place is kept: a file full of NaN gets one warning.
  void note(const std::string& kind, std::size_t at) {
    auto& seen = notes_.try_emplace(kind, at + base_, 0).first->second;
    ++seen.second;
  }
  /// From here on, the JSON's offsets differ from the file's by a new amount.
  void mark() { out_.map.emplace_back(out_.json.size(), at_ + base_); }
  /// Takes bytes over as they are; their offsets go on as before.
  void copy(std::size_t count) {
    out_.json += text_.substr(at_, count);
    at_ += count;
  }
  /// Writes something else for some bytes of the file, after which offsets differ by another amount.
  void replace(std::size_t count, std::string_view by) {
    out_.json += by;
    at_ += count;
    mark();
  }

  /// Goes on by one piece of what is outside of strings, by a byte at least.
  void step() {
    // Most of a file is digits, spaces, commas and colons: they go in one piece.
    std::size_t end = at_;
    while (end < text_.size() && kPlain[static_cast<unsigned char>(text_[end])]) ++end;
    if (end > at_) copy(end - at_);
    if (at_ == text_.size()) return;
    const char c = text_[at_];
    if (c == '"') return string();
    if (c == '{' || c == '[') return open(c);
    if (c == '}' || c == ']') return close();
    if (static_cast<unsigned char>(c) < 0x80) return number_like();
    const std::size_t length = utf8_length(text_, at_);  // outside a string: the parser refuses it, as UTF-8
    length > 0 ? copy(length) : replace(1, kReplacement);
  }

  /// Notes where rows begin: the objects right within the root's array "benchmarks". The string before a
  /// bracket is its key, since only the root's strings are remembered.
  void open(char c) {
    if (c == '{' && depth_ == 2 && in_benchmarks_) out_.row_offsets.push_back(at_ + base_);
    ++depth_;
    if (depth_ == 2) in_benchmarks_ = c == '[' && last_string_ == "benchmarks";
    copy(1);
  }
  /// The object is done with its last brace. Too many of them are the parser's to refuse.
  void close() {
    if (depth_ > 0) --depth_;
    copy(1);
    done_ = depth_ == 0;
  }

  /// NaN, nan, Infinity, inf and their negatives become null; "null" and negative numbers are left alone.
  void number_like() {
    // Longer words stand ahead of those that they begin with: "inf" would leave "inity" behind.
    const std::size_t sign = text_[at_] == '-' ? 1 : 0;
    for (const std::string_view word : {"NaN", "nan", "Infinity", "infinity", "Inf", "inf"}) {
      if (text_.substr(at_ + sign, word.size()) != word) continue;
      note("a number that is NaN or infinite, taken as missing", at_);
      return replace(sign + word.size(), "null");
    }
    copy(1);
  }

  /// A string with its quotes, or what there is of it. A backslash takes the next byte along, so that an
  /// escaped quote ends nothing; whether it is a good escape is for the parser to say.
  void string() {
    const std::size_t begin = out_.json.size() + 1;
    copy(1);
    while (at_ < text_.size()) {
      std::size_t end = at_;
      while (end < text_.size() && kPlainInString[static_cast<unsigned char>(text_[end])]) ++end;
      if (end > at_) copy(end - at_);
      if (at_ == text_.size() || text_[at_] == '"') break;
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '\\') {
        copy(std::min<std::size_t>(2, text_.size() - at_));
      } else if (c < 0x20) {
        note("a raw control byte in a string, escaped", at_);
        replace(1, fmt::format("\\u{:04x}", c));
      } else if (const std::size_t length = utf8_length(text_, at_); length == 0) {
        note("a byte that is no UTF-8, replaced", at_);
        replace(1, kReplacement);
      } else {
        copy(length);
      }
    }
    if (depth_ == 1) last_string_ = out_.json.substr(begin);
    if (at_ < text_.size()) copy(1);
  }

  /// What follows the object. Another run there is refused, other text is left out. A file that was cut off
  /// has not come to its end and goes to the parser as it is.
  void after() {
    std::size_t at = at_;
    while (at < text_.size() && is_space(text_[at])) ++at;
    if (at == text_.size() || !done_) return;
    if (text_.substr(at).find("\"benchmarks\"") != std::string_view::npos)
      throw TextError(at + base_, "a second run follows the first: put each in a file of its own");
    note("text after the JSON left out", at);
  }

  std::string_view text_;
  std::size_t base_;
  std::size_t at_ = 0;
  CleanText out_;
  std::map<std::string, std::pair<std::size_t, std::size_t>> notes_;  ///< kind: first place, how often
  /// Open brackets: 1 within the root, 2 within its members, and so on.
  std::size_t depth_ = 0;
  bool in_benchmarks_ = false, done_ = false;
  std::string last_string_;  ///< at the depth of the object's keys
};

}  // namespace

std::size_t CleanText::original_offset(std::size_t at) const {
  const auto after = std::ranges::upper_bound(map, at, {}, &std::pair<std::size_t, std::size_t>::first);
  if (after == map.begin()) return at;
  const auto& [clean, original] = *(after - 1);
  return original + (at - clean);
}

CleanText clean_json(std::string_view text) {
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF", kLittle = "\xFF\xFE", kBig = "\xFE\xFF";
  if (text.starts_with(kLittle) || text.starts_with(kBig)) {
    const std::string utf8 = from_utf16(text);
    CleanText clean = Cleaner(utf8, 0).run();
    clean.warnings.emplace(clean.warnings.begin(), "is UTF-16: offsets are those of its text in UTF-8");
    return clean;
  }
  const std::size_t mark = text.starts_with(kUtf8Mark) ? kUtf8Mark.size() : 0;
  return Cleaner(text.substr(mark), mark).run();
}

}  // namespace overlap::report
