// The contract of the seam: streams, events, memory, the latch. Runs once per backend.
#include <thread>

#include "device_fixture.hpp"
#include "overlap/kernels.hpp"
#include "overlap/probes.hpp"

namespace overlap {
namespace {

using std::chrono::milliseconds;

TEST_F(DeviceTest, DescribesTheDevice) {
  EXPECT_TRUE(info_.why_not.empty());
  const bool cuda = std::string_view(backend_name()) == "cuda";
  EXPECT_TRUE(cuda || std::string_view(backend_name()) == "host");
  EXPECT_EQ(info_.uuid.starts_with("GPU-"), cuda);
  EXPECT_EQ(info_.pci_address.empty(), !cuda);
  EXPECT_FALSE(info_.gpu.empty());
  EXPECT_GT(info_.sm_count, 0);
  EXPECT_GT(info_.total_bytes, 0U);
  EXPECT_GT(info_.copy_engines, 0);
}

TEST_F(DeviceTest, FreeMemoryIsWhatIsLeft) {
  EXPECT_GT(free_memory(), 0U);
  EXPECT_LE(free_memory(), info_.total_bytes);
  EXPECT_THROW(free_memory(9999), DeviceError);
  if (std::string_view(backend_name()) == "host") return;  // the host's memory belongs to everybody
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  bool fell = false;
  for (int attempt = 0; attempt < 20 && !fell; ++attempt) {  // tests beside this one take and free memory too
    const std::size_t before = free_memory();
    const DeviceBuffer<std::uint8_t> held(kBytes);
    fell = free_memory() + kBytes <= before;
  }
  EXPECT_TRUE(fell);
}

TEST_F(DeviceTest, SaysWhyADeviceCannotBeUsed) {
  const DeviceInfo none = device_info(9999);
  EXPECT_FALSE(none.usable);
  EXPECT_NE(none.why_not.find("9999"), std::string::npos) << none.why_not;
  EXPECT_NE(none.why_not.find("--device=0"), std::string::npos) << none.why_not;
  EXPECT_THROW(use_device(9999), DeviceError);
}

TEST_F(DeviceTest, StreamKeepsOrder) {
  Stream stream;
  const auto first = random_floats(100'000, 1), second = random_floats(100'000, 2);
  const auto a = on_device(first, stream), b = on_device(second, stream);
  const DeviceBuffer<float> out(first.size());
  for (int i = 0; i < 20; ++i) {
    copy_d2d(out.span(), a.span(), stream);
    copy_d2d(out.span(), b.span(), stream);
  }
  EXPECT_EQ(on_host(out.span(), stream), second);
}

TEST_F(DeviceTest, StreamsRunAtTheSameTime) {
  Stream held, other;
  Latch latch(milliseconds(20'000));
  latch.hold(held);
  const auto values = random_floats(1000, 3);
  const DeviceBuffer<float> buffer(values.size());
  HostBuffer<float> pinned(values.size(), HostMemory::pinned);
  std::ranges::copy(values, pinned.span().begin());
  copy_h2d(buffer.span(), pinned.span(), other);
  other.synchronize();  // would not return if `other` had to wait for `held`
  EXPECT_FALSE(latch.timed_out());
  latch.release();
  held.synchronize();
  EXPECT_FALSE(latch.timed_out());
}

TEST_F(DeviceTest, LatchGivesUpAfterItsTimeout) {
  Stream stream;
  Latch latch(milliseconds(5));
  latch.hold(stream);
  stream.synchronize();
  EXPECT_TRUE(latch.timed_out());
}

TEST_F(DeviceTest, LatchHoldsAgainAfterARelease) {
  Stream stream;
  Latch latch(milliseconds(20));
  latch.hold(stream);
  latch.release();
  stream.synchronize();
  EXPECT_FALSE(latch.timed_out());
  latch.hold(stream);  // nobody releases this one
  stream.synchronize();
  EXPECT_TRUE(latch.timed_out());
}

TEST_F(DeviceTest, WaitOrdersStreams) {
  Stream producer, consumer;
  const auto values = random_floats(100'000, 4);
  const auto source = on_device(values, producer);
  const DeviceBuffer<float> middle(values.size()), end(values.size());
  Latch latch(milliseconds(20'000));
  Event produced;
  latch.hold(producer);
  copy_d2d(middle.span(), source.span(), producer);
  produced.record(producer);
  wait(consumer, produced);
  copy_d2d(end.span(), middle.span(), consumer);
  latch.release();
  EXPECT_EQ(on_host(end.span(), consumer), values);
}

TEST_F(DeviceTest, NeverRecordedEventHoldsNothing) {
  Stream stream;
  Event event;
  wait(stream, event);
  event.synchronize();
  stream.synchronize();
}

TEST_F(DeviceTest, RecordingAgainLeavesEarlierWaitsAlone) {
  Stream recorded, waiting;
  Latch first(milliseconds(20'000)), second(milliseconds(20'000));
  Event event;
  first.hold(recorded);
  event.record(recorded);
  wait(waiting, event);
  second.hold(recorded);
  event.record(recorded);
  first.release();
  waiting.synchronize();  // needs the first recording only
  second.release();
  event.synchronize();
  EXPECT_FALSE(first.timed_out() || second.timed_out());
}

TEST_F(DeviceTest, ElapsedCoversWhatWasBetween) {
  Stream stream;
  Latch latch(milliseconds(20'000));
  TimingEvent start, stop;
  start.record(stream);
  start.synchronize();  // a busy machine may be slow to get to it
  latch.hold(stream);
  stop.record(stream);
  std::this_thread::sleep_for(milliseconds(20));
  latch.release();
  stop.synchronize();
  EXPECT_GE(elapsed(start, stop), milliseconds(15));
}

TEST_F(DeviceTest, ElapsedRefusesWhatHasNotHappened) {
  Stream stream;
  Latch latch(milliseconds(20'000));
  TimingEvent start, stop, never;
  start.record(stream);
  latch.hold(stream);
  stop.record(stream);
  EXPECT_THROW(elapsed(start, stop), DeviceError);
  EXPECT_THROW(elapsed(start, never), DeviceError);
  latch.release();
  stream.synchronize();
  EXPECT_NO_THROW(elapsed(start, stop));
}

TEST_F(DeviceTest, EveryKindOfHostMemoryCarriesData) {
  const auto values = random_floats(300'001, 5);
  for (HostMemory kind :
       {HostMemory::pinned, HostMemory::pageable, HostMemory::registered, HostMemory::write_combined}) {
    SCOPED_TRACE(static_cast<int>(kind));
    if (kind == HostMemory::write_combined && !info_.write_combined) {
      EXPECT_THROW(HostBuffer<float>(1, kind), DeviceError);
      continue;
    }
    Stream stream;
    const HostBuffer<float> in(values.size(), kind), out(values.size(), kind);
    const DeviceBuffer<float> device(values.size()), copy(values.size());
    std::ranges::copy(values, in.span().begin());
    copy_h2d(device.span(), in.span(), stream);
    copy_d2d(copy.span(), device.span(), stream);
    copy_d2h(out.span(), copy.span(), stream);
    stream.synchronize();
    EXPECT_TRUE(std::ranges::equal(out.span(), values));
  }
}

TEST_F(DeviceTest, EmptyBuffersAndCopiesDoNothing) {
  Stream stream;
  const DeviceBuffer<float> device(0);
  const HostBuffer<float> host(0, HostMemory::pinned);
  EXPECT_EQ(device.span().data(), nullptr);
  copy_h2d(device.span(), host.span(), stream);
  copy_d2h(host.span(), device.span(), stream);
  fill_bytes(nullptr, 0xFF, 0, stream);
  stream.synchronize();
}

TEST_F(DeviceTest, RefusesCopiesBetweenDifferentLengths) {
  Stream stream;
  const DeviceBuffer<float> device(10);
  std::vector<float> host(11);
  EXPECT_THROW(copy_h2d(device.span(), std::span<const float>(host), stream), DeviceError);
}

TEST_F(DeviceTest, RefusesMoreMemoryThanThereIs) {
  EXPECT_THROW(DeviceBuffer<float>(std::size_t{1} << 62), DeviceError);  // 2^64 bytes
  EXPECT_THROW(DeviceBuffer<float>(std::size_t{1} << 50), DeviceError);  // 4 PiB
  EXPECT_THROW(HostBuffer<float>(std::size_t{1} << 50, HostMemory::pageable), DeviceError);
  Stream stream;  // and is still usable
  stream.synchronize();
}

TEST_F(DeviceTest, FillMakesEveryFloatNotANumber) {
  Stream stream;
  const DeviceBuffer<float> device(1001);
  fill_bytes(device.span().data(), 0xFF, device.span().size_bytes(), stream);
  for (float value : on_host(device.span(), stream)) ASSERT_TRUE(value != value);
}

TEST_F(DeviceTest, DestroyingAStreamFinishesItsWork) {
  const auto values = random_floats(1'000'000, 6);
  const HostBuffer<float> in(values.size(), HostMemory::pinned), out(values.size(), HostMemory::pinned);
  const DeviceBuffer<float> device(values.size());
  std::ranges::copy(values, in.span().begin());
  {
    Stream stream;
    copy_h2d(device.span(), in.span(), stream);
    copy_d2h(out.span(), device.span(), stream);
  }
  EXPECT_TRUE(std::ranges::equal(out.span(), values));
}

TEST_F(DeviceTest, StreamsAndEventsMove) {
  Stream stream;
  stream = Stream();
  Event event;
  event.record(stream);
  Event moved = std::move(event);
  moved.synchronize();
}

TEST_F(DeviceTest, ReadsTheClockOfADeviceThatHasOne) {
  Stream stream;
  const auto mhz = sm_clock_mhz(stream);
  EXPECT_EQ(mhz.has_value(), std::string_view(backend_name()) == "cuda");
  if (mhz) {
    EXPECT_GT(*mhz, 100);
    EXPECT_LT(*mhz, 10'000);
  }
}

}  // namespace
}  // namespace overlap
