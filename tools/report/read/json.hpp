// JSON as a value that the report makes and takes apart. The library behind it is included in one file: it
// takes longer to compile than all the rest.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace overlap::report {

/// Text that is no JSON, or JSON of another shape than was asked for.
class JsonError : public std::runtime_error {
 public:
  JsonError(const std::string& reason, std::size_t at) : std::runtime_error(reason), offset(at) {}
  /// Counted from 1, as the library does.
  std::size_t offset;  ///< byte of the text; 0 for a wrong shape
};

/// One JSON value. Objects keep the order in which their members were added.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;  ///< null
  Json(bool flag) : value_(flag) {}
  Json(double number) : value_(number) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
  Json(Integer number) : value_(whole(number)) {}
  template <class T>
  Json(const std::vector<T>& all) : value_(Array(all.begin(), all.end())) {}
  Json(const std::map<std::string, std::string>& all) : value_(Object(all.begin(), all.end())) {}

  static Json array() { return Json(Array()); }
  static Json array(std::initializer_list<Json> all) { return Json(Array(all)); }
  static Json object() { return object({}); }
  static Json object(std::initializer_list<std::pair<std::string, Json>> members) {
    Json json;
    json.value_ = Object(members.begin(), members.end());
    return json;
  }

  /// @throws JsonError with the offset of what is no JSON.
  static Json parse(std::string_view text);
  /// Two spaces a level, or on one line for indent < 0. Bytes that are no UTF-8 are replaced; numbers that
  /// are not finite become null.
  std::string dump(int indent = 2) const;

  bool is_object() const { return std::holds_alternative<Object>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_number() const;

  /// The member; null if there is none. Makes an object of null, and the member if it has none.
  const Json* find(std::string_view key) const;
  /// @throws std::bad_variant_access if it is neither null nor an object.
  Json& operator[](const std::string& key);
  void push_back(Json each);  ///< makes an array of null
  /// Adds a member to an object that has none of this name.
  /// Does not look whether there is such a member. null is no object here.
  void add(std::string key, Json member);

  // What the value must be. @throws JsonError if it is something else.
  // `at` also throws where the member is not there; `number` takes whole numbers and others.
  const Json& at(std::string_view key) const;
  const Array& elements() const;
  const Object& members() const;
  const std::string& text() const;
  double number() const;

  /// What is held. Whole numbers stay apart from others, so that counts are written without a point; without
  /// a sign are only those that have no room with one.
  using Value =
      std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object>;
  const Value& value() const { return value_; }

 private:
  explicit Json(Array all) : value_(std::move(all)) {}
  template <class Integer>
  static Value whole(Integer number) {
    if (std::cmp_greater(number, std::numeric_limits<std::int64_t>::max()))
      return static_cast<std::uint64_t>(number);
    return static_cast<std::int64_t>(number);
  }
  Value value_;
};

}  // namespace overlap::report
