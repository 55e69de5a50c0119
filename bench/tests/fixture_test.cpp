// Rows made and run on a device: they verify, and what is wrong is noticed. Runs once per backend.
#include "harness/fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "families/catalogue.hpp"
#include "harness/expected.hpp"
#include "harness/sweep.hpp"
#include "names/counters.hpp"

namespace overlap {
namespace {

class FixtureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const DeviceInfo info = device_info();
    if (!info.usable) GTEST_SKIP() << info.why_not;
    use_device(0);
    MeasureSettings settings;
    settings.warm_up_s = 0;
    settings.fixed_operations = 3;
    session_ = std::make_unique<Session>(0, settings);
  }
  Session& session() { return *session_; }

  std::vector<PlannedRow> rows(const std::vector<std::string>& overrides, const std::string& only = "") {
    const bool host = std::string_view(backend_name()) == "host";
    auto all = plan_rows(families_, {.preset = "full", .overrides = overrides, .host = host}, device_info());
    std::erase_if(all, [&](const PlannedRow& row) { return !only.empty() && row.family->name != only; });
    return all;
  }
  std::unique_ptr<Fixture> make(const PlannedRow& row) {
    session().begin_group(row.family->data_key(row.point));
    session().forget_others();
    auto fixture = row.family->make(row.point, session());
    fixture->prepare();
    return fixture;
  }

  /// Verifies every trial, one operation and then three, each from poisoned buffers.
  static void run(Fixture& fixture) {
    const auto begin = [&fixture] {
      fixture.begin();
      fixture.poison();
    };
    for (std::size_t trial = 0; trial < fixture.trials(); ++trial) {
      begin();
      fixture.run_trial(trial);
      fixture.verify(1);
    }
    for (std::size_t operations : {1, 3}) {
      begin();
      fixture.take(operations, Phase::measure);
      fixture.verify(operations);
    }
  }

  /// Whether axes that were combined at random exclude each other.
  bool is_impossible(const PlannedRow& row) {
    const std::string& family = row.family->name;
    const auto is = [&](const char* axis, const char* value) { return row.point.text(axis) == value; };
    if (family == "pipeline")
      return row.point.number("chunk") > row.point.number("n") ||
             (is("order", "zero_copy") && is("mem", "pageable"));
    if (family == "transfer") return is("dir", "d2d") != is("mem", "device");
    return false;
  }

 private:
  std::vector<Family> families_ = catalogue();
  std::unique_ptr<Session> session_;
};

/// Sizes of every axis that has some: the least, and one that nothing divides. Sanitizers take twenty times
/// as long and find as much in less; buffers of three times the cache, which can be 256 MiB, have a test of
/// their own.
std::vector<std::string> tiny_sizes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return {"n=1,211",  "streams=1,3", "chunk=n/3", "kernels=1,3",  "work=1", "cache=hot",
          "dim=1,17", "batches=4",   "tasks=3",   "bytes=4,1028", "width=1"};
#else
  return {"n=1,10007", "streams=1,3", "chunk=n/3,997", "kernels=1,2,5", "work=1,3",
          "dim=1,33",  "batches=4,5", "tasks=3",       "bytes=4,10028", "width=1"};
#endif
}

TEST_F(FixtureTest, EveryRowOfEveryFamilyIsRightAndOnlyThen) {
  const std::set<std::string> without_output = {"timer", "graph_cost"};
  for (const PlannedRow& row : rows(tiny_sizes())) {
    if (is_impossible(row)) continue;
    SCOPED_TRACE(row.name());
    const auto fixture = make(row);
    run(*fixture);
    run(*fixture);  // a second repetition
    if (without_output.contains(row.family->name)) continue;
    fixture->begin();
    fixture->poison();
    EXPECT_THROW(fixture->verify(1), WrongResult) << "an operation that never ran passed as right";
  }
}

TEST_F(FixtureTest, RowsThatLaunchSideBySideComeLast) {
  std::string beside;
  std::set<std::string> families;
  for (const PlannedRow& row : rows({"graph_cost.phase=loop,replay"})) {
    const Family& family = *row.family;
    if (family.side_by_side && family.side_by_side(row.point)) {
      beside = row.name();
      families.insert(family.name);
    }
    if (family.name == "timer" || family.name == "sequence" || family.name == "swish" ||
        (family.name == "graph_cost" && !row.point.is("phase", "loop"))) {
      EXPECT_EQ(beside, "") << "comes before " << row.name();
    }
  }
  EXPECT_EQ(families, (std::set<std::string>{"pipeline", "concurrent", "graph_cost"}));
}

