// A row in the making: what its operation is, how a region of operations is timed, how its output is checked.
// A family derives from DeviceFixture and says what one operation enqueues; forking, joining, capturing and
// timing are done here. row_runner.hpp says when what is called.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/family.hpp"
#include "harness/fork_join.hpp"
#include "harness/limits.hpp"
#include "harness/measure.hpp"
#include "harness/session.hpp"
#include "overlap/probes.hpp"

namespace overlap {

/// One row of a family. Made once per row, after its data; used for all its repetitions.
class Fixture {
 public:
  virtual ~Fixture() = default;

  /// Once, when the row is made: what can only be done with all of it there. Waits.
  virtual void prepare() {}
  /// Operations that are checked one by one before anything is measured.
  virtual std::size_t trials() const { return 1; }
  /// Runs one operation and waits. Trials differ in what is late, so that a missing wait shows whatever the
  /// usual timing would hide.
  virtual void run_trial(std::size_t) { take(1, Phase::warm_up); }
  /// How this row is measured, given how rows are.
  virtual MeasureSettings settings(const MeasureSettings& usual) const { return usual; }

  /// Before each poisoning: forgets what the operations before have left. Neither enqueues nor waits.
  virtual void begin() {}
  /// Overwrites with NaNs all that an operation writes, what it leaves on its way included: data that an
  /// earlier operation left would be right, and hide that this one did not wait for its own. Waits.
  virtual void poison() {}
  /// Runs a region of `operations` and waits for it.
  virtual Sample take(std::size_t operations, Phase phase) = 0;
  /// @throws WrongResult if an output is not what the reference says. `operations` were run since the
  /// poisoning.
  virtual void verify(std::size_t operations) = 0;

  // What a verified repetition has to say; in this order.

  /// What each stage of the operation takes alone, and what that allows at best. A row that beat its bound
  /// had its stages measured too slowly: it measures them again, which waits and may overwrite the output.
  virtual Stages stages(const Measurement&) { return {}; }
  /// How long each part of the machine is busy with one operation, whatever overlaps: copy_in, copy_out,
  /// duplex_link, kernel. The longest bounds the row.
  virtual std::vector<Load> loads(const Measurement&) const { return {}; }
  /// The family's own counters, beside those of every row and of its stages.
  virtual Counters counters(const Measurement&) const { return {}; }
  /// Payload of one operation: once per direction for copies, read plus written for kernels; 0: moves no
  /// data.
  virtual std::size_t bytes() const { return 0; }
  /// Whether it leaves the device warm for the row that follows.
  virtual bool keeps_device_busy() const { return true; }
};

/// What a family's `make` is where its fixture is made of a session and a point.
template <class Made>
std::unique_ptr<Fixture> made_of(const Point& point, Session& session) {
  return std::make_unique<Made>(session, point);
}

/// How operations reach the device.
enum class Submit { launch, graph };
inline Submit submit_of(std::string_view word) { return word == "launch" ? Submit::launch : Submit::graph; }

/// A row whose operations run on the device, timed by events on the origin stream. Each is forked from the
/// origin to all its streams and joined back, so the two events enclose all of it.
class DeviceFixture : public Fixture {
 public:
  DeviceFixture(Session& session, std::size_t streams, Submit submit)
      : session_(session), streams_(session, streams), submit_(submit) {}
  explicit DeviceFixture(Session& session) : DeviceFixture(session, 1, Submit::launch) {}

  void prepare() override;  ///< captures an operation that goes as a graph, and uploads it
  Sample take(std::size_t operations, Phase phase) override;
  /// In the first nothing is late; in each further one, a stream that others wait for.
  std::size_t trials() const override;
  void run_trial(std::size_t trial) override;

 protected:
  /// Enqueues one operation on streams(); `index` counts them over all regions.
  virtual void enqueue(std::size_t index) = 0;
  /// Whether streams wait for each other inside an operation, so that a late one has to show. Not where an
  /// operation could not be enqueued behind a held stream, as with pageable copies. (A late origin would make
  /// everything late: all streams are forked from it.)
  virtual bool streams_wait_for_each_other() const { return false; }
  /// Whether to hold the device until a region is enqueued, so that only device time remains.
  virtual bool latched() const { return false; }

  Session& session() const { return session_; }
  Stream& origin() const { return streams_[0]; }
  const ForkJoin& streams() const { return streams_; }
  bool is_graph() const { return submit_ == Submit::graph; }

 private:
  void enqueue_all(std::size_t index);

  Session& session_;
  ForkJoin streams_;
  Submit submit_;
  std::optional<Graph> graph_;
  TimingEvent start_, stop_;
  Latch latch_;
  std::size_t index_ = 0;
};

/// A row that is timed by the wall clock on the calling thread.
class CpuFixture : public Fixture {
 public:
  Sample take(std::size_t operations, Phase phase) override;
  bool keeps_device_busy() const override { return false; }

 protected:
  virtual void run() = 0;
};

}  // namespace overlap
