// Streams and events on the CUDA runtime, and how its errors become ours. Nothing here keeps a state of its
// own but whether an event was recorded: the runtime takes an unrecorded one for reached.
#include <cstdio>

#include "cuda/runtime.hpp"

namespace overlap {

void throw_device_error(cudaError_t status, const Where& where, const std::string& sizes) {
  cudaGetLastError();  // clears it, unless it is sticky
  std::string file = where.place.file_name();
  file = file.substr(file.find_last_of('/') + 1);
  throw DeviceError(std::string(where.what) + sizes + ": " + cudaGetErrorName(status) + " (" +
                    cudaGetErrorString(status) + ") at " + file + ":" + std::to_string(where.place.line()));
}

void warn(cudaError_t status, const char* what) noexcept {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "overlap: %s: %s\n", what, cudaGetErrorString(status));
}

Stream::Impl::Impl(cudaStream_t somebody_elses) : stream(somebody_elses), borrowed(true) {}

Stream::Impl::Impl() : Impl(nullptr) {
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
  borrowed = false;
}

Stream::Impl::~Impl() {
  if (borrowed) return;
  warn(cudaStreamSynchronize(stream), "finishing a stream's work");
  warn(cudaStreamDestroy(stream), "destroying a stream");
}

Stream::Stream() : impl_(std::make_unique<Impl>()) {}
Stream::Stream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Stream Stream::borrow(void* native) {
  return Stream(std::make_unique<Impl>(static_cast<cudaStream_t>(native)));
}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

void Stream::synchronize() { check(cudaStreamSynchronize(impl_->stream), "synchronise a stream"); }

ProgrammaticLaunch::ProgrammaticLaunch(Stream& stream) : stream_(&stream.impl()) {
  int device = 0, major = 0;
  check(cudaGetDevice(&device), "get the current device");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
        "get the compute capability");
  if (major < kProgrammaticMajor)
    throw DeviceError("this device has no programmatic launches: they need compute capability 9.0");
  stream_->programmatic = true;
}
ProgrammaticLaunch::~ProgrammaticLaunch() { stream_->programmatic = false; }

Event::Impl::Impl(bool with_timing) : timing(with_timing) {
  check(cudaEventCreateWithFlags(&event, timing ? cudaEventDefault : cudaEventDisableTiming),
        "create an event");
}
Event::Impl::~Impl() { warn(cudaEventDestroy(event), "destroying an event"); }

Event::Event(bool timing) : impl_(std::make_unique<Impl>(timing)) {}
Event::~Event() = default;
Event::Event(Event&&) noexcept = default;
Event& Event::operator=(Event&&) noexcept = default;

void Event::record(Stream& stream) {
  check(cudaEventRecord(impl_->event, stream.impl().stream), "record an event");
  impl_->recorded = true;
}

void Event::synchronize() { check(cudaEventSynchronize(impl_->event), "wait for an event"); }

void wait(Stream& stream, const Event& event) {
  check(cudaStreamWaitEvent(stream.impl().stream, event.impl().event, 0), "make a stream wait for an event");
}

std::chrono::duration<double> elapsed(const TimingEvent& start, const TimingEvent& stop) {
  if (!start.impl().recorded || !stop.impl().recorded)
    throw DeviceError("elapsed: an event was never recorded");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start.impl().event, stop.impl().event),
        "read the time between two events");
  return std::chrono::duration<double, std::milli>(milliseconds);
}

}  // namespace overlap
