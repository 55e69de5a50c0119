// Runs of two programs on one machine, in one table.
#include "read/merge.hpp"
#include "known.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "judge/view.hpp"
#include "run_text.hpp"

namespace overlap::report {
namespace {

constexpr const char* kMachine = R"("gpu": "G", "driver": "1")";
constexpr const char* kKernel = "swish/pass:forward/impl:vector/cache:hot/timing:steady/n:8";

report::Run run_of(const std::string& rows, const std::string& context, const std::string& path) {
  return parse_run(run_text(rows, context), path);
}

std::string torch_row(const std::string& impl, const std::string& n, double time_us,
                      const std::string& pass = "forward") {
  return row_text("torch_swish/pass:" + pass + "/impl:" + impl + "/submit:launch/n:" + n + "/dtype:float32",
                  time_us);
}

report::Run cpp_run() { return run_of(row_text(kKernel, 97), kMachine, "cpp.json"); }

report::Run torch_run() {
  return run_of(torch_row("extension", "8", 100) + "," + torch_row("silu", "8", 110) + "," +
                    torch_row("cpu", "8", 5000) + "," + torch_row("silu", "9", 120),
                kMachine, "torch.json");
}

TEST(Merge, JoinsRunsOfOneMachineThatShareNoRow) {
  const auto runs = merged({cpp_run(), torch_run()});
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].path, "cpp.json + torch.json");
  EXPECT_EQ(runs[0].rows.size(), 5U);
}

TEST(Merge, KeepsOthersApart) {
  EXPECT_EQ(merged({cpp_run(), cpp_run()}).size(), 2U) << "the same rows";
  const auto elsewhere = run_of(row_text("a/n:1", 1), R"("gpu": "H", "driver": "1")", "other.json");
  EXPECT_EQ(merged({cpp_run(), elsewhere}).size(), 2U) << "another GPU";
  EXPECT_EQ(merged({}).size(), 0U);
}

/// How many runs are left of two that share no row.
std::size_t left_of(const std::string& context, const std::string& other) {
  return merged({run_of(row_text("a/n:1", 1), context, "a"), run_of(row_text("b/n:1", 1), other, "b")})
      .size();
}

TEST(Merge, WhatDiffersStaysApart) {
  const std::string same =
      R"("backend": "cuda", "gpu": "G", "host_name": "h", "num_cpus": 8, "driver": "1", "build_type": "Release", )"
      R"("revision": "abc", "library_build_type": "debug", "executable": "x")";
  EXPECT_EQ(left_of(same, same), 1U);
  const auto with = [&same](const std::string& was, const std::string& is) {
    std::string changed = same;
    return changed.replace(changed.find(was), was.size(), is);
  };
  for (const auto& [was, is] : {std::pair(R"("cuda")", R"("host")"),
                                {R"("G")", R"("H")"},
                                {R"("h")", R"("i")"},
                                {": 8", ": 9"},
                                {R"("1")", R"("2")"},
                                {"Release", "Debug"},
                                {"abc", "def"},
                                {R"("gpu": "G", )", ""}})
    EXPECT_EQ(left_of(same, with(was, is)), 2U) << is;
  for (const auto& [was, is] : {std::pair("abc", "unknown"),
                                {R"("revision": "abc", )", ""},
                                {R"("driver": "1", )", ""},
                                {R"("debug")", R"("release")"},
                                {R"("x")", R"("y")"}})
    EXPECT_EQ(left_of(same, with(was, is)), 1U) << is;
}

TEST(Merge, AGpuIsKnownByItsUuid) {
  const auto on = [](const std::string& host, const std::string& uuid) {
    return R"("backend": "cuda", "gpu": "G", "host_name": ")" + host + "\"" +
           (uuid.empty() ? "" : R"(, "gpu_uuid": ")" + uuid + "\"");
  };
  EXPECT_EQ(left_of(on("h", "GPU-1"), on("container", "GPU-1")), 1U);
  EXPECT_EQ(left_of(on("h", "GPU-1"), on("h", "GPU-2")), 2U);
  EXPECT_EQ(left_of(on("h", "GPU-1"), on("h", "")), 1U) << "the host's name, where one has no UUID";
  EXPECT_EQ(left_of(on("h", "GPU-1"), on("i", "")), 2U);
}

