// Our own flags are CLI11's. Google Benchmark's are taken from what CLI11 leaves over: each is checked here,
// because the library ends the process over a bad value with an exit code of its own, and passed on where the
// library acts on it. Times are not passed on: rows are sampled by measure.cpp, and the library is told that
// any time is enough.
#include "harness/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <optional>
#include <regex>

namespace overlap {
namespace {

/// What a flag's value has to be. A boolean needs none.
enum class Kind { boolean, number, seconds, word, text };

/// Google Benchmark's flags. It ends the process with its own exit code over a bad value, so values are
/// checked here.
struct BenchmarkFlag {
  const char* name;
  Kind kind;
  std::vector<std::string> words{};
};

/// Those of versions 1.7 to 1.9 that make sense here.
const std::vector<BenchmarkFlag>& benchmark_flags() {
  static const std::vector<BenchmarkFlag> flags = {
      {"benchmark_list_tests", Kind::boolean},
      {"benchmark_filter", Kind::text},
      {"benchmark_min_time", Kind::seconds},
      {"benchmark_min_warmup_time", Kind::seconds},
      {"benchmark_repetitions", Kind::number},
      {"benchmark_dry_run", Kind::boolean},
      {"benchmark_enable_random_interleaving", Kind::boolean},
      {"benchmark_report_aggregates_only", Kind::boolean},
      {"benchmark_display_aggregates_only", Kind::boolean},
      {"benchmark_format", Kind::word, {"console", "json", "csv"}},
      {"benchmark_out", Kind::text},
      {"benchmark_out_format", Kind::word, {"console", "json", "csv"}},
      {"benchmark_color", Kind::text},
      {"benchmark_counters_tabular", Kind::boolean},
      {"benchmark_context", Kind::text},
      {"benchmark_time_unit", Kind::word, {"ns", "us", "ms", "s"}},
      {"benchmark_perf_counters", Kind::text},
      {"v", Kind::number},
  };
  return flags;
}

/// A number that is at least 0 and no more than a billion.
/// Nothing for other text, and for NaN, which passes no comparison.
std::optional<double> to_double(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0) || value > 1e9)
    return std::nullopt;
  return value;
}

/// Refuses a flag's value, with the remedy.
[[noreturn]] void refuse(const std::string& flag, const std::string& value, const std::string& remedy) {
  throw UsageError(fmt::format("--{}={}: {}", flag, value, remedy));
}

/// The library's own words for yes and no; a flag without a value is a yes.
/// @throws UsageError for other words.
bool to_bool(const std::string& flag, std::string value) {
  std::ranges::transform(value, value.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* yes : {"", "1", "true", "yes", "on", "t", "y"})
    if (value == yes) return true;
  for (const char* no : {"0", "false", "no", "off", "f", "n"})
    if (value == no) return false;
  refuse(flag, value, "write true or false");
}

/// What an unknown flag may have meant, among ours and the library's.
std::string known_flags_hint(const std::string& flag, const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (const BenchmarkFlag& each : benchmark_flags()) known.push_back(std::string("--") + each.name);
  return did_you_mean(flag, known);
}

/// Takes what concerns us from one of Google Benchmark's flags, and passes it on where it concerns the
/// library too.
/// @throws UsageError for a value that the flag does not take.
void read_benchmark_flag(Options& options, const BenchmarkFlag& flag, const std::string& value) {
  const std::string name = flag.name;
  if (flag.kind == Kind::word && !contains(flag.words, value))
    refuse(name, value, "unknown" + did_you_mean(value, flag.words));
  if (flag.kind == Kind::number) {
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < 0)
      refuse(name, value, "write a whole number");
    if (name == "benchmark_repetitions") options.repetitions = std::max(1, number);
  }
  if (flag.kind == Kind::boolean) {
    const bool on = to_bool(name, value);
    if (name == "benchmark_list_tests") options.list_rows = on;
    if (name == "benchmark_enable_random_interleaving") options.interleaved = on;
    if (name == "benchmark_dry_run") {  // every version of the library gets it this way
      if (on) options.measure.fixed_operations = 1;
      if (on) options.measure.warm_up_s = 0;
      return;
    }
  }
  if (flag.kind == Kind::seconds) {
    // Rows are measured by our own sampler, which honours these; the library is told that any time is enough.
    std::string_view number = value;
    if (name == "benchmark_min_time" && number.ends_with('x')) {
      const auto times = to_double(number.substr(0, number.size() - 1));
      if (!times || *times < 1 || *times > 1e9)
        refuse(name, value, "write a number of iterations such as 100x");
      options.measure.fixed_operations = static_cast<std::size_t>(*times);
      return;
    }
    if (number.ends_with('s')) number.remove_suffix(1);
    const auto seconds = to_double(number);
    if (!seconds) refuse(name, value, "write seconds such as 0.5 or 0.5s");
    (name == "benchmark_min_time" ? options.measure.min_time_s : options.measure.warm_up_s) = *seconds;
    return;
  }
  if (name == "benchmark_filter") options.filter = value;
  if (name == "benchmark_out") options.out = value;
  if (name == "benchmark_out_format") options.json_out = value == "json";
  if (name == "benchmark_format") options.json_stdout = value == "json";
  options.for_google_benchmark.push_back("--" + name + "=" + value);
}

