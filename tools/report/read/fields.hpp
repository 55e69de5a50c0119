// The objects of "benchmarks" and the context as they are written, before anyone asks what they mean.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read/json.hpp"
#include "read/json_text.hpp"

namespace overlap::report {

/// A value of a row or of the context; objects and arrays are not looked into.
struct Value {
  enum class Kind { null, boolean, number, text, nested };
  Kind kind = Kind::null;
  bool flag = false;
  double number = 0;
  std::string text{};
};

/// One object of "benchmarks", as written. Of equal keys the first counts: the library writes its own fields
/// first.
struct Fields {
  std::vector<std::pair<std::string, Value>> values;
  /// The byte of the file at which it begins.
  std::size_t offset = 0;

  /// The value of a key; nullptr if there is none.
  const Value* find(std::string_view key) const {
    const auto found = std::ranges::find(values, key, &std::pair<std::string, Value>::first);
    return found == values.end() ? nullptr : &found->second;
  }
  /// The text under a key; empty if there is none, or something else.
  std::string text(std::string_view key) const {
    const Value* value = find(key);
    return value && value->kind == Value::Kind::text ? value->text : "";
  }
  /// The number under a key; nothing if there is none, or null, as NaN has become.
  std::optional<double> number(std::string_view key) const {
    const Value* value = find(key);
    return value && value->kind == Value::Kind::number ? std::optional(value->number) : std::nullopt;
  }
  /// Whether the key is there and true.
  bool flag(std::string_view key) const {
    const Value* value = find(key);
    return value && value->kind == Value::Kind::boolean && value->flag;
  }
};

/// What a file has beside its rows.
struct ParsedFile {
  std::map<std::string, std::string> context;  ///< of values that are no objects or arrays
  Json written_context = Json::object();       ///< all of it
  bool has_context = false, has_benchmarks = false;
  std::size_t duplicates = 0;  ///< keys that an object has already
  std::string first_duplicate;
};

/// Hands each object of "benchmarks" to `row` as it is complete, with the fields that `keep` wants; keeps
/// none.
/// @throws InputError, with `path` and the offset, if the text is no JSON or an element is no object.
ParsedFile parse_fields(const CleanText& text, const std::string& path,
                        const std::function<bool(std::string_view key)>& keep,
                        const std::function<void(Fields&&)>& row);

}  // namespace overlap::report
