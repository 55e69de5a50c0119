#include "harness/row_runner.hpp"
#include "overlap/probes.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace overlap {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A row that follows another within this time finds the device warm and only has to warm itself.
constexpr double kStaysWarmS = 0.1;
constexpr double kWarmShare = 0.25;

/// The device waits for the host if enqueuing took all but a tenth of the makespan.
bool host_bound(const Measurement& measured) { return measured.submit_us > 0.9 * measured.p50_us; }

volatile std::sig_atomic_t interrupt_signal = 0;

/// The first Ctrl-C lets rows end so that the JSON is complete; the second one ends the program.
void on_interrupt(int signal) {
  interrupt_signal = signal;
  std::signal(signal, SIG_DFL);
}

/// Google Benchmark's JSON without what would make it no JSON: numbers that are not finite. It notices when
/// the file takes no more.
class JsonReporter : public benchmark::JSONReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> finite;
    for (Run run : runs) {
      std::erase_if(run.counters, [](const auto& counter) { return !std::isfinite(counter.second.value); });
      if (std::isfinite(run.GetAdjustedRealTime()) && std::isfinite(run.GetAdjustedCPUTime()))
        finite.push_back(std::move(run));
    }
    if (!finite.empty()) JSONReporter::ReportRuns(finite);
  }
  void Finalize() override {
    JSONReporter::Finalize();
    complete_ = GetOutputStream().flush().good();
  }
  bool complete() const { return complete_; }

 private:
  bool complete_ = true;
};

}  // namespace

std::string printable(std::string text) {
  for (char& c : text)
    if (c < 0x20 || c > 0x7E) c = c == '\n' ? ' ' : '?';
  return text;
}

Runner::Runner(Session& session, std::vector<PlannedRow> rows, const Options& options, double timer_floor_us)
    : session_(session),
      rows_(std::move(rows)),
      options_(options),
      timer_floor_us_(timer_floor_us),
      terminal_(isatty(STDERR_FILENO) == 1) {}

bool Runner::run() {
  for (const PlannedRow& row : rows_) {
    benchmark::RegisterBenchmark(row.name.c_str(),
                                 [this, &row](benchmark::State& state) { run_row(state, row); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  start_ = Clock::now();
  const auto previous = std::signal(SIGINT, on_interrupt);
  JsonReporter to_file, to_stdout;
  const bool checked_file = !options_.out.empty() && options_.json_out;
  benchmark::RunSpecifiedBenchmarks(options_.json_stdout ? &to_stdout : nullptr,
                                    checked_file ? &to_file : nullptr);
  std::signal(SIGINT, previous);
  clear_progress();
  current_ = {};
  return to_file.complete();
}

void Runner::run_row(benchmark::State& state, const PlannedRow& row) {
  show_progress(row);
  RowState& row_state = row_states_[&row];
  bool loop_entered = false;
  try {
    if (interrupted()) throw std::runtime_error("interrupted before it was measured");
    if (!row_state.failure.empty()) return fail(state, row_state, loop_entered);
    prepare(row, row_state);
    current_.fixture->poison();
    const TakeSample take = [this](std::size_t operations, Phase phase) {
      return current_.fixture->take(operations, phase);
    };
    const MeasurePlan plan = *row_state.plan;
    double measuring_s = 0;
    Measurement measured;
    while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(plan.operations()))) {
      loop_entered = true;
      const auto measuring = Clock::now();
      measured = measure(take, plan, current_.settings);
      measuring_s = seconds_since(measuring);
      // A time of nothing would have the library ask for more and more iterations.
      state.SetIterationTime(std::max(measured.seconds, 1e-8));
    }
    current_.fixture->verify(measured.samples * plan.batch);
    current_.fixture->reconsider(measured);
    report(state, plan, measured);
    measuring_s_ += measuring_s;
    if (current_.fixture->keeps_device_busy()) busy_until_ = Clock::now();
  } catch (const std::exception& e) {
    row_state.failure = printable(e.what());
    failures_.push_back({row.name, row_state.failure});
    fail(state, row_state, loop_entered);
  }
  clear_progress();
}

void Runner::prepare(const PlannedRow& row, RowState& row_state) {
  if (current_.row == &row) return;
  current_ = {};  // the old row lets go of its data before the new one asks for its own
  session_.keep_only_origin();
  current_.row = &row;
  const auto preparing = Clock::now();
  current_.fixture = row.family->make(row.point, session_);
  current_.settings = current_.fixture->settings(session_.settings());
  preparing_s_ += seconds_since(preparing);
  // Single operations on buffers that hold nothing right. Later ones find what these left, which would hide a
  // copy that does not wait for its kernel; what only shows when operations follow each other shows after
  // measuring.
  for (std::size_t trial = 0; trial < current_.fixture->trials(); ++trial) {
    current_.fixture->poison();
    const auto running = Clock::now();
    current_.fixture->run_trial(trial);
    warm_up_s_ += seconds_since(running);
    current_.fixture->verify(1);
  }
  const auto warm_up = Clock::now();
  MeasureSettings settings = current_.settings;
  if (seconds_since(busy_until_) < kStaysWarmS) settings.warm_up_s *= kWarmShare;
  const MeasurePlan plan = plan_measurement(
      [this](std::size_t operations, Phase phase) { return current_.fixture->take(operations, phase); },
      settings);
  if (!row_state.plan) row_state.plan = plan;
  warm_up_s_ += seconds_since(warm_up);
}

/// Google Benchmark aborts over repetitions with different iteration counts, failed ones included, so a row
/// that fails before its loop enters it with the plan's. It aborts as well over a loop that is entered twice.
void Runner::fail(benchmark::State& state, const RowState& row_state, bool loop_entered) {
  const std::size_t operations = row_state.plan.value_or(MeasurePlan()).operations();
  if (!loop_entered) state.KeepRunningBatch(static_cast<benchmark::IterationCount>(operations));
  state.SkipWithError(row_state.failure.c_str());
}

void Runner::report(benchmark::State& state, const MeasurePlan& plan, const Measurement& measured) {
  auto& counters = state.counters;
  counters["min_us"] = measured.min_us;
  counters["p50_us"] = measured.p50_us;
  counters["p95_us"] = measured.p95_us;
  counters["cv"] = measured.cv;
  counters["batch"] = static_cast<double>(plan.batch);
  counters["samples"] = static_cast<double>(measured.samples);
  counters["submit_us"] = measured.submit_us;
  counters["host_bound"] = host_bound(measured) ? 1 : 0;
  counters["cpu_free_pct"] = std::max(0.0, 100 - percent_of(measured.submit_us, measured.p50_us));
  if (const std::string load = bound_by(measured, plan); !load.empty())
    state.SetLabel(std::string(kBoundByLabel) + load);
  if (measured.over_budget) counters["over_budget"] = 1;
  for (const auto& [name, value] : current_.fixture->counters(measured)) counters[name] = value;
  if (const auto mhz = sm_clock_mhz(session_.origin())) counters["sm_clock_mhz"] = *mhz;
  if (const std::size_t bytes = current_.fixture->bytes(); bytes > 0)
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes * plan.operations()));
}

