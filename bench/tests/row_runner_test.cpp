// What becomes of rows that go wrong, each at another point of its life; in which order a row lives; and that
// the rows beside one that fails are measured all the same.
#include "harness/row_runner.hpp"

#include <gtest/gtest.h>

#include <map>

#include "harness/expected.hpp"
#include "harness/google_benchmark.hpp"
#include "names/counters.hpp"

namespace overlap {
namespace {

using Diary = std::vector<std::string>;

/// A row without a device that fails where its name says, and writes down what it is asked for.
class Recorded : public Fixture {
 public:
  Recorded(std::string when, Diary& diary) : when_(std::move(when)), diary_(diary) {
    step("make");
    if (when_ == "made") throw std::invalid_argument("cannot be made");
  }
  ~Recorded() override { diary_.emplace_back("gone"); }

  void prepare() override { step("prepare"); }
  std::size_t trials() const override { return 2; }
  void run_trial(std::size_t trial) override { step("trial " + std::to_string(trial)); }
  void begin() override { step("begin"); }
  void poison() override { step("poison"); }
  Sample take(std::size_t operations, Phase phase) override {
    measured_ = measured_ || phase == Phase::measure;
    if (diary_.empty() || diary_.back() != "take") step("take");
    if (when_ == "measured" && measured_) throw DeviceError("device gone");
    return {1e-3 * static_cast<double>(operations), 0};
  }
  void verify(std::size_t) override {
    step("verify");
    if (when_ == "first" && !measured_) throw WrongResult("wrong at once");
    if (when_ == "later" && measured_) throw WrongResult("wrong under load");
  }
  Stages stages(const Measurement&) override {
    step("stages");
    if (when_ == "described") throw DeviceError("device gone afterwards");
    return {.alone = {{counter::kKernelUs, 400}}, .serial_us = 2000, .bound_us = 500};
  }
  std::vector<Load> loads(const Measurement&) const override {
    diary_.emplace_back("loads");
    return {{"kernel", 400}};
  }
  Counters counters(const Measurement&) const override {
    diary_.emplace_back("counters");
    return {{"mine", 7}};
  }

 private:
  void step(std::string what) { diary_.push_back(std::move(what)); }
  std::string when_;
  Diary& diary_;
  bool measured_ = false;
};

class RowRunnerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const DeviceInfo info = device_info(); !info.usable) GTEST_SKIP() << info.why_not;
    options_.measure.warm_up_s = 0;
    options_.measure.fixed_operations = 2;
    session_ = std::make_unique<Session>(0, options_.measure);
    family_.name = "recorded";
    family_.axes = {{.name = "when", .help = "", .choices = {}}};
    family_.make = [this](const Point& point, Session&) {
      return std::make_unique<Recorded>(point.text("when"), diary_);
    };
  }
  PlannedRow row(const std::string& when) const {
    Point point;
    point.set("when", when);
    return {&family_, point, family_.id_of(point)};
  }

  Options options_;
  std::unique_ptr<Session> session_;
  Family family_;
  Diary diary_;
};

TEST_F(RowRunnerTest, ARowLivesInThisOrder) {
  const PlannedRow good = row("never");
  RowRunner runner(*session_, 1, RowRunner::Keep::current);
  const MeasurePlan plan = runner.prepare(good);
  EXPECT_EQ(plan.operations(), 2U);
  EXPECT_EQ(diary_, (Diary{"make", "prepare", "begin", "poison", "trial 0", "verify", "begin", "poison",
                           "trial 1", "verify", "take"}));
  diary_.clear();
  runner.prepare(good);
  EXPECT_TRUE(diary_.empty()) << "made twice";
  for (int repetition = 0; repetition < 2; ++repetition) {
    const RowResult result = runner.repeat(good);
    EXPECT_EQ(diary_, (Diary{"begin", "poison", "take", "verify", "stages", "loads", "counters"}));
    diary_.clear();
    EXPECT_FALSE(result.failed());
    EXPECT_EQ(result.id, good.id);
    EXPECT_EQ(result.plan.operations(), 2U);
    EXPECT_NEAR(result.measured.p50_us, 1000, 1e-6);
    EXPECT_EQ(result.stages.bound_us, 500);
    EXPECT_EQ(result.bound_by, "kernel");
    std::map<std::string, double> counters(result.counters.begin(), result.counters.end());
    EXPECT_EQ(counters.size(), result.counters.size()) << "one twice";
    EXPECT_EQ(counters["mine"], 7);
    EXPECT_NEAR(counters[counter::kBoundPct], 50, 1e-6);
    EXPECT_NEAR(counters[counter::kOverlapPct], 100 * 1000.0 / 1500, 1e-6);
    EXPECT_EQ(counters[counter::kKernelUs], 400);
  }
}

