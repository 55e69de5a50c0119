// A ramp doubles from a sixteenth of the largest chunk. What lies between the ramps is cut evenly.
#include "families/pipeline/chunks.hpp"

#include <algorithm>
#include <bit>

namespace overlap {
namespace {

/// 2^4: the first chunk of a ramp is a sixteenth of the largest.
constexpr int kDoublings = 4;

/// Rounded up; cannot overflow.
std::size_t divided_up(std::size_t n, std::size_t by) { return n / by + (n % by != 0); }

}  // namespace

std::int64_t rounded_chunk(std::int64_t chunk) {
  constexpr std::int64_t kLeastToRound = 4096;
  if (chunk < kLeastToRound) return chunk;
  const std::int64_t step = std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(chunk)) - 4);
  return (chunk - 1) / step * step + step;
}

std::vector<Chunk> even_chunks(std::size_t n, std::size_t chunk) {
  std::vector<Chunk> chunks;
  for (std::size_t at = 0; at < n; at += chunk) chunks.push_back({at, std::min(chunk, n - at)});
  return chunks;
}

std::vector<Chunk> tapered_chunks(std::size_t n, std::size_t largest) {
  std::vector<std::size_t> ramp;
  std::size_t ramps = 0;  // elements of both
  for (int halvings = kDoublings; halvings > 0; --halvings) {
    const std::size_t count = largest >> halvings;
    if (count == 0 || ramps + 2 * count > n / 2) continue;
    ramp.push_back(count);
    ramps += 2 * count;
  }
  // The rest is cut evenly, so that no chunk between the ramps is a leftover.
  const std::size_t middle = n - ramps;
  std::vector<std::size_t> counts = ramp;
  if (middle > 0) {
    const std::size_t pieces = divided_up(middle, largest);
    const auto each =
        static_cast<std::size_t>(rounded_chunk(static_cast<std::int64_t>(divided_up(middle, pieces))));
    for (const Chunk& chunk : even_chunks(middle, std::min(each, largest))) counts.push_back(chunk.count);
  }
  counts.insert(counts.end(), ramp.rbegin(), ramp.rend());
  std::vector<Chunk> chunks;
  std::size_t at = 0;
  for (const std::size_t count : counts) {
    chunks.push_back({at, count});
    at += count;
  }
  return chunks;
}

}  // namespace overlap
