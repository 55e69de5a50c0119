#include "judge/notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "judge/format.hpp"

namespace overlap::report {
namespace {

constexpr double kLeastNoise = 0.005;

std::vector<std::string> transfer_notes(const std::vector<const Row*>& rows) {
  std::vector<std::string> notes;
  for (const char* direction : {"h2d", "d2h", "duplex", "d2d"}) {
    std::vector<std::pair<double, double>> sizes;
    for (const Row* row : rows)
      if (!row->failed() && row->axis("dir") == direction)
        sizes.emplace_back(row->number("bytes"), row->time_us());
    LinearFit fit;
    if (fit_copies(sizes, fit))
      notes.push_back(
          fmt::format("{}: {:.1f} us + bytes / {:.1f} GB/s", direction, fit.fixed_us, fit.gb_per_s));
  }
  return notes;
}

std::vector<std::string> double_buffer_notes(const std::vector<const Row*>& rows) {
  std::map<double, const Row*> best;  // of per_buffer, by buffers
  for (const Row* row : rows) {
    if (row->failed() || row->axis("sync") != "per_buffer") continue;
    const Row*& known = best[row->number("buffers")];
    if (!known || row->time_us() < known->time_us()) known = row;
  }
  if (!best.contains(2)) return {};
  const Row& two = *best[2];
  std::vector<std::string> no_better, better;
  for (const auto& [buffers, row] : best) {
    if (buffers <= 2) continue;
    const double ratio = two.time_us() / row->time_us();
    const bool beyond_noise = ratio - 1 > std::hypot(noise_of(two), noise_of(*row));
    (beyond_noise ? better : no_better).push_back(fmt::format("{:.0f} ({})", buffers, format_change(ratio)));
  }
  std::vector<std::string> notes;
  if (!no_better.empty())
    notes.push_back(fmt::format("no better than 2 buffers beyond noise: {}", fmt::join(no_better, ", ")));
  if (!better.empty()) notes.push_back(fmt::format("better than 2 buffers: {}", fmt::join(better, ", ")));
  return notes;
}

}  // namespace

bool fit_copies(const std::vector<std::pair<double, double>>& bytes_and_us, LinearFit& fit) {
  // Minimises the sum of ((a + b x - t) / t)^2: a weighted line with weights 1 / t^2.
  double w = 0, wx = 0, wxx = 0, wt = 0, wxt = 0;
  for (const auto& [x, t] : bytes_and_us) {
    if (!(t > 0)) continue;
    const double weight = 1 / (t * t);
    w += weight;
    wx += weight * x;
    wxx += weight * x * x;
    wt += weight * t;
    wxt += weight * x * t;
  }
  const double determinant = w * wxx - wx * wx;
  if (!(determinant > 1e-12 * w * wxx)) return false;
  const double per_byte = (w * wxt - wx * wt) / determinant;
  fit.fixed_us = (wt - per_byte * wx) / w;
  if (!(per_byte > 0) || fit.fixed_us < 0) return false;
  fit.gb_per_s = 1e-3 / per_byte;
  return true;
}

double noise_of(const Row& row) {
  // A median's standard error is 1.25 times the mean's, where the samples are normal.
  const double samples = std::max(1.0, row.counter("samples").value_or(1));
  return std::max(kLeastNoise, 2 * 1.25 * row.counter("cv").value_or(0) / std::sqrt(samples));
}

std::vector<std::string> notes_on(const std::string& family, const std::vector<const Row*>& rows) {
  if (family == "transfer") return transfer_notes(rows);
  if (family == "double_buffer") return double_buffer_notes(rows);
  return {};
}

}  // namespace overlap::report
