// A reader by recursive descent, without the recursion: what may be deep is only passed over. Most of a file
// is taken in long pieces; what a strict parser would refuse is put right where what was meant is certain.
#include "read/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace overlap::report {
namespace {

/// Bytes of the UTF-8 sequence that `text` begins with; 0 if there is none (too short, too long, a surrogate,
/// beyond U+10FFFF).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                     (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return wrong ? 0 : length;
}

/// Bytes that stand for themselves in a string.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (unsigned c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a text is a number as JSON has it. A text that could become one, had it not ended, is none.
bool is_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > begin;
  };
  const bool zero = at < text.size() && text[at] == '0';
  const std::size_t first = at;
  if (!digits() || (zero && at > first + 1)) return false;
  if (at < text.size() && text[at] == '.' && (++at, !digits())) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (!digits()) return false;
  }
  return at == text.size();
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

bool JsonText::append() {
  if (ended_) return false;
  if (!all_) {
    base_ += at_;
    held_.erase(0, at_);
    at_ = 0;
  }
  const std::size_t before = held_.size();
  while (held_.size() == before)
    if (!bytes_.append_to(held_)) {
      ended_ = true;
      return false;
    }
  return true;
}

bool JsonText::have(std::size_t count) {
  while (held_.size() - at_ < count)
    if (!append()) return false;
  return true;
}

void JsonText::hold_all() {
  all_ = true;
  while (append()) {
  }
}

void JsonText::seek(std::size_t at) {
  at_ = at;
  notes_.clear();
}

void JsonText::fail(const std::string& reason) const { throw TextError(offset(), reason); }

void JsonText::fail_at_end(const char* within) const {
  throw TextError(base_ + held_.size() + mark(), fmt::format("ends within {}", within), true);
}

void JsonText::note(const std::string& kind, std::size_t offset) {
  auto& seen = notes_.try_emplace(kind, offset, 0).first->second;
  ++seen.second;
}

std::vector<std::string> JsonText::warnings() const {
  std::vector<std::string> all;
  if (bytes_.is_utf16()) all.emplace_back("is UTF-16: offsets are those of its text in UTF-8");
  for (const auto& [kind, seen] : notes_)
    all.push_back(seen.second == 1
                      ? fmt::format("offset {}: {}", seen.first, kind)
                      : fmt::format("offset {}: {}, {} times in all", seen.first, kind, seen.second));
  return all;
}

// Bytes of zero are what is left of a file where a machine stopped before it was on the disk.
int JsonText::peek() {
  for (;;) {
    for (; at_ < held_.size(); ++at_) {
      const char c = held_[at_];
      if (c == '\0')
        note("bytes of zero outside of strings left out", offset());
      else if (!is_blank(c))
        return static_cast<unsigned char>(c);
    }
    if (!append()) return -1;
  }
}

void JsonText::expect(char c, const char* where) {
  const int next = peek();
  if (next < 0) fail_at_end("the JSON");
  if (next != c) fail(fmt::format("{} should stand here {}", quoted({&c, 1}), where));
  ++at_;
  if (raw_) *raw_ += c;
}

bool JsonText::another(char close) {
  const int next = peek();
  if (next < 0) fail_at_end(close == ']' ? "an array" : "an object");
  if (next != close) expect(',', close == ']' ? "or the end of the array" : "or the end of the object");
  if (next != close && peek() != close) return true;
  if (next != close) fail("a comma ahead of the end");
  ++at_;
  if (raw_) *raw_ += close;
  return false;
}

void JsonText::key(std::string& into) {
  const int next = peek();
  if (next < 0) fail_at_end("an object");
  if (next < 0x80 && is_digit(static_cast<char>(next)))
    fail("a number stands where a key should: is the comma before it a decimal comma? Run with LC_ALL=C");
  if (next != '"') fail("a key in quotes should stand here");
  string(into);
  if (raw_) *raw_ += quoted(into);
  expect(':', "behind the key");
}

void JsonText::value(Value& into) {
  into.kind = Value::Kind::null;
  const int next = peek();
  switch (next) {
    case -1: fail_at_end("the JSON");
    case '"':
      into.kind = Value::Kind::text;
      string(into.text);
      if (raw_) *raw_ += quoted(into.text);
      return;
    case '{':
    case '[':
      skip_nested();
      into.kind = Value::Kind::nested;
      return;
    case 't':
    case 'f':
      if (!word(next == 't' ? "true" : "false")) break;
      into.kind = Value::Kind::boolean;
      into.flag = next == 't';
      if (raw_) *raw_ += into.flag ? "true" : "false";
      return;
    default: return number(into);
  }
  fail("this is no value");
}

std::string JsonText::raw_value(Value& into) {
  std::string raw;
  raw_ = &raw;
  value(into);
  raw_ = nullptr;
  return raw;
}

