// Verdicts on runs that were recorded on a GPU: ten of the same program, one after the other, on one machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "command.hpp"
#include "judge/history.hpp"
#include "judge/tolerances.hpp"
#include "judge/verdict.hpp"
#include "read/json.hpp"
#include "run_text.hpp"
#include "show/export.hpp"

namespace overlap::report {
namespace {

constexpr std::size_t kASide = 5;
constexpr double kSlower = 1.05;
/// Rows that move by less from run to run, as `noise` tells. Of others, five runs cannot show 5 %.
constexpr double kSteady = 0.03;

struct Split {
  std::vector<Run> baseline, fresh;
};

class RecordedRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(runs_.size(), 2 * kASide);
    // Every way to split them, each once: the first run stays on the side of the baseline.
    std::vector<char> is_fresh(runs_.size(), 0);
    std::fill(is_fresh.end() - kASide, is_fresh.end(), 1);
    do {
      if (is_fresh[0]) continue;
      Split split;
      for (std::size_t i = 0; i < runs_.size(); ++i)
        (is_fresh[i] ? split.fresh : split.baseline).push_back(runs_[i]);
      splits_.push_back(std::move(split));
    } while (std::ranges::next_permutation(is_fresh).found);
    ASSERT_EQ(splits_.size(), 126U);
    if (!kSanitized) return;
    // The statistics are those of other builds; here a few go through the same code.
    for (std::size_t i = 0; i < 6; ++i) splits_[i] = splits_[20 * i];
    splits_.resize(6);
  }

  static CompareOptions with(std::vector<Tolerance> tolerances) {
    CompareOptions options;
    options.tolerances = std::move(tolerances);
    return options;
  }

  std::vector<std::string> steady_rows() const {
    std::vector<std::string> steady;
    for (const Tolerance& each : measured_)
      if (each.relative <= kSteady) steady.push_back(each.rows);
    return steady;
  }

  static double share(std::size_t part, std::size_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  }

  static bool is_call(const Comparison& row) {
    return row.verdict == Verdict::regressed || row.verdict == Verdict::improved;
  }

  const std::vector<report::Run> runs_ = read_store(OVERLAP_RECORDED_RUNS).runs;
  const std::vector<Tolerance> measured_ = tolerances_from(runs_, 0.02).tolerances;
  std::vector<Split> splits_;
};

/// Without measured tolerances the promise is the false discovery rate's. What is called then are rows that
/// the host paces: the machine had slow and fast spells, and a split that sorts runs by spell looks like a
/// change.
TEST_F(RecordedRuns, OfTheSameProgramDoNotDiffer) {
  std::size_t called = 0, called_with_tolerances = 0;
  for (const Split& split : splits_) {
    called += std::ranges::any_of(judge(split.baseline, split.fresh, {}).rows, is_call);
    called_with_tolerances +=
        std::ranges::any_of(judge(split.baseline, split.fresh, with(measured_)).rows, is_call);
  }
  EXPECT_EQ(called_with_tolerances, 0U);
  EXPECT_LE(share(called, splits_.size()), CompareOptions().alpha);
}

/// Slows some steady rows of the new side, and counts what is called rightly and wrongly.
TEST_F(RecordedRuns, SlowedByFivePercentAreCalled) {
  constexpr std::size_t kSlowed = 14;
  std::vector<std::string> steady = steady_rows();
  ASSERT_GE(steady.size(), 3 * kSlowed);
  std::mt19937 generator(1);
  std::size_t slowed = 0, called = 0, wrong = 0, called_with_tolerances = 0, wrong_with_tolerances = 0;
  for (Split split : splits_) {
    std::ranges::shuffle(steady, generator);
    const std::set<std::string> slow(steady.begin(), steady.begin() + kSlowed);
    for (report::Run& run : split.fresh)
      for (Row& row : run.rows)
        if (slow.contains(row.name()))
          for (double& time_us : row.times_us) time_us *= kSlower;
    slowed += slow.size();
    const auto count = [&](const CompareOptions& options, std::size_t& right, std::size_t& not_right) {
      for (const Comparison& row : judge(split.baseline, split.fresh, options).rows)
        if (is_call(row))
          ++(row.verdict == Verdict::regressed && slow.contains(row.name) ? right : not_right);
    };
    count({}, called, wrong);
    count(with(measured_), called_with_tolerances, wrong_with_tolerances);
  }
  EXPECT_GE(share(called, slowed), 0.95);
  EXPECT_GE(share(called_with_tolerances, slowed), 0.95);
  EXPECT_LE(share(wrong, called + wrong), CompareOptions().alpha);
  EXPECT_EQ(wrong_with_tolerances, 0U);
  RecordProperty("steady_rows", static_cast<int>(steady.size()));
}

class RecordedRunsAsFiles : public CommandTest {};

/// A run is judged alike whether it comes from its file or from a store, which keeps rows by another name:
/// with the same tolerances, to the same row, in each figure.
TEST_F(RecordedRunsAsFiles, AreJudgedAsThoseOfAStore) {
  const std::vector<report::Run> runs = read_store(OVERLAP_RECORDED_RUNS).runs;
  std::vector<std::string> files;
  for (std::size_t i = 0; i < runs.size(); ++i)
    files.push_back(write(std::to_string(i) + ".json", export_gbench({runs[i]})));
  const std::string tolerances =
      std::filesystem::path(OVERLAP_RECORDED_RUNS).parent_path() / "aa-tolerances.json";
  for (const std::set<std::size_t>& baseline :
       {std::set<std::size_t>{0, 1, 2, 3, 4}, {0, 2, 4, 6, 8}, {1, 4, 6, 7, 9}}) {
    if (kSanitized && !baseline.contains(7)) continue;  // one of them
    std::string old, fresh;
    for (std::size_t i = 0; i < files.size(); ++i) (baseline.contains(i) ? old : fresh) += " " + files[i];
    const std::string store = path("store.jsonl");
    std::filesystem::remove(store);
    ASSERT_EQ(run_command(OVERLAP_REPORT " history add " + store + old).exit_code, 0);
    for (const std::string& more : {std::string(), " --tolerances " + tolerances}) {
      const auto compared = [&](const std::string& with) {
        const CommandResult result =
            run_command(OVERLAP_REPORT " compare --format json" + more + with + " --new" + fresh);
        EXPECT_EQ(result.exit_code, 0) << result.output;
        return result.output;
      };
      const std::string by_files = compared(" --baseline" + old);
      EXPECT_EQ(by_files, compared(" --baseline-store " + store + " --commit " + runs[0].about("revision")));
      const Json json = Json::parse(by_files);  // so there is no warning either
      EXPECT_EQ(json.at("rows").elements().size(), runs[0].rows.size());
    }
  }
}

}  // namespace
}  // namespace overlap::report
