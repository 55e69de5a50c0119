// Rows become Google Benchmark's: registration, the one place that catches what a row throws, progress, JSON.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/fixture.hpp"
#include "harness/options.hpp"
#include "harness/session.hpp"
#include "harness/sweep.hpp"

namespace benchmark {
class State;
}

namespace overlap {

/// How the label of a row begins that says what bounds it.
inline constexpr const char* kBoundByLabel = "bound_by:";

/// A row that failed, and why.
struct Failure {
  std::string name;
  std::string reason;
};

class Runner {
 public:
  /// @param timer_floor_us  what an event pair reads with nothing between.
  Runner(Session& session, std::vector<PlannedRow> rows, const Options& options, double timer_floor_us);

  /// Runs all rows through Google Benchmark, which prints them and writes --benchmark_out.
  /// @return whether the output file took everything.
  bool run();

  const std::vector<Failure>& failures() const { return failures_; }
  bool interrupted() const;
  /// One line: rows, and where the time went.
  std::string summary() const;

 private:
  /// What repetitions of a row share, also where other rows come between them.
  struct RowState {
    std::optional<MeasurePlan> plan;  ///< the first repetition's: the library wants all equally long
    std::string failure;              ///< not empty: all further repetitions fail the same way
  };

  /// The row at hand, kept until another one comes.
  struct Current {
    const PlannedRow* row = nullptr;
    std::unique_ptr<Fixture> fixture;
    MeasureSettings settings;
  };

  void run_row(benchmark::State& state, const PlannedRow& row);
  void prepare(const PlannedRow& row, RowState& row_state);
  static void fail(benchmark::State& state, const RowState& row_state, bool loop_entered);
  void report(benchmark::State& state, const MeasurePlan& plan, const Measurement& measured);
  std::string bound_by(const Measurement& measured, const MeasurePlan& plan) const;
  void show_progress(const PlannedRow& row);
  void clear_progress() const;

  Session& session_;
  std::vector<PlannedRow> rows_;
  const Options& options_;
  double timer_floor_us_;
  std::map<const PlannedRow*, RowState> row_states_;
  Current current_;
  std::vector<Failure> failures_;
  bool terminal_;
  std::size_t started_ = 0;  ///< rows, repetitions counted
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point busy_until_;  ///< the device's clock stays up for a while after
  double preparing_s_ = 0, warm_up_s_ = 0, measuring_s_ = 0;
};

/// Adds what is only known at the end to the context of a finished JSON file, which replaces it in one step.
/// @throws std::runtime_error if the file is not what was written, or cannot be replaced.
void add_to_context(const std::string& path, const std::string& key, const std::string& value);

/// Printable ASCII only: Google Benchmark writes other bytes into its JSON as they are.
std::string printable(std::string text);

}  // namespace overlap
