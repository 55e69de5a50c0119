// What the report makes of families: of one that it has never heard of, of one in a file, of an axis that was
// added late, of rows that share their data. And that a row has one name, whoever wrote it down.
#include <fmt/format.h>

#include <set>

#include "command.hpp"
#include "judge/normal.hpp"
#include "judge/tolerances.hpp"
#include "judge/verdict.hpp"
#include "known.hpp"
#include "names/counters.hpp"
#include "run_text.hpp"

namespace overlap::report {
namespace {

const std::string kRecorded = std::string(OVERLAP_SOURCE) + "/reports/h200/";

std::string kettle(const std::string& heat, int cups, double us) {
  return row_text(fmt::format("kettle/heat:{}/cups:{}/manual_time", heat, cups), us, "us",
                  fmt::format(R"(, "cups_per_s": {})", cups * 1e6 / us));
}

/// Two axes, one counter.
report::Run kettles(const std::string& context) {
  return parse_run(run_text(kettle("gas", 1, 10) + "," + kettle("mains", 1, 5) + "," + kettle("gas", 2, 30) +
                                "," + kettle("mains", 2, 10),
                            context),
                   "x");
}

TEST(Families, OneThatNobodyKnowsGetsAPlainTable) {
  const auto views = make_views({kettles(R"("gpu": "G")")}, {});
  ASSERT_EQ(views.size(), 1U);
  EXPECT_EQ(views[0].rows.size(), 4U);
  EXPECT_TRUE(views[0].baseline.empty());
  EXPECT_TRUE(advise(kettles(R"("gpu": "G")")).choices.empty());
}

TEST(Families, OneThatBringsItsFactsGetsTablesAndAdvice) {
  const report::Run run =
      kettles(R"("gpu": "G", "family.kettle": "work=cups; plain=heat:gas; columns=cups_per_s")");
  const auto views = make_views({run}, {});
  ASSERT_EQ(views.size(), 2U) << "a table for each work";
  EXPECT_EQ(views[1].fixed, (Axes{{"cups", "2"}}));
  EXPECT_EQ(views[1].baseline, (Axes{{"heat", "gas"}}));
  EXPECT_DOUBLE_EQ(*views[1].rows[1].cells[0].number("speedup"), 3);
  EXPECT_DOUBLE_EQ(*views[1].rows[1].cells[0].number("cups_per_s"), 200'000);
  EXPECT_NE(std::ranges::find(views[1].metrics, "cups_per_s", &Metric::name), views[1].metrics.end());
  const Advice advice = report::advise(run);
  ASSERT_EQ(advice.choices.size(), 2U);
  EXPECT_EQ(advice.choices[1].best, (Axes{{"heat", "mains"}}));
  EXPECT_DOUBLE_EQ(advice.choices[1].gain.ratio, 3);
}

TEST(Families, OneInAFileSaysWhatItWants) {
  Families families = known_families();
  families.push_back({.name = "kettle",
                      .work = {"cups"},
                      .plain = {{"heat", "gas"}},
                      .columns = {{{"cups_per_s", "tea", Metric::Form::tenths}}},
                      .notes = [](const Rows& rows) {
                        return std::vector<std::string>{fmt::format("{} kettles", rows.size())};
                      }});
  const auto views = make_views({kettles(R"("gpu": "G")")}, {}, families);
  ASSERT_EQ(views.size(), 2U);
  EXPECT_EQ(views[0].notes, (std::vector<std::string>{"2 kettles"}));
  EXPECT_EQ(std::ranges::find(views[0].metrics, "cups_per_s", &Metric::name)->head, "tea");
}

/// An axis is added to every row of a recorded run: at its default, and some at another value.
TEST(Families, ALateAxisBreaksNoHistory) {
  Families families = known_families();
  auto pipeline = std::ranges::find(families, "pipeline", &FamilyReport::name);
  pipeline->defaults = {{"alloc", "kept"}};
  const report::Run before = read_run(kRecorded + "quick.json");
  report::Run after = before;
  std::size_t changed = 0;
  for (const Row& row : before.rows) {
    if (row.family() != "pipeline") continue;
    after.rows[static_cast<std::size_t>(&row - before.rows.data())].id.axes.emplace_back("alloc", "kept");
    Row other = row;
    other.id.axes.emplace_back("alloc", "pool");
    after.rows.push_back(std::move(other));
    ++changed;
  }
  ASSERT_GT(changed, 50U);
  normalise(after, families);
  const Judgement judgement = judge({before}, {after}, {});
  EXPECT_EQ(judgement.count(Verdict::removed), 0U);
  EXPECT_EQ(judgement.count(Verdict::added), changed);
  EXPECT_EQ(judgement.rows.size(), before.rows.size() + changed);
  // Beside rows that have another value, a row without one has the default.
  for (const View& view : make_views({after}, {}, families)) {
    if (view.family != "pipeline") continue;
    const auto column = std::ranges::find(view.columns, "alloc") - view.columns.begin();
    ASSERT_LT(column, std::ssize(view.columns));
    std::set<std::string> values;
    for (const ViewRow& row : view.rows) values.insert(row.values[static_cast<std::size_t>(column)]);
    EXPECT_EQ(values, (std::set<std::string>{"kept", "pool"}));
  }
}

TEST(Families, RowsOfTheSameDataHaveOneBound) {
  const auto bounds = [](const report::Run& run) {
    std::set<double> all;
    for (const Row& row : run.rows)
      if (row.family() == "pipeline" && row.axis("mem") == "pageable")
        all.insert(*row.counter(counter::kBoundUs));
    return all;
  };
  report::Run paper = read_run(kRecorded + "paper.json");
  const std::set<double> before = bounds(paper);
  ASSERT_EQ(before.size(), 3U);
  const report::Run as_written = paper;
  normalise(paper, known_families());
  EXPECT_EQ(bounds(paper), (std::set<double>{*before.begin()}));
  for (const Row& row : paper.rows) {
    const auto bound = row.counter(counter::kBoundUs), pct = row.counter(counter::kBoundPct);
    if (!bound) continue;
    EXPECT_NEAR(*pct, 100 * *bound / row.time_us(), 1e-9) << row.name();
  }
  // The order in which rows ran does not matter.
  report::Run shuffled = as_written;
  std::ranges::reverse(shuffled.rows);
  normalise(shuffled, known_families());
  EXPECT_EQ(bounds(shuffled), bounds(paper));
}

TEST(Families, FactsThatDifferMakeRunsIncomparable) {
  const auto with = [](const std::string& facts) {
    return kettles(R"("gpu": "G", "family.kettle": ")" + facts + '"');
  };
  const auto blocks = [&](const std::string& before, const std::string& after, CompareOptions options = {}) {
    return !judge({with(before)}, {with(after)}, options).comparable();
  };
  EXPECT_TRUE(blocks("defaults=alloc:kept", "defaults=alloc:pool"));
  EXPECT_FALSE(
      blocks("defaults=alloc:kept", "defaults=alloc:pool", {.allowed_differences = {"family.kettle"}}));
  EXPECT_FALSE(blocks("work=cups; defaults=alloc:kept", "work=heat; defaults=alloc:kept"));
}

TEST(Families, UsualColumnsAreNotTheirs) {
  const auto views =
      make_views({kettles(R"("family.kettle": "plain=:,heat:gas; work=cups,cups; columns=speedup")")}, {});
  ASSERT_EQ(views.size(), 2U);
  EXPECT_EQ(views[0].fixed, (Axes{{"cups", "1"}}));
  EXPECT_EQ(views[0].baseline, (Axes{{"heat", "gas"}}));
  EXPECT_DOUBLE_EQ(*views[0].rows[1].cells[0].number("speedup"), 2);
}

TEST(Families, RowsWithoutAxesAreNobodysGuests) {
  const std::string rows =
      row_text("torch_swish", 1) + "," +
      row_text("swish/pass:forward/impl:vector/cache:hot/timing:steady/n:1000", 2) + "," +
      row_text("torch_swish/pass:forward/impl:silu/submit:launch/n:1000/dtype:float32", 3);
  report::Run run = parse_run(run_text(rows), "x");
  add_guests(run, known_families());
  EXPECT_EQ(run.rows.size(), 4U);
}

/// Minutes, if each looked through all rows.
TEST(Families, ManyGuestsAndManyJobsAreNoTrouble) {
  const int jobs = static_cast<int>(many(4000));
  std::string swish, waits;
  for (int n = 1; n <= jobs; ++n) {
    swish += fmt::format(
        "{}{},{}", n > 1 ? "," : "",
        row_text(fmt::format("torch_swish/pass:p{0}/impl:extension/submit:launch/n:{0}/dtype:float32", n), 2),
        row_text(fmt::format("swish/pass:p{0}/impl:vector/cache:hot/timing:steady/n:{0}", n), 1));
    for (const auto& [sync, buffers, time] :
         {std::tuple("serial", 1, 10), {"per_buffer", 2, 5}, {"per_buffer", 3, 4}})
      waits += (waits.empty() ? "" : ",") +
               row_text(fmt::format(
                            "double_buffer/sync:{}/buffers:{}/submit:launch/result:device/dim:{}/batches:8",
                            sync, buffers, n),
                        time, "us", R"(, "transfer_pct": 40.0)");
  }
  report::Run guests = parse_run(run_text(swish), "x");
  add_guests(guests, known_families());
  EXPECT_EQ(guests.rows.size(), 3U * static_cast<std::size_t>(jobs));
  const Advice advice = report::advise(parse_run(run_text(waits), "x"));
  const auto section = std::ranges::find(advice.sections, "Double buffering", &AdviceSection::title);
  ASSERT_NE(section, advice.sections.end());
  EXPECT_EQ(section->lines.size(), static_cast<std::size_t>(jobs));
  EXPECT_TRUE(contains(section->lines.back(), "2.00x with two buffers")) << section->lines.back();
}

TEST(Names, AToleranceFitsHoweverItsRowWasWrittenDown) {
  const report::Run run = parse_run(run_text(row_text("a/n:1/manual_time", 1)), "x");
  for (const char* name : {"a/n:1", "a/n:1/manual_time"}) {
    CompareOptions options;
    options.tolerances = {{name, 0.5, true}};
    const Judgement judgement = judge({run}, {run}, options);
    EXPECT_DOUBLE_EQ(judgement.rows.at(0).tolerance, 0.5) << name;
    EXPECT_TRUE(judgement.warnings.empty()) << name;
  }
}

std::vector<std::string> names_of(const report::Run& run) {
  std::vector<std::string> names;
  for (const Row& row : run.rows) names.push_back(row.name());
  return names;
}

TEST(Names, NoTwoRowsHaveTheSame) {
  const auto instance = [](const std::string& name, int index) {
    return row_text(name, index, "us", fmt::format(R"(, "family_index": {})", index));
  };
  const report::Run run = parse_run(run_text(instance("a", 1) + "," + instance("a", 2) + "," +
                                             instance("a #2", 3) + "," + instance("a #2/manual_time", 4)),
                                    "x");
  EXPECT_EQ(names_of(run), (std::vector<std::string>{"a", "a #2", "a #3", "a #2/manual_time"}));
  EXPECT_EQ(run.warnings.size(), 1U);
  // In the order of registration, in whatever order the file has them.
  const report::Run shuffled = parse_run(run_text(instance("a", 2) + "," + instance("a", 1)), "x");
  EXPECT_EQ(shuffled.rows[0].times_us, (std::vector<double>{1}));
  EXPECT_EQ(names_of(shuffled), (std::vector<std::string>{"a", "a #2"}));
}

TEST(Names, DefaultsThatMakeNamesEqualLoseNoRow) {
  report::Run run = parse_run(run_text(row_text("x/n:5/alloc:kept", 1) + "," + row_text("x/n:5", 2) + "," +
                                           row_text("x/alloc:kept/n:5", 3),
                                       R"("family.x": "defaults=alloc:kept")"),
                              "x");
  normalise(run, known_families());
  EXPECT_EQ(names_of(run), (std::vector<std::string>{"x/n:5", "x/n:5 #2", "x/n:5 #3"}));
  EXPECT_EQ(run.warnings.size(), 1U);
  EXPECT_EQ(run.rows[1].axis("alloc"), "kept");
}

class NamesTest : public CommandTest {};

TEST_F(NamesTest, MeasuredTolerancesFitTheRowsOfAStore) {
  std::string files;
  for (int i = 0; i < 4; ++i)
    files += " " + write(fmt::format("{}.json", i),
                         run_text(row_text("a/n:1/manual_time", 100 + i) + "," + row_text("b/n:1", 50 + i),
                                  R"("gpu": "G", "revision": "r", "date": "2026-01-01")"));
  const std::string report = OVERLAP_REPORT;
  ASSERT_EQ(run_command(report + " noise" + files + " -o " + path("tolerances.json")).exit_code, 0);
  ASSERT_EQ(run_command(report + " history add " + path("store") + files).exit_code, 0);
  const CommandResult result =
      run_command(report + " compare --baseline-store " + path("store") + " --last 4 --new" + files +
                  " --tolerances " + path("tolerances.json"));
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_FALSE(contains(result.output, "warning")) << result.output;
}

}  // namespace
}  // namespace overlap::report
