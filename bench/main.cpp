// overlap-bench and overlap-bench-host: the same sources, linked to one backend each.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "families/catalogue.hpp"
#include "harness/options.hpp"
#include "harness/row_runner.hpp"
#include "overlap/probes.hpp"
#include "revision.hpp"

namespace overlap {
namespace {

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

std::vector<PlannedRow> selected(std::vector<PlannedRow> rows, const std::string& filter) {
  const NameFilter name_filter(filter);
  std::erase_if(rows, [&](const PlannedRow& row) { return !name_filter.matches(row.name + "/manual_time"); });
  return rows;
}

std::string clock_text(const std::optional<double>& mhz) {
  return mhz ? fmt::format("{:.0f}", *mhz) : "unknown";
}

/// Everything that a reader of the JSON needs to know about the machine and the program.
void add_context(const Session& session, const Options& options, double timer_floor_us,
                 const std::string& clock) {
  const DeviceInfo& device = session.device();
  const auto add = [](const std::string& key, const std::string& value) {
    benchmark::AddCustomContext(key, printable(value.empty() ? "unknown" : value));
  };
  add("backend", device.backend);
  add("gpu", device.gpu);
  add("compute_capability", device.compute_capability);
  add("sm_count", std::to_string(device.sm_count));
  add("l2_bytes", std::to_string(device.l2_bytes));
  add("copy_engines", std::to_string(device.copy_engines));
  add("driver", device.driver);
  add("cuda_runtime", device.runtime);
  add("pcie", device.pcie);
  add("sm_clock_mhz", clock);
  add("timer_floor_us", fmt::format("{:.3f}", timer_floor_us));
  add("build_type", OVERLAP_BUILD_TYPE);
  add("compiler", OVERLAP_COMPILER);
  add("revision", kRevision);
  add("sweep", fmt::format("preset={}{}{} min_time={} warm_up={}", options.sweep.preset,
                           options.sweep.overrides.empty() ? "" : " sweep=",
                           fmt::join(options.sweep.overrides, " sweep="), options.measure.min_time_s,
                           options.measure.warm_up_s));
}

/// Keeps the calling thread on the core it is on: one that wanders submits at two speeds. Threads started
/// later would inherit it, so this is nothing for a backend whose streams are threads.
void stay_on_this_core() {
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(static_cast<std::size_t>(std::max(0, sched_getcpu())), &core);
  sched_setaffinity(0, sizeof core, &core);  // where it is refused, the thread wanders
}

/// What an event pair reads with nothing between; also raises the clock before the first row.
double measure_timer_floor(Session& session) {
  MeasureSettings settings = session.settings();
  settings.most_batch = 1;
  settings.min_time_s = 0.002;
  settings.fixed_operations = 0;
  return measure_alone(
             session, [](std::size_t) {}, settings)
      .p50_us;
}

int run(int argc, char** argv) {
  const bool host = device_info().backend == "host";
  const std::vector<Family> families = all_families();
  const Options options = parse_options(argc, argv, host);
  if (!options.help.empty()) return std::fputs(options.help.c_str(), stdout), kGood;
  if (options.list_axes) return std::fputs(describe_axes(families, host).c_str(), stdout), kGood;

  const std::vector<PlannedRow> all = plan_rows(families, options.sweep, device_info(options.device));
  const std::vector<PlannedRow> rows = selected(all, options.filter);
  if (rows.empty()) {
    fmt::print(stderr,
               "No row matches --benchmark_filter={}; the sweep has {} rows{}. See --benchmark_list_tests.\n",
               options.filter, all.size(),
               all.empty() ? "" : ", such as " + all.front().name + "/manual_time");
    return kRowFailed;
  }
  if (options.list_rows) {
    for (const PlannedRow& row : rows) fmt::print("{}/manual_time\n", row.name);
    return kGood;
  }
  Session session(options.device, options.measure);
  if (!session.device().usable) {
    say(fmt::format("overlap-bench: {}. {}", session.device().why_not,
                    host ? "" : "Without a GPU, overlap-bench-host runs the same sweep on CPU threads."));
    return kNoDevice;
  }
  require_writable(options.out);

  use_device(options.device);
  if (!host) stay_on_this_core();
  const double floor_us = measure_timer_floor(session);
  const std::string clock_before = clock_text(sm_clock_mhz(session.origin()));
  std::vector<std::string> words = options.for_google_benchmark;
  words.insert(words.begin(), argv[0]);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return kUsage;  // an older library's
  add_context(session, options, floor_us, clock_before);

  Runner runner(session, rows, options, floor_us);
  const bool written = runner.run();
  const std::string summary = runner.summary();
  if (!written) {
    say(fmt::format("overlap-bench: {} could not be written to the end: is the disk full?", options.out));
  } else if (!options.out.empty() && options.json_out) {
    std::string clock_after = "unknown";
    try {
      clock_after = clock_text(sm_clock_mhz(session.origin()));
    } catch (const DeviceError&) {  // a failed kernel took the device along; its row says so
    }
    add_to_context(options.out, "sm_clock_mhz", clock_before + " before, " + clock_after + " after");
  }
  say(summary);
  for (const Failure& failure : runner.failures())
    say(fmt::format("FAILED {}: {}", failure.name, failure.reason));
  return runner.failures().empty() && written ? kGood : kRowFailed;
}

}  // namespace
}  // namespace overlap

int main(int argc, char** argv) {
  try {
    return overlap::run(argc, argv);
  } catch (const overlap::UsageError& e) {
    overlap::say(std::string("overlap-bench: ") + e.what());
    return overlap::kUsage;
  } catch (const std::exception& e) {
    overlap::say(std::string("overlap-bench: ") + e.what());
    return overlap::kRowFailed;
  }
}
