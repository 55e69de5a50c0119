// Numbers of 16 bits: computed in float, rounded once.
#include <Eigen/Core>
#include <bit>
#include <cmath>

#include "device_fixture.hpp"
#include "overlap/kernels.hpp"
#include "reference.hpp"

namespace overlap {
namespace {

struct Ieee {
  using Stored = Float16;
  using Number = Eigen::half;
};
struct Brain {
  using Stored = BFloat16;
  using Number = Eigen::bfloat16;
};

constexpr double kBeforeRounding = 1e-5;
// Below 2^-126 floats are multiples of 2^-149, and a sigmoid there is multiplied by an x of up to 105.
constexpr double kOfSubnormal = 1e-43;

template <class Format>
class Float16Test : public DeviceTest {
 protected:
  using Stored = typename Format::Stored;
  using Number = typename Format::Number;

  static double value(Stored stored) { return static_cast<double>(std::bit_cast<Number>(stored)); }
  static Stored stored(float value) { return std::bit_cast<Stored>(Number(value)); }

  /// Every number of the format, so often that vectors, heads and tails all occur.
  static std::vector<Stored> all(std::size_t n, std::uint32_t step) {
    std::vector<Stored> values(n);
    for (std::size_t i = 0; i < n; ++i)
      values[i].bits = static_cast<std::uint16_t>(static_cast<std::uint32_t>(i) * step);
    return values;
  }

  /// As close as any number of the format, give or take what it was off by before it was rounded: a twentieth
  /// of what rounding to the finer of the two may cost.
  static void expect_rounded(Stored got, double want, double allowed) {
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(value(got)));
      return;
    }
    const double rounded = value(stored(static_cast<float>(want)));
    if (value(got) == rounded) return;
    const double error = std::fabs(value(got) - want), best = std::fabs(rounded - want);
    EXPECT_LE(error, best + allowed) << value(got) << " instead of " << want;
  }
};

using Formats = ::testing::Types<Ieee, Brain>;
TYPED_TEST_SUITE(Float16Test, Formats);

TYPED_TEST(Float16Test, SwishOfEveryNumber) {
  using Stored = typename TestFixture::Stored;
  Stream stream;
  const auto x = TestFixture::all(1 << 16, 1);
  const auto device_x = on_device(x, stream);
  for (Variant variant : {Variant::scalar, Variant::vector}) {
    DeviceBuffer<Stored> y(x.size());
    launch_swish_forward(device_x.span(), y.span(), variant, stream);
    const auto got = on_host(y.span(), stream);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double want = reference::swish(TestFixture::value(x[i]));
      TestFixture::expect_rounded(got[i], want, kBeforeRounding * std::fabs(want) + kOfSubnormal);
    }
  }
}

TYPED_TEST(Float16Test, SlopeOfEveryNumber) {
  using Stored = typename TestFixture::Stored;
  Stream stream;
  const auto x = TestFixture::all(1 << 16, 1);
  const std::vector<Stored> dy(x.size(), TestFixture::stored(0.5F));
  const auto device_x = on_device(x, stream), device_dy = on_device(dy, stream);
  for (Variant variant : {Variant::scalar, Variant::vector}) {
    for (const auto gradient : {device_dy.span(), device_dy.span().first(1)}) {  // one for each, one for all
      DeviceBuffer<Stored> dx(x.size());
      launch_swish_backward(device_x.span(), gradient, dx.span(), variant, stream);
      const auto got = on_host(dx.span(), stream);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double v = TestFixture::value(x[i]);
        const double terms = 1 + std::fabs(v) * reference::sigmoid(-v);  // cancel near x = -1.28
        TestFixture::expect_rounded(got[i], 0.5 * reference::swish_slope(v),
                                    kBeforeRounding * reference::sigmoid(v) * terms + kOfSubnormal);
      }
    }
  }
}

TYPED_TEST(Float16Test, EverySizeAtEveryAlignment) {
  using Stored = typename TestFixture::Stored;
  Stream stream;
  constexpr std::size_t kGuard = 16;
  for (std::size_t n : {0, 1, 7, 8, 9, 15, 16, 17, 255, 256, 1025, 10'007}) {
    for (std::size_t shift = 0; shift < 9; ++shift) {
      for (bool aligned : {true, false}) {
        const auto x = TestFixture::all(n + kGuard, 7919);
        const auto device_x = on_device(x, stream);
        const std::vector<Stored> poison(n + kGuard, TestFixture::stored(-7));
        const auto y = on_device(poison, stream);
        const std::size_t from = aligned ? shift : 0;
        launch_swish_forward(device_x.span().subspan(from, n), y.span().subspan(shift, n), Variant::vector,
                             stream);
        const auto got = on_host(y.span(), stream);
        for (std::size_t i = 0; i < got.size(); ++i) {
          if (i < shift || i >= shift + n) {
            ASSERT_EQ(got[i].bits, poison[i].bits) << "beside the output, n " << n << " shift " << shift;
          } else {
            const double want = reference::swish(TestFixture::value(x[from + i - shift]));
            TestFixture::expect_rounded(got[i], want, kBeforeRounding * std::fabs(want) + kOfSubnormal);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace overlap
