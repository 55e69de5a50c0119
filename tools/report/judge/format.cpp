// Three or four digits say as much as anything measured here does.
#include "judge/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "names/context_keys.hpp"

namespace overlap::report {
namespace {

/// A number as three digits have it: 999.6 is 1000, whose first digit is a thousand's.
struct Rounded {
  double value = 0;
  int exponent = 0;  ///< of ten, of the first digit
};
Rounded rounded(double value) {
  const std::string text = fmt::format("{:.2e}", value);  // "9.99e+02"
  const auto e = std::min(text.find('e'), text.size());
  Rounded result{value};
  std::from_chars(text.data(), text.data() + text.size(), result.value);
  if (const auto sign = e + 1; sign < text.size())
    std::from_chars(text.data() + sign + (text[sign] == '+' ? 1 : 0), text.data() + text.size(),
                    result.exponent);
  return result;
}

}  // namespace

// Most numbers are from 1 to 1000, and a table has a hundred thousand of them.
std::string format_digits(double value) {
  const int digits = value == 0       ? 2
                     : value < 0.9995 ? std::clamp(2 - rounded(value).exponent, 0, 12)
                     : value < 9.995  ? 2
                                      : (value < 99.95 ? 1 : 0);
  return fmt::format("{:.{}f}", value, digits);
}

// The unit is that of the value as it is shown: 999.6 ns is "1.00 us". What takes no time has no unit of its
// own, and the smallest one.
std::string format_time(double us) {
  if (us == 0) return "0 ns";
  if (!(us > 0)) return fmt::format("{:.2f} us", us);
  const double size = us < 0.999 || (us >= 1 && us < 999) ? us : rounded(us).value;
  if (size < 1) return format_digits(us * 1e3) + " ns";
  if (size < 1000) return format_digits(us) + " us";
  if (size < 1e6) return format_digits(us / 1e3) + " ms";
  return format_digits(us / 1e6) + " s";
}

std::string format_rate(double per_second, const std::string& unit) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T"};
  std::size_t thousands = 0;
  for (; thousands + 1 < std::size(kPrefixes) && std::fabs(rounded(per_second).value) >= 1000; ++thousands)
    per_second /= 1000;
  const std::string named = kPrefixes[thousands] + unit;
  return format_digits(per_second) + (named.empty() ? "" : " ") + named;
}

std::string format_change(double ratio) {
  return fmt::format("{:+.1f} %", std::round((ratio - 1) * 1000) / 10 + 0.0);  // -0.0 + 0.0 is +0.0
}

std::string format_count(const std::string& value) {
  const std::size_t sign = value.starts_with('-') ? 1 : 0;
  if (value.size() == sign || value.find_first_not_of("0123456789", sign) != std::string::npos) return value;
  std::string grouped;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (i > sign && (value.size() - i) % 3 == 0) grouped += ',';
    grouped += value[i];
  }
  return grouped;
}

std::string counted(double count, const std::string& what) {
  return fmt::format("{} {}{}", format_count(fmt::format("{:.0f}", count)), what, count == 1 ? "" : "s");
}

std::string axes_text(const Axes& axes, const char* separator) {
  std::string text;
  for (const auto& [axis, value] : axes)
    text += fmt::format("{}{} {}", text.empty() ? "" : separator, axis, format_count(value));
  return text;
}

std::string device_of(const Run& run) {
  std::string gpu = run.about(context::kGpu);
  if (!gpu.empty()) return gpu;
  const std::string host = run.about(context::kHostName), cpus = run.about("num_cpus");
  if (host.empty() && cpus.empty()) return "unknown device";
  return host + (host.empty() || cpus.empty() ? "" : ", ") + (cpus.empty() ? "" : cpus + " CPUs");
}

std::string describe_run(const Run& run) {
  std::string text = device_of(run);
  for (const ContextKey& key : all_context_keys()) {
    const std::string value = *key.label ? run.about(key.name) : "";
    if (!value.empty() && value != "unknown") text += fmt::format(", {} {}", key.label, value);
  }
  return text + ", " + run.path;
}

}  // namespace overlap::report
