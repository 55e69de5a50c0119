// A row in the making: what its operation is, how a region of operations is timed, how its output is checked.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measure.hpp"
#include "session.hpp"
#include "sweep.hpp"

namespace overlap {

/// Counters of a row, by the name they have in the JSON.
using Counters = std::vector<std::pair<std::string, double>>;

/// One row of a family. Made once per row, after its data; used for all its repetitions.
class Fixture {
 public:
  virtual ~Fixture() = default;

  /// Runs a region of `operations` and waits for it.
  virtual Sample take(std::size_t operations, Phase phase) = 0;
  /// Overwrites with NaNs all that an operation writes, what it leaves on its way included: data that an
  /// earlier operation left would be right, and hide that this one did not wait for its own. Waits.
  virtual void poison() {}
  /// @throws WrongResult if an output is not what the reference says. `operations` were run since the
  /// poisoning.
  virtual void verify(std::size_t operations) = 0;

  /// How this row is measured, given how rows are.
  virtual MeasureSettings settings(const MeasureSettings& usual) const { return usual; }
  /// Payload of one operation: once per direction for copies, read plus written for kernels; 0: moves no
  /// data.
  virtual std::size_t bytes() const { return 0; }
  /// What the family has to say beside the usual counters.
  virtual Counters counters(const Measurement&) const { return {}; }
};

/// A row whose operations run on the device, timed by events on the origin stream. What an operation enqueues
/// elsewhere it forks from the origin and joins back, so the two events enclose all of it.
class DeviceFixture : public Fixture {
 public:
  explicit DeviceFixture(Session& session) : session_(session) {}
  Sample take(std::size_t operations, Phase phase) override;

 protected:
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
  Stream& operator[](std::size_t i) const { return streams_[i]; }
  std::size_t size() const { return streams_.size(); }

 private:
  std::span<Stream> streams_;
  Event forked_;
  std::vector<Event> joined_;
};

/// Measures `submit` alone, as a row would be, for what rows are compared with: stages, copy ceilings,
/// floors.
/// @return the median, in microseconds per operation.
double median_us(Session& session, const std::function<void(std::size_t index)>& submit,
                 const MeasureSettings& settings);

}  // namespace overlap
