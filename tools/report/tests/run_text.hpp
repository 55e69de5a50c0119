// Google Benchmark's JSON, made up.
#pragma once

#include <string>

#include "read/results.hpp"

namespace overlap::report {

/// Sanitizers are slow, and what they look for does not hang on how much of it there is.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// How many of something a test makes that makes many of them.
constexpr std::size_t many(std::size_t count) { return kSanitized ? count / 20 : count; }

/// A run of ours that holds the rows of `body`, each a row_text().
inline std::string run_text(const std::string& body, std::string context = "") {
  if (context.empty()) context = R"("backend": "cuda", "gpu": "Test GPU")";
  // One with the library's own keys is some other program's, and whole.
  const bool is_foreign = context.find("\"executable\"") != std::string::npos ||
                          context.find("\"num_cpus\"") != std::string::npos;
  if (!is_foreign && context.find("\"sweep\"") == std::string::npos)
    context += std::string(context.find("\"backend\"") == std::string::npos ? R"(, "backend": "cuda")" : "") +
               R"(, "sweep": "preset quick")";
  return R"({"context": {)" + context + R"(}, "benchmarks": [)" + body + "]}";
}

inline std::string row_text(const std::string& name, double time, const std::string& unit = "us",
                            const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "run_name": ")" + name +
         R"(", "run_type": "iteration", "repetitions": 1, "iterations": 10, "real_time": )" +
         std::to_string(time) + R"(, "cpu_time": 1.0, "time_unit": ")" + unit + "\"" + more + "}";
}

/// Why the reader refuses the text as "some.json"; empty if it does not.
inline std::string refusal(const std::string& text) {
  try {
    parse_run(text, "some.json");
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace overlap::report
