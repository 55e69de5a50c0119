// Three or four digits say as much as anything measured here does.
#include "judge/format.hpp"

#include <fmt/format.h>

#include <cmath>

#include "names/context_keys.hpp"

namespace overlap::report {

// The unit goes by the value before it is rounded: 999.9 us is "1000 us".
std::string format_time(double us) {
  const auto digits = [](double value) { return value < 10 ? 2 : value < 100 ? 1 : 0; };
  if (us < 1000) return fmt::format("{:.{}f} us", us, digits(us));
  if (us < 1e6) return fmt::format("{:.{}f} ms", us / 1e3, digits(us / 1e3));
  return fmt::format("{:.{}f} s", us / 1e6, digits(us / 1e6));
}

std::string format_change(double ratio) {
  return fmt::format("{:+.1f} %", std::round((ratio - 1) * 1000) / 10 + 0.0);  // -0.0 + 0.0 is +0.0
}

std::string format_count(const std::string& value) {
  if (value.empty() || value.find_first_not_of("0123456789") != std::string::npos) return value;
  std::string grouped;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (i > 0 && (value.size() - i) % 3 == 0) grouped += ',';
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
  const std::string gpu = run.about(context::kGpu);
  return gpu.empty() ? "unknown device" : gpu;
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