TEST_F(FixtureTest, RefusesImpossibleRowsWithTheReason) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"streams=0", "order=depth_first", "pipeline.n=100"}, "streams:0 is below 1"},
      {{"n=0"}, "n:0 is below 1"},
      {{"n=-5"}, "n:-5 is below 1"},
      {{"pipeline.n=100", "chunk=101", "order=depth_first"}, "chunk:101 is above 100"},
      {{"pipeline.n=100", "chunk=0", "order=depth_first"}, "chunk:0 is below 1"},
      {{"work=0", "pipeline.n=100"}, "work:0 is below 1"},
      {{"kernels=0"}, "kernels:0 is below 1"},
      {{"n=2^50"}, "choose a smaller size"},
      {{"n=2^61"}, "address space"},
      {{"order=zero_copy", "mem=pageable"}, "mem:pinned, registered or write_combined"},
      {{"dim=0"}, "dim:0 is below 1"},
      {{"batches=0"}, "batches:0 is below 1"},
      {{"buffers=0", "sync=per_buffer"}, "buffers:0 is below 1"},
      {{"buffers=3", "batches=2", "sync=per_buffer"}, "buffers:3 is above batches:2"},
      {{"dim=60000", "batches=4000"}, "choose a smaller"},
      {{"tasks=2", "concurrent.streams=3"}, "streams:3 is above tasks:2"},
      {{"bytes=0"}, "bytes:0 is below 1"},
      {{"bytes=5"}, "not a multiple of 4"},
      {{"bytes=2^50"}, "choose a smaller"},
      {{"dir=h2d", "mem=device"}, "go together"},
      {{"width=4", "kernels=3"}, "width:4 is above kernels:3"},
  };
  for (const auto& [wrong, reason] : cases) {
    std::vector<std::string> overrides = {
        "n=100",     "order=sequential", "mem=pinned", "work=1",  "dim=8",
        "batches=2", "buffers=1",        "tasks=2",    "bytes=8", "concurrent.streams=1",
        "kernels=1", "width=1",          "cache=hot"};  // small, and few
    overrides.insert(overrides.end(), wrong.begin(), wrong.end());
    bool seen = false;
    for (const PlannedRow& row : rows(overrides)) {
      if (seen) break;
      try {
        make(row);
      } catch (const std::exception& e) {
        seen = seen || std::string(e.what()).find(reason) != std::string::npos;
      }
    }
    EXPECT_TRUE(seen) << reason;
  }
  EXPECT_NO_THROW(run(*make(rows({"n=1000"}).front())));  // and the next row is fine
}

TEST_F(FixtureTest, MissingWaitsOfDoubleBufferingAreCaught) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a race on purpose, which is what this sanitizer is for";
#endif
  std::size_t tried = 0;
  for (const PlannedRow& row :
       rows({"sync=none", "buffers=1,2", "dim=300", "batches=8", "submit=launch,graph", "result=device"},
            "double_buffer")) {
    SCOPED_TRACE(row.name());
    const auto fixture = make(row);
    bool caught = false;
    for (std::size_t trial = 0; trial < fixture->trials(); ++trial) {
      fixture->begin();
      fixture->poison();
      fixture->run_trial(trial);
      try {
        fixture->verify(1);
      } catch (const WrongResult&) {
        caught = true;
      }
    }
    EXPECT_TRUE(caught);
    ++tried;
  }
  EXPECT_EQ(tried, 4U);
}

TEST_F(FixtureTest, WriteCombinedMemoryIsRefusedWhereThereIsNone) {
  if (session().device().write_combined) return;
  for (const PlannedRow& row :
       rows({"mem=write_combined", "n=100", "bytes=8", "work=1", "streams=1", "chunk=n/1"})) {
    if (row.family->name != "pipeline" && row.family->name != "transfer") continue;
    if (row.family->name == "transfer" && row.point.is("dir", "d2d")) continue;
    EXPECT_THROW(make(row), DeviceError) << row.name();
  }
  for (const PlannedRow& row : rows({}))  // nobody asked: not planned at all
    EXPECT_EQ(row.name().find("write_combined"), std::string::npos) << row.name();
}

TEST_F(FixtureTest, DuplexTellsTheDirectionsApart) {
  for (const PlannedRow& row : rows({"dir=duplex", "mem=pinned", "bytes=1Mi"}, "transfer")) {
    const auto fixture = make(row);
    fixture->begin();
    fixture->poison();
    fixture->take(4, Phase::measure);
    const Counters counters = fixture->counters({});
    ASSERT_EQ(counters.size(), 2U);
    for (const auto& [name, value] : counters) EXPECT_GT(value, 0) << name;
    fixture->verify(4);
  }
}

TEST_F(FixtureTest, ARowThatBeatsItsBoundMeasuresItsOwnStagesAgain) {
  const auto planned =
      rows({"pipeline.n=10007", "order=sequential", "mem=pinned", "submit=launch", "work=1"}, "pipeline");
  const auto fixture = make(planned.at(0)),
             other = planned.at(0).family->make(planned.at(0).point, session());
  Measurement measured;
  const auto bound = [&](Fixture& row, double us) {
    measured.p50_us = us;
    return row.stages(measured).bound_us;
  };
  const double first = bound(*fixture, 1e9);
  EXPECT_EQ(bound(*fixture, 1e9), first) << "nobody beat it";
  double least = first;
  for (int i = 0; i < 8; ++i) {
    const double again = bound(*fixture, 1e-6);
    EXPECT_LE(again, least);
    least = again;
  }
  EXPECT_EQ(bound(*other, 1e9), first) << "what a row says depends on a row before it";
}

