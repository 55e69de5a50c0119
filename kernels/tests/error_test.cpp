// Asynchronous errors. Linked last: on CUDA they leave the process without a device.
#include "device_fixture.hpp"
#include "overlap/kernels.hpp"
#include "overlap/probes.hpp"

namespace overlap {
namespace {

TEST_F(DeviceTest, ZAsynchronousErrorAppearsAtSynchronize) {
  std::string message;
  {
    Stream stream;
    launch_trap(stream);
    try {
      stream.synchronize();
    } catch (const DeviceError& e) {
      message = e.what();
    }
  }
  EXPECT_FALSE(message.empty()) << "the failed kernel went unnoticed";
}

}  // namespace
}  // namespace overlap
