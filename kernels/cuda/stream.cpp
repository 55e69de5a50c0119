// Streams, events and graphs on the CUDA runtime.
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

Stream::Impl::Impl() {
  int device = 0, sm_count = 0, threads_each = 0;
  check(cudaGetDevice(&device), "get the current device");
  check(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device), "count multiprocessors");
  check(cudaDeviceGetAttribute(&threads_each, cudaDevAttrMaxThreadsPerMultiProcessor, device),
        "count a multiprocessor's threads");
  resident_threads = sm_count * threads_each;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
}

Stream::Impl::~Impl() {
  warn(cudaStreamSynchronize(stream), "finishing a stream's work");
  warn(cudaStreamDestroy(stream), "destroying a stream");
}

Stream::Stream() : impl_(std::make_unique<Impl>()) {}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

void Stream::synchronize() { check(cudaStreamSynchronize(impl_->stream), "synchronise a stream"); }

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

GraphBuilder::Impl::~Impl() { warn(cudaGraphDestroy(graph), "destroying a graph"); }

GraphBuilder::GraphBuilder(Stream& origin, const std::function<void()>& work) {
  // Thread-local mode: calls of this thread that may not be captured fail; other threads are left alone.
  const cudaStream_t stream = origin.impl().stream;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin a capture");
  cudaGraph_t graph = nullptr;
  try {
    work();
  } catch (...) {
    // The capture is broken or about to be thrown away: what ending it says adds nothing to the first error.
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph)
      warn(cudaGraphDestroy(graph), "destroying a graph");
    cudaGetLastError();
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "end a capture");
  impl_ = std::make_unique<Impl>(graph);
}
GraphBuilder::~GraphBuilder() = default;
GraphBuilder::GraphBuilder(GraphBuilder&&) noexcept = default;
GraphBuilder& GraphBuilder::operator=(GraphBuilder&&) noexcept = default;

std::size_t GraphBuilder::node_count() const {
  std::size_t count = 0;
  check(cudaGraphGetNodes(impl_->graph, nullptr, &count), "count a graph's nodes");
  return count;
}

struct Graph::Impl {
  cudaGraphExec_t exec = nullptr;

  explicit Impl(const GraphBuilder& builder) {
    check(cudaGraphInstantiate(&exec, builder.impl().graph, 0), "instantiate a graph");
  }
  ~Impl() { warn(cudaGraphExecDestroy(exec), "destroying an executable graph"); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
};

Graph::Graph(const GraphBuilder& builder) : impl_(std::make_unique<Impl>(builder)) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

void Graph::launch(Stream& stream) {
  check(cudaGraphLaunch(impl_->exec, stream.impl().stream), "launch a graph");
}

void Graph::upload(Stream& stream) {
  check(cudaGraphUpload(impl_->exec, stream.impl().stream), "upload a graph");
}

void Graph::update(const GraphBuilder& builder) {
  cudaGraphExecUpdateResultInfo result{};
  const cudaError_t status = cudaGraphExecUpdate(impl_->exec, builder.impl().graph, &result);
  check(status, "update a graph (result number follows; instantiate a new graph instead)",
        static_cast<int>(result.result));
}

}  // namespace overlap