TEST_F(FixtureTest, RowsOfLaunchesTakeTurnsWithAPlainLoop) {
  for (const PlannedRow& row : rows({"n=1000", "kernels=3"}, "sequence")) {
    const auto fixture = make(row);
    fixture->begin();
    fixture->take(4, Phase::measure);
    Measurement measured;
    measured.p50_us = 1;
    std::set<std::string> names;
    for (const auto& [name, value] : fixture->counters(measured)) names.insert(name);
    const bool compares = row.point.is("submit", "launch") && row.point.is("timing", "steady");
    EXPECT_EQ(names.contains(counter::kOverPlainLoop), compares) << row.name();
  }
}

TEST_F(FixtureTest, LatchedRefusesMoreLaunchesThanFit) {
  for (const PlannedRow& row :
       rows({"timing=latched", "submit=launch", "kernels=100000", "sequence.n=10"}, "sequence")) {
    EXPECT_THROW(make(row), std::invalid_argument);
  }
}

TEST_F(FixtureTest, RegionsCoverWhatRunsOnForkedStreams) {
  class Forked : public DeviceFixture {
   public:
    explicit Forked(Session& s)
        : DeviceFixture(s, 2, Submit::launch), latch_(std::chrono::milliseconds(10)) {}
    void verify(std::size_t) override {}

   private:
    void enqueue(std::size_t) override { latch_.hold(streams()[1]); }  // 10 ms, by its time-out
    Latch latch_;
  };
  Forked fixture(session());
  EXPECT_GE(fixture.take(1, Phase::measure).seconds, 0.009);
}

TEST_F(FixtureTest, ColdSwishRotatesThroughMoreThanThreeTimesTheCache) {
  for (const PlannedRow& row :
       rows({"swish.n=65536", "cache=cold", "pass=forward", "impl=vector"}, "swish")) {
    const auto fixture = make(row);
    Measurement measured;
    measured.p50_us = 1;
    for (const auto& [name, value] : fixture->counters(measured))
      EXPECT_TRUE(name != counter::kL2Ratio || value > 3) << value;
  }
}

TEST_F(FixtureTest, DataIsKeptUntilItsMemoryIsWanted) {
  int made = 0;
  std::vector<std::string> forgotten;
  session().on_forget = [&](const std::string& key) { forgotten.push_back(key); };
  const auto data = [&](const std::string& key, std::size_t bytes) {
    session().begin_group(key);
    return session().data<int>([&] {
      session().require_memory(bytes, 0);
      return std::make_shared<int>(++made);
    });
  };
  const std::size_t third = session().device().total_bytes / 3;
  if (free_memory() < third + third / 8) GTEST_SKIP() << "not enough memory is free here";
  const auto first = data("a", 4);
  EXPECT_EQ(data("a", 4), first);
  EXPECT_EQ(*data("b", third), 2);
  EXPECT_EQ(data("a", 4), first) << "made anew though there was room";
  EXPECT_TRUE(forgotten.empty());
  data("c", third);  // more than half with b, which has waited longest
  EXPECT_EQ(forgotten, (std::vector<std::string>{"b"}));
  EXPECT_TRUE(session().has_data("a"));
  session().begin_group("d");
  EXPECT_THROW(session().require_memory(std::size_t{1} << 60, 0), DeviceError);
  EXPECT_FALSE(session().has_data("a")) << "kept though memory was short";
}

TEST_F(FixtureTest, StreamsStayWhereTheyAre) {
  const Stream* origin = &session().origin();
  session().stream(100);
  EXPECT_EQ(&session().origin(), origin);
  session().keep_only_origin();
  EXPECT_EQ(&session().origin(), origin);
  session().stream(3).synchronize();
}

TEST_F(FixtureTest, TiledDataRepeatsItsPattern) {
  const auto pattern = random_pattern(1'200'000, 1, 0, 1);
  EXPECT_EQ(pattern.size(), kPatternElements);
  EXPECT_EQ(random_pattern(10, 1, 0, 1).size(), 10U);
  const std::size_t n = 3 * kPatternElements + 11;
  const DeviceBuffer<float> device(n);
  tile_device(device.span(), pattern, session().origin());
  const Expected expected(pattern, {}, session().origin());
  EXPECT_NO_THROW(expected.verify(device.span(), session().origin()));
  std::vector<float> one = {2.0F};
  copy_h2d(device.span().subspan(n - 1, 1), std::span<const float>(one), session().origin());
  try {
    expected.verify(device.span(), session().origin());
    FAIL() << "a wrong last element went unnoticed";
  } catch (const WrongResult& e) {
    EXPECT_NE(std::string(e.what()).find("1 of "), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find(std::to_string(n - 1)), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace overlap
