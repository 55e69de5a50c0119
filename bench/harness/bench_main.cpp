// From the command line to an exit code: read words, plan rows, choose among them, open the device, run, say
// what came of it. Whatever can be refused is refused before anything is measured.
#include "harness/bench_main.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "harness/google_benchmark.hpp"
#include "harness/stages.hpp"
#include "names/context_keys.hpp"

namespace overlap {
namespace {

/// What the process returns; README.md has the list. kRowFailed also stands for no row at all.
enum ExitCode { kGood = 0, kRowFailed = 1, kUsage = 2, kNoDevice = 3 };

/// Writes a line. Never throws, unlike fmt::print: standard error may be closed or full.
void say(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

/// Says now, not after minutes of measuring, that a file cannot be written. Leaves no trace of the attempt.
void require_writable(const std::string& path) {
  if (path.empty()) return;
  const bool existed = std::filesystem::exists(path);
  std::ofstream probe(path, std::ios::app);
  if (std::filesystem::is_character_file(path))
    probe << ' ' << std::flush;  // /dev/full opens, and takes nothing
  if (!probe) {
    const auto parent = std::filesystem::absolute(path).parent_path();
    throw UsageError("--benchmark_out=" + path + ": cannot write there" +
                     (std::filesystem::is_directory(parent) ? "" : ": no folder " + parent.string()));
  }
  probe.close();
  if (!existed) std::filesystem::remove(path);
}

/// Keeps the calling thread on the core it is on: one that wanders submits at two speeds. Threads started
/// later would inherit it, so this is nothing for a backend whose streams are threads.
void stay_on_this_core() {
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(static_cast<std::size_t>(std::max(0, sched_getcpu())), &core);
  sched_setaffinity(0, sizeof core, &core);  // where it is refused, the thread wanders
}

/// What an event pair reads with nothing between, in microseconds; also raises the clock before the first
/// row. Waits.
double measure_timer_floor(Session& session) {
  MeasureSettings settings = session.settings();
  settings.most_batch = 1;
  settings.min_time_s = 0.002;
  settings.fixed_operations = 0;
  return measure_alone(
             session, [](std::size_t) {}, settings)
      .p50_us;
}

/// The device's clock as text; "unknown" after a failed kernel took the device along, which its row says.
std::string clock_now(Session& session) {
  try {
    return clock_text(sm_clock_mhz(session.origin()));
  } catch (const DeviceError&) {
    return clock_text(std::nullopt);
  }
}

/// What the program says at its end: rows, where the time went, what failed.
void summarise(const Outcome& outcome, const RowRunner::Spent& spent) {
  const double rest_s = outcome.seconds - spent.preparing - spent.warming_up - spent.measuring;
  say(
      fmt::format("{} rows in {:.1f} s: {:.1f} s data and stages, {:.1f} s warm-up, {:.1f} s measuring, "
                  "{:.1f} ms a row for the rest",
                  outcome.started, outcome.seconds, spent.preparing, spent.warming_up, spent.measuring,
                  outcome.started > 0 ? 1e3 * rest_s / static_cast<double>(outcome.started) : 0.0));
  if (outcome.over_budget > 0)
    say(fmt::format("{} of them were cut short by --wall-budget: they have fewer samples than planned",
                    outcome.over_budget));
  for (const Failure& failure : outcome.failures)
    say(fmt::format("FAILED {}: {}", failure.name, failure.reason));
}

/// Opens the device, measures all rows and says what came of it. The file and the device are tried first.
/// @return the exit code.
/// @throws UsageError for a file that cannot be written, DeviceError without a usable device.
int measure_rows(char* program, const Options& options, const std::vector<Family>& families,
                 const std::vector<PlannedRow>& rows) {
  const bool host = options.sweep.host;
  Session session(options.device, options.measure);
  if (!session.device().usable)
    throw DeviceError(
        session.device().why_not +
        (host ? "." : ". Without a GPU, overlap-bench-host runs the same sweep on CPU threads."));
  require_writable(options.out);
  use_device(options.device);
  if (!host) stay_on_this_core();
  const double floor_us = measure_timer_floor(session);
  const std::string clock_before = clock_now(session);
  if (!initialize_google_benchmark(program, options.for_google_benchmark)) return kUsage;

  RowRunner runner(session, floor_us, options.interleaved ? RowRunner::Keep::all : RowRunner::Keep::current);
  const Outcome outcome =
      run_rows(runner, rows, options, run_context(session, options, families, floor_us, clock_before));
  summarise(outcome, runner.spent());
  if (!outcome.written)
    say(fmt::format("overlap-bench: {} could not be written to the end: is the disk full?", options.out));
  else if (!options.out.empty() && options.json_out)
    add_to_context(options.out, context::kSmClockMhz,
                   fmt::format("{} before, {} after", clock_before, clock_now(session)));
  return outcome.failures.empty() && outcome.written ? kGood : kRowFailed;
}

/// All but what is thrown. Lists and help need no usable device.
/// @return the exit code.
int run(int argc, char** argv, const std::vector<Family>& families) {
  const Options options = parse_options(argc, argv, backend_name());
  if (!options.help.empty()) return std::fputs(options.help.c_str(), stdout), kGood;
  if (options.list_axes)
    return std::fputs(describe_axes(families, options.sweep.host).c_str(), stdout), kGood;

  const std::vector<PlannedRow> all = plan_rows(families, options.sweep, device_info(options.device));
  const std::vector<PlannedRow> rows = selected(all, options.filter);
  if (rows.empty()) {
    say(fmt::format(
        "No row matches --benchmark_filter={}; the sweep has {} rows{}. See --benchmark_list_tests.",
        options.filter, all.size(), all.empty() ? "" : ", such as " + all.front().name() + kTimedByHand));
    return kRowFailed;
  }
  if (options.list_rows) {
    for (const PlannedRow& row : rows) fmt::print("{}{}\n", row.name(), kTimedByHand);
    return kGood;
  }
  return measure_rows(argv[0], options, families, rows);
}

}  // namespace

// Nothing may leave here: an exception would end the process with a code of its own.
int bench_main(int argc, char** argv, const std::vector<Family>& families) {
  int exit_code = kRowFailed;
  try {
    return run(argc, argv, families);
  } catch (const UsageError& e) {
    exit_code = kUsage;
    say(std::string("overlap-bench: ") + e.what());
  } catch (const DeviceError& e) {
    exit_code = kNoDevice;
    say(std::string("overlap-bench: ") + e.what());
  } catch (const std::exception& e) {
    say(std::string("overlap-bench: ") + e.what());
  }
  return exit_code;
}

}  // namespace overlap
