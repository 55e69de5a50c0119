// The time left assumes that the rows to come take as long as those so far.
#include "harness/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace overlap {

Progress::Progress(std::size_t all) : all_(all), terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::show(const std::string& row) {
  const std::size_t done = started_++;
  if (!terminal_) return;
  std::string left;
  if (done > 0) {
    const auto rest = static_cast<double>(all_ - std::min(all_, done));
    const int left_s = static_cast<int>(seconds() / static_cast<double>(done) * rest);
    left = fmt::format(", about {}:{:02} left", left_s / 60, left_s % 60);
  }
  fmt::print(stderr, "\r\033[K[{}/{}{}] {}", done + 1, all_, left, row.substr(0, 100));
  std::fflush(stderr);
}

void Progress::clear() const {
  if (!terminal_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace overlap
