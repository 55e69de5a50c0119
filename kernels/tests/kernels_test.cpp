// Every kernel against its double-precision reference: sizes, alignments, every kind of float.
#include <cmath>
#include <functional>
#include <limits>

#include "device_fixture.hpp"
#include "overlap/kernels.hpp"
#include "overlap/probes.hpp"
#include "reference.hpp"

namespace overlap {
namespace {

constexpr Variant kVariants[] = {Variant::plain, Variant::scalar, Variant::vector};
constexpr std::size_t kSizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 31, 255, 256, 257, 1023, 1024, 1025, 8191, 100'003};

/// The gap between floats at the size of `value`; at least the smallest subnormal.
double ulp(double value) {
  const float size = static_cast<float>(std::fabs(value));
  if (!std::isfinite(size)) return std::numeric_limits<float>::max();
  return static_cast<double>(std::nextafter(size, std::numeric_limits<float>::infinity())) - size;
}

/// One kernel under test: two inputs (the second may be ignored) and what the answer at an index may be.
struct Case {
  const char* name;
  std::function<void(std::span<const float>, std::span<const float>, std::span<float>, Variant, Stream&)>
      launch;
  std::function<double(double, double)> reference;
  std::function<double(double, double)> allowed;  ///< largest error
};

const Case kCases[] = {
    {"trig",
     [](auto a, auto b, auto out, Variant variant, Stream& s) { launch_trig(a, b, out, 1, variant, s); },
     reference::trig<double>, [](double a, double b) { return 4 * (ulp(a) + ulp(b)); }},
    {"trig of 7 times the work",
     [](auto a, auto b, auto out, Variant variant, Stream& s) { launch_trig(a, b, out, 7, variant, s); },
     reference::trig<double>, [](double a, double b) { return 16 * (ulp(a) + ulp(b)); }},
    {"add", launch_add, std::plus<double>(), [](double a, double b) { return ulp(a + b); }},
    {"mul", launch_mul, std::multiplies<double>(), [](double a, double b) { return ulp(a * b); }},
    {"swish forward",
     [](auto x, auto, auto out, Variant variant, Stream& s) { launch_swish_forward(x, out, variant, s); },
     [](double x, double) { return reference::swish(x); },
     [](double x, double) { return 8 * ulp(reference::swish(x)); }},
    {"swish backward",
     [](auto x, auto dy, auto dx, Variant variant, Stream& s) {
       launch_swish_backward(x, dy, dx, variant, s);
     },
     [](double x, double dy) { return dy * reference::swish_slope(x); },
     [](double x, double dy) {  // the slope is a sum that cancels near x = -1.28
       return 8 * ulp(dy * reference::sigmoid(x) * (1 + std::fabs(x) * reference::sigmoid(-x)));
     }},
};

class KernelsTest : public DeviceTest, public ::testing::WithParamInterface<int> {
 protected:
  const Case& kernel() const { return kCases[GetParam()]; }
};

TEST_P(KernelsTest, EverySizeAtEveryAlignment) {
  Stream stream;
  constexpr std::size_t kGuard = 8;  // elements beside the output that must stay as they were
  for (Variant variant : kVariants) {
    for (std::size_t n : kSizes) {
      const auto a = random_floats(n + kGuard, 1), b = random_floats(n + kGuard, 2);
      const auto device_a = on_device(a, stream), device_b = on_device(b, stream);
      const DeviceBuffer<float> out(n + 2 * kGuard);
      for (std::size_t shift : {0, 1, 2, 3}) {
        for (std::size_t apart : {0, 1}) {  // apart: b aligned differently from a and out
          fill_bytes(out.span().data(), 0xFF, out.span().size_bytes(), stream);
          kernel().launch(device_a.span().subspan(shift, n), device_b.span().subspan(shift + apart, n),
                          out.span().subspan(kGuard + shift, n), variant, stream);
          const auto result = on_host(out.span(), stream);
          for (std::size_t i = 0; i < result.size(); ++i) {
            const bool inside = i >= kGuard + shift && i < kGuard + shift + n;
            if (!inside) {
              ASSERT_TRUE(std::isnan(result[i])) << "wrote outside, n " << n << " shift " << shift;
              continue;
            }
            const std::size_t at = i - kGuard - shift;
            const double x = a[shift + at], y = b[shift + apart + at];
            ASSERT_NEAR(result[i], kernel().reference(x, y), kernel().allowed(x, y))
                << "n " << n << " shift " << shift << " apart " << apart << " index " << at;
          }
        }
      }
    }
  }
}

TEST_P(KernelsTest, RefusesDifferentLengths) {
  if (kernel().name == std::string("swish forward")) {
    Stream stream;
    const DeviceBuffer<float> x(10), y(11);
    EXPECT_THROW(launch_swish_forward(x.span(), y.span(), Variant::vector, stream), DeviceError);
    return;
  }
  Stream stream;
  const DeviceBuffer<float> a(10), b(11);
  EXPECT_THROW(kernel().launch(a.span(), b.span(), a.span(), Variant::vector, stream), DeviceError);
  EXPECT_THROW(kernel().launch(a.span(), a.span(), b.span(), Variant::vector, stream), DeviceError);
  EXPECT_THROW(kernel().launch(a.span(), a.span().first(2), a.span(), Variant::vector, stream), DeviceError);
}

INSTANTIATE_TEST_SUITE_P(All, KernelsTest, ::testing::Range(0, static_cast<int>(std::size(kCases))));

TEST_F(DeviceTest, PlainChainIsTheChain) {
  Stream stream;
  for (const std::size_t n : {1, 3, 4, 257, 10'007}) {
    for (const int kernels : {1, 2, 3, 6}) {
      const auto a = random_floats(n, 1), b = random_floats(n, 2), d = random_floats(n, 3),
                 f = random_floats(n, 4);
      std::vector<float> want(n), got(n);
      for (std::size_t i = 0; i < n; ++i) {
        want[i] = a[i] + b[i];
        for (int k = 1; k < kernels; ++k) want[i] = k % 2 == 1 ? want[i] * d[i] : want[i] + f[i];
      }
      const DeviceBuffer<float> out(n);
      const auto in_a = on_device(a, stream), in_b = on_device(b, stream), in_d = on_device(d, stream),
                 in_f = on_device(f, stream);
      launch_plain_chain(in_a.span(), in_b.span(), in_d.span(), in_f.span(), out.span(), kernels, stream);
      copy_d2h(std::span(got), out.span(), stream);
      stream.synchronize();
      EXPECT_EQ(got, want) << n << " elements, " << kernels << " kernels";
    }
  }
}

class SwishTest : public DeviceTest {
 protected:
  /// Every 4093rd float of both signs, and those that break naive forms.
  static std::vector<float> hard_floats() {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    std::vector<float> values = {-20.0F,  -44.0F,  -44.5F, -45.0F, -84.0F,  -87.34F,    -87.5F,
                                 -88.0F,  -88.7F,  -88.8F, -89.0F, -91.8F,  -100.0F,    -103.0F,
                                 -104.0F, -106.5F, -108.F, -110.F, -3e38F,  -kInf,      20.0F,
                                 44.0F,   87.3F,   88.8F,  104.0F, 300.0F,  1e4F,       3e38F,
                                 kInf,    0.0F,    -0.0F,  1e-40F, -1e-40F, -1.2784645F};
    for (std::uint64_t bits = 0; bits <= 0xFFFFFFFF; bits += 4093) {
      const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      if (!std::isnan(value)) values.push_back(value);
    }
    return values;
  }
};

TEST_F(SwishTest, ForwardIsRightAtEveryFloat) {
  Stream stream;
  const auto x = hard_floats();
  const auto device = on_device(x, stream);
  const DeviceBuffer<float> y(x.size());
  for (Variant variant : {Variant::scalar, Variant::vector}) {
    launch_swish_forward(device.span(), y.span(), variant, stream);
    const auto result = on_host(y.span(), stream);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double want = reference::swish(static_cast<double>(x[i]));
      if (std::isinf(want)) {
        ASSERT_EQ(result[i], want);
        continue;
      }
      ASSERT_LE(std::fabs(result[i] - want), 6 * ulp(want))
          << "x " << x[i] << " got " << result[i] << " want " << want;
    }
  }
}

TEST_F(SwishTest, BackwardIsRightAtEveryFloat) {
  Stream stream;
  const auto x = hard_floats();
  for (float gradient : {1.0F, -2.5F, 1e30F, 1e-30F}) {
    const std::vector<float> dy(x.size(), gradient);
    const auto device_x = on_device(x, stream), device_dy = on_device(dy, stream);
    const DeviceBuffer<float> dx(x.size());
    for (Variant variant : {Variant::scalar, Variant::vector}) {
      launch_swish_backward(device_x.span(), device_dy.span(), dx.span(), variant, stream);
      const auto result = on_host(dx.span(), stream);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double v = x[i];
        const double want = gradient * reference::swish_slope(v);
        const double terms =
            std::isinf(v) ? want
                          : gradient * reference::sigmoid(v) * (1 + std::fabs(v) * reference::sigmoid(-v));
        ASSERT_LE(std::fabs(result[i] - want), 6 * ulp(terms))
            << "x " << x[i] << " dy " << gradient << " got " << result[i] << " want " << want;
      }
    }
  }
}

TEST_F(SwishTest, OneGradientForAllIsThatManyEqualOnes) {
  Stream stream;
  const auto numbers = hard_floats();
  const auto x = on_device(numbers, stream);
  const auto one = on_device(std::vector<float>{-1.7F}, stream);
  const auto many = on_device(std::vector<float>(numbers.size(), -1.7F), stream);
  for (Variant variant : kVariants) {
    for (std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{1023}, numbers.size() - 3}) {
      for (std::size_t shift : {0, 1, 3}) {
        const DeviceBuffer<float> want(numbers.size()), got(numbers.size());
        for (const auto* out : {&want, &got})
          fill_bytes(out->span().data(), 0xFF, out->span().size_bytes(), stream);
        const auto part = x.span().subspan(shift, n);
        launch_swish_backward(part, many.span().subspan(shift, n), want.span().subspan(shift, n), variant,
                              stream);
        launch_swish_backward(part, one.span(), got.span().subspan(shift, n), variant, stream);
        const auto a = on_host(want.span(), stream), b = on_host(got.span(), stream);
        for (std::size_t i = 0; i < a.size(); ++i) {
          if (std::isnan(a[i]) && std::isnan(b[i])) continue;
          ASSERT_FLOAT_EQ(a[i], b[i]) << "n " << n << " shift " << shift << " index " << i;
        }
      }
    }
  }
}

