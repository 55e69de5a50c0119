// How an array is cut into chunks; the `schedule` axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace overlap {

/// A piece of an array, in elements.
struct Chunk {
  std::size_t at;
  std::size_t count;
  bool operator==(const Chunk&) const = default;
};

/// `chunk` rounded up to four binary digits: 1,118,482 becomes 1,179,648 = 9 * 2^17. Large chunks then begin
/// at round addresses; copies between odd ones took 1 to 2 % longer on an H200, which would look like the
/// chunk count's fault. Below 4096, rounding would change how many chunks there are: they stay as they are.
std::int64_t rounded_chunk(std::int64_t chunk);

/// n elements in chunks of `chunk` >= 1; the last one is shorter where it does not divide n.
std::vector<Chunk> even_chunks(std::size_t n, std::size_t chunk);

/// n elements in chunks that double from `largest` / 16 up to `largest`, stay there, and halve again: the
/// device starts after a small copy in and ends with a small copy out, and few chunks lie between. A small n
/// gets shorter ramps.
std::vector<Chunk> tapered_chunks(std::size_t n, std::size_t largest);

}  // namespace overlap
