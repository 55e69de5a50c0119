// What the host backend's streams, events and graphs are made of. Everything hangs on the objects that
// callers own: there is no process-wide state.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "overlap/device.hpp"

namespace overlap {

using Clock = std::chrono::steady_clock;
using Operation = std::function<void()>;

/// Why an operation failed; null if it did not. A text and not an exception_ptr, because threads share it:
/// every synchronize() throws a DeviceError of its own, and the sanitizers can see the reference count.
using Error = std::shared_ptr<const std::string>;

/// Runs `operation`. @return what it threw, if anything.
inline Error error_of(const Operation& operation) {
  try {
    operation();
    return nullptr;
  } catch (const std::exception& e) {
    return std::make_shared<const std::string>(e.what());
  }
}

/// @throws DeviceError if there is an error.
inline void throw_if(const Error& error) {
  if (error) throw DeviceError(*error);
}

/// One reaching of a point in a stream: set once, by the stream; waited for by anyone.
class Completion {
 public:
  void complete(Error error);
  /// Waits. Returns the error of the stream that reached the point, if it had one.
  Error wait();
  bool reached() const;
  Clock::time_point at() const;  ///< when it was reached; meaningful once reached() is true

 private:
  mutable std::mutex mutex_;
  std::condition_variable reached_changed_;
  bool reached_ = false;
  Clock::time_point at_;
  Error error_;
};

/// A thread and its queue. The destructor runs what is queued, then joins.
class Worker {
 public:
  Worker();
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  void post(Operation task);  ///< `task` must not throw

 private:
  void loop();
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Operation> tasks_;
  bool stopping_ = false;
  std::thread thread_;
};

/// A captured operation, the nodes it must follow, and the stream (lane) it was captured on.
struct Node {
  Operation operation;
  std::vector<std::size_t> after;
  std::size_t lane = 0;
};

/// A capture in progress. Only the capturing thread touches it.
struct Capture {
  std::vector<Node> nodes;
  std::vector<Stream::Impl*> lanes;  ///< the streams taking part; lane 0 is the origin
  bool broken = false;               ///< a stream synchronised meanwhile
};

struct Stream::Impl {
  std::shared_ptr<Capture> capture;  ///< set while the stream takes part in one
  std::size_t lane = 0;              ///< this stream's lane in it
  std::vector<std::size_t> tail;     ///< captured nodes that the next operation must follow
  Error error;                       ///< the first since the last synchronize(); touched by the worker only
  std::optional<Worker> worker;  ///< last, so that it drains before the rest goes; none: work runs at once

  /// Queues `operation`, or captures it. Skipped at run time if the stream has an error already.
  void enqueue(Operation operation);
  /// Queues what must happen even on a stream with an error.
  void enqueue_always(Operation operation) { worker ? worker->post(std::move(operation)) : operation(); }
};

struct Event::Impl {
  bool timing = false;
  std::shared_ptr<Completion> completion;  ///< of the last record; null if never recorded or captured
  std::weak_ptr<Capture> capture;          ///< where the last record was captured, if it was
  bool captured = false;
  std::vector<std::size_t> tail;  ///< captured nodes before it
};

struct GraphBuilder::Impl {
  std::vector<Node> nodes;
  std::size_t lanes = 1;
};

}  // namespace overlap
