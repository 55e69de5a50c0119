// Reads by the library, and writes as it does. Files that are large are not read this way (fields.cpp).
#include "read/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace overlap::report {
namespace {

using Library = nlohmann::ordered_json;

/// Deeper than anything that is written to be read. Values are taken apart level by level, on the stack.
constexpr std::size_t kDeepest = 200;

/// The offset of a bracket that opens a level too many; npos if there is none.
std::size_t too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_text) {
      at += c == '\\';
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return at;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return std::string_view::npos;
}

/// null stays null. Whole numbers of more than 64 bits are the library's floating point already.
Json from_library(const Library& value) {
  switch (value.type()) {
    case Library::value_t::boolean: return value.get<bool>();
    case Library::value_t::number_integer: return value.get<std::int64_t>();
    case Library::value_t::number_unsigned: return value.get<std::uint64_t>();
    case Library::value_t::number_float: return value.get<double>();
    case Library::value_t::string: return value.get<std::string>();
    case Library::value_t::array: {
      Json all = Json::array();
      for (const Library& each : value) all.push_back(from_library(each));
      return all;
    }
    case Library::value_t::object: {
      Json all = Json::object();
      for (const auto& [key, each] : value.items()) all.add(key, from_library(each));
      return all;
    }
    default: return {};
  }
}

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
  if (const std::size_t at = too_deep(text); at != std::string_view::npos)
    throw JsonError("nested too deeply", at + 1);
  try {
    return from_library(Library::parse(text));
  } catch (const Library::parse_error& e) {
    // The library begins with an id in brackets, "[json.exception...] ", which is left out.
    std::string reason = e.what();
    if (const auto at = reason.find("] "); at != std::string::npos) reason = reason.substr(at + 2);
    throw JsonError(reason, e.byte);
  }
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
