// The argument checks that launchers of both backends share. They run before anything is enqueued, so a
// refused call leaves its stream as it was.
#pragma once

#include <initializer_list>
#include <string>

#include "overlap/device.hpp"

namespace overlap {

/// @throws DeviceError, naming the kernel and all lengths, unless every length is the same.
inline void require_same_length(const char* kernel, std::initializer_list<std::size_t> lengths) {
  bool same = true;
  for (const std::size_t length : lengths) same = same && length == *lengths.begin();
  if (same) return;
  std::string list;  // only now: it would be a tenth of a microsecond of every launch
  for (const std::size_t length : lengths) list += (list.empty() ? "" : ", ") + std::to_string(length);
  throw DeviceError(std::string(kernel) + ": spans of different lengths: " + list);
}

/// @throws DeviceError unless work >= 1.
inline void require_work(int work) {
  if (work < 1) throw DeviceError("trig: work is " + std::to_string(work) + ", must be at least 1");
}

/// @throws DeviceError unless `elements` are rows * columns.
inline void require_matrix(const char* kernel, std::size_t elements, std::size_t rows, std::size_t columns) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(rows, columns, &product) || product != elements)
    throw DeviceError(std::string(kernel) + ": " + std::to_string(elements) + " elements are not " +
                      std::to_string(rows) + " x " + std::to_string(columns));
}

/// @throws DeviceError if there is something to compare and nothing to compare it with.
inline void require_expected(std::size_t actual, std::size_t expected, std::size_t results) {
  if (actual > 0 && expected == 0) throw DeviceError("count_mismatches: nothing expected");
  if (results != 1) throw DeviceError("count_mismatches: result must be one Mismatches");
}

}  // namespace overlap
