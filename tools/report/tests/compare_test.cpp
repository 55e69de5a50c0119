// Comparisons as a user makes them: files, tolerances, exit codes.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "command.hpp"
#include "judge/tolerances.hpp"
#include "run_text.hpp"

namespace overlap::report {
namespace {

/// Runs of one row, a time each.
std::vector<report::Run> runs_of(const std::vector<double>& times, const std::string& name = "a/n:1") {
  std::vector<report::Run> runs;
  for (const double time : times) runs.push_back(parse_run(run_text(row_text(name, time)), "made-up.json"));
  return runs;
}

TEST(Tolerances, AreNotMadeOfOutliers) {
  const MeasuredTolerances measured = tolerances_from(runs_of({100, 101, 99, 500, 100, 100.5}), 0.02);
  EXPECT_LT(measured.tolerances.at(0).relative, 0.05);
  ASSERT_EQ(measured.warnings.size(), 1U);
  EXPECT_TRUE(contains(measured.warnings[0], "a/n:1"));
  EXPECT_TRUE(tolerances_from(runs_of({100, 101, 99}), 0.02).warnings.empty());
  const MeasuredTolerances wild = tolerances_from(runs_of({100, 500, 101, 500, 99}), 0.02);
  ASSERT_EQ(wild.warnings.size(), 1U);
  EXPECT_TRUE(contains(wild.warnings[0], "will not be seen")) << wild.warnings[0];
}

TEST(Tolerances, ComeFromRunsOfTheSameProgram) {
  const auto runs = runs_of({100, 110, 105}, "a(b)/n:1");
  const auto tolerances = tolerances_from(runs, 0.02).tolerances;
  ASSERT_EQ(tolerances.size(), 1U);
  EXPECT_NEAR(tolerances[0].relative, std::expm1(3 * std::sqrt(2.0) * 0.04766), 2e-3);
  CompareOptions options;
  options.tolerances = tolerances;
  EXPECT_TRUE(judge(runs, runs, options).warnings.empty()) << "it must fit its own row, brackets and all";
  EXPECT_DOUBLE_EQ(tolerances_from(runs_of({100, 100, 100}), 0.02).tolerances[0].relative, 0.02);
}

class CompareTest : public CommandTest {
 protected:
  std::string side(const std::string& name, const std::vector<double>& times,
                   const std::string& context = "") {
    std::string files;
    for (std::size_t i = 0; i < times.size(); ++i)
      files += " " + write(fmt::format("{}{}.json", name, i), run_text(row_text("a/n:1", times[i]), context));
    return files;
  }
  static int code(const std::string& arguments) {
    return run_command(std::string(OVERLAP_REPORT) + " compare" + arguments).exit_code;
  }
};

TEST_F(CompareTest, ExitCodesAreAsDocumented) {
  const std::string old = " --baseline" + side("old", {100, 101, 99, 100});
  const std::string same = " --new" + side("same", {100, 101, 99, 100});
  const std::string slow = " --new" + side("slow", {200, 201, 199, 200});
  const std::string noisy = " --new" + side("noisy", {70, 150, 99, 120});
  const std::string other = " --new" + side("other", {100, 101}, R"("gpu": "another")");
  EXPECT_EQ(code(old + same), 0);
  EXPECT_EQ(code(old + slow), 1);
  EXPECT_EQ(code(old + slow + " --advisory"), 0);
  EXPECT_EQ(code(old + noisy), 0);
  EXPECT_EQ(code(old + noisy + " --fail-on-inconclusive"), 4);
  EXPECT_EQ(code(old + other), 5);
  EXPECT_EQ(code(old + " --new" + side("cpus", {100, 101, 99}, R"("num_cpus": 64)")), 5);
  EXPECT_EQ(code(old + other + " --allow-context-diff=gpu --allow-context-diff=backend"), 0);
  const CommandResult two =
      run_command(OVERLAP_REPORT " compare" + old + " --new" + side("r", {100, 101}, R"("revision": "x")") +
                  side("s", {100}, R"("revision": "y")"));
  EXPECT_TRUE(contains(two.output, "s0.json differ in revision (x / y): that counts as noise")) << two.output;
  EXPECT_EQ(code(old), 2);
  EXPECT_EQ(code(old + same + " --metric chunks"), 2);
  const CommandResult typing = run_command(OVERLAP_REPORT " compare" + old + same + " --metric tme");
  EXPECT_TRUE(contains(typing.output, "there are time")) << typing.output;
  EXPECT_TRUE(contains(run_command(OVERLAP_REPORT " compare" + old + " --new" + old.substr(11)).output,
                       "old0.json is on both sides"));
  EXPECT_EQ(code(old + same + " --metric chunks:up"), 2);
  EXPECT_EQ(code(old + same + " --metric chunks:higher"), 2) << "no row has it";
  EXPECT_EQ(code(old + same + " --metric cpu_tme:lower"), 2);
  EXPECT_EQ(code(old + slow + " --tolerance 5"), 2) << "5 % or 500 %?";
  EXPECT_EQ(code(old + slow + " --tolerance 5%"), 1);
  EXPECT_EQ(code(old + slow + " --tolerance 150%"), 0);
  EXPECT_EQ(code(old + slow + " --tolerance '150 %'"), 0);
  for (const char* wrong : {"nan", "inf", "inf%", "1e400%", "-1%", "5%%", "%", "1", "1001%"})
    EXPECT_EQ(code(old + slow + " --tolerance " + wrong), 2) << wrong;
  EXPECT_EQ(code(old + slow + " --alpha 101%"), 2);
  EXPECT_EQ(code(old + same + " --allow-context-diff=gpuu"), 2);
  EXPECT_EQ(code(old + same + " --last 3"), 2);
  EXPECT_EQ(code(old + same + " --baseline-store " + path("store.jsonl") + " --last 3"), 2);
  EXPECT_EQ(code(old + same + " --tolerances " + write("idle.json", R"({"schema": "overlap-tolerances-1",
                                        "tolerances": [{"row": "b/n:1", "tolerance": 0.1}]})")),
            2);
  EXPECT_EQ(code(old + same + " --tolerances " + write("bad.json", "{}")), 3);
  EXPECT_EQ(
      code(old + same + " --tolerances " +
           write("worse.json",
                 R"({"schema": "overlap-tolerances-1", "tolerances": [{"pattern": "((", "tolerance": 1}]})")),
      3);
  const auto with = [&](const std::string& tolerance) {
    return " --tolerances " +
           write("mine.json", R"({"schema": "overlap-tolerances-1", "tolerances": [)" +
                                  (R"({"pattern": "^a", "tolerance": )" + tolerance) + "}]}");
  };
  EXPECT_EQ(code(old + slow + with("0.05")), 1);
  EXPECT_EQ(code(old + slow + with("\"150%\"")), 0);
  EXPECT_EQ(code(old + slow + with("5")), 3) << "5 % or 500 %?";
  EXPECT_EQ(code(old + slow + with("\"x\"")), 3);
  EXPECT_EQ(code(old + " --new /nosuch.json"), 3);
}

TEST_F(CompareTest, NoiseOfRunsBecomesAToleranceFile) {
  const std::string files = side("run", {100, 110, 105});
  const std::string report = OVERLAP_REPORT;
  EXPECT_EQ(run_command(report + " noise" + files + " -o " + path("noise.json")).exit_code, 0);
  EXPECT_EQ(run_command(report + " noise" + side("few", {1, 2})).exit_code, 2);
  const std::string mixed =
      side("x", {100, 101}, R"("revision": "x")") + side("y", {100}, R"("revision": "y")");
  EXPECT_EQ(run_command(report + " noise" + mixed).exit_code, 5);
  EXPECT_EQ(run_command(report + " noise --allow-context-diff=revision" + mixed).exit_code, 0);
  EXPECT_EQ(code(" --baseline" + files + " --new" + side("slow", {115, 125, 120}) + " --tolerances " +
                 path("noise.json")),
            0);
  // Rows that take next to nothing move by any factor on a busy machine; what is written must be readable.
  const std::string wild = side("wild", {1, 100, 10000});
  EXPECT_EQ(run_command(report + " noise" + wild + " -o " + path("wild.json")).exit_code, 0);
  EXPECT_EQ(code(" --baseline" + wild + " --new" + files + " --tolerances " + path("wild.json")), 0);
}

}  // namespace
}  // namespace overlap::report
