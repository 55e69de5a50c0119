// Each step below is a function of its own, in the order in which a row lives; prepare() and repeat() are the
// two places that catch. What a failed row leaves behind is its reason and its plan.
#include "harness/row_runner.hpp"

#include <algorithm>

#include "names/counters.hpp"

namespace overlap {
namespace {

// A row that follows another within this time finds the device warm and only has to warm itself.
constexpr double kStaysWarmS = 0.1;
/// Of the usual warm-up, for such a row.
constexpr double kWarmShare = 0.25;

/// The device waits for the host if enqueuing took all but a tenth of the makespan.
bool is_host_bound(const Measurement& measured) { return measured.submit_us > 0.9 * measured.p50_us; }

/// The counters that every row has.
Counters usual_counters(const RowResult& result) {
  const Measurement& measured = result.measured;
  Counters counters = {
      {counter::kMinUs, measured.min_us},
      {counter::kP50Us, measured.p50_us},
      {counter::kP95Us, measured.p95_us},
      {counter::kCv, measured.cv},
      {counter::kBatch, static_cast<double>(result.plan.batch)},
      {counter::kSamples, static_cast<double>(measured.samples)},
      {counter::kSubmitUs, measured.submit_us},
      {counter::kHostBound, is_host_bound(measured) ? 1 : 0},
      {counter::kCpuFreePct, std::max(0.0, 100 - percent_of(measured.submit_us, measured.p50_us))}};
  if (measured.over_budget) counters.emplace_back(counter::kOverBudget, 1);
  return counters;
}

void append(Counters& to, const Counters& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace

RowRunner::RowRunner(Session& session, double timer_floor_us, Keep keep)
    : session_(session), timer_floor_us_(timer_floor_us), keep_(keep) {
  session_.on_forget = [this](const std::string& group) { let_go(group); };
}

RowRunner::~RowRunner() {
  rows_.clear();
  session_.on_forget = nullptr;
}

MeasurePlan RowRunner::prepare(const PlannedRow& row) {
  Row& state = rows_[row.name()];
  if (!state.fixture && state.failure.empty()) {
    try {
      latest_ = row.name();
      state.group = row.family->data_key(row.point);
      make_room(state.group);
      make_or_make_room(state, row);
      try_out(state);
      warm_up_and_plan(state);
    } catch (const std::exception& e) {
      fail(state, e.what());
    }
  }
  return state.plan.value_or(MeasurePlan());
}

RowResult RowRunner::repeat(const PlannedRow& row) {
  Row& state = rows_[row.name()];
  RowResult result{.id = row.id, .plan = state.plan.value_or(MeasurePlan())};
  if (!state.fixture && state.failure.empty()) state.failure = "was not prepared";
  if (state.failure.empty()) {
    try {
      settle(state, row);
      result.measured = measure_and_verify(state);
      describe(result, *state.fixture);
      if (state.fixture->keeps_device_busy()) since_busy_.emplace();
    } catch (const std::exception& e) {
      fail(state, e.what());
      result = {.id = row.id, .plan = result.plan};
    }
  }
  result.failure = state.failure;
  return result;
}

void RowRunner::give_up(const PlannedRow& row, const std::string& reason) { fail(rows_[row.name()], reason); }

/// Lets go of other rows before this one asks for its own; of their data too, unless it works on the same.
void RowRunner::make_room(const std::string& group) {
  session_.begin_group(group);
  if (keep_ == Keep::current) drop_other_rows();
}

/// All fixtures go before data and streams, which they hold.
void RowRunner::drop_other_rows() {
  for (auto& [other, state] : rows_) state.fixture.reset();
  session_.forget_others();
  session_.keep_only_origin();
}

/// Rows that are kept hold memory, not all of which the session knows of: a row that finds none is made again
/// without them.
void RowRunner::make_or_make_room(Row& state, const PlannedRow& row) {
  try {
    make(state, row);
  } catch (const DeviceError&) {
    if (keep_ == Keep::current) throw;
    drop_other_rows();
    make(state, row);
  }
}

/// The row's data is made here too, where its group has none yet: that time counts as preparing.
void RowRunner::make(Row& state, const PlannedRow& row) {
  const Stopwatch preparing;
  state.fixture = row.family->make(row.point, session_);
  state.fixture->prepare();
  state.settings = state.fixture->settings(session_.settings());
  spent_.preparing += preparing.seconds();
}

/// Single operations on buffers that hold nothing right. Later ones find what these left, which would hide a
/// copy that does not wait for its kernel; what only shows when operations follow each other shows after
/// measuring.
void RowRunner::try_out(Row& state) {
  for (std::size_t trial = 0; trial < state.fixture->trials(); ++trial) {
    state.fixture->begin();
    state.fixture->poison();
    const Stopwatch running;
    state.fixture->run_trial(trial);
    spent_.warming_up += running.seconds();
    state.fixture->verify(1);
  }
}

/// A row that is made again keeps its first plan: the library wants all repetitions equally long.
void RowRunner::warm_up_and_plan(Row& state) {
  const Stopwatch warming_up;
  MeasureSettings settings = state.settings;
  if (since_busy_ && since_busy_->seconds() < kStaysWarmS) settings.warm_up_s *= kWarmShare;
  const MeasurePlan plan = plan_measurement(
      [&state](std::size_t operations, Phase phase) { return state.take(operations, phase); }, settings);
  if (!state.plan) state.plan = plan;
  spent_.warming_up += warming_up.seconds();
}

/// A repetition that comes after another row's finds caches that are not its own.
void RowRunner::settle(Row& state, const PlannedRow& row) {
  if (std::exchange(latest_, row.name()) == row.name()) return;
  session_.begin_group(state.group);
  const Stopwatch warming_up;
  state.take(state.plan->batch, Phase::warm_up);
  spent_.warming_up += warming_up.seconds();
}

/// The output is poisoned outside of the time that counts, and what the last operation left is checked.
Measurement RowRunner::measure_and_verify(Row& state) {
  state.fixture->begin();
  state.fixture->poison();
  const Stopwatch measuring;
  Measurement measured =
      measure([&state](std::size_t operations, Phase phase) { return state.take(operations, phase); },
              *state.plan, state.settings);
  spent_.measuring += measuring.seconds();
  state.fixture->verify(measured.operations);
  return measured;
}

/// Only a verified repetition gets here.
void RowRunner::describe(RowResult& result, Fixture& fixture) {
  result.stages = fixture.stages(result.measured);
  result.bound_by = bound_by(result, fixture.loads(result.measured));
  result.counters = usual_counters(result);
  append(result.counters, limit_counters(result.stages, result.measured.p50_us));
  append(result.counters, fixture.counters(result.measured));
  if (const auto mhz = sm_clock_mhz(session_.origin()))
    result.counters.emplace_back(counter::kSmClockMhz, *mhz);
  result.bytes = fixture.bytes();
}

/// The part that is busy longest. The floor of the timer is paid once a region, so it is divided by the
/// batch.
/// @return nothing for a row without loads.
std::string RowRunner::bound_by(const RowResult& result, std::vector<Load> loads) const {
  if (loads.empty()) return "";
  if (is_host_bound(result.measured)) return "submission";
  loads.emplace_back("submission", result.measured.submit_us);
  loads.emplace_back("timer_floor", timer_floor_us_ / static_cast<double>(result.plan.batch));
  return longest(loads);
}

void RowRunner::fail(Row& state, const std::string& reason) {
  state.failure = printable(reason);
  state.fixture.reset();
}

void RowRunner::let_go(const std::string& group) {
  for (auto& [row, state] : rows_)
    if (state.group == group) state.fixture.reset();
}

}  // namespace overlap
