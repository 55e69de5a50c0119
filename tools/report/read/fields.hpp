// The objects of "benchmarks" and the context as they are written, before anyone asks what they mean.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read/json_text.hpp"

namespace overlap::report {

/// One object of "benchmarks", as written. Of equal keys the first counts: the library writes its own fields
/// first. One object serves for all rows of a file, so that their memory is asked for once.
class Fields {
 public:
  /// The byte of the file at which it begins.
  std::size_t offset = 0;

  /// The keys and values, in the order of the file.
  std::size_t size() const { return used_; }
  const std::pair<std::string, Value>& at(std::size_t i) const { return all_[i]; }
  /// The value of a key; nullptr if there is none.
  const Value* find(std::string_view key) const;
  /// The text under a key; empty if there is none, or something else.
  std::string_view text(std::string_view key) const;
  /// The number under a key; nothing if there is none, or null, as NaN has become.
  std::optional<double> number(std::string_view key) const;
  /// Whether the key is there and true.
  bool flag(std::string_view key) const;

  /// Begins another object.
  void clear() { used_ = 0; }
  /// Room for one more, whatever was there before.
  std::pair<std::string, Value>& add();
  /// Takes back what add() gave last.
  void drop() { --used_; }
  /// Takes out later ones of equal keys. @return how many; `first` is the key of one, if there are any.
  std::size_t drop_duplicates(std::string& first);

 private:
  std::vector<std::pair<std::string, Value>> all_;
  std::size_t used_ = 0;
};

/// What a file has beside its rows.
struct ParsedFile {
  std::map<std::string, std::string> context;  ///< as text, of values that are no objects or arrays
  /// Every value of the context as JSON, in the order of the file.
  std::vector<std::pair<std::string, std::string>> context_json;
  std::vector<std::string> warnings;  ///< what was read otherwise than it was written
  std::size_t rows = 0;               ///< that were handed over
  /// Not empty: where and how the file ends too soon, and what of its context is missing.
  std::string cut_off;
};

/// Hands each object of "benchmarks" to `row` as it is complete, with the fields that `keep` wants; keeps
/// none. What was printed before and after the run is left out and said. A file that ends too soon gives its
/// complete rows, whatever it has of its context.
/// @throws InputError, with `path` and the offset, if there is no run, if its JSON is broken, or if it was
/// cut off before its first row was complete. What people hand over by mistake is named (recognise.hpp).
ParsedFile parse_fields(Bytes& bytes, const std::string& path,
                        const std::function<bool(std::string_view key)>& keep,
                        const std::function<void(const Fields&)>& row);

}  // namespace overlap::report
