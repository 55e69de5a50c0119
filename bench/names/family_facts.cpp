// A line of text without quotes: it travels as a string inside of JSON.
#include "names/family_facts.hpp"

#include <algorithm>

namespace overlap {
namespace {

/// Splits at every `separator`, without the spaces around each part, each once.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = text.find(separator);
    std::string_view part = text.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    const bool again = std::find(parts.begin(), parts.end(), part) != parts.end();
    if (!part.empty() && !again) parts.emplace_back(part);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

/// "axis:value" parts; a part without an axis is left out.
Axes axes_of(std::string_view text) {
  Axes axes;
  for (const std::string& part : split(text, ',')) {
    const auto colon = part.find(':');
    if (colon != std::string::npos && colon > 0)
      axes.emplace_back(part.substr(0, colon), part.substr(colon + 1));
  }
  return axes;
}

}  // namespace

// What is empty is left out.
std::string print(const FamilyFacts& facts) {
  std::string text;
  const auto begin = [&text](const char* key) {
    text += (text.empty() ? "" : "; ") + std::string(key) + "=";
  };
  const auto words = [&](const char* key, const std::vector<std::string>& all) {
    if (all.empty()) return;
    begin(key);
    for (const std::string& word : all) text += (text.ends_with('=') ? "" : ",") + word;
  };
  const auto axes = [&](const char* key, const Axes& all) {
    if (all.empty()) return;
    begin(key);
    for (const auto& [axis, value] : all) text += (text.ends_with('=') ? "" : ",") + axis + ":" + value;
  };
  words("work", facts.work);
  axes("plain", facts.plain);
  axes("defaults", facts.defaults);
  words("columns", facts.columns);
  return text;
}

FamilyFacts parse_family_facts(std::string_view text) {
  FamilyFacts facts;
  for (const std::string& part : split(text, ';')) {
    const auto equals = part.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = part.substr(0, equals), value = part.substr(equals + 1);
    if (key == "work") facts.work = split(value, ',');
    if (key == "plain") facts.plain = axes_of(value);
    if (key == "defaults") facts.defaults = axes_of(value);
    if (key == "columns") facts.columns = split(value, ',');
  }
  return facts;
}

}  // namespace overlap
