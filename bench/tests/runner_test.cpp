// What becomes of rows that go wrong, each at another point of its life; the rows beside them are measured
// all the same.
#include "harness/row_runner.hpp"

#include <gtest/gtest.h>

#include <map>

#include "harness/expected.hpp"

namespace overlap {
namespace {

/// A row without a device that fails where its name says.
class Failing : public Fixture {
 public:
  explicit Failing(std::string when) : when_(std::move(when)) {
    if (when_ == "made") throw std::invalid_argument("cannot be made");
  }
  Sample take(std::size_t operations, Phase phase) override {
    measured_ = measured_ || phase == Phase::measure;
    if (when_ == "measured" && measured_) throw DeviceError("device gone");
    return {1e-3 * static_cast<double>(operations), 0};
  }
  void verify(std::size_t) override {
    if (when_ == "first" && !measured_) throw WrongResult("wrong at once");
    if (when_ == "later" && measured_) throw WrongResult("wrong under load");
  }
  void reconsider(const Measurement&) override {
    if (when_ == "reconsidered") throw DeviceError("device gone afterwards");
  }

 private:
  std::string when_;
  bool measured_ = false;
};

TEST(Runner, EveryFailureIsTheRowsOwn) {
  if (const DeviceInfo info = device_info(); !info.usable) GTEST_SKIP() << info.why_not;
  Family family;
  family.name = "failing";
  family.make = [](const Point& point, Session&) { return std::make_unique<Failing>(point.text("when")); };
  std::vector<PlannedRow> rows;
  for (const char* when : {"made", "first", "measured", "later", "reconsidered", "never"}) {
    Point point;
    point.set("when", when);
    rows.push_back({&family, point, std::string("failing/when:") + when});
  }
  Options options;
  options.measure.warm_up_s = 0;
  options.measure.fixed_operations = 2;
  Session session(0, options.measure);
  Runner runner(session, rows, options, 1);
  EXPECT_TRUE(runner.run());
  std::map<std::string, std::string> reasons;
  for (const Failure& failure : runner.failures()) reasons[failure.name] = failure.reason;
  EXPECT_EQ(reasons,
            (std::map<std::string, std::string>{{"failing/when:made", "cannot be made"},
                                                {"failing/when:first", "wrong at once"},
                                                {"failing/when:measured", "device gone"},
                                                {"failing/when:later", "wrong under load"},
                                                {"failing/when:reconsidered", "device gone afterwards"}}));
}

TEST(Runner, ReasonsArePrintable) { EXPECT_EQ(printable("a\x1b[1m\nb\xff"), "a?[1m b?"); }

}  // namespace
}  // namespace overlap
