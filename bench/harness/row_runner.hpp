// THE LIFE OF A ROW, top to bottom.
//
// prepare(row), the first time it is asked for:
//   make the fixture (the data of its group is made once) -> for each trial: poison, run, verify
//   -> warm up and plan. It returns the plan, also after a failure.
// repeat(row) -> RowResult, once per repetition, in whatever order they are asked for:
//   begin, poison, measure, verify -> stages, loads, counters -> result.
//
// Neither throws: a failure at any step is the result's `failure`, and nothing after it runs. Between the two
// the adapter enters Google Benchmark's loop exactly once, with the plan's operations, whatever happened: the
// library aborts over anything else, and calls repetitions one by one, perhaps interleaved. Nothing is
// rewritten afterwards: the program is a stream of results.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "harness/fixture.hpp"
#include "harness/row_result.hpp"
#include "harness/session.hpp"
#include "harness/stopwatch.hpp"
#include "harness/sweep.hpp"

namespace overlap {

/// Makes, tries, measures and describes rows on one device, one at a time.
class RowRunner {
 public:
  /// Which fixtures outlive the row that follows.
  enum class Keep {
    current,  ///< none: repetitions come one after the other
    all,      ///< every one, as long as there is memory: repetitions come interleaved with other rows'
  };

  /// @param timer_floor_us  what an event pair reads with nothing between.
  RowRunner(Session& session, double timer_floor_us, Keep keep);
  ~RowRunner();

  /// Makes the row ready, if it is not. Waits. Never throws.
  MeasurePlan prepare(const PlannedRow& row);
  /// Measures a repetition of a row that was prepared. Waits. Never throws.
  RowResult repeat(const PlannedRow& row);
  /// Has all further repetitions of the row fail for that reason. Never throws.
  void give_up(const PlannedRow& row, const std::string& reason);

  /// Where the time of all rows went, in seconds of the wall clock.
  struct Spent {
    double preparing = 0, warming_up = 0, measuring = 0;
  };
  const Spent& spent() const { return spent_; }

 private:
  /// What the repetitions of a row share.
  struct Row {
    std::string group;  ///< whose data it works on
    std::unique_ptr<Fixture> fixture;
    MeasureSettings settings;
    std::optional<MeasurePlan> plan;  ///< the first one: the library wants all repetitions equally long
    std::string failure;              ///< not empty: all further repetitions fail the same way

    Sample take(std::size_t operations, Phase phase) { return fixture->take(operations, phase); }
  };

  // The steps, in their order. Each throws what went wrong; prepare() and repeat() turn it into a failure.
  void make_room(const std::string& group);
  void drop_other_rows();
  void make_or_make_room(Row& state, const PlannedRow& row);
  void make(Row& state, const PlannedRow& row);
  void try_out(Row& state);
  void warm_up_and_plan(Row& state);
  void settle(Row& state, const PlannedRow& row);
  Measurement measure_and_verify(Row& state);
  void describe(RowResult& result, Fixture& fixture);

  std::string bound_by(const RowResult& result, std::vector<Load> loads) const;
  void fail(Row& state, const std::string& reason);  ///< from now on, and frees what it holds
  void let_go(const std::string& group);             ///< drops fixtures that hold this group's data

  Session& session_;
  double timer_floor_us_;
  Keep keep_;
  std::map<std::string, Row> rows_;      ///< by name
  std::string latest_;                   ///< the row that ran last
  std::optional<Stopwatch> since_busy_;  ///< the device's clock stays up for a while after
  Spent spent_;
};

}  // namespace overlap
