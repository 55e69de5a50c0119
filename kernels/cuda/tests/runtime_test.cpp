// What only the CUDA backend has.
#include <dlfcn.h>

#include "cuda/runtime.hpp"
#include "overlap/kernels.hpp"
#include "tests/device_fixture.hpp"

namespace overlap {
namespace {

// As ctest runs it, in a process of its own, there is no context before. Other tests would have made one.
TEST(CudaRuntime, DescribingADeviceMakesNoContext) {
  if (const DeviceInfo info = device_info(); !info.usable) GTEST_SKIP() << info.why_not;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  ASSERT_NE(driver, nullptr) << dlerror();
  const auto state =
      reinterpret_cast<int (*)(int, unsigned*, int*)>(dlsym(driver, "cuDevicePrimaryCtxGetState"));
  ASSERT_NE(state, nullptr) << dlerror();
  const bool alone = ::testing::UnitTest::GetInstance()->test_to_run_count() == 1;
  unsigned flags = 0;
  int active = -1;
  ASSERT_EQ(state(0, &flags, &active), 0);
  EXPECT_TRUE(active == 0 || !alone) << "device_info() made one";
  free_memory();
  ASSERT_EQ(state(0, &flags, &active), 0);
  EXPECT_EQ(active, 1) << "this test sees no contexts";
}

TEST_F(DeviceTest, BorrowedStreamsAreUsedAndLeftAlone) {
  cudaStream_t native = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&native, cudaStreamNonBlocking), cudaSuccess);
  Stream own;
  const auto x = on_device(random_floats(1000, 1), own);
  const DeviceBuffer<float> y(1000);
  {
    Stream borrowed = Stream::borrow(native);
    EXPECT_EQ(borrowed.impl().stream, native);
    launch_swish_forward(x.span(), y.span(), Variant::vector, borrowed);
    const GraphBuilder captured(borrowed,
                                [&] { launch_swish_forward(x.span(), y.span(), Variant::vector, borrowed); });
    EXPECT_EQ(captured.node_count(), 1U);
  }
  EXPECT_EQ(cudaStreamSynchronize(native), cudaSuccess) << "it must outlive the borrower";
  EXPECT_EQ(cudaStreamDestroy(native), cudaSuccess);
}

TEST_F(DeviceTest, MoreElementsThanAGridTakesAreRefused) {
  Stream stream;
  const std::size_t n = std::size_t{1} << 41;  // 2^39 threads of four elements, 2^31 blocks: one too many
  const std::span<const float> x(static_cast<const float*>(nullptr), n);
  const std::span<float> y(static_cast<float*>(nullptr), n);
  for (Variant variant : {Variant::plain, Variant::scalar, Variant::vector}) {
    try {
      launch_swish_forward(x, y, variant, stream);
      FAIL() << "launched";
    } catch (const DeviceError& error) {
      EXPECT_NE(std::string(error.what()).find("more than a grid"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace overlap
