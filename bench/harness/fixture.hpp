// A row in the making: what its operation is, how a region of operations is timed, how its output is checked.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/limits.hpp"
#include "harness/measure.hpp"
#include "harness/session.hpp"
#include "harness/sweep.hpp"
#include "overlap/probes.hpp"

namespace overlap {

/// Counters of a row, by the name they have in the JSON.
using Counters = std::vector<std::pair<std::string, double>>;

/// The counters that say how far a row is from its limit: serial_us, bound_us, bound_pct and, where there is
/// something to hide, overlap_pct.
Counters limit_counters(double serial_us, double bound_us, const Measurement& measured);

/// One row of a family. Made once per row, after its data; used for all its repetitions.
class Fixture {
 public:
  virtual ~Fixture() = default;

  /// Runs a region of `operations` and waits for it.
  virtual Sample take(std::size_t operations, Phase phase) = 0;
  /// Operations that are checked one by one before anything is measured.
  virtual std::size_t trials() const { return 1; }
  /// Runs one operation and waits. Trials differ in what is late, so that a missing wait shows whatever the
  /// usual timing would hide.
  virtual void run_trial(std::size_t) { take(1, Phase::warm_up); }
  /// Overwrites with NaNs all that an operation writes, what it leaves on its way included: data that an
  /// earlier operation left would be right, and hide that this one did not wait for its own. Waits.
  virtual void poison() {}
  /// @throws WrongResult if an output is not what the reference says. `operations` were run since the
  /// poisoning.
  virtual void verify(std::size_t operations) = 0;

  /// After the last verification and before loads and counters: measures again what they compare with, where
  /// this row shows that it was wrong. Waits. May overwrite the output.
  virtual void reconsider(const Measurement&) {}
  /// Whether it leaves the device warm for the row that follows.
  virtual bool keeps_device_busy() const { return true; }
  /// How this row is measured, given how rows are.
  virtual MeasureSettings settings(const MeasureSettings& usual) const { return usual; }
  /// Payload of one operation: once per direction for copies, read plus written for kernels; 0: moves no
  /// data.
  virtual std::size_t bytes() const { return 0; }
  /// What the family has to say beside the usual counters.
  virtual Counters counters(const Measurement&) const { return {}; }
  /// How long each part of the machine is busy with one operation, whatever overlaps: copy_in, copy_out,
  /// duplex_link, kernel. The longest bounds the row.
  virtual std::vector<Load> loads(const Measurement&) const { return {}; }
};

/// A row whose operations run on the device, timed by events on the origin stream. What an operation enqueues
/// elsewhere it forks from the origin and joins back, so the two events enclose all of it.
class DeviceFixture : public Fixture {
 public:
  explicit DeviceFixture(Session& session) : session_(session) {}
  Sample take(std::size_t operations, Phase phase) override;
  /// In the first nothing is late; in each further one, a stream that others wait for.
  std::size_t trials() const override { return 1 + streams_to_hold(); }
  void run_trial(std::size_t trial) override;

 protected:
  /// How many streams beside the origin are to be late once each, because others wait for them inside an
  /// operation. 0 where an operation could not be enqueued behind a held stream, as with pageable copies. (A
  /// late origin would make everything late: all streams are forked from it.)
  virtual std::size_t streams_to_hold() const { return 0; }
  /// Enqueues one operation; `index` counts them over all regions.
  virtual void submit(std::size_t index) = 0;
  /// Whether to hold the device until a region is enqueued, so that only device time remains.
  virtual bool latched() const { return false; }

  Session& session() const { return session_; }
  Stream& origin() const { return session_.origin(); }

 private:
  Session& session_;
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

/// Streams forked from the origin and joined back to it, with the events that takes.
class ForkJoin {
 public:
  /// `streams` >= 1; the first is the origin itself.
  ForkJoin(Session& session, std::size_t streams);

  void fork();  ///< all streams follow what the origin has enqueued so far
  void join();  ///< the origin follows all streams
  Stream& operator[](std::size_t i) const { return *streams_[i]; }
  std::size_t size() const { return streams_.size(); }

 private:
  std::vector<Stream*> streams_;
  Event forked_;
  std::vector<Event> joined_;
};

/// Measures `submit` alone, as a row would be, for what rows are compared with: stages, copy ceilings,
/// floors. Waits.
Measurement measure_alone(Session& session, const std::function<void(std::size_t index)>& submit,
                          const MeasureSettings& settings);

/// Least time of the work that `enqueue` puts on the origin, alone, in microseconds: call by call and, where
/// what a call costs is a part of that worth saving, as nodes of a graph, which pays for it once. It bounds
/// rows of either kind. Waits.
double least_us(Session& session, const std::function<void(std::size_t index)>& enqueue,
                const MeasureSettings& settings);

/// What both directions of the link take while the other one is busy.
struct Duplex {
  double in_us = 0, out_us = 0;  ///< per operation, as if the other direction never ended
  double both_us = 0;            ///< makespan per operation of each
  double submit_us = 0;          ///< CPU time to enqueue one of each
};

/// Runs `copy_in` on one stream and `copy_out` on another, `operations` times each at the same time, and
/// waits. The one that ends first was under load throughout; what the other did alone, at `alone_us` per
/// operation, is taken off.
Duplex take_duplex(Session& session, const std::function<void(Stream&)>& copy_in, double in_alone_us,
                   const std::function<void(Stream&)>& copy_out, double out_alone_us, std::size_t operations);

}  // namespace overlap
