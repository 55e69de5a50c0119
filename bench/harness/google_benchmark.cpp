// The library calls a function per row and repetition, in an order of its own. Here that call becomes
// prepare() and repeat(), and the RowResult becomes counters, a label and an error. JSON is written by the
// library; a reporter of ours leaves out what would not be JSON.
#include "harness/google_benchmark.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/progress.hpp"
#include "names/counters.hpp"

namespace overlap {
namespace {

volatile std::sig_atomic_t interrupt_signal = 0;

/// The first signal is remembered, the next one ends the program.
void on_interrupt(int signal) {
  interrupt_signal = signal;
  std::signal(signal, SIG_DFL);
}

/// The library's JSON without what would make it no JSON: numbers that are not finite. It notices when the
/// file takes no more.
class JsonReporter : public benchmark::JSONReporter {
 public:
  /// Leaves out numbers that are not finite, and rows whose time is none.
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> finite;
    for (Run run : runs) {
      std::erase_if(run.counters, [](const auto& counter) { return !std::isfinite(counter.second.value); });
      if (std::isfinite(run.GetAdjustedRealTime()) && std::isfinite(run.GetAdjustedCPUTime()))
        finite.push_back(std::move(run));
    }
    if (!finite.empty()) JSONReporter::ReportRuns(finite);
  }
  /// After the last row: what was buffered has to reach the file as well.
  void Finalize() override {
    JSONReporter::Finalize();
    complete_ = GetOutputStream().flush().good();
  }
  /// Whether all that was written has arrived; true before anything was.
  bool complete() const { return complete_; }

 private:
  bool complete_ = true;
};

/// A result in the library's terms.
void show(benchmark::State& state, const RowResult& result) {
  if (result.failed()) return state.SkipWithError(result.failure.c_str());
  for (const auto& [name, value] : result.counters) state.counters[name] = value;
  if (!result.bound_by.empty()) state.SetLabel(kBoundByLabel + result.bound_by);
  if (result.bytes > 0)
    state.SetBytesProcessed(static_cast<std::int64_t>(result.bytes * result.plan.operations()));
}

/// One repetition of a row, called by the library. The loop is entered exactly once, with the plan's
/// operations, whatever happened: the library aborts over anything else.
RowResult run_row(benchmark::State& state, RowRunner& runner, const PlannedRow& row) {
  if (interrupt_signal != 0) runner.give_up(row, "interrupted before it was measured");
  const MeasurePlan plan = runner.prepare(row);
  RowResult result;
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(plan.operations()))) {
    result = runner.repeat(row);
    // A time of nothing would have the library ask for more and more iterations.
    state.SetIterationTime(std::max(result.measured.seconds, 1e-8));
  }
  show(state, result);
  return result;
}

}  // namespace

bool initialize_google_benchmark(char* program, std::vector<std::string> words) {
  std::vector<char*> arguments = {program};  // of which the library keeps the pointer
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  return !benchmark::ReportUnrecognizedArguments(count, arguments.data());
}

Outcome run_rows(RowRunner& runner, const std::vector<PlannedRow>& rows, const Options& options,
                 const Context& context) {
  Outcome outcome;
  Progress progress(rows.size() * static_cast<std::size_t>(options.repetitions));
  for (const auto& [key, value] : context) benchmark::AddCustomContext(key, value);
  for (const PlannedRow& row : rows) {
    const auto run = [&, name = row.name()](benchmark::State& state) {
      progress.show(name);
      const RowResult result = run_row(state, runner, row);
      progress.clear();
      if (result.measured.over_budget) ++outcome.over_budget;
      const bool known = std::ranges::find(outcome.failures, name, &Failure::name) != outcome.failures.end();
      if (result.failed() && !known) outcome.failures.push_back({name, result.failure});
    };
    benchmark::RegisterBenchmark(row.name().c_str(), run)->UseManualTime()->Unit(benchmark::kMicrosecond);
  }
  JsonReporter to_file, to_stdout;
  const bool checked_file = !options.out.empty() && options.json_out;
  const auto previous = std::signal(SIGINT, on_interrupt);
  benchmark::RunSpecifiedBenchmarks(options.json_stdout ? &to_stdout : nullptr,
                                    checked_file ? &to_file : nullptr);
  std::signal(SIGINT, previous);
  progress.clear();
  outcome.started = progress.started();
  outcome.seconds = progress.seconds();
  outcome.written = to_file.complete();
  return outcome;
}

// By way of a file beside it, which takes its place when it is complete: a full disk leaves the run as it
// was.
void add_to_context(const std::string& path, const std::string& key, const std::string& value) {
  if (!std::filesystem::is_regular_file(path)) return;
  std::ifstream in(path);
  auto json = nlohmann::ordered_json::parse(in);
  json.at("context")[key] = value;
  const std::string temporary = path + ".part";
  {
    std::ofstream out(temporary);
    out << json.dump(2) << "\n";
    if (!out.flush()) throw std::runtime_error("cannot write " + temporary);
  }
  std::filesystem::rename(temporary, path);
}

}  // namespace overlap