/// Reads an argument that is not one of ours. @throws UsageError
void read_extra(Options& options, const std::string& argument, const CLI::App& app) {
  const auto equals = argument.find('=');
  const std::string flag = argument.substr(0, equals);
  if (!flag.starts_with("--"))
    throw UsageError("unexpected argument '" + argument + "'; flags are written --name=value, see --help");
  const auto found = std::ranges::find_if(benchmark_flags(),
                                          [&](const auto& f) { return flag == std::string("--") + f.name; });
  if (found == benchmark_flags().end())
    throw UsageError("unknown flag " + flag + known_flags_hint(flag, app));
  if (equals == std::string::npos && found->kind != Kind::boolean)
    throw UsageError(flag + " needs a value: " + flag + "=...");
  read_benchmark_flag(options, *found, equals == std::string::npos ? "" : argument.substr(equals + 1));
}

}  // namespace

Options parse_options(int argc, const char* const* argv, std::string_view backend) {
  Options options;
  const bool host = backend == "host";
  options.sweep.host = host;
  if (host) {  // no clock to raise, only caches and threads to wake; and nobody quotes its times
    options.measure.warm_up_s = 0.05;
    options.measure.min_time_s = 0.1;
  }
  CLI::App app(
      "Measures how much copy time CUDA streams hide and what CUDA graphs save, over a sweep of stream "
      "counts, chunk\n"
      "sizes and element counts. Rows are Google Benchmark's; write JSON with --benchmark_out and read it "
      "with\n"
      "overlap-report.",
      host ? "overlap-bench-host" : "overlap-bench");
  app.allow_extras();
  app.set_help_flag();
  bool help = false;
  app.add_flag("--help,-h", help, "Print this and exit");
  app.add_option("--preset", options.sweep.preset,
                 "quick: minutes; paper: the published sizes; full: every axis (default quick)");
  app.add_option("--sweep", options.sweep.overrides,
                 "[FAMILY.]AXIS=V[,V...]: replace an axis's values; repeatable. Values: 4096, 2^20, 64Ki, "
                 "3M, n, n/16, "
                 "ranges 1..32*2 and 1..8+1")
      ->allow_extra_args(false);
  app.add_option("--device", options.device, "Device number (default 0)");
  app.add_flag("--list-axes", options.list_axes, "Print every family, its axes and their values, and exit");
  app.add_option("--wall-budget", options.measure.wall_budget_s,
                 "Seconds of measuring per row, after which it makes do with what it has (default 10)")
      ->check([](const std::string& text) {  // CLI11's own check lets NaN through
        return to_double(text).value_or(0) > 0 ? "" : "write seconds above 0, not " + text;
      });
  app.footer(
      "\nGoogle Benchmark's flags keep their meaning:\n"
      "  --benchmark_filter=REGEX          run the rows whose name matches; a leading - inverts\n"
      "  --benchmark_out=FILE.json         write the results\n"
      "  --benchmark_repetitions=N         measure every row N times\n"
      "  --benchmark_min_time=SECONDS      measured time per row (default 0.2; 0.1 on the host backend); Nx: "
      "N operations\n"
      "  --benchmark_min_warmup_time=SECONDS  warm-up per row (default 0.2; 0.05 on the host backend)\n"
      "  --benchmark_list_tests            print the names and exit\n"
      "  and the others of your version of the library.\n"
      "\nExamples:\n"
      "  overlap-bench --benchmark_out=run.json && overlap-report table run.json\n"
      "  overlap-bench --benchmark_filter=pipeline --sweep=streams=1..32*2 --sweep=chunk=n/32\n"
      "\nExit codes: 0 all rows good, 1 a row failed or none ran, 2 usage, 3 no usable device.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    throw UsageError(std::string(e.what()) + "; see --help");
  }
  if (help) {
    options.help = app.help();
    return options;
  }
  for (const std::string& argument : app.remaining()) read_extra(options, argument, app);
  options.for_google_benchmark.push_back("--benchmark_min_time=0.000000001" OVERLAP_MIN_TIME_SUFFIX);
  return options;
}

std::vector<PlannedRow> selected(std::vector<PlannedRow> rows, const std::string& filter) {
  std::string expression = filter;
  const bool inverted = expression.starts_with('-');
  if (inverted) expression.erase(0, 1);
  if (expression.empty()) return rows;
  if (expression == "all") expression = ".";  // as the library has it
  try {
    const std::regex pattern(expression, std::regex::extended);
    std::erase_if(rows, [&](const PlannedRow& row) {
      return std::regex_search(row.name() + kTimedByHand, pattern) == inverted;
    });
  } catch (const std::regex_error& e) {
    throw UsageError("--benchmark_filter=" + filter + ": not a regular expression: " + e.what());
  }
  return rows;
}

}  // namespace overlap