TEST_F(RowRunnerTest, FailuresAreResultsAndStay) {
  RowRunner runner(*session_, 1, RowRunner::Keep::current);
  for (const auto& [when, reason] :
       std::map<std::string, std::string>{{"made", "cannot be made"},
                                          {"first", "wrong at once"},
                                          {"measured", "device gone"},
                                          {"later", "wrong under load"},
                                          {"described", "device gone afterwards"}}) {
    const PlannedRow bad = row(when);
    const std::size_t operations = runner.prepare(bad).operations();
    EXPECT_GE(operations, 1U) << "the library needs a plan whatever happened";
    for (int repetition = 0; repetition < 2; ++repetition) {
      EXPECT_EQ(runner.prepare(bad).operations(), operations) << "and the same one each time";
      const RowResult result = runner.repeat(bad);
      EXPECT_EQ(result.failure, reason);
      EXPECT_EQ(result.measured.p50_us, 0) << "a failed row has no times";
      EXPECT_TRUE(result.counters.empty());
    }
  }
  const PlannedRow never_prepared = row("never"), given_up = row("ever");
  EXPECT_EQ(runner.repeat(never_prepared).failure, "was not prepared");
  runner.give_up(given_up, "enough\n");
  EXPECT_EQ(runner.repeat(given_up).failure, "enough ");
}

TEST_F(RowRunnerTest, InterleavedRowsAreMadeOnceEach) {
  const PlannedRow a = row("never"), b = row("ever");
  const auto made = [&](RowRunner::Keep keep) {
    diary_.clear();
    RowRunner runner(*session_, 1, keep);
    for (int repetition = 0; repetition < 3; ++repetition) {
      for (const PlannedRow* each : {&a, &b}) {
        runner.prepare(*each);
        EXPECT_FALSE(runner.repeat(*each).failed());
      }
    }
    return std::ranges::count(diary_, "make");
  };
  EXPECT_EQ(made(RowRunner::Keep::all), 2);
  EXPECT_EQ(made(RowRunner::Keep::current), 6);
}

/// Fails where another is alive.
class Large : public Recorded {
 public:
  Large(Diary& diary, int& alive) : Recorded("never", diary), alive_(alive) {
    if (alive_ > 0) throw DeviceError("no memory left");
    ++alive_;
  }
  ~Large() override { --alive_; }
  Large(const Large&) = delete;
  Large& operator=(const Large&) = delete;

 private:
  int& alive_;
};

TEST_F(RowRunnerTest, ARowThatFindsNoMemoryIsMadeAgainWithoutTheOthers) {
  int alive = 0;
  family_.make = [&](const Point&, Session&) { return std::make_unique<Large>(diary_, alive); };
  const PlannedRow a = row("a"), b = row("b");
  RowRunner runner(*session_, 1, RowRunner::Keep::all);
  for (const PlannedRow* each : {&a, &b, &a}) {
    runner.prepare(*each);
    EXPECT_EQ(runner.repeat(*each).failure, "") << each->name();
  }
}

TEST_F(RowRunnerTest, GoogleBenchmarkShowsEveryFailureOnce) {
  std::vector<PlannedRow> rows;
  for (const char* when : {"made", "first", "measured", "later", "described", "never"})
    rows.push_back(row(when));
  static char program[] = "row_runner_test";
  const char* const arguments[] = {program};
  ASSERT_TRUE(initialize_google_benchmark(program, parse_options(1, arguments, "host").for_google_benchmark));
  RowRunner runner(*session_, 1, RowRunner::Keep::current);
  const Outcome outcome = run_rows(runner, rows, options_, {});
  EXPECT_TRUE(outcome.written);
  EXPECT_EQ(outcome.started, rows.size());
  std::map<std::string, std::string> reasons;
  for (const Failure& failure : outcome.failures) reasons[failure.name] = failure.reason;
  EXPECT_EQ(reasons,
            (std::map<std::string, std::string>{{"recorded/when:made", "cannot be made"},
                                                {"recorded/when:first", "wrong at once"},
                                                {"recorded/when:measured", "device gone"},
                                                {"recorded/when:later", "wrong under load"},
                                                {"recorded/when:described", "device gone afterwards"}}));
}

TEST(Words, ReasonsArePrintable) { EXPECT_EQ(printable("a\x1b[1m\nb\xff"), "a?[1m b?"); }

}  // namespace
}  // namespace overlap
