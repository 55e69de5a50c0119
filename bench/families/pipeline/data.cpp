// Inputs repeat a pattern of prime length, so a chunk in the wrong place is wrong data. Stage costs are each
// stage's best time alone, whole and in 32 pieces, and the link's slowdown with both directions busy.
#include "families/pipeline/data.hpp"

#include <algorithm>
#include <cmath>

#include "harness/stages.hpp"
#include "overlap/kernels.hpp"
#include "reference.hpp"

namespace overlap {
namespace {

constexpr std::size_t kMostSpotDistance = 1021;  // a prime: no chunk size divides into the same spots

/// Elements from one spot to the next: each chunk has one.
std::size_t spot_distance(std::size_t least_chunk) { return std::min(least_chunk, kMostSpotDistance); }

/// Repeats `pattern` over host memory as if `at` elements had gone before.
void tile_from(std::span<float> out, std::span<const float> pattern, std::size_t at) {
  std::size_t from = at % pattern.size();
  for (std::size_t filled = 0; filled < out.size(); from = 0) {
    const std::size_t count = std::min(pattern.size() - from, out.size() - filled);
    std::copy_n(pattern.begin() + static_cast<std::ptrdiff_t>(from), count,
                out.begin() + static_cast<std::ptrdiff_t>(filled));
    filled += count;
  }
}

}  // namespace

PipelineInputs::PipelineInputs(std::span<const float> pattern_a, std::span<const float> pattern_b,
                               std::size_t n, HostMemory memory, std::span<float> device,
                               const std::vector<Chunk>& packed)
    : n_(n), packed_(!packed.empty()), host_(2 * n, memory), device_(device) {
  const std::vector<Chunk> whole = {{0, n}};
  for (const Chunk& chunk : packed_ ? packed : whole) {
    tile_from(a_of(host_.span(), chunk), pattern_a, chunk.at);
    tile_from(b_of(host_.span(), chunk), pattern_b, chunk.at);
  }
}

std::span<float> PipelineInputs::a_of(std::span<float> both, const Chunk& chunk) const {
  return both.subspan(packed_ ? 2 * chunk.at : chunk.at, chunk.count);
}

std::span<float> PipelineInputs::b_of(std::span<float> both, const Chunk& chunk) const {
  return both.subspan(packed_ ? 2 * chunk.at + chunk.count : n_ + chunk.at, chunk.count);
}

void PipelineInputs::copy_in(const Chunk& chunk, Stream& stream) const {
  if (packed_) {
    const auto both = [&](std::span<float> all) { return all.subspan(2 * chunk.at, 2 * chunk.count); };
    return copy_h2d(both(device_), both(host_.span()), stream);
  }
  copy_h2d(a(chunk), a_of(host_.span(), chunk), stream);
  copy_h2d(b(chunk), b_of(host_.span(), chunk), stream);
}

namespace {

/// Number of elements that fit, once it is sure that all arrays do.
std::size_t with_memory(Session& session, std::size_t n) {
  const std::size_t bytes = checked_bytes(n, 3 * sizeof(float));
  session.require_memory(bytes, bytes);
  return n;
}

}  // namespace

PipelineData::PipelineData(Session& session, std::size_t n, HostMemory memory, int work)
    : session_(session),
      memory_(memory),
      work_(work),
      pattern_a_(random_pattern(n, 1, -3, 3)),
      pattern_b_(random_pattern(n, 2, -3, 3)),
      device_ab_(2 * with_memory(session, n)),
      device_c_(n),
      inputs_(pattern_a_, pattern_b_, n, memory, device_ab_.span(), {}),
      c_(n, memory) {
  std::vector<float> result(pattern_a_.size());
  reference::map<double>(std::span(result), reference::trig<double>, pattern_a_, pattern_b_);
  // A few roundings of numbers up to 6, and one more for each repeat that is averaged.
  expected_ = Expected(result, {1e-6F + 1e-7F * static_cast<float>(work), 4e-6F}, session.origin());
  costs_ = measure_costs();
}

PipelineInputs PipelineData::packed(const std::vector<Chunk>& chunks) const {
  session_.require_memory(0, checked_bytes(n(), 2 * sizeof(float)));
  return {pattern_a_, pattern_b_, n(), memory_, device_ab_.span(), chunks};
}

void PipelineData::compute(const PipelineInputs& inputs, const Chunk& chunk, Stream& stream) const {
  launch_trig(inputs.a(chunk), inputs.b(chunk), device_c_.span().subspan(chunk.at, chunk.count), work_,
              Variant::vector, stream);
}

void PipelineData::copy_out(const Chunk& chunk, Stream& stream) const {
  copy_d2h(c_.span().subspan(chunk.at, chunk.count), device_c_.span().subspan(chunk.at, chunk.count), stream);
}

void PipelineData::compute_in_host_memory(Stream& stream) const {
  launch_trig(inputs_.host_a(), inputs_.host_b(), c_.span(), work_, Variant::vector, stream);
}

void PipelineData::poison(std::size_t least_chunk, bool spots_only) const {
  Stream& stream = session_.origin();
  overlap::poison(device_ab_.span(), stream);
  overlap::poison(device_c_.span(), stream);
  if (!spots(spots_only)) {
    copy_out({0, n()}, stream);  // the NaNs
    stream.synchronize();
    return;
  }
  stream.synchronize();
  for (std::size_t i = 0; i < n(); i += spot_distance(least_chunk)) c_.span()[i] = std::nanf("");
}

void PipelineData::verify(std::size_t least_chunk, bool spots_only, bool on_device) const {
  Stream& stream = session_.origin();
  if (on_device) expected_.verify(device_c_.span(), stream);
  if (spots(spots_only)) return expected_.verify_host(c_.span(), spot_distance(least_chunk));
  // Through the device, which compares faster; what is compared is what arrived in host memory.
  copy_h2d(device_c_.span(), c_.span(), stream);
  expected_.verify(device_c_.span(), stream);
}

PipelineCosts PipelineData::measure_costs() const {
  PipelineCosts costs;
  const MeasureSettings brief = session_.settings().at_most(0.02, 0.02);
  Stream& stream = session_.origin();
  const Chunk whole{0, n()};
  constexpr std::size_t kPieces = 32;
  const std::vector<Chunk> pieces = even_chunks(n(), (n() + kPieces - 1) / kPieces);
  const auto more = static_cast<double>(pieces.size() - 1);

  // Each at its best: what bounds a row must not be one late sample away from being beaten.
  const auto stage = [&](const std::function<void(const Chunk&)>& enqueue) {
    Stage result;
    result.full_us = least_us(
        session_, [&](std::size_t) { enqueue(whole); }, brief);
    if (pieces.size() == 1) {
      result.per_piece_us = result.full_us;  // of one element, which is all start and no length
      return result;
    }
    const Measurement in_pieces = measure_alone(
        session_, [&](std::size_t) { std::ranges::for_each(pieces, enqueue); }, brief);
    result.per_piece_us = std::max(0.0, in_pieces.min_us - result.full_us) / more;
    costs.submit_us_per_piece += in_pieces.submit_us / static_cast<double>(pieces.size());
    return result;
  };
  costs.in = stage([&](const Chunk& chunk) { inputs_.copy_in(chunk, stream); });
  costs.kernel = stage([&](const Chunk& chunk) { compute(inputs_, chunk, stream); });
  costs.out = stage([&](const Chunk& chunk) { copy_out(chunk, stream); });
  for (const KernelShape& shape : GraphBuilder(stream, [&] { compute(inputs_, whole, stream); }).kernels())
    if (shape.resident > 0)
      costs.kernel_share =
          std::min(1.0, static_cast<double>(shape.blocks) / static_cast<double>(shape.resident));
  return with_link(costs);
}

PipelineCosts PipelineData::with_link(const PipelineCosts& alone) const {
  // How much the directions hinder each other differs from copy to copy and with their sizes: the best that
  // was seen is what the link can do. C goes twice, so that each direction moves as much.
  constexpr std::size_t kCuts[] = {1, 4, 16};
  constexpr int kTries = 4;
  PipelineCosts best = alone;
  double best_us = serial_us(alone);
  for (const std::size_t cuts : kCuts) {
    const std::vector<Chunk> chunks = even_chunks(n(), (n() + cuts - 1) / cuts);
    for (int i = 0; i < kTries; ++i) {
      const Duplex duplex = take_duplex(
          session_,
          [&](Stream& s) {
            for (const Chunk& chunk : chunks) inputs_.copy_in(chunk, s);
          },
          alone.in.full_us,
          [&](Stream& s) {
            for (int twice = 0; twice < 2; ++twice)
              for (const Chunk& chunk : chunks) copy_out(chunk, s);
          },
          2 * alone.out.full_us, 1);
      PipelineCosts seen = alone;
      seen.in_slowdown = std::max(1.0, duplex.in_us / alone.in.full_us);
      seen.out_slowdown = std::max(1.0, duplex.out_us / (2 * alone.out.full_us));
      if (link_us(seen) >= best_us) continue;
      best_us = link_us(seen);
      best = seen;
    }
  }
  return best;
}

}  // namespace overlap
