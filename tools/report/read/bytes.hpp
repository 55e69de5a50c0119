// The bytes of an input, piece by piece: a file of any size is never held as a whole. Pieces are UTF-8
// whatever the file is written in.
#pragma once

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace overlap::report {

/// A file that cannot be read as what it was given for; what() holds the file, the place in it, the reason,
/// and what to do.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How the command line names standard input and standard output.
inline constexpr const char* kStandard = "-";

/// A file, standard input, or text in memory.
class Bytes {
 public:
  /// Of a file; kStandard is standard input.
  /// @throws InputError if it cannot be opened, or is a folder.
  static Bytes of_file(const std::string& path);
  /// Of text, which must outlive it.
  static Bytes of_text(std::string_view text);

  /// Appends the next piece. A byte order mark is left out; UTF-16 becomes UTF-8, its lone surrogates U+FFFD.
  /// @return false at the end.
  /// @throws InputError if the file cannot be read.
  bool append_to(std::string& text);
  /// Whether it is UTF-16, so that places are those of its text in UTF-8. Known after the first piece.
  bool is_utf16() const { return order_ != Order::utf8; }
  /// Bytes of a byte order mark that was left out.
  std::size_t mark() const { return mark_; }

 private:
  enum class Order { unknown, utf8, little, big };
  /// The next bytes as they are.
  bool read_raw(std::string& into);
  /// Appends the UTF-16 in `raw_`; what is half a character stays for the next piece.
  void append_utf16(std::string& text, bool is_last);

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, nullptr};
  std::string_view text_;
  std::string raw_;  ///< of UTF-16: what has not been turned into UTF-8 yet
  /// That of text without a byte order mark.
  Order order_without_mark() const;

  Order order_ = Order::unknown;
  std::size_t mark_ = 0;
};

/// All of a file, for those that are small. kStandard is standard input.
/// @throws InputError
std::string read_all(const std::string& path);

/// How messages call an input.
std::string input_name(const std::string& path);

/// Appends a code point up to U+10FFFF as one to four bytes (RFC 3629).
void append_utf8(std::string& out, char32_t c);

/// What stands for a character that cannot be read: U+FFFD.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace overlap::report
