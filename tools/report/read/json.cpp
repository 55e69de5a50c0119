// Reads by the library, and writes as it does. Files that are large are not read this way (fields.cpp).
#include "read/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace overlap::report {
namespace {

using Library = nlohmann::json;

/// Deeper than anything that is written to be read. Values are written and taken apart level by level, on the
/// stack.
constexpr std::size_t kDeepest = 200;

/// Builds a value from what the library's parser meets.
class Builder : public nlohmann::json_sax<Library> {
 public:
  bool null() override { return add({}); }
  bool boolean(bool flag) override { return add(flag); }
  bool number_integer(number_integer_t number) override { return add(number); }
  bool number_unsigned(number_unsigned_t number) override { return add(number); }
  bool number_float(number_float_t number, const string_t&) override { return add(number); }
  bool string(string_t& text) override { return add(std::move(text)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool key(string_t& name) override {
    keys_.back() = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  /// The library begins with an id in brackets, "[json.exception...] ", which is left out.
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception& e) override {
    std::string reason = e.what();
    if (const auto end = reason.find("] "); end != std::string::npos) reason = reason.substr(end + 2);
    throw JsonError(reason, at);
  }

  Json take() { return std::move(root_); }

 private:
  bool add(Json value) {
    if (open_.empty())
      root_ = std::move(value);
    else if (open_.back().is_object())
      open_.back().add(std::move(keys_.back()), std::move(value));
    else
      open_.back().push_back(std::move(value));
    return true;
  }
  bool open(Json empty) {
    if (open_.size() == kDeepest) throw JsonError("nested too deeply", 0);
    open_.push_back(std::move(empty));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    Json done = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return add(std::move(done));
  }

  Json root_;
  std::vector<Json> open_;         ///< from the outermost to the innermost
  std::vector<std::string> keys_;  ///< of each of them, the member that comes next
};

/// Appends a value as the library would, which would need a copy of all of it, and look through all members
/// of an object for each of them.
class Writer {
 public:
  Writer(std::string& out, int indent) : out_(out), indent_(indent) {}

  void write(const Json& json) {
    std::visit([this](const auto& value) { write_value(value); }, json.value());
  }

 private:
  void write_value(std::monostate) { out_ += "null"; }
  void write_value(bool flag) { out_ += flag ? "true" : "false"; }
  void write_value(std::int64_t number) { out_ += std::to_string(number); }
  void write_value(std::uint64_t number) { out_ += std::to_string(number); }
  /// The shortest text that is this number again, which has a point or an exponent.
  void write_value(double number) {
    if (!std::isfinite(number)) return write_value(std::monostate());
    const std::size_t begin = out_.size();
    fmt::format_to(std::back_inserter(out_), "{}", number);
    if (out_.find_first_of(".e", begin) == std::string::npos) out_ += ".0";
  }
  void write_value(const std::string& text) {
    const bool plain =
        std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7F && c != '"' && c != '\\'; });
    if (plain)
      out_.append("\"").append(text).append("\"");
    else
      out_ += Library(text).dump(-1, ' ', false, Library::error_handler_t::replace);
  }
  void write_value(const Json::Array& all) {
    write_list('[', ']', all, [this](const Json& each) { write(each); });
  }
  void write_value(const Json::Object& all) {
    write_list('{', '}', all, [this](const auto& member) {
      write_value(member.first);
      out_ += indent_ < 0 ? ":" : ": ";
      write(member.second);
    });
  }
  template <class List, class Write>
  void write_list(char open, char close, const List& all, const Write& write_each) {
    out_ += open;
    ++depth_;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0) out_ += ',';
      new_line();
      write_each(all[i]);
    }
    --depth_;
    if (!all.empty()) new_line();
    out_ += close;
  }
  void new_line() {
    if (indent_ >= 0) out_.append("\n").append(depth_ * static_cast<std::size_t>(indent_), ' ');
  }

  std::string& out_;
  int indent_;
  std::size_t depth_ = 0;
};

/// @throws JsonError of a wrong shape, which has no offset.
[[noreturn]] void refuse(const std::string& reason) { throw JsonError(reason, 0); }

}  // namespace

Json Json::parse(std::string_view text) {
  Builder builder;
  Library::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

std::string Json::dump(int indent) const {
  std::string text;
  Writer(text, indent).write(*this);
  return text;
}

bool Json::is_number() const {
  return std::holds_alternative<double>(value_) || std::holds_alternative<std::int64_t>(value_) ||
         std::holds_alternative<std::uint64_t>(value_);
}

const Json* Json::find(std::string_view key) const {
  const auto* object = std::get_if<Object>(&value_);
  if (!object) return nullptr;
  const auto found = std::ranges::find(*object, key, &Object::value_type::first);
  return found == object->end() ? nullptr : &found->second;
}

Json& Json::operator[](const std::string& key) {
  if (std::holds_alternative<std::monostate>(value_)) value_ = Object();
  if (const Json* known = find(key)) return const_cast<Json&>(*known);
  return std::get<Object>(value_).emplace_back(key, Json()).second;
}

void Json::add(std::string key, Json member) {
  std::get<Object>(value_).emplace_back(std::move(key), std::move(member));
}

void Json::push_back(Json each) {
  if (std::holds_alternative<std::monostate>(value_)) value_ = Array();
  std::get<Array>(value_).push_back(std::move(each));
}

const Json& Json::at(std::string_view key) const {
  if (!is_object()) refuse("is no object");
  const Json* found = find(key);
  if (!found) refuse("has no \"" + std::string(key) + "\"");
  return *found;
}

const Json::Array& Json::elements() const {
  if (!is_array()) refuse("is no array");
  return std::get<Array>(value_);
}

const Json::Object& Json::members() const {
  if (!is_object()) refuse("is no object");
  return std::get<Object>(value_);
}

const std::string& Json::text() const {
  if (!is_string()) refuse("is no text");
  return std::get<std::string>(value_);
}

double Json::number() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*whole);
  if (const auto* large = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*large);
  if (const auto* real = std::get_if<double>(&value_)) return *real;
  refuse("is no number");
}

}  // namespace overlap::report
