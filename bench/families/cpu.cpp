// The single-threaded CPU references, in float, timed by the wall clock: what "times over the CPU" divides
// by.
#include <fmt/format.h>

#include <cmath>

#include "families/catalogue.hpp"
#include "harness/expected.hpp"
#include "harness/fixture.hpp"
#include "reference.hpp"

namespace overlap {
namespace {

/// Inputs for every op, in ordinary memory.
struct CpuData {
  std::vector<float> a, b, d, f, out;

  CpuData(Session& session, std::size_t n) {
    session.require_memory(0, checked_bytes(n, 5 * sizeof(float)));
    unsigned seed = 0;
    for (std::vector<float>* input : {&a, &b, &d, &f}) {
      input->resize(n);
      tile_host(*input, random_pattern(n, ++seed, -3, 3));
    }
    out.resize(n);
  }
};

/// One op by the plain C++ reference in float, on the calling thread.
class CpuRow : public CpuFixture {
 public:
  CpuRow(Session& session, const Point& point) : op_(point.text("op")) {
    const std::size_t n = point.count("n");
    data_ = session.data<CpuData>([&] { return std::make_shared<CpuData>(session, n); });
    // The inputs repeat: past the pattern, the results do too.
    expected_.resize(std::min(data_->out.size(), kPatternElements));
    run_as<double>(expected_);
  }

  void poison() override { std::ranges::fill(data_->out, std::nanf("")); }

  /// Against the same reference in double, for one pattern.
  void verify(std::size_t) override {
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      const float got = data_->out[i], want = expected_[i];
      if (!(std::fabs(got - want) <= 1e-5F + 1e-5F * std::fabs(want)))
        throw WrongResult(fmt::format("wrong result: element {}: got {}, expected {}", i, got, want));
    }
  }

  /// Arrays read and written once each.
  std::size_t bytes() const override {
    const std::size_t arrays = op_ == "swish_forward" ? 2 : op_ == "sequence" ? 5 : 3;
    return data_->out.size() * arrays * sizeof(float);
  }

 private:
  void run() override { run_as<float>(data_->out); }

  /// All of the operation, computing in Real.
  template <class Real>
  void run_as(std::span<float> out) {
    const auto &a = data_->a, &b = data_->b;
    if (op_ == "trig") {
      reference::map<Real>(out, reference::trig<Real>, a, b);
    } else if (op_ == "sequence") {
      const auto chain = [](Real p, Real q, Real r, Real s) { return reference::sequence(p, q, r, s, 3); };
      reference::map<Real>(out, chain, a, b, data_->d, data_->f);
    } else if (op_ == "swish_forward") {
      reference::map<Real>(out, reference::swish<Real>, a);
    } else {
      const auto gradient = [](Real x, Real dy) { return dy * reference::swish_slope(x); };
      reference::map<Real>(out, gradient, a, b);
    }
  }

  std::string op_;
  std::shared_ptr<CpuData> data_;
  std::vector<float> expected_;  ///< of one pattern
};

/// The family whose work an op is: its rows divide by those of the op.
const char* family_of(std::string_view op) {
  return op == "trig" ? "pipeline" : op == "sequence" ? "sequence" : "swish";
}

}  // namespace

Family cpu_family() {
  Family family;
  family.name = "cpu";
  family.summary = "the single-threaded CPU reference of the other families' work, by the wall clock";
  family.axes = {
      {.name = "op",
       .help = "what is computed",
       .choices = {"trig", "sequence", "swish_forward", "swish_backward"}},
      {.name = "n",
       .help = "elements; each op takes those that its family has, up to 2^24 where nobody asked for more",
       .follows = {"sequence", "swish", "pipeline"}},
  };
  family.data_axes = {"n"};
  family.wanted = [](const Point& point, const Asked& asked) {
    constexpr std::int64_t kMostUnasked = 1 << 24;  // of more, one thread takes seconds
    if (asked("n")) return true;
    const char* source = family_of(point.text("op"));
    return asked.has(source, "n", point.text("n")) &&
           (asked(source, "n") || point.number("n") <= kMostUnasked);
  };
  family.make = made_of<CpuRow>;
  return family;
}

}  // namespace overlap