TEST(Merge, ForeignRunsAreKnownByWhatTheLibrarySays) {
  const auto foreign = [](const std::string& host, const std::string& program, const std::string& build) {
    return R"("host_name": ")" + host + R"(", "executable": ")" + program + R"(", "library_build_type": ")" +
           build + "\", \"date\": \"" + build + host + "\"";
  };
  const std::string one = foreign("h", "x", "release");
  EXPECT_EQ(left_of(one, one), 1U);
  EXPECT_EQ(left_of(one, foreign("i", "x", "release")), 2U);
  EXPECT_EQ(left_of(one, foreign("h", "y", "release")), 2U);
  EXPECT_EQ(left_of(one, foreign("h", "x", "debug")), 2U);
}

TEST(Merge, WhatOneSaysCountsForAllThatItJoins) {
  const auto of = [](const char* row, const char* revision) {
    return run_of(row_text(row, 1), std::string(R"("gpu": "G", "revision": ")") + revision + "\"", revision);
  };
  EXPECT_EQ(merged({of("a/n:1", "unknown"), of("b/n:1", "abc"), of("c/n:1", "def")}).size(), 2U);
  EXPECT_EQ(why_apart({of("a/n:1", "unknown"), of("b/n:1", "abc")}), "");
  EXPECT_EQ(why_apart({of("a/n:1", "unknown"), of("a/n:1", "abc"), of("a/n:1", "def")}),
            "abc and def differ in revision (abc / def)");
  EXPECT_EQ(why_apart({of("a/n:1", "abc"), of("a/n:1", "def")}, {"revision"}), "");
}

TEST(Merge, TheRawKernelStandsBesideTheExtension) {
  auto runs = merged({torch_run(), cpp_run()});
  add_guests(runs[0], known_families());
  const std::vector<View> views = make_views(runs, {});
  const auto view = std::ranges::find_if(views, [](const View& v) {
    return v.family == "torch_swish" && v.fixed.front() == std::pair<std::string, std::string>("n", "8");
  });
  ASSERT_NE(view, views.end());
  ASSERT_EQ(view->rows.size(), 4U);
  const auto cell = [&](const std::string& impl) {
    for (const ViewRow& row : view->rows)
      if (std::ranges::find(row.values, impl) != row.values.end()) return row.cells.at(0);
    return Cell{};
  };
  EXPECT_DOUBLE_EQ(*cell("kernel").number("time_us"), 97);
  EXPECT_DOUBLE_EQ(*cell("extension").number("pct_of_kernel"), 97);
  EXPECT_DOUBLE_EQ(*cell("extension").number("speedup"), 1.1);
  EXPECT_DOUBLE_EQ(*cell("extension").number("times_cpu"), 50);
  EXPECT_FALSE(cell("kernel").number("pct_of_kernel"));
}

TEST(Merge, RawKernelsLeadTheRowsOfTheirPass) {
  const std::string backward = "swish/pass:backward/impl:vector/cache:hot/timing:steady/n:8";
  auto runs =
      merged({run_of(torch_row("extension", "8", 100) + "," + torch_row("silu", "9", 120) + "," +
                         torch_row("extension", "8", 200, "backward"),
                     kMachine, "torch.json"),
              run_of(row_text(backward, 190) + "," + row_text(kKernel, 97) + "," +
                         row_text("swish/pass:forward/impl:vector/cache:hot/timing:steady/n:9", 110) + "," +
                         row_text("swish/pass:backward/impl:vector/cache:hot/timing:steady/n:9", 210),
                     kMachine, "cpp.json")});
  add_guests(runs[0], known_families());
  std::vector<std::string> order;
  for (const Row& row : runs[0].rows)
    if (row.family() == "torch_swish")
      order.push_back(row.axis("pass") + " " + row.axis("impl") + " " + row.axis("n"));
  EXPECT_EQ(order, (std::vector<std::string>{"forward kernel 8", "forward kernel 9", "forward extension 8",
                                             "forward silu 9", "backward kernel 8", "backward extension 8"}));
}

}  // namespace
}  // namespace overlap::report
