// Chunk schedules and the model of what stages allow, against cases worked out by hand.
#include "harness/limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "families/pipeline/chunks.hpp"

namespace overlap {
namespace {

/// Every element once, in order; nothing empty.
void expect_covers(const std::vector<Chunk>& chunks, std::size_t n) {
  std::size_t at = 0;
  for (const Chunk& chunk : chunks) {
    EXPECT_EQ(chunk.at, at);
    EXPECT_GT(chunk.count, 0U);
    at += chunk.count;
  }
  EXPECT_EQ(at, n);
}

TEST(Chunks, EvenOnesAreEvenButTheLast) {
  EXPECT_EQ(even_chunks(10, 4), (std::vector<Chunk>{{0, 4}, {4, 4}, {8, 2}}));
  EXPECT_EQ(even_chunks(8, 8), (std::vector<Chunk>{{0, 8}}));
  EXPECT_TRUE(even_chunks(0, 8).empty());
}

TEST(Chunks, TaperedOnesGrowAndShrink) {
  const auto chunks = tapered_chunks(1 << 24, 1 << 21);
  expect_covers(chunks, 1 << 24);
  EXPECT_EQ(chunks.front().count, std::size_t{1} << 17);
  EXPECT_EQ(chunks.back().count, std::size_t{1} << 17);
  const auto largest = std::ranges::max_element(chunks, {}, &Chunk::count);
  EXPECT_LE(largest->count, std::size_t{1} << 21);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(chunks[i].count, std::size_t{1} << (17 + i));
    EXPECT_EQ(chunks[chunks.size() - 1 - i].count, std::size_t{1} << (17 + i));
  }
}

TEST(Chunks, TaperedOnesCoverEveryLength) {
  for (std::size_t n : {1, 2, 15, 16, 17, 100, 997, 4096, 10007, 123457, 1 << 20})
    for (std::size_t largest : {1, 2, 15, 16, 17, 64, 997, 4096, 10007})
      if (largest <= n) {
        SCOPED_TRACE(std::to_string(n) + " by " + std::to_string(largest));
        const auto chunks = tapered_chunks(n, largest);
        expect_covers(chunks, n);
        EXPECT_LE(std::ranges::max(chunks, {}, &Chunk::count).count, largest);
      }
}

TEST(Chunks, RoundedToFourBinaryDigits) {
  EXPECT_EQ(rounded_chunk(1'118'482), 9 << 17);
  EXPECT_EQ(rounded_chunk(1 << 20), 1 << 20);
  EXPECT_EQ(rounded_chunk(4095), 4095);
}

PipelineCosts costs(double in, double kernel, double out, double per_piece = 0) {
  PipelineCosts result;
  result.in = {in, per_piece};
  result.kernel = {kernel, per_piece};
  result.out = {out, per_piece};
  return result;
}

TEST(Limits, LinkTakesTheLongerDirectionWhereTheyDoNotHinder) {
  EXPECT_DOUBLE_EQ(link_us(costs(20, 1, 10)), 20);
  EXPECT_DOUBLE_EQ(link_us(costs(10, 1, 20)), 20);
}

TEST(Limits, LinkSlowsBothForAsLongAsBothAreBusy) {
  PipelineCosts c = costs(20, 1, 10);
  c.in_slowdown = 1.25;
  c.out_slowdown = 1.1;
  // Out is done after 11; by then in has done 11 / 1.25 = 8.8 of its 20, and does the other 11.2 alone.
  EXPECT_DOUBLE_EQ(link_us(c), 11 + 11.2);
  c.in_slowdown = c.out_slowdown = 3;  // worse than taking turns
  EXPECT_DOUBLE_EQ(link_us(c), 30);
}

TEST(Limits, BoundIsTheBusiestPart) {
  EXPECT_DOUBLE_EQ(bound_us(costs(20, 50, 10)), 50);
  EXPECT_DOUBLE_EQ(serial_us(costs(20, 50, 10)), 80);
}

TEST(Limits, KernelsThatReachHostMemoryStartNoCopies) {
  PipelineCosts c = costs(20, 5, 10, 2);
  EXPECT_DOUBLE_EQ(bound_us(without_copies(c)), 18);
  EXPECT_DOUBLE_EQ(serial_us(without_copies(c)), 18 + 5 + 8);
  c = costs(1.5, 5, 2, 2);  // nothing but starting them
  EXPECT_DOUBLE_EQ(link_us(without_copies(c)), 0);
  EXPECT_DOUBLE_EQ(bound_us(without_copies(c)), 5);
}

TEST(Limits, PredictsThePipelineFormula) {
  const PipelineCosts c = costs(1200, 1200, 1200);
  EXPECT_DOUBLE_EQ(predicted_us(c, 1, 8), 3600);
  EXPECT_DOUBLE_EQ(predicted_us(c, 4, 1), 3600);  // one stream hides nothing
  EXPECT_DOUBLE_EQ(predicted_us(c, 4, 3),
                   900 + 900);  // first piece through all stages, then one after another
  EXPECT_DOUBLE_EQ(predicted_us(c, 4, 2), 900 + 3 * 450);
  PipelineCosts slow = c;
  slow.submit_us_per_piece = 1000;  // the submitting thread sets the pace
  EXPECT_DOUBLE_EQ(predicted_us(slow, 4, 3), 900 + 3000);
}

TEST(Limits, KernelsThatLeaveRoomRunBesideEachOther) {
  PipelineCosts c = costs(10, 100, 10);
  c.kernel_share = 0.25;
  EXPECT_DOUBLE_EQ(bound_us(c), 25);
  EXPECT_DOUBLE_EQ(predicted_us(c, 10, 2), 12 + 9 * 6);  // two at a time: all stages over two streams
  EXPECT_DOUBLE_EQ(predicted_us(c, 10, 8), 12 + 9 * 2.5);
  EXPECT_GE(best_chunking(c).streams, 4U);
}

TEST(Limits, FindsTheBestChunking) {
  PipelineCosts c = costs(4600, 100, 4600);
  c.in.per_piece_us = c.out.per_piece_us = 8;
  c.kernel.per_piece_us = 5;
  const Chunking best =
      best_chunking(c);  // sqrt((100 + 4600) / 8) = 24.2; 4600 + 13 + 2 sqrt(8 * 4700) = 5001
  EXPECT_EQ(best.pieces, 24U);
  EXPECT_EQ(best.streams, 3U);
  EXPECT_NEAR(best.time_us, 5001, 1);
  PipelineCosts only_kernel = costs(0, 100, 0);
  only_kernel.kernel.per_piece_us = 5;
  EXPECT_EQ(best_chunking(only_kernel).pieces, 1U);  // nothing to hide
}

TEST(Limits, DoubleBufferHidesTheShorterStage) {
  EXPECT_DOUBLE_EQ(double_buffer_bound_us(1, 1, 0, 10), 11);
  EXPECT_DOUBLE_EQ(double_buffer_bound_us(1, 2, 0, 10), 21);
  EXPECT_DOUBLE_EQ(double_buffer_bound_us(0.2, 1, 0, 10), 10.2);
  EXPECT_DOUBLE_EQ(double_buffer_bound_us(1, 1, 3, 2), 8);
}

TEST(Limits, ConcurrencyPaysOnlyWhereWavesAreNotFull) {
  EXPECT_DOUBLE_EQ(concurrent_share(2, 4, 132), 0.5);    // both fit
  EXPECT_DOUBLE_EQ(concurrent_share(2, 99, 132), 0.75);  // one and a half do
  EXPECT_DOUBLE_EQ(concurrent_share(2, 132, 132), 1);    // each fills the device
  EXPECT_DOUBLE_EQ(concurrent_share(8, 132, 132), 1);
  EXPECT_DOUBLE_EQ(concurrent_share(2, 140, 132), 0.5);            // the second wave is nearly empty
  EXPECT_NEAR(concurrent_share(2, 2880, 132), 21.318 / 22, 1e-4);  // only the last wave has room
  EXPECT_DOUBLE_EQ(concurrent_share(2, 0, 132), 1);
  EXPECT_DOUBLE_EQ(concurrent_share(2, 10, 0), 1);
}

TEST(Limits, PercentagesSayWhatIsHidden) {
  EXPECT_DOUBLE_EQ(percent_of(1, 4), 25);
  EXPECT_DOUBLE_EQ(percent_of(1, 0), 0);
  EXPECT_DOUBLE_EQ(*overlap_percent(10, 5, 7.5), 50);
  EXPECT_DOUBLE_EQ(*overlap_percent(10, 5, 12), 0);   // slower than serial
  EXPECT_DOUBLE_EQ(*overlap_percent(10, 5, 4), 120);  // a beaten bound shows
  EXPECT_FALSE(overlap_percent(10, 9.9, 10));         // nothing to hide
  EXPECT_EQ(longest({{"a", 1}, {"b", 3}, {"c", 2}}), "b");
  EXPECT_EQ(longest({}), "");
}

}  // namespace
}  // namespace overlap