bool JsonText::word(std::string_view word) {
  if (!have(word.size()) && word.starts_with(std::string_view(held_).substr(at_))) fail_at_end("a word");
  if (!std::string_view(held_).substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

// What C and C++ libraries print for numbers that are none becomes null: NaN, -nan(ind), Infinity, 1.#INF.
// Longer words stand ahead of those that they begin with: "inf" would leave "inity" behind. A number that is
// too large is none that anybody measured.
void JsonText::number(Value& into) {
  if (word("null")) {
    if (raw_) *raw_ += "null";
    return;
  }
  std::size_t length = 0;
  const auto goes_on = [&] {
    const char c = held_[at_ + length];
    return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
  };
  while (have(length + 1) && goes_on()) ++length;
  if (length == 0 || (length == 1 && held_[at_] == '-')) {
    const std::size_t begin = offset();
    at_ += length;
    for (const std::string_view name :
         {"NaN", "nan(ind)", "nan(snan)", "nan", "Infinity", "infinity", "Inf", "inf"}) {
      // The end of a file within a short word could be that of a longer one.
      if (!have(name.size()) && name.starts_with(std::string_view(held_).substr(at_)))
        fail_at_end("a number");
      if (!word(name)) continue;
      note("a number that is NaN or infinite, taken as missing", begin);
      if (raw_) *raw_ += "null";
      return;
    }
    at_ -= length;
    fail("this is no value");
  }
  const std::string_view text = std::string_view(held_).substr(at_, length);
  const auto is_missing = [&](std::size_t taken) {
    note("a number that is NaN or infinite, taken as missing", offset());
    if (raw_) *raw_ += "null";
    at_ += taken;
  };
  if (have(length + 1) && held_[at_ + length] == '#' && (text == "1." || text == "-1.")) {
    for (const std::string_view name : {"#INF", "#QNAN", "#SNAN", "#IND"}) {
      if (!have(length + name.size()) || held_.compare(at_ + length, name.size(), name) != 0) continue;
      std::size_t taken = length + name.size();  // "1.#INF00": filled up to the digits asked for
      while (have(taken + 1) && is_digit(held_[at_ + taken])) ++taken;
      return is_missing(taken);
    }
  }
  if (!is_number(text)) {
    if (at_ + length == held_.size()) fail_at_end("a number");
    fail("this is no number");
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into.number);
  if (error == std::errc::result_out_of_range) {
    // Too small is nothing.
    const auto exponent = text.find_first_of("eE");
    if (exponent == std::string_view::npos || text[exponent + 1] != '-') return is_missing(length);
    into.number = 0;
  }
  into.kind = Value::Kind::number;
  if (raw_) *raw_ += text;
  at_ += length;
}

void JsonText::string(std::string& into) {
  into.clear();
  ++at_;
  for (;;) {
    std::size_t end = at_;
    while (end < held_.size() && kPlain[static_cast<unsigned char>(held_[end])]) ++end;
    into.append(held_, at_, end - at_);
    at_ = end;
    if (!have(1)) fail_at_end("a string");
    const auto c = static_cast<unsigned char>(held_[at_]);
    if (kPlain[c]) continue;  // the next piece
    if (c == '"') {
      ++at_;
      return;
    }
    if (c == '\\') {
      ++at_;
      escape(into);
    } else if (c < 0x20) {
      note("a raw control byte in a string", offset());
      into += static_cast<char>(c);
      ++at_;
    } else {
      have(4);
      const std::size_t length = utf8_length(std::string_view(held_).substr(at_, 4));
      if (length == 0) note("a byte that is no UTF-8, replaced", offset());
      length == 0 ? into.append(kReplacement) : into.append(held_, at_, length);
      at_ += std::max<std::size_t>(1, length);
    }
  }
}

// Paths of Windows come with backslashes that nobody escaped: those are taken as they stand.
void JsonText::escape(std::string& into) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeaning = "\"\\/\b\f\n\r\t";
  if (!have(1)) fail_at_end("a string");
  const char c = held_[at_];
  if (const auto known = kLetters.find(c); known != std::string_view::npos) {
    into += kMeaning[known];
    ++at_;
    return;
  }
  constexpr char32_t kNone = 0xFFFFFFFF;
  const auto unit = [this]() -> char32_t {  // of "uXXXX"
    if (!have(5) || held_[at_] != 'u') return kNone;
    std::uint32_t value = 0;
    const char* const digits = held_.data() + at_ + 1;
    return std::from_chars(digits, digits + 4, value, 16).ptr == digits + 4 ? value : kNone;
  };
  char32_t code = unit();
  if (code == kNone) {
    if (!have(5) && c == 'u') fail_at_end("a string");
    note("a backslash that escapes nothing, taken as it stands", offset() - 1);
    into += '\\';
    return;
  }
  at_ += 5;
  if (code >= 0xD800 && code < 0xDC00 && have(6) && held_[at_] == '\\') {
    ++at_;
    const char32_t low = unit();
    if (low >= 0xDC00 && low < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      at_ += 5;
    } else {
      --at_;
    }
  }
  if (code < 0xD800 || code >= 0xE000) return append_utf8(into, code);
  note("half a character in a string, replaced", offset());
  into += kReplacement;
}

void JsonText::skip_nested() {
  std::string closing;  // of the objects and arrays that are open
  Value scalar;
  do {
    const int next = peek();
    if (next == '{' || next == '[') {
      closing += next == '{' ? '}' : ']';
      ++at_;
      if (raw_) *raw_ += static_cast<char>(next);
      if (peek() != closing.back()) {
        if (next == '{') key(scratch_);
        continue;
      }
      ++at_;
      if (raw_) *raw_ += closing.back();
      closing.pop_back();
    } else {
      value(scalar);
    }
    while (!closing.empty() && !another(closing.back())) closing.pop_back();
    if (!closing.empty() && closing.back() == '}') key(scratch_);
  } while (!closing.empty());
}

}  // namespace overlap::report
