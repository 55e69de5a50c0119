// Streams and events on CPU threads. Each stream has a thread of its own that works off a queue, so streams
// really run at the same time. An error sticks to its stream: work behind it is skipped until synchronize()
// throws it.
#include <utility>

#include "host/runtime.hpp"

namespace overlap {

void Completion::complete(Error error) {
  const std::lock_guard lock(mutex_);
  at_ = Clock::now();
  error_ = std::move(error);
  reached_ = true;
  reached_changed_.notify_all();  // under the lock: a waiter may destroy this as soon as it wakes
}

Error Completion::wait() {
  std::unique_lock lock(mutex_);
  reached_changed_.wait(lock, [this] { return reached_; });
  return error_;
}

bool Completion::reached() const {
  const std::lock_guard lock(mutex_);
  return reached_;
}

Clock::time_point Completion::at() const {
  const std::lock_guard lock(mutex_);
  return at_;
}

Worker::Worker() : thread_([this] { loop(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  posted_.notify_one();
  thread_.join();
}

void Worker::post(Operation task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  posted_.notify_one();
}

void Worker::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    posted_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    Operation task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // what it holds goes before the next task, outside the lock
    lock.lock();
  }
}

Stream::Stream() try : impl_(std::make_unique<Impl>()) {
  impl_->worker.emplace();
} catch (const std::system_error& e) {
  throw DeviceError(std::string("host stream: cannot start a thread: ") + e.what());
}
Stream::Stream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Stream Stream::borrow(void* native) {
  if (native) throw DeviceError("host stream: there are no streams of others to borrow");
  return Stream(std::make_unique<Impl>());
}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

void Stream::Impl::enqueue(Operation operation) {
  if (capture) {
    capture->nodes.push_back({std::move(operation), tail, lane});
    tail = {capture->nodes.size() - 1};
    return;
  }
  if (!worker) return operation();
  worker->post([this, operation = std::move(operation)] {
    if (!error) error = error_of(operation);
  });
}

void Stream::synchronize() {
  if (impl_->capture) {
    impl_->capture->broken = true;
    throw DeviceError("synchronize() on a stream that is being captured");
  }
  const auto completion = std::make_shared<Completion>();
  impl_->enqueue_always(
      [impl = impl_.get(), completion] { completion->complete(std::exchange(impl->error, nullptr)); });
  throw_if(completion->wait());
}

ProgrammaticLaunch::ProgrammaticLaunch(Stream&) : stream_(nullptr) {
  throw DeviceError("the host backend has no programmatic launches");
}
ProgrammaticLaunch::~ProgrammaticLaunch() = default;

Event::Event(bool timing) : impl_(std::make_unique<Impl>()) { impl_->timing = timing; }
Event::~Event() = default;
Event::Event(Event&&) noexcept = default;
Event& Event::operator=(Event&&) noexcept = default;

void Event::record(Stream& stream) {
  Stream::Impl& from = stream.impl();
  impl_->captured = from.capture != nullptr;
  impl_->capture = from.capture;
  impl_->tail = from.tail;
  impl_->completion = nullptr;
  if (impl_->captured) return;
  impl_->completion = std::make_shared<Completion>();
  from.enqueue_always([&error = from.error, completion = impl_->completion] { completion->complete(error); });
}

void Event::synchronize() {
  if (impl_->captured) throw DeviceError("synchronize() on an event that was recorded in a capture");
  if (!impl_->completion) return;
  throw_if(impl_->completion->wait());
}

namespace {

/// Makes `stream` follow a captured event, which also draws it into the capture.
void wait_captured(Stream::Impl& stream, const Event::Impl& event) {
  const auto capture = event.capture.lock();
  if (!capture) throw DeviceError("wait on an event of a capture that has ended");
  if (!stream.capture) {
    stream.capture = capture;
    stream.lane = capture->lanes.size();
    stream.tail.clear();
    capture->lanes.push_back(&stream);
  } else if (stream.capture != capture) {
    throw DeviceError("wait on an event of another capture");
  }
  stream.tail.insert(stream.tail.end(), event.tail.begin(), event.tail.end());
}

}  // namespace

void wait(Stream& stream, const Event& event) {
  Stream::Impl& to = stream.impl();
  const Event::Impl& from = event.impl();
  if (from.captured) return wait_captured(to, from);
  if (!from.completion) return;
  if (to.capture) {
    to.capture->broken = true;
    throw DeviceError("wait, in a capture, on an event recorded outside it");
  }
  to.enqueue_always([&to, completion = from.completion] {
    const auto error = completion->wait();
    if (!to.error) to.error = error;  // work that follows failed work has failed too
  });
}

std::chrono::duration<double> elapsed(const TimingEvent& start, const TimingEvent& stop) {
  for (const TimingEvent* event : {&start, &stop}) {
    const auto& completion = event->impl().completion;
    if (!completion) throw DeviceError("elapsed: an event was never recorded, or only in a capture");
    if (!completion->reached()) throw DeviceError("elapsed: an event is not reached yet");
  }
  return stop.impl().completion->at() - start.impl().completion->at();
}

}  // namespace overlap
