// From the bytes of a file to JSON that a strict parser takes. Google Benchmark writes its JSON by hand:
// numbers that are none, raw control bytes, whatever bytes a name had; shells and editors add byte order
// marks and log lines. Each is put right and said, or refused with its place. Pure.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace overlap::report {

/// Text that is no JSON and cannot be made to be; what() is the reason, `offset` its byte in the file.
class TextError : public std::runtime_error {
 public:
  TextError(std::size_t at, const std::string& reason) : std::runtime_error(reason), offset(at) {}
  std::size_t offset;
};

/// What clean_json() made of a file.
struct CleanText {
  std::string json;                      ///< one object, valid UTF-8, every number finite or null
  std::vector<std::string> warnings;     ///< what was put right, with the first place of each kind
  std::vector<std::size_t> row_offsets;  ///< where in the file each element of "benchmarks" begins

  /// The byte of the file that byte `at` of the JSON came from.
  std::size_t original_offset(std::size_t at) const;

  std::vector<std::pair<std::size_t, std::size_t>> map;  ///< (in the JSON, in the file), ascending
};

/// Takes off byte order marks, UTF-16 and text around the object; makes NaN and Infinity null; escapes
/// control bytes in strings; replaces bytes that are no UTF-8 by U+FFFD. Does not parse: what else is wrong
/// is the parser's to say.
/// @throws TextError for an empty file, one without an object, and one that holds two runs.
CleanText clean_json(std::string_view text);

}  // namespace overlap::report
