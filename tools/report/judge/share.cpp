#include "judge/share.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <stdexcept>

namespace overlap::report {

double read_share(std::string_view text) {
  std::string_view digits = text;
  const bool percent = digits.ends_with('%');
  if (percent) digits.remove_suffix(1);
  while (percent && digits.ends_with(' ')) digits.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value) || value < 0)
    throw std::invalid_argument(fmt::format("{} is no share: write 5% or 0.05", text));
  if (!percent && value >= 1)
    throw std::invalid_argument(
        fmt::format("{} would be {} %: write {}% or {}%", text, value * 100, text, value * 100));
  return percent ? value / 100 : value;
}

}  // namespace overlap::report
