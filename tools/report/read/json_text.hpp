// JSON as people's files hold it. Google Benchmark writes its JSON by hand: numbers that are none, raw
// control bytes, whatever bytes a name had; editors and crashes add theirs. What was meant is read and said;
// anything else is refused with its place. Reads piece by piece and builds no tree.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read/bytes.hpp"

namespace overlap::report {

/// Text that is no JSON and cannot be read as such; what() is the reason, `offset` its byte in the file.
class TextError : public std::runtime_error {
 public:
  TextError(std::size_t at, const std::string& reason, bool ended = false)
      : std::runtime_error(reason), offset(at), at_end(ended) {}
  std::size_t offset;
  bool at_end;  ///< the text ended too soon; what there is of it is JSON
};

/// A value; of objects and arrays it is only known that they are.
struct Value {
  enum class Kind { null, boolean, number, text, nested };
  Kind kind = Kind::null;
  bool flag = false;
  double number = 0;
  std::string text{};
};

/// Walks JSON from its first byte to its last.
class JsonText {
 public:
  explicit JsonText(Bytes& bytes) : bytes_(bytes) { append(); }

  /// The next byte that is no white space, which stays to be read; -1 at the end of the text.
  int peek();
  /// Takes the next byte, which must be this one.
  /// @throws TextError if it is another; `where` says what should stand there.
  void expect(char c, const char* where);
  /// Behind an element of an object or array that ends with `close`: whether another one follows.
  /// @throws TextError for something else than a comma or the end.
  bool another(char close);
  /// Reads a member's key and colon. @throws TextError
  void key(std::string& into);
  /// Reads a value; objects and arrays are passed over, and checked. @throws TextError
  void value(Value& into);
  /// The same, and what stood there as JSON, with what was wrong put right.
  std::string raw_value(Value& into);

  /// The byte of the file that comes next.
  std::size_t offset() const { return base_ + at_ + bytes_.mark(); }
  /// Reads all of the file, after which held() is all of it and seek() goes anywhere.
  void hold_all();
  /// Whether nothing has been dropped from what is held.
  bool holds_beginning() const { return base_ == 0; }
  /// What is in memory; after hold_all() the whole text.
  std::string_view held() const { return held_; }
  /// Of that, what has not been read yet.
  std::string_view rest() const { return held().substr(at_); }
  /// Goes to a byte of what is held, and forgets what was put right on the way.
  void seek(std::size_t at);
  /// What was put right, with the first place of each kind.
  std::vector<std::string> warnings() const;
  /// Counts something that was put right.
  void note(const std::string& kind, std::size_t offset);
  /// Bytes of a byte order mark before what is held.
  std::size_t mark() const { return bytes_.mark(); }

 private:
  /// Drops what has been read and gets the next piece behind the rest. @return false at the end.
  bool append();
  /// Whether so many bytes are there.
  bool have(std::size_t count);
  [[noreturn]] void fail(const std::string& reason) const;
  [[noreturn]] void fail_at_end(const char* within) const;
  /// Reads a string, its first quote included.
  void string(std::string& into);
  /// What follows a backslash.
  void escape(std::string& into);
  /// Reads a number, null, or what stands for a number that is none.
  void number(Value& into);
  /// Takes a word if it stands here.
  bool word(std::string_view word);
  /// Passes over an object or array, however deep.
  void skip_nested();

  Bytes& bytes_;
  std::string held_;  ///< of the file's text, from `base_` on
  std::size_t at_ = 0, base_ = 0;
  bool ended_ = false, all_ = false;
  std::string* raw_ = nullptr;  ///< where raw_value() wants everything that is read
  std::string scratch_;
  std::map<std::string, std::pair<std::size_t, std::size_t>> notes_;  ///< kind: first place, how often
};

/// Text as a JSON string, with its quotes.
std::string quoted(std::string_view text);

/// White space as JSON has it (RFC 8259), and no other.
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace overlap::report