std::string Runner::bound_by(const Measurement& measured, const MeasurePlan& plan) const {
  std::vector<Load> loads = current_.fixture->loads(measured);
  if (loads.empty()) return "";
  if (host_bound(measured)) return "submission";
  loads.emplace_back("submission", measured.submit_us);
  loads.emplace_back("timer_floor", timer_floor_us_ / static_cast<double>(plan.batch));
  return longest(loads);
}

bool Runner::interrupted() const { return interrupt_signal != 0; }

void Runner::show_progress(const PlannedRow& row) {
  const std::size_t all = rows_.size() * static_cast<std::size_t>(options_.repetitions);
  const double elapsed_s = seconds_since(start_);
  const std::size_t done = started_++;
  if (!terminal_) return;
  std::string left;
  if (done > 0) {
    const double left_s =
        elapsed_s / static_cast<double>(done) * static_cast<double>(all - std::min(all, done));
    left = fmt::format(", about {}:{:02} left", static_cast<int>(left_s) / 60, static_cast<int>(left_s) % 60);
  }
  fmt::print(stderr, "\r\033[K[{}/{}{}] {}", done + 1, all, left, row.name.substr(0, 100));
  std::fflush(stderr);
}

void Runner::clear_progress() const {
  if (!terminal_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

std::string Runner::summary() const {
  const double all_s = seconds_since(start_);
  return fmt::format(
      "{} rows in {:.1f} s: {:.1f} s data and stages, {:.1f} s warm-up, {:.1f} s measuring, {:.1f} ms a "
      "row for the rest",
      started_, all_s, preparing_s_, warm_up_s_, measuring_s_,
      started_ > 0 ? 1e3 * (all_s - preparing_s_ - warm_up_s_ - measuring_s_) / static_cast<double>(started_)
                   : 0.0);
}

void add_to_context(const std::string& path, const std::string& key, const std::string& value) {
  if (!std::filesystem::is_regular_file(path)) return;  // a device or a pipe has had all it gets
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
