// A list of kinds; the first that fits is it. JSON is known by keys that stand near its beginning, whatever
// object they are in: no tool's format needs more.
#include "read/recognise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>

#include "read/json_text.hpp"

namespace overlap::report {
namespace {

/// The text behind blanks.
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

/// Whether the text has these keys, each in quotes and with a colon.
bool has_keys(std::string_view text, std::span<const std::string_view> keys) {
  return std::ranges::all_of(keys, [&](std::string_view key) {
    if (key.empty()) return true;
    const std::string quoted_key = quoted(key);
    for (std::size_t at = 0; (at = text.find(quoted_key, at)) != std::string_view::npos;) {
      at += quoted_key.size();
      if (trimmed(text.substr(at)).starts_with(':')) return true;
    }
    return false;
  });
}

bool has_keys(std::string_view text, std::initializer_list<std::string_view> keys) {
  return has_keys(text, std::span(keys.begin(), keys.size()));
}

/// Whether some line of the text begins so.
bool has_line(std::string_view text, std::string_view begin) {
  return text.starts_with(begin) || text.find("\n" + std::string(begin)) != std::string_view::npos;
}

/// Whether the text has a schema of ours, which "schema" names.
bool has_schema(std::string_view text, std::string_view name) {
  return has_keys(text, {"schema"}) && text.find(quoted(name)) != std::string_view::npos;
}

/// Whether it begins so, in capitals or not. `begin` is in lower case.
bool begins_any_case(std::string_view text, std::string_view begin) {
  return std::ranges::equal(text.substr(0, begin.size()), begin, {}, [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
}

bool is_json(std::string_view text) { return text.starts_with('{') || text.starts_with('['); }

/// Whether its first line has fields as CSV has, and the next one as many.
bool is_csv(std::string_view text) {
  const auto first = text.substr(0, text.find('\n'));
  const auto rest = text.substr(std::min(text.size(), first.size() + 1));
  const auto commas = [](std::string_view line) { return std::ranges::count(line, ','); };
  return commas(first) >= 2 && commas(rest.substr(0, rest.find('\n'))) >= commas(first);
}

constexpr const char* kMakeJson =
    "its JSON is what is read: run the program with --benchmark_out=FILE --benchmark_out_format=json, or "
    "with "
    "--benchmark_format=json";
constexpr const char* kConvert =
    "only Google Benchmark's JSON is read; what other tools measured has to be written as "
    R"({"context": {}, "benchmarks": [{"name": ..., "real_time": ..., "time_unit": "us"}, ...]})";
constexpr const char* kGiveTheRun = "give the run that it was made from";

/// A kind of file, and what to do with one where a run is wanted.
struct Kind {
  const char* what;
  const char* remedy;
  bool (*is)(std::string_view text);  ///< of its first bytes, behind blanks
};

using Text = std::string_view;

constexpr const char* kRun = "a run of Google Benchmark's";
constexpr const char* kStore = "a history store";
constexpr const char* kTolerances = "a tolerance file";
constexpr const char* kAcknowledged = "a list of acknowledged changes";

/// Whether it is text of four bytes a character: `first` is the place of the byte that ASCII has.
bool is_utf32(Text t, std::size_t first) {
  if (t.size() < 8) return false;
  for (std::size_t i = 0; i < 8; ++i)
    if ((t[i] != '\0') != (i % 4 == first)) return false;
  return true;
}

constexpr Kind kPacked[] = {
    {"text in UTF-32", "write it as UTF-8 first, with iconv -f UTF-32 -t UTF-8",
     [](Text t) { return t.starts_with(Text("\xFF\xFE\0\0", 4)) || t.starts_with(Text("\0\0\xFE\xFF", 4)); }},
    {"text in UTF-32", "write it as UTF-8 first, with iconv -f UTF-32LE -t UTF-8",
     [](Text t) { return is_utf32(t, 0); }},
    {"text in UTF-32", "write it as UTF-8 first, with iconv -f UTF-32BE -t UTF-8",
     [](Text t) { return is_utf32(t, 3); }},
    {"compressed by gzip", "gunzip it first", [](Text t) { return t.starts_with("\x1F\x8B"); }},
    {"compressed by zstd", "unpack it first, with zstd -d",
     [](Text t) { return t.starts_with("\x28\xB5\x2F\xFD"); }},
    {"compressed by xz", "unpack it first, with xz -d",
     [](Text t) {
       return t.starts_with(
           "\xFD"
           "7zXZ");
     }},
    {"compressed by bzip2", "unpack it first, with bunzip2", [](Text t) { return t.starts_with("BZh"); }},
    {"a tar archive", "unpack it first, with tar -xf, and give the files in it",
     [](Text t) { return t.size() > 262 && t.substr(257, 5) == "ustar"; }},
    {"a zip archive", "unzip it first, and give the files in it",
     [](Text t) { return t.starts_with("PK\x03\x04"); }},
    {"a database of SQLite's", "profilers write those: give the run's JSON",
     [](Text t) { return t.starts_with("SQLite format 3"); }},
    {"a program", "run it with --benchmark_out=FILE, and give the file",
     [](Text t) {
       return t.starts_with(
                  "\x7F"
                  "ELF") ||
              t.starts_with("#!");
     }},
    {"a pointer of git lfs", "fetch the file first, with git lfs pull",
     [](Text t) { return t.starts_with("version https://git-lfs"); }},
};

constexpr Kind kOurs[] = {
    {kStore, "overlap-report history show shows it, and compare --baseline-store compares with it",
     [](Text t) { return has_schema(t, "overlap-history-1"); }},
    {kTolerances, "it goes to compare --tolerances",
     [](Text t) { return has_schema(t, "overlap-tolerances-1"); }},
    {kAcknowledged, "it goes to history show --acknowledged",
     [](Text t) { return has_schema(t, "overlap-acknowledged-1"); }},
    {"what overlap-report table wrote", kGiveTheRun, [](Text t) { return has_schema(t, "overlap-table-1"); }},
    {"what overlap-report advise wrote", kGiveTheRun,
     [](Text t) { return has_schema(t, "overlap-advice-1"); }},
    {"what overlap-report compare wrote", kGiveTheRun,
     [](Text t) { return has_schema(t, "overlap-compare-1"); }},
    {"what overlap-report history show wrote", "give the store",
     [](Text t) { return has_schema(t, "overlap-changes-1"); }},
};

/// A tool whose JSON has these keys, near its beginning, in whatever object.
struct Tool {
  const char* name;
  std::array<Text, 3> keys;  ///< those that are empty are none
};
constexpr Tool kTools[] = {
    {"nvbench", {"benchmarks", "devices", "meta"}},
    {"nvbench", {"benchmarks", "devices", "states"}},
    {"nvbandwidth", {"nvbandwidth"}},
    {"pytest-benchmark", {"machine_info"}},
    {"hyperfine", {"results", "command"}},
    {"Criterion", {"confidence_interval", "point_estimate"}},
    {"Criterion", {"reason", "typical"}},
    {"JMH", {"jmhVersion"}},
    {"nanobench", {"results", "median(elapsed)"}},
    {"llama-bench", {"build_commit", "avg_ts"}},
    {"Catch2", {"test-run"}},
    {"GoogleTest", {"testsuites"}},
    {"perf", {"counter-value", "event"}},
};

constexpr Kind kKinds[] = {
    {"console output of nvbandwidth", kConvert, [](Text t) { return has_line(t, "nvbandwidth Version"); }},
    {"data of github-action-benchmark", "give the JSON that the action was given",
     [](Text t) {
       return t.starts_with("window.BENCHMARK_DATA") ||
              (is_json(t) && has_keys(t, {"lastUpdate", "entries"}));
     }},
    {"a timeline of a profiler", "give the run's JSON",
     [](Text t) {
       return is_json(t) && (has_keys(t, {"traceEvents"}) || has_keys(t, {"ph", "ts", "pid"}));
     }},
    {kRun, "",
     [](Text t) {
       return is_json(t) && has_keys(t, {"context", "benchmarks"});
     }},
    {"a list of names of Google Benchmark's", "run the program without --benchmark_list_tests",
     [](Text t) {
       return t.starts_with('{') && has_keys(t, {"benchmarks", "name"}) && !has_keys(t, {"real_time"});
     }},
    {"a list for github-action-benchmark", kGiveTheRun,
     [](Text t) {
       return t.starts_with('[') && has_keys(t, {"name", "unit", "value"});
     }},
    {"Bencher Metric Format", kGiveTheRun,
     [](Text t) {
       return t.starts_with('{') && has_keys(t, {"latency", "value"});
     }},

    {"an HTML page", kGiveTheRun,
     [](Text t) { return begins_any_case(t, "<!doctype html") || begins_any_case(t, "<html"); }},
    {"a JUnit report", kGiveTheRun,
     [](Text t) { return t.starts_with('<') && t.find("<testsuite") != Text::npos; }},
    {"XML", kMakeJson, [](Text t) { return t.starts_with("<?xml"); }},
    {"CSV of Google Benchmark's", kMakeJson, [](Text t) { return has_line(t, "name,iterations,real_time"); }},
    {"CSV for Otava", kGiveTheRun, [](Text t) { return t.starts_with("time,commit"); }},
    {"CSV of overlap-report", kGiveTheRun,
     [](Text t) {
       return t.starts_with("file,gpu,") || t.starts_with("verdict,row,") || t.starts_with("section,");
     }},
    {"console output of Google Benchmark's", kMakeJson,
     [](Text t) {
       const auto head = t.find("Iterations");
       const bool has_head = head != Text::npos && t.substr(0, head).rfind("Benchmark") != Text::npos &&
                             t.find("-----") != Text::npos;
       return !is_json(t) && (has_head || has_line(t, "Run on ("));
     }},
    {"CSV", kMakeJson, [](Text t) { return !is_json(t) && is_csv(t); }},
};

/// The first kind of a list that the text is; nullptr if it is none.
const Kind* find_kind(std::span<const Kind> kinds, std::string_view text) {
  const auto found = std::ranges::find_if(kinds, [&](const Kind& kind) { return kind.is(text); });
  return found == kinds.end() ? nullptr : &*found;
}

/// What a file is called, and what to do with it where a run is wanted.
struct Named {
  std::string what;
  const char* remedy;
};

/// Nothing for what has no name.
std::optional<Named> name_of(std::string_view start) {
  const Kind* kind = find_kind(kPacked, start);
  const std::string_view text = trimmed(start);
  if (!kind) kind = find_kind(kOurs, text);
  if (!kind && is_json(text))
    for (const Tool& tool : kTools)
      if (has_keys(text, tool.keys)) return Named{std::string("JSON of ") + tool.name, kConvert};
  if (!kind) kind = find_kind(kKinds, text);
  return kind ? std::optional(Named{kind->what, kind->remedy}) : std::nullopt;
}

/// How messages call what is wanted, and where one comes from.
struct WantedKind {
  const char* name;
  const char* origin;
};
WantedKind wanted_kind(Wanted wanted) {
  switch (wanted) {
    case Wanted::run: break;
    case Wanted::store: return {kStore, "overlap-report history add STORE RUN... makes one"};
    case Wanted::tolerances: return {kTolerances, "overlap-report noise RUN... -o FILE makes one"};
    case Wanted::acknowledgements:
      return {kAcknowledged, R"(it begins {"schema": "overlap-acknowledged-1", "changes": [)"};
  }
  return {kRun, kMakeJson};
}

}  // namespace

bool is_certain(std::string_view start) { return find_kind(kPacked, start) != nullptr; }

bool is_known(std::string_view start) {
  const std::optional<Named> kind = name_of(start);
  return kind && kind->what != kRun;
}

bool looks_like_store(std::string_view start) {
  const std::string_view text = trimmed(start);
  return text.starts_with('{') && has_schema(text.substr(0, text.find('\n')), "overlap-history-1");
}

std::string described(std::string_view start, Wanted wanted) {
  const std::optional<Named> kind = name_of(start);
  const auto [name, origin] = wanted_kind(wanted);
  if (wanted == Wanted::run) {
    if (kind && *kind->remedy) return fmt::format("is {}: {}", kind->what, kind->remedy);
    if (is_json(trimmed(start)))
      return fmt::format("offset 0: is JSON, but not Google Benchmark's: it has no \"benchmarks\" array; {}",
                         kConvert);
    return fmt::format("offset 0: holds no JSON object; {}", kMakeJson);
  }
  if (kind && kind->what != name) return fmt::format("is {}, not {}: {}", kind->what, name, origin);
  return fmt::format("is not {}: {}", name, origin);
}

}  // namespace overlap::report
