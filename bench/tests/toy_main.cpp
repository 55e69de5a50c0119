// A program of somebody's own: one family, in one file, that the report has never heard of.
#include <cmath>

#include "harness/bench_main.hpp"
#include "harness/fixture.hpp"

namespace {

using namespace overlap;

/// Sleeps on the host for as long as two axes say; cups of tea are counted.
class Kettle : public CpuFixture {
 public:
  explicit Kettle(const Point& point)
      : iterations_(point.is("heat", "gas") ? 20'000U : 10'000U), cups_(point.count("cups", 8)) {}
  void verify(std::size_t) override {}
  Counters counters(const Measurement& measured) const override {
    return {{"cups_per_s", static_cast<double>(cups_) / measured.p50_us * 1e6}};
  }

 private:
  void run() override {
    volatile double sum = 0;
    for (std::size_t i = 0; i < iterations_ * cups_; ++i) sum = sum + std::sqrt(static_cast<double>(i));
  }
  std::size_t iterations_, cups_;
};

Family kettle_family() {
  Family family;
  family.name = "kettle";
  family.summary = "cups of tea";
  family.axes = {{.name = "heat", .help = "what boils it", .choices = {"gas", "mains"}},
                 {.name = "cups", .help = "cups at once", .quick = "1,2"}};
  family.make = [](const Point& point, Session&) { return std::make_unique<Kettle>(point); };
  family.facts = {.work = {"cups"}, .plain = {{"heat", "gas"}}, .columns = {"cups_per_s"}};
  return family;
}

}  // namespace

int main(int argc, char** argv) { return bench_main(argc, argv, {kettle_family()}); }