TEST_F(SwishTest, NotANumberStaysOne) {
  Stream stream;
  const std::vector<float> nan(9, std::numeric_limits<float>::quiet_NaN()), one(9, 1.0F);
  const auto x = on_device(nan, stream), dy = on_device(one, stream);
  const DeviceBuffer<float> out(nan.size());
  for (Variant variant : kVariants) {
    launch_swish_forward(x.span(), out.span(), variant, stream);
    for (float value : on_host(out.span(), stream)) EXPECT_TRUE(std::isnan(value));
    launch_swish_backward(x.span(), dy.span(), out.span(), variant, stream);
    for (float value : on_host(out.span(), stream)) EXPECT_TRUE(std::isnan(value));
  }
}

class CheckTest : public DeviceTest {
 protected:
  Mismatches check(std::span<const float> actual, std::span<const float> expected, std::uint64_t offset,
                   Tolerance tolerance) {
    Stream stream;
    const auto a = on_device(actual, stream), e = on_device(expected, stream);
    const DeviceBuffer<Mismatches> result(1);
    std::vector<Mismatches> found(1);
    copy_h2d(result.span(), std::span<const Mismatches>(found), stream);
    launch_count_mismatches(a.span(), e.span(), offset, tolerance, result.span(), stream);
    copy_d2h(std::span(found), result.span(), stream);
    stream.synchronize();
    return found[0];
  }
};

