// Matrix products and their check, what a graph knows of its kernels, and programmatic launches.
#include <cmath>
#include <optional>

#include "device_fixture.hpp"
#include "overlap/gemm.hpp"
#include "overlap/kernels.hpp"
#include "overlap/probes.hpp"

namespace overlap {
namespace {

std::vector<float> multiplied(std::span<const float> a, std::span<const float> b, std::size_t dim) {
  std::vector<float> c(dim * dim);
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < dim; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < dim; ++k) sum += static_cast<double>(a[i * dim + k]) * b[k * dim + j];
      c[i * dim + j] = static_cast<float>(sum);
    }
  }
  return c;
}

using MatrixTest = DeviceTest;

TEST_F(MatrixTest, ProductsAreRightRowByRow) {
  Stream stream;
  Gemm gemm(stream);
  for (std::size_t dim : {0, 1, 2, 7, 64, 129}) {
    SCOPED_TRACE(dim);
    const auto a = random_floats(dim * dim, 1), b = random_floats(dim * dim, 2);
    const auto device_a = on_device(a, stream), device_b = on_device(b, stream);
    const DeviceBuffer<float> c(dim * dim);
    gemm.multiply(device_a.span(), device_b.span(), c.span(), dim);
    const auto got = on_host(c.span(), stream), want = multiplied(a, b, dim);
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_NEAR(got[i], want[i], 1e-4 * std::sqrt(static_cast<double>(dim))) << i;
  }
}

TEST_F(MatrixTest, RefusesMatricesOfAnotherSize) {
  Stream stream;
  Gemm gemm(stream);
  const DeviceBuffer<float> square(16), other(15);
  EXPECT_THROW(gemm.multiply(square.span(), other.span(), square.span(), 4), DeviceError);
  const DeviceBuffer<double> three(3), four(4);
  EXPECT_THROW(launch_weighted_row_sums(square.span(), three.span(), four.span(), stream), DeviceError);
}

TEST_F(MatrixTest, CapturedProductsOnTwoStreamsDoNotShareAWorkspace) {
  constexpr std::size_t kDim = 300;
  Stream first, second;
  Gemm gemm_first(first), gemm_second(second);
  const auto a = random_floats(kDim * kDim, 1), b = random_floats(kDim * kDim, 2);
  const auto device_a = on_device(a, first), device_b = on_device(b, first);
  const DeviceBuffer<float> ab(kDim * kDim), ba(kDim * kDim);
  Event forked, joined;
  Graph graph(GraphBuilder(first, [&] {
    forked.record(first);
    wait(second, forked);
    gemm_first.multiply(device_a.span(), device_b.span(), ab.span(), kDim);
    gemm_second.multiply(device_b.span(), device_a.span(), ba.span(), kDim);
    joined.record(second);
    wait(first, joined);
  }));
  for (int replay = 0; replay < 3; ++replay) graph.launch(first);
  const auto got_ab = on_host(ab.span(), first), got_ba = on_host(ba.span(), first);
  const auto want_ab = multiplied(a, b, kDim), want_ba = multiplied(b, a, kDim);
  for (std::size_t i = 0; i < want_ab.size(); ++i) {
    ASSERT_NEAR(got_ab[i], want_ab[i], 2e-3) << i;
    ASSERT_NEAR(got_ba[i], want_ba[i], 2e-3) << i;
  }
}

TEST_F(MatrixTest, RowSumsAreWeighted) {
  Stream stream;
  const std::pair<std::size_t, std::size_t> sizes[] = {{0, 5}, {1, 1}, {3, 0}, {5, 7}, {300, 1000}};
  for (const auto& [rows, columns] : sizes) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
    const auto matrix = random_floats(rows * columns, 1);
    std::vector<double> weights(columns), sums(rows, -1);
    for (std::size_t j = 0; j < columns; ++j) weights[j] = j % 2 == 0 ? 1.5 : -1;
    const auto device_matrix = on_device(matrix, stream);
    const DeviceBuffer<double> device_weights(columns), device_sums(rows);
    copy_h2d(device_weights.span(), std::span<const double>(weights), stream);
    launch_weighted_row_sums(device_matrix.span(), device_weights.span(), device_sums.span(), stream);
    copy_d2h(std::span(sums), device_sums.span(), stream);
    stream.synchronize();
    for (std::size_t i = 0; i < rows; ++i) {
      double want = 0;
      for (std::size_t j = 0; j < columns; ++j)
        want += static_cast<double>(matrix[i * columns + j]) * weights[j];
      ASSERT_NEAR(sums[i], want, 1e-9) << i;
    }
  }
}

TEST_F(MatrixTest, GraphKnowsHowItsKernelsFillTheDevice) {
  Stream stream;
  const DeviceBuffer<float> a(100'000);
  const GraphBuilder builder(stream, [&] {
    launch_empty(stream);
    launch_add(a.span(), a.span(), a.span(), Variant::scalar, stream);
  });
  const auto kernels = builder.kernels();
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].blocks, 1U);
  for (const KernelShape& kernel : kernels) {
    EXPECT_GE(kernel.blocks, 1U);
    EXPECT_GE(kernel.resident, static_cast<std::size_t>(info_.sm_count)) << "at least a block each";
  }
  Gemm gemm(stream);
  const DeviceBuffer<float> c(100'000);
  const auto product =
      GraphBuilder(stream, [&] {
        gemm.multiply(a.span().first(256 * 256), a.span().first(256 * 256), c.span().first(256 * 256), 256);
      }).kernels();
  ASSERT_FALSE(product.empty()) << "a library's kernels are kernels too";
  EXPECT_GE(product[0].blocks, 1U);
  EXPECT_GE(product[0].resident, 1U);
}

TEST_F(MatrixTest, ProgrammaticLaunchesKeepTheOrderOfResults) {
  Stream stream;
  if (!info_.programmatic_launch) {
    EXPECT_THROW(ProgrammaticLaunch refused(stream), DeviceError);
    return;
  }
  constexpr int kKernels = 200;
  for (std::size_t n : {1000, 3'000'000}) {
    const auto ones = on_device(std::vector<float>(n, 1.0F), stream);
    const auto sum = on_device(std::vector<float>(n, 0.0F), stream);
    const auto chain = [&] {
      const ProgrammaticLaunch programmatic(stream);
      for (int k = 0; k < kKernels; ++k)
        launch_add(sum.span(), ones.span(), sum.span(), Variant::vector, stream);
    };
    Graph graph(GraphBuilder(stream, chain));
    graph.launch(stream);
    chain();
    for (float value : on_host(sum.span(), stream)) ASSERT_EQ(value, 2 * kKernels);
  }
}

TEST_F(MatrixTest, KernelsReachHostMemoryThemselves) {
  Stream stream;
  const auto a = random_floats(100'003, 1), b = random_floats(100'003, 2);
  for (HostMemory kind : {HostMemory::pinned, HostMemory::registered, HostMemory::write_combined}) {
    if (kind == HostMemory::write_combined && !info_.write_combined) continue;
    const HostBuffer<float> in_a(a.size(), kind), in_b(a.size(), kind), out(a.size(), kind);
    std::ranges::copy(a, in_a.span().begin());
    std::ranges::copy(b, in_b.span().begin());
    launch_add(in_a.span(), in_b.span(), out.span(), Variant::vector, stream);
    stream.synchronize();
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(out.span()[i], a[i] + b[i]) << i;
  }
}

}  // namespace
}  // namespace overlap
