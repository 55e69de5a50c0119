// What pipeline rows of equal n, mem and work share: the arrays on both sides, and what each stage costs.
#pragma once

#include <functional>
#include <vector>

#include "families/pipeline/chunks.hpp"
#include "harness/expected.hpp"
#include "harness/limits.hpp"
#include "harness/session.hpp"

namespace overlap {

/// A and B in host and in device memory, each by itself or, packed, side by side in each chunk, so that one
/// copy takes both.
class PipelineInputs {
 public:
  /// `device` has room for 2 n elements and outlives this. With `packed` chunks, only those may be asked for.
  PipelineInputs(std::span<const float> pattern_a, std::span<const float> pattern_b, std::size_t n,
                 HostMemory memory, std::span<float> device, const std::vector<Chunk>& packed);

  void copy_in(const Chunk& chunk, Stream& stream) const;  ///< enqueues only
  std::span<float> a(const Chunk& chunk) const { return a_of(device_, chunk); }
  std::span<float> b(const Chunk& chunk) const { return b_of(device_, chunk); }
  std::span<float> host_a() const { return a_of(host_.span(), {0, n_}); }
  std::span<float> host_b() const { return b_of(host_.span(), {0, n_}); }

 private:
  std::span<float> a_of(std::span<float> both, const Chunk& chunk) const;
  std::span<float> b_of(std::span<float> both, const Chunk& chunk) const;

  std::size_t n_;
  bool packed_;
  HostBuffer<float> host_;
  std::span<float> device_;
};

/// The data of C = A sin(B) + B cos(A), and its stages' costs.
class PipelineData {
 public:
  /// @throws DeviceError if there is not enough memory, or none of that kind.
  PipelineData(Session& session, std::size_t n, HostMemory memory, int work);

  std::size_t n() const { return c_.span().size(); }
  const PipelineInputs& inputs() const { return inputs_; }
  /// The same A and B, packed by these chunks, in host memory of their own. @throws DeviceError
  PipelineInputs packed(const std::vector<Chunk>& chunks) const;

  const PipelineCosts& costs() const { return costs_; }
  /// Measures the stages' costs anew: how fast pageable memory is copied changes with what else its host
  /// does, by a tenth and more within a minute. Waits. Overwrites C.
  PipelineCosts measure_costs() const;

  // One stage of one chunk, enqueued; the first one is the inputs'.
  void compute(const PipelineInputs& inputs, const Chunk& chunk, Stream& stream) const;
  void copy_out(const Chunk& chunk, Stream& stream) const;
  /// All of it by a kernel that reads and writes host memory itself.
  void compute_in_host_memory(Stream& stream) const;

  /// Overwrites all that an operation writes. Waits. With `spots_only`, pageable host memory, which is slow
  /// to copy, is only overwritten in spots: every d-th element, d at most the smallest chunk, so that each
  /// chunk has one.
  void poison(std::size_t least_chunk, bool spots_only) const;
  /// Compares C in host memory, or what of it was poisoned, and C on the device. @throws WrongResult
  void verify(std::size_t least_chunk, bool spots_only, bool on_device) const;

 private:
  PipelineCosts with_link(const PipelineCosts& alone) const;
  bool spots(bool spots_only) const { return spots_only && memory_ == HostMemory::pageable; }

  Session& session_;
  HostMemory memory_;
  int work_;
  std::vector<float> pattern_a_, pattern_b_;
  DeviceBuffer<float> device_ab_, device_c_;
  PipelineInputs inputs_;
  HostBuffer<float> c_;
  Expected expected_;
  PipelineCosts costs_;
};

}  // namespace overlap
