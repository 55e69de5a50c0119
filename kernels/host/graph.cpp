// Capture and replay on CPU threads. A capture lists operations, each with those it must follow and the
// stream it came from, its lane. A replay runs lane 0 on the stream that launches and the others on threads
// that the graph owns, so branches of a graph really run at the same time.
#include <algorithm>
#include <utility>

#include "host/runtime.hpp"

namespace overlap {
namespace {

/// Takes every stream of the capture out of it.
void leave(Capture& capture) {
  for (Stream::Impl* stream : capture.lanes) {
    stream->capture = nullptr;
    stream->tail.clear();
  }
}

/// Counts the nodes that `tail` does not follow: work that was forked and never joined.
std::size_t unjoined(const std::vector<Node>& nodes, std::vector<std::size_t> tail) {
  std::vector<bool> followed(nodes.size(), false);
  while (!tail.empty()) {
    const std::size_t node = tail.back();
    tail.pop_back();
    if (followed[node]) continue;
    followed[node] = true;
    tail.insert(tail.end(), nodes[node].after.begin(), nodes[node].after.end());
  }
  return static_cast<std::size_t>(std::ranges::count(followed, false));
}

}  // namespace

GraphBuilder::GraphBuilder(Stream& origin, const std::function<void()>& work) {
  Stream::Impl& stream = origin.impl();
  if (stream.capture) throw DeviceError("capture: the stream is being captured already");
  const auto capture = std::make_shared<Capture>();
  capture->lanes = {&stream};
  stream.capture = capture;
  stream.lane = 0;
  stream.tail.clear();
  try {
    work();
  } catch (...) {
    leave(*capture);
    throw;
  }
  const std::size_t loose = unjoined(capture->nodes, stream.tail);
  leave(*capture);
  if (capture->broken) throw DeviceError("capture: invalidated by a call that may not be captured");
  if (loose > 0)
    throw DeviceError("capture: " + std::to_string(loose) +
                      " operations on a forked stream were never joined back to the origin");
  impl_ = std::make_unique<Impl>(Impl{std::move(capture->nodes), capture->lanes.size()});
}
GraphBuilder::~GraphBuilder() = default;
GraphBuilder::GraphBuilder(GraphBuilder&&) noexcept = default;
GraphBuilder& GraphBuilder::operator=(GraphBuilder&&) noexcept = default;

std::size_t GraphBuilder::node_count() const { return impl_->nodes.size(); }

std::vector<KernelShape> GraphBuilder::kernels() const {
  // Every operation runs on one thread, and the processor holds as many as it has threads.
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  return std::vector<KernelShape>(impl_->nodes.size(), KernelShape{1, threads});
}

namespace {

/// Runs the nodes of one graph, one replay at a time, on `lanes` threads, one of them the caller's.
class Executor {
 public:
  explicit Executor(std::size_t lanes) : workers_(lanes - 1) {
    for (auto& worker : workers_) worker = std::make_unique<Worker>();
  }

  std::size_t lanes() const { return workers_.size() + 1; }

  /// Waits for all nodes. Throws the first error of any.
  void replay(const std::vector<Node>& nodes) {
    const std::lock_guard one_at_a_time(replaying_);
    Replay run{nodes, std::vector<char>(nodes.size(), 0), workers_.size(), nullptr, {}, {}};
    for (std::size_t lane = 1; lane < lanes(); ++lane)
      workers_[lane - 1]->post([this, &run, lane] { run_lane(run, lane); });
    run_lane(run, 0);
    std::unique_lock lock(run.mutex);
    run.changed.wait(lock, [&run] { return run.busy_workers == 0; });
    throw_if(run.error);
  }

 private:
  /// What the lanes of one replay share; `mutex` guards all but the nodes.
  struct Replay {
    const std::vector<Node>& nodes;
    std::vector<char> done;
    std::size_t busy_workers;
    Error error;
    std::mutex mutex;
    std::condition_variable changed;
  };

  /// Runs a lane's nodes in capture order. After an error, nodes are passed over but still marked done, so
  /// that no other lane waits for ever.
  void run_lane(Replay& run, std::size_t lane) {
    std::unique_lock lock(run.mutex);
    for (std::size_t i = 0; i < run.nodes.size(); ++i) {
      const Node& node = run.nodes[i];
      if (node.lane != lane) continue;
      run.changed.wait(lock,
                       [&] { return std::ranges::all_of(node.after, [&](auto j) { return run.done[j]; }); });
      if (!run.error) {
        lock.unlock();
        const Error error = error_of(node.operation);
        lock.lock();
        if (error && !run.error) run.error = error;
      }
      run.done[i] = 1;
      if (lanes() > 1) run.changed.notify_all();
    }
    if (lane > 0 && --run.busy_workers == 0) run.changed.notify_all();
  }

  std::mutex replaying_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

struct Graph::Impl {
  std::shared_ptr<const std::vector<Node>> nodes;
  std::shared_ptr<Executor> executor;
};

Graph::Graph(const GraphBuilder& builder)
    : impl_(std::make_unique<Impl>(Impl{std::make_shared<const std::vector<Node>>(builder.impl().nodes),
                                        std::make_shared<Executor>(builder.impl().lanes)})) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

void Graph::launch(Stream& stream) {
  // The queued replay keeps nodes and threads alive, so a Graph may be destroyed or updated behind its
  // launch.
  stream.impl().enqueue([nodes = impl_->nodes, executor = impl_->executor] { executor->replay(*nodes); });
}

void Graph::upload(Stream&) {}

void Graph::update(const GraphBuilder& builder) {
  const auto& now = *impl_->nodes;
  const auto& next = builder.impl().nodes;
  const bool same_topology = std::ranges::equal(
      now, next, [](const Node& a, const Node& b) { return a.lane == b.lane && a.after == b.after; });
  if (!same_topology)
    throw DeviceError("graph update: topology differs (" + std::to_string(now.size()) + " nodes now, " +
                      std::to_string(next.size()) + " in the update); instantiate a new graph");
  impl_->nodes = std::make_shared<const std::vector<Node>>(next);
}

}  // namespace overlap
