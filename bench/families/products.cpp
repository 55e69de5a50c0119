// The weights times r are computed once; then a product's check is two row sums, its input's with those and
// its output's with r. Signs of +-1 keep every element's weight the same.
#include "families/products.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "harness/expected.hpp"
#include "overlap/probes.hpp"

namespace overlap {

/// The inputs take a prime period, so no two matrices are equal; the outputs serve as scratch for the sums of
/// the inputs, since they hold nothing yet.
Products::Products(Session& session, std::size_t dim, std::size_t count, std::size_t more_device_bytes)
    : session_(session), dim_(dim), count_(count) {
  const std::size_t matrix_elements = checked_bytes(dim, dim);
  const std::size_t all = checked_bytes(matrix_elements, count);
  session.require_memory(
      checked_bytes(all, sizeof(float)) + checked_bytes(matrix_elements, sizeof(float)) + more_device_bytes,
      checked_bytes(all, sizeof(float)));
  inputs_ = HostBuffer<float>(all, HostMemory::pinned);
  weights_ = DeviceBuffer<float>(matrix_elements);
  outputs_ = DeviceBuffer<float>(all);
  r_ = DeviceBuffer<double>(dim);
  sums_ = DeviceBuffer<double>(dim * count);
  Stream& stream = session.origin();
  tile_host(inputs_.span(), random_pattern(all, 1, -1, 1));  // a prime period: no two matrices are equal
  tile_device(weights_.span(), random_pattern(matrix_elements, 2, -1, 1), stream);
  std::minstd_rand generator(3);
  std::vector<double> r(dim);
  for (double& sign : r) sign = generator() % 2 == 0 ? 1 : -1;
  copy_h2d(r_.span(), std::span<const double>(r), stream);

  const DeviceBuffer<double> weighted(dim);
  launch_weighted_row_sums(weights_.span(), r_.span(), weighted.span(), stream);
  for (std::size_t i = 0; i < count; ++i) {
    copy_h2d(output(i), host_input(i), stream);  // the outputs have nothing to hold yet
    launch_weighted_row_sums(output(i), weighted.span(), sums_.span().subspan(i * dim, dim), stream);
  }
  expected_.resize(dim * count);
  copy_d2h(std::span(expected_), sums_.span(), stream);
  stream.synchronize();
}

double Products::flops() const {
  const auto dim = static_cast<double>(dim_);
  return 2 * dim * dim * dim * static_cast<double>(count_);
}

void Products::poison() const { overlap::poison(outputs_.span(), session_.origin()); }

void Products::verify() const {
  Stream& stream = session_.origin();
  for (std::size_t i = 0; i < count_; ++i)
    launch_weighted_row_sums(output(i), r_.span(), sums_.span().subspan(i * dim_, dim_), stream);
  std::vector<double> got(expected_.size());
  copy_d2h(std::span(got), sums_.span(), stream);
  stream.synchronize();
  // Elements are near sqrt(dim) / 3; their roundings, summed with random signs, stay far below this, and one
  // wrong element far above.
  const double tolerance = 1e-5 * static_cast<double>(dim_) + 1e-5;
  for (std::size_t at = 0; at < got.size(); ++at) {
    if (!(std::fabs(got[at] - expected_[at]) <= tolerance))
      throw WrongResult(fmt::format("wrong result: product {} of {}, row {}: its checksum is {}, expected {}",
                                    at / dim_, count_, at % dim_, got[at], expected_[at]));
  }
}

}  // namespace overlap
