// What the harness needs of a device beside what it measures: holding a stream, checking results, kernels
// that do nothing or fail, the clock. Rows measure none of these, except
// launch_empty() and launch_plain_chain(), which others are compared with.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "overlap/device.hpp"

namespace overlap {

/// Holds streams until the host lets go, so that work can be queued up and timed without its submission.
/// Move-only. Never hold a stream while capturing or before use_device(): loading code behind a held stream
/// deadlocks. Releases everything at its end.
class Latch {
 public:
  /// @param timeout  after so long a held stream goes on by itself, and timed_out() tells.
  /// @throws DeviceError
  explicit Latch(std::chrono::milliseconds timeout = std::chrono::milliseconds(1000));
  ~Latch();
  Latch(Latch&&) noexcept;
  Latch& operator=(Latch&&) noexcept;

  void hold(Stream& stream);  ///< enqueues a hold; does not wait. @throws DeviceError
  void release() noexcept;    ///< lets go of every hold enqueued so far
  bool timed_out() const;     ///< whether any hold so far ended by its time-out; ask after synchronising

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

/// Clock of the multiprocessors in MHz, counted by the device itself over about 0.2 ms. Nothing on the host
/// backend. Waits for the stream. @throws DeviceError
std::optional<double> sm_clock_mhz(Stream& stream);

/// Enqueues sums[i] = sum over j of matrix[i][j] * weights[j], in double precision. `matrix` has sums.size()
/// rows of weights.size() elements, row by row.
/// Products are checked with it: (A B) r = A (B r) for any vector r. Source: Freivalds 1977.
/// @throws DeviceError if the sizes do not fit, or if the launch is refused.
void launch_weighted_row_sums(std::span<const float> matrix, std::span<const double> weights,
                              std::span<double> sums, Stream& stream);

/// Enqueues out = a + b, then `kernels` - 1 kernels that multiply out by d and add f to it in turn. These are
/// the kernels of launch_add() and launch_mul(), launched as a program without a harness would: no length and
/// no alignment is looked at, and only the last launch is checked. It shows what the harness adds to a
/// launch. All spans must be of one length, above 0, and start at a multiple of 16 bytes.
/// @throws DeviceError if a launch is refused.
void launch_plain_chain(std::span<const float> a, std::span<const float> b, std::span<const float> d,
                        std::span<const float> f, std::span<float> out, int kernels, Stream& stream);

/// Enqueues a kernel that does nothing. @throws DeviceError if the launch is refused.
void launch_empty(Stream& stream);

/// Enqueues a kernel that fails when it runs, so that tests see how asynchronous errors surface. On CUDA the
/// process has no usable device afterwards.
void launch_trap(Stream& stream);

/// How far a value may be off: it passes if |actual - expected| <= absolute + relative * |expected|. An
/// infinity passes only where it is expected; a NaN never does.
struct Tolerance {
  float relative = 0;
  float absolute = 0;
};

/// What checks have found so far.
struct Mismatches {
  std::uint64_t count = 0;                  ///< wrong values
  std::uint64_t first = ~std::uint64_t{0};  ///< lowest wrong index, if count > 0
};

/// Enqueues a comparison of actual[i] with expected[(offset + i) mod expected.size()]: a short pattern is
/// expected over and over, from its element `offset` on. What it finds is added to result[0], a value in
/// device memory that starts as a copy of Mismatches{}.
/// @throws DeviceError if `expected` is empty and `actual` is not, if `result` is not one element, or if the
/// launch is refused.
void launch_count_mismatches(std::span<const float> actual, std::span<const float> expected,
                             std::uint64_t offset, Tolerance tolerance, std::span<Mismatches> result,
                             Stream& stream);

}  // namespace overlap
