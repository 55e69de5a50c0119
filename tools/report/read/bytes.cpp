// One piece after the other. The first bytes say how the rest is written.
#include "read/bytes.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace overlap::report {
namespace {

constexpr std::size_t kPiece = 1 << 18;  // bytes; larger pieces read no faster

/// Standard input stays open.
int leave_open(std::FILE*) { return 0; }

}  // namespace

std::string input_name(const std::string& path) { return path == kStandard ? "standard input" : path; }

Bytes Bytes::of_file(const std::string& path) {
  Bytes bytes;
  bytes.path_ = input_name(path);
  if (path == kStandard) {
    bytes.file_ = {stdin, leave_open};
    return bytes;
  }
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) throw InputError(path + ": is a folder");
  bytes.file_ = {std::fopen(path.c_str(), "rb"), std::fclose};
  if (!bytes.file_) throw InputError(path + ": cannot be opened: " + std::strerror(errno));
  return bytes;
}

Bytes Bytes::of_text(std::string_view text) {
  Bytes bytes;
  bytes.text_ = text;
  return bytes;
}

bool Bytes::read_raw(std::string& into) {
  if (!file_) {
    into += text_;
    return !std::exchange(text_, {}).empty();
  }
  const std::size_t before = into.size();
  into.resize(before + kPiece);
  const std::size_t read = std::fread(into.data() + before, 1, kPiece, file_.get());
  into.resize(before + read);
  if (std::ferror(file_.get())) throw InputError(path_ + ": cannot be read: " + std::strerror(errno));
  return read > 0;
}

bool Bytes::append_to(std::string& text) {
  if (order_ == Order::utf8) return read_raw(text);
  bool more = read_raw(raw_);
  if (order_ == Order::unknown) {
    while (more && raw_.size() < 4) more = read_raw(raw_);
    const auto begins = [this](std::string_view mark) { return raw_.starts_with(mark); };
    const bool is_utf32 = begins(std::string_view("\xFF\xFE\0\0", 4));  // left as it is, to be named
    order_ = is_utf32             ? Order::utf8
             : begins("\xFF\xFE") ? Order::little
             : begins("\xFE\xFF") ? Order::big
                                  : Order::utf8;
    mark_ = order_ != Order::utf8 ? 2 : begins("\xEF\xBB\xBF") ? 3 : 0;
    if (mark_ == 0) order_ = order_without_mark();
    raw_.erase(0, mark_);
    if (order_ == Order::utf8) {
      text += std::exchange(raw_, {});
      return more || !text.empty();
    }
  }
  const bool any = !raw_.empty();
  append_utf16(text, !more);
  return any;
}

// JSON and logs begin with two characters of ASCII.
Bytes::Order Bytes::order_without_mark() const {
  if (raw_.size() < 4) return Order::utf8;
  const auto is = [this](std::size_t first, std::size_t second) {
    return raw_[first] != 0 && raw_[second] == 0 && raw_[first + 2] != 0 && raw_[second + 2] == 0;
  };
  return is(0, 1) ? Order::little : is(1, 0) ? Order::big : Order::utf8;
}

// Two bytes a unit; a pair of surrogates is one character. An odd byte at the end is dropped.
void Bytes::append_utf16(std::string& text, bool is_last) {
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(raw_[at]),
               second = static_cast<unsigned char>(raw_[at + 1]);
    return static_cast<char32_t>(order_ == Order::little ? second << 8 | first : first << 8 | second);
  };
  std::size_t at = 0;
  for (; at + 1 < raw_.size(); at += 2) {
    const char32_t high = unit(at);
    const bool leads = high >= 0xD800 && high < 0xDC00;
    if (leads && at + 3 >= raw_.size() && !is_last) break;  // its other half comes with the next piece
    const char32_t low = leads && at + 3 < raw_.size() ? unit(at + 2) : 0;
    if (low >= 0xDC00 && low < 0xE000) {
      append_utf8(text, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
      at += 2;
    } else if (high >= 0xD800 && high < 0xE000) {
      text += kReplacement;
    } else {
      append_utf8(text, high);
    }
  }
  raw_.erase(0, is_last ? raw_.size() : at);
}

void append_utf8(std::string& out, char32_t c) {
  const auto add = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xC0 | (c >> 6));
  } else if (c < 0x10000) {
    add(0xE0 | (c >> 12));
    add(0x80 | ((c >> 6) & 0x3F));
  } else {
    add(0xF0 | (c >> 18));
    add(0x80 | ((c >> 12) & 0x3F));
    add(0x80 | ((c >> 6) & 0x3F));
  }
  add(0x80 | (c & 0x3F));
}

std::string read_all(const std::string& path) {
  Bytes bytes = Bytes::of_file(path);
  std::string text;
  while (bytes.append_to(text)) {
  }
  return text;
}

}  // namespace overlap::report
