// Reaches into JSON, for tests.
#pragma once

#include <cstddef>

#include "read/json.hpp"

namespace overlap::report {

inline const Json& step(const Json& json, const char* member) { return json.at(member); }
inline const Json& step(const Json& json, std::size_t element) { return json.elements().at(element); }

/// The value behind members and elements: json_at(json, "views", 0U, "family").
template <class... Steps>
const Json& json_at(const Json& json, Steps... steps) {
  const Json* at = &json;
  ((at = &step(*at, steps)), ...);
  return *at;
}

}  // namespace overlap::report
