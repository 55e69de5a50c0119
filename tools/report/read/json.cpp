// Converts from and to the library's value. Files that are large are not read this way (fields.cpp).
#include "read/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace overlap::report {
namespace {

using Library = nlohmann::ordered_json;

/// Whole numbers are kept as 64 bits with a sign: what is larger wraps around. null stays null.
Json from_library(const Library& value) {
  switch (value.type()) {
    case Library::value_t::boolean: return value.get<bool>();
    case Library::value_t::number_integer:
    case Library::value_t::number_unsigned: return value.get<std::int64_t>();
    case Library::value_t::number_float: return value.get<double>();
    case Library::value_t::string: return value.get<std::string>();
    case Library::value_t::array: {
      Json all = Json::array();
      for (const Library& each : value) all.push_back(from_library(each));
      return all;
    }
    case Library::value_t::object: {
      Json all = Json::object();
      for (const auto& [key, each] : value.items()) all[key] = from_library(each);
      return all;
    }
    default: return {};
  }
}

/// The way back. Copies everything.
Library to_library(const Json& json) {
  struct Convert {
    Library operator()(std::monostate) const { return nullptr; }
    Library operator()(bool flag) const { return flag; }
    Library operator()(std::int64_t number) const { return number; }
    Library operator()(double number) const { return number; }
    Library operator()(const std::string& text) const { return text; }
    Library operator()(const Json::Array& all) const {
      Library array = Library::array();
      for (const Json& each : all) array.push_back(to_library(each));
      return array;
    }
    Library operator()(const Json::Object& all) const {
      Library object = Library::object();
      for (const auto& [key, each] : all) object[key] = to_library(each);
      return object;
    }
  };
  return std::visit(Convert(), json.value());
}

/// @throws JsonError of a wrong shape, which has no offset.
[[noreturn]] void refuse(const std::string& reason) { throw JsonError(reason, 0); }

}  // namespace

Json Json::parse(std::string_view text) {
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
  return to_library(*this).dump(indent, ' ', false, Library::error_handler_t::replace);
}

bool Json::is_number() const {
  return std::holds_alternative<double>(value_) || std::holds_alternative<std::int64_t>(value_);
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
  if (const auto* real = std::get_if<double>(&value_)) return *real;
  refuse("is no number");
}

}  // namespace overlap::report
