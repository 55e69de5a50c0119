// Words and numbers on a command line, and what to say of wrong ones.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace overlap {

/// Wrong words on the command line; what() names the nearest right ones.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Splits at every `separator`; a text without one is one part.
std::vector<std::string> split(std::string_view text, char separator);

/// "4096", "2^20", "64Ki", "3M"; nothing if it is no such number or does not fit 64 bits.
std::optional<std::int64_t> parse_number(std::string_view text);

/// "; did you mean 'x'?" with the nearest of `known`, or the whole list if nothing is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

bool contains(const std::vector<std::string>& all, std::string_view word);

/// Printable ASCII only: Google Benchmark writes other bytes into its JSON as they are.
std::string printable(std::string text);

}  // namespace overlap
