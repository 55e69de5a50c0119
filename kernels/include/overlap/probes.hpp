// What the harness needs of a device beside what it measures: holding a stream, checking results, kernels
// that do nothing or fail, the clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "overlap/device.hpp"

namespace overlap {

/// Holds a stream until the host lets go, so that work can be queued up and timed without its submission.
/// Never hold a stream while capturing or before use_device(): loading code behind a held stream deadlocks.
class Latch {
 public:
  /// @param timeout  after which the stream goes on by itself and timed_out() tells.
  explicit Latch(std::chrono::milliseconds timeout = std::chrono::milliseconds(1000));
  ~Latch();
  Latch(Latch&&) noexcept;
  Latch& operator=(Latch&&) noexcept;

  void hold(Stream& stream);  ///< enqueues the hold. @throws DeviceError
  void release() noexcept;    ///< lets go of every hold enqueued so far
  bool timed_out() const;     ///< whether any hold so far ended by its time-out; ask after synchronising

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

/// SM clock in MHz, counted by the device itself over about 0.2 ms; nothing on the host backend. Waits.
std::optional<double> sm_clock_mhz(Stream& stream);

/// Enqueues sums[i] = sum over j of matrix[i][j] * weights[j], in double precision, for a row-major matrix of
/// sums.size() rows and weights.size() columns. What a product is checked with: (A B) r = A (B r).
void launch_weighted_row_sums(std::span<const float> matrix, std::span<const double> weights,
                              std::span<double> sums, Stream& stream);

/// Enqueues out = a + b, then `kernels` - 1 kernels that multiply out by d and add f to it in turn: what
/// launch_add and launch_mul make of it, as a program without a harness calls it. No length or alignment is
/// looked at and no launch is checked but the last. What a row of launches costs is held against this.
/// All spans are of equal length, out.size() > 0, each 16-byte aligned.
void launch_plain_chain(std::span<const float> a, std::span<const float> b, std::span<const float> d,
                        std::span<const float> f, std::span<float> out, int kernels, Stream& stream);

/// Enqueues a kernel that does nothing.
void launch_empty(Stream& stream);

/// Enqueues a kernel that fails when it runs: how tests see that asynchronous errors surface. On CUDA it
/// leaves the process without a usable device.
void launch_trap(Stream& stream);

/// A value passes if |actual - expected| <= absolute + relative * |expected|; a NaN never does.
struct Tolerance {
  float relative = 0;
  float absolute = 0;
};

/// What a check found.
struct Mismatches {
  std::uint64_t count = 0;
  std::uint64_t first = ~std::uint64_t{0};  ///< lowest wrong index, if count > 0
};

/// Enqueues a comparison of actual[i] with expected[(offset + i) mod expected.size()] that adds what it finds
/// to result[0], a device value that the caller has set to Mismatches{}. `expected` may not be empty unless
/// `actual` is.
void launch_count_mismatches(std::span<const float> actual, std::span<const float> expected,
                             std::uint64_t offset, Tolerance tolerance, std::span<Mismatches> result,
                             Stream& stream);

}  // namespace overlap
