// More than 2^31 elements. CUDA only: it takes 17 GB of device memory and a second.
#include "device_fixture.hpp"
#include "overlap/kernels.hpp"
#include "overlap/probes.hpp"
#include "reference.hpp"

namespace overlap {
namespace {

TEST_F(DeviceTest, MoreThanTwoToThe31Elements) {
  constexpr std::size_t kElements = (std::size_t{1} << 31) + 517;
  constexpr std::size_t kPeriod = 1'048'583;  // a prime: no power of two maps a block onto an equal one
  if (free_memory() < 2 * kElements * sizeof(float)) GTEST_SKIP() << "needs 17 GB of device memory";
  Stream stream;
  const auto pattern = random_floats(kPeriod, 1);
  std::vector<float> forward(kPeriod);
  reference::map<double>(std::span(forward), reference::swish<double>, pattern);
  const auto device_pattern = on_device(pattern, stream), expected = on_device(forward, stream);
  const DeviceBuffer<float> x(kElements), y(kElements);
  for (std::size_t at = 0; at < kElements; at += kPeriod) {
    const std::size_t count = std::min(kPeriod, kElements - at);
    copy_d2d(x.span().subspan(at, count), device_pattern.span().first(count), stream);
  }
  const DeviceBuffer<Mismatches> result(1);
  for (Variant variant : {Variant::scalar, Variant::vector, Variant::plain}) {
    std::vector<Mismatches> found(1);
    fill_bytes(y.span().data(), 0xFF, y.span().size_bytes(), stream);
    copy_h2d(result.span(), std::span<const Mismatches>(found), stream);
    launch_swish_forward(x.span(), y.span(), variant, stream);
    launch_count_mismatches(y.span(), expected.span(), 0, {1e-6F, 1e-6F}, result.span(), stream);
    copy_d2h(std::span(found), result.span(), stream);
    stream.synchronize();
    EXPECT_EQ(found[0].count, 0U) << "first at " << found[0].first;
  }
}

}  // namespace
}  // namespace overlap
