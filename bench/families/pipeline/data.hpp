// What pipeline rows of equal n, mem and work share: the arrays on both sides, and what each stage costs.
#pragma once

#include <functional>
#include <vector>

#include "families/pipeline/chunks.hpp"
#include "harness/expected.hpp"
#include "harness/fixture.hpp"

namespace overlap {

/// A, B and C of C = A sin(B) + B cos(A), in host and in device memory.
class PipelineData {
 public:
  /// @throws DeviceError if there is not enough memory, or none of that kind.
  PipelineData(Session& session, std::size_t n, HostMemory memory, int work);

  std::size_t n() const { return c_.span().size(); }
  const PipelineCosts& costs() const { return costs_; }
  /// Measures the stages once more, and keeps what allows the least: how fast pageable memory is copied
  /// changes with what else its host does, by a tenth and more within a minute. Waits. Overwrites C.
  void measure_again();

  /// Lays A and B out in host memory: each by itself, or, if `packed` is not empty, A and B of each of these
  /// chunks side by side, so that one copy takes both.
  void arrange(const std::vector<Chunk>& packed);

  // One stage of one chunk, enqueued.
  void copy_in(const Chunk& chunk, Stream& stream) const;
  void compute(const Chunk& chunk, Stream& stream) const;
  void copy_out(const Chunk& chunk, Stream& stream) const;
  /// All of it by a kernel that reads and writes host memory itself.
  void compute_in_host_memory(Stream& stream) const;

  /// Overwrites all that an operation writes. Waits. `spots_only`: of pageable host memory, which is slow to
  /// copy, one element in each `least_chunk` or less, so that no chunk's copy can be missing unnoticed.
  void poison(std::size_t least_chunk, bool spots_only) const;
  /// Compares C in host memory, or what of it was poisoned, and C on the device. @throws WrongResult
  void verify(std::size_t least_chunk, bool spots_only, bool on_device) const;

 private:
  std::span<float> a_of(std::span<float> both, const Chunk& chunk) const;
  std::span<float> b_of(std::span<float> both, const Chunk& chunk) const;
  PipelineCosts measure_costs() const;
  PipelineCosts with_link(const PipelineCosts& alone) const;
  bool spots(bool spots_only) const { return spots_only && memory_ == HostMemory::pageable; }

  Session& session_;
  HostMemory memory_;
  int work_;
  std::vector<float> pattern_a_, pattern_b_;
  std::vector<Chunk> packed_;
  HostBuffer<float> ab_, c_;
  DeviceBuffer<float> device_ab_, device_c_;
  Expected expected_;
  PipelineCosts costs_;
};

}  // namespace overlap