TEST_F(CheckTest, FindsOneWrongValueAnywhere) {
  const auto expected = random_floats(5003, 1);
  EXPECT_EQ(check(expected, expected, 0, {}).count, 0U);
  for (std::size_t at : {0, 1, 255, 256, 2501, 5001, 5002}) {
    for (float wrong : {expected[at] + 0.01F, std::nanf(""), std::numeric_limits<float>::infinity()}) {
      auto actual = expected;
      actual[at] = wrong;
      const Mismatches found = check(actual, expected, 0, {1e-6F, 1e-6F});
      EXPECT_EQ(found.count, 1U) << at;
      EXPECT_EQ(found.first, at);
    }
  }
}

TEST_F(CheckTest, RepeatsWhatIsExpected) {
  const auto expected = random_floats(97, 2);
  std::vector<float> actual(1000);
  for (std::size_t i = 0; i < actual.size(); ++i) actual[i] = expected[(i + 1000) % 97];
  EXPECT_EQ(check(actual, expected, 1000, {}).count, 0U);
  EXPECT_GT(check(actual, expected, 1001, {}).count, 900U);
}

TEST_F(CheckTest, ToleratesWhatItWasTold) {
  const std::vector<float> expected = {100.0F, 0.0F}, near = {100.5F, 0.4F}, far = {101.5F, 0.6F};
  const Tolerance tolerance{0.005F, 0.5F};
  EXPECT_EQ(check(near, expected, 0, tolerance).count, 0U);
  EXPECT_EQ(check(far, expected, 0, tolerance).count, 2U);
}

TEST_F(CheckTest, AnInfinityIsOnlyItself) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> expected = {kInf, kInf, kInf}, actual = {kInf, -kInf, 1.0F};
  EXPECT_EQ(check(actual, expected, 0, {0.5F, 0.5F}).count, 2U);
}

TEST_F(DeviceTest, EmptyKernelRuns) {
  Stream stream;
  launch_empty(stream);
  stream.synchronize();
}

}  // namespace
}  // namespace overlap
