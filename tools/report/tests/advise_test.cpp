// Advice from made-up runs, so that each sentence has the numbers that must bring it about.
#include "judge/advise.hpp"
#include "judge/statistics.hpp"
#include "known.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "run_text.hpp"

namespace overlap::report {
namespace {

using Counters = std::map<std::string, double>;

std::string row(const std::string& name, double time_us, const Counters& counters = {},
                const std::string& bound_by = "") {
  std::string more;
  for (const auto& [key, value] : counters) more += fmt::format(R"(, "{}": {})", key, value);
  if (!bound_by.empty()) more += fmt::format(R"(, "label": "bound_by:{}")", bound_by);
  return row_text(name + "/manual_time", time_us, "us", more);
}

report::Run run_of(const std::vector<std::string>& rows, const std::string& context = "") {
  return parse_run(run_text(fmt::format("{}", fmt::join(rows, ",")), context), "made-up.json");
}

std::string pipeline(const std::string& order, const std::string& mem, int streams, int chunk,
                     const std::string& rest = "") {
  return fmt::format(
      "pipeline/order:{}/mem:{}/submit:launch/streams:{}/chunk:{}/schedule:even/layout:separate/n:100/"
      "work:1{}",
      order, mem, streams, chunk, rest);
}

std::string buffered(const std::string& sync, int buffers, int dim = 64) {
  return fmt::format("double_buffer/sync:{}/buffers:{}/submit:launch/result:device/dim:{}/batches:10", sync,
                     buffers, dim);
}

const Rule& rule(const std::vector<Rule>& rules, const std::string& start) {
  for (const Rule& each : rules)
    if (each.rule.starts_with(start)) return each;
  throw std::runtime_error("no rule " + start);
}

bool any_contains(const std::vector<std::string>& lines, const std::string& text) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return contains(line, text); });
}

TEST(Notes, FitsALineToCopies) {
  std::vector<std::pair<double, double>> copies;
  for (double bytes : {4096.0, 1048576.0, 67108864.0}) copies.emplace_back(bytes, 2.5 + bytes / 50e3);
  const auto line = fit_line(copies);
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->at_zero, 2.5, 1e-9);
  EXPECT_NEAR(1e-3 / line->slope, 50, 1e-9);
  EXPECT_FALSE(fit_line({copies[0]}));
  EXPECT_FALSE(fit_line({copies[0], copies[0]}));
  EXPECT_FALSE(fit_line({}));
  const auto notes_for = [](double first_us, double second_us) {
    return make_views({run_of({row("transfer/dir:h2d/mem:pinned/bytes:10", first_us),
                               row("transfer/dir:h2d/mem:pinned/bytes:20", second_us)})},
                      {})
        .at(0)
        .notes;
  };
  EXPECT_EQ(notes_for(5, 6).size(), 1U);
  EXPECT_TRUE(notes_for(5, 4).empty()) << "faster when larger: no such line";
}

TEST(Notes, TablesSayWhetherMoreBuffersHelp) {
  const auto notes_for = [](double three_us) {
    const report::Run run =
        run_of({row(buffered("per_buffer", 2), 100), row(buffered("per_buffer", 3), three_us)});
    return make_views({run}, {}).at(0).notes;
  };
  EXPECT_TRUE(any_contains(notes_for(100.2), "within 2 % of 2 buffers: 3"));
  EXPECT_TRUE(any_contains(notes_for(80), "better than 2 buffers: 3 (takes 20.0 % less time)"));
  EXPECT_TRUE(any_contains(notes_for(120), "worse than 2 buffers: 3 (takes 20.0 % more time)"));
}

TEST(Advice, AdvisesTheSimplestOfEquals) {
  const report::Run run = run_of(
      {row(pipeline("sequential", "pinned", 1, 100), 40, {{"chunks", 1}}),
       row(pipeline("depth_first", "pinned", 4, 10), 25, {{"chunks", 10}, {"bound_pct", 80}}),
       row(pipeline("engine_streams", "pinned", 3, 10), 20.05,
           {{"chunks", 10}, {"bound_pct", 97}, {"best_chunks", 12}, {"best_streams", 2}}, "duplex_link"),
       row(pipeline("engine_streams", "registered", 3, 10), 20, {{"chunks", 10}, {"bound_pct", 97}})});
  const Advice advice = advise(run);
  ASSERT_EQ(advice.choices.size(), 1U);
  const Choice& choice = advice.choices[0];
  EXPECT_TRUE(contains(choice.row, "engine_streams/mem:pinned"));
  EXPECT_NEAR(choice.gain.ratio, 40 / 20.05, 1e-9);
  EXPECT_FALSE(choice.gain.low || choice.gain.high) << "a single sample has no spread";
  EXPECT_TRUE(any_contains(choice.hints, "only a faster duplex_link"));
  EXPECT_TRUE(any_contains(choice.hints, "equal chunks: 10 on 4 streams do best (model: 12)"));
}

TEST(Advice, IntervalsOfRatiosAreNeverNegative) {
  const auto gain = [](double cv) {
    const Counters samples = {{"cv", cv}, {"samples", 4}};
    return advise(run_of({row(pipeline("sequential", "pinned", 1, 100), 40, samples),
                          row(pipeline("depth_first", "pinned", 4, 10), 20, samples)}))
        .choices.at(0)
        .gain;
  };
  for (const double cv : {0.01, 0.3, 2.0, 20.0}) {
    const Gain each = gain(cv);
    EXPECT_EQ(each.low.has_value(), each.high.has_value()) << cv;
    EXPECT_TRUE(each.low || cv > 1) << cv;  // so much noise leaves no interval
    EXPECT_GT(each.low.value_or(0.1), 0) << cv;
    EXPECT_LT(each.low.value_or(0.1), each.ratio) << cv;
    EXPECT_GT(each.high.value_or(100), each.ratio) << cv;
  }
}

TEST(Advice, WriteCombinedMemoryIsForDataThatTheCpuOnlyWrites) {
  const auto choice = [](const char* dir) {
    const auto copy = [dir](const char* mem) {
      return fmt::format("transfer/dir:{}/mem:{}/bytes:1048576", dir, mem);
    };
    const Counters samples = {{"cv", 0.01}, {"samples", 20}};
    return advise(run_of({row(copy("pageable"), 100, samples), row(copy("pinned"), 40, samples),
                          row(copy("write_combined"), 20, samples)}))
        .choices.at(0);
  };
  for (const char* dir : {"d2h", "duplex"}) EXPECT_EQ(value_of(choice(dir).best, "mem"), "pinned") << dir;
  const Choice in = choice("h2d");
  const bool is_advised = value_of(in.best, "mem") == "write_combined";
  EXPECT_TRUE(!is_advised || any_contains(in.hints, "if the CPU only writes it"));
}

TEST(Advice, SaysWhetherRoomWasLeftForConcurrency) {
  const auto hints_for = [](double possible) {
    const Counters counters = {
        {"possible_speedup", possible}, {"blocks", 8}, {"resident_blocks", 16}, {"bound_pct", 50}};
    const report::Run run = run_of({row("concurrent/tasks:2/streams:1/submit:launch/dim:64", 10, counters),
                                    row("concurrent/tasks:2/streams:2/submit:launch/dim:64", 9, counters)});
    return advise(run).choices.at(0).hints;
  };
  EXPECT_TRUE(any_contains(hints_for(2), "leaves room for 2.00x (8 blocks, 16 at once)"));
  EXPECT_TRUE(any_contains(hints_for(1.03), "fills the device"));
}

TEST(Advice, GraphsStopPayingAndArePaidBack) {
  const auto sequence = [](const char* submit, int n) {
    return fmt::format("sequence/submit:{}/timing:steady/kernels:3/n:{}", submit, n);
  };
  const auto cost = [](const char* phase, int kernels) {
    return fmt::format("graph_cost/phase:{}/width:1/kernels:{}", phase, kernels);
  };
  const report::Run run =
      run_of({row(sequence("launch", 10), 20), row(sequence("graph", 10), 10),
              row(sequence("graph_pdl", 10), 8), row(sequence("launch", 1000000), 100),
              row(sequence("graph", 1000000), 99), row(cost("capture", 10), 10),
              row(cost("instantiate", 10), 20), row(cost("upload", 10), 12), row(cost("replay", 10), 10),
              row(cost("loop", 10), 20), row(cost("capture", 1), 10), row(cost("instantiate", 1), 20),
              row(cost("upload", 1), 12), row(cost("replay", 1), 10), row(cost("loop", 1), 10)});
  const auto lines = advise(run).sections.at(0).lines;
  EXPECT_TRUE(
      any_contains(lines, "n 10, 3 kernels back to back: 2.00x over launches, 2.50x with programmatic"));
  EXPECT_TRUE(any_contains(lines, "stop paying (gain under 5 %) between n 10 and 1,000,000"));
  EXPECT_TRUE(any_contains(
      lines,
      "10 empty kernels: making the graph takes 42.0 us, a replay saves 10.0 us: paid back after 5 replays"));
  EXPECT_TRUE(any_contains(
      lines, "1 empty kernel: making the graph takes 42.0 us, a replay saves nothing: never paid back"));
}

TEST(Advice, NamesTheCauseOfLostOverlap) {
  const Counters lost = {{"overlap_pct", 10}, {"chunks", 10}, {"best_chunks", 10}};
  const auto with = [&](Counters more) {
    for (const auto& each : lost) more.insert(each);
    return more;
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {row(pipeline("depth_first", "pageable", 4, 10), 40), "pageable memory"},
      {row(pipeline("depth_first", "pinned", 1, 10), 40, lost), "too few streams"},
      {row(pipeline("depth_first", "pinned", 4, 1), 40, with({{"chunks", 100}})), "chunks too small"},
      {row(pipeline("depth_first", "pinned", 4, 50), 40, with({{"chunks", 2}})), "chunks too large"},
      {row(pipeline("depth_first", "pinned", 4, 10), 40, with({{"host_bound", 1}})), "submission bound"},
      {row(pipeline("breadth_first", "pinned", 4, 10), 40, lost), "order"},
      {row(pipeline("depth_first", "pinned", 4, 10), 40, lost), "not known"},
      {row(buffered("whole_stream", 2), 40, lost), "whole-stream wait"},
      {row(buffered("per_buffer", 1), 40, lost), "one buffer"},
  };
  for (const auto& [text, cause] : cases) {
    const auto losses = advise(run_of({text})).losses;
    ASSERT_EQ(losses.size(), 1U) << cause;
    EXPECT_TRUE(losses[0].cause.starts_with(cause)) << losses[0].cause << ", expected " << cause;
    EXPECT_FALSE(losses[0].remedy.empty());
  }
  const auto one_engine =
      advise(run_of({row(pipeline("depth_first", "pinned", 4, 10), 40, lost)}, R"("copy_engines": "1")"));
  EXPECT_TRUE(one_engine.losses.at(0).cause.starts_with("one copy engine"));
  // What was never meant to overlap, and what did, lost nothing.
  const std::string side_by_side = "concurrent/tasks:2/streams:2/submit:launch/dim:64";
  EXPECT_TRUE(advise(run_of({row(side_by_side, 40, {{"possible_speedup", 1.0}})})).losses.empty())
      << "a full device has nothing to lose";
  EXPECT_TRUE(advise(run_of({row(side_by_side, 40, with({{"possible_speedup", 2.0}}))})).losses.empty());
  // Rows that a sweep has on purpose, beside better ones.
  EXPECT_TRUE(
      advise(run_of({row(pipeline("depth_first", "pageable", 4, 10), 40, lost),
                     row(pipeline("depth_first", "pinned", 1, 10), 40, lost),
                     row(pipeline("depth_first", "pinned", 4, 10), 20, {{"overlap_pct", 90}}),
                     row(buffered("whole_stream", 2), 40, lost), row(buffered("per_buffer", 1), 40, lost),
                     row(buffered("per_buffer", 2), 20, {{"overlap_pct", 90}})}))
          .losses.empty());
  EXPECT_TRUE(advise(run_of({row(pipeline("sequential", "pinned", 1, 100), 40, lost),
                             row(buffered("serial", 1), 40, lost),
                             row(pipeline("depth_first", "pinned", 4, 10), 20, {{"overlap_pct", 90}})}))
                  .losses.empty());
}

TEST(Rules, AreAnsweredByRows) {
  using Verdict = Rule::Verdict;
  const auto empty = check_rules(run_of({row("timer/what:event_pair/streams:1", 1)}));
  for (const Rule& each : empty) {
    EXPECT_EQ(each.verdict, Verdict::not_measured) << each.rule;
    EXPECT_TRUE(each.rows.empty()) << each.rule;
  }
  const auto rules_for = [](double pageable_us, double many_streams_us, double small_chunks_us) {
    return check_rules(
        run_of({row(pipeline("sequential", "pinned", 1, 100), 40, {{"chunks", 1}}),
                row(pipeline("depth_first", "pinned", 1, 10), 41, {{"chunks", 10}}),
                row(pipeline("depth_first", "pinned", 2, 10), 30, {{"chunks", 10}}),
                row(pipeline("depth_first", "pinned", 8, 10), many_streams_us, {{"chunks", 10}}),
                row(pipeline("depth_first", "pinned", 2, 2), small_chunks_us, {{"chunks", 50}}),
                row(pipeline("sequential", "pageable", 1, 100), 90, {{"chunks", 1}}),
                row(pipeline("depth_first", "pageable", 4, 10), pageable_us, {{"chunks", 10}})}));
  };
  const auto usual = rules_for(88, 31, 35), unusual = rules_for(60, 20, 29);
  for (const char* start : {"2 to 4 streams", "small chunks"}) {
    EXPECT_EQ(rule(usual, start).verdict, Verdict::is_true) << start;
    EXPECT_GE(rule(usual, start).rows.size(), 2U) << start;
    if (std::string(start) == "small chunks") continue;
    EXPECT_EQ(rule(unusual, start).verdict, Verdict::is_false) << start;
  }
}

TEST(Rules, PageableMemoryIsJudgedByWhatIsLeftOfTheGain) {
  using Verdict = Rule::Verdict;
  const auto verdict = [](double pinned_us, double pageable_us) {
    std::vector<std::string> rows = {row(pipeline("sequential", "pinned", 1, 100), 40),
                                     row(pipeline("sequential", "pageable", 1, 100), 90)};
    for (const int streams : {2, 4, 8}) {
      rows.push_back(row(pipeline("depth_first", "pinned", streams, 10), pinned_us + 0.1 * streams));
      rows.push_back(row(pipeline("depth_first", "pageable", streams, 10), pageable_us + 0.1 * streams));
    }
    return rule(check_rules(run_of(rows)), "pageable memory").verdict;
  };
  EXPECT_EQ(verdict(30, 90), Verdict::is_true);
  EXPECT_EQ(verdict(30, 83), Verdict::overstated);
  EXPECT_EQ(verdict(30, 70), Verdict::is_false);
  EXPECT_EQ(verdict(30, 110), Verdict::understated);
  EXPECT_EQ(verdict(38, 90), Verdict::not_measurable) << "there is nothing to kill";
}

TEST(Rules, DoubleBufferingIsJudgedByTheShareOfCopies) {
  using Verdict = Rule::Verdict;
  std::vector<std::string> rows;
  const std::vector<std::tuple<int, double, double>> cases = {
      {1, 40, 60}, {2, 20, 80}, {3, 10, 90}};  // dim, share, two buffers' time
  for (const auto& [dim, share, two_us] : cases) {
    rows.push_back(row(buffered("serial", 1, dim), 100, {{"transfer_pct", share}}));
    rows.push_back(row(buffered("per_buffer", 2, dim), two_us, {{"transfer_pct", share}}));
    rows.push_back(row(buffered("per_buffer", 3, dim), two_us, {{"transfer_pct", share}}));
  }
  const auto rules = check_rules(run_of(rows));
  EXPECT_EQ(rule(rules, "double buffering pays when").verdict, Verdict::is_true);
  EXPECT_EQ(rule(rules, "double buffering pays little").verdict, Verdict::understated) << "1.25x";
  EXPECT_EQ(rule(rules, "double buffering costs").verdict, Verdict::is_false);  // 1.11x is no cost
  EXPECT_EQ(rule(rules, "a third buffer").verdict, Verdict::is_true);
  EXPECT_TRUE(any_contains(advise(run_of(rows)).sections.at(1).lines,
                           "dim 1, 10 batches: copies take 40 % of a batch; 1.67x with two buffers"));
}

class AdviseTest : public CommandTest {};

TEST_F(AdviseTest, WritesTextAndJson) {
  const std::string file =
      write("run.json", run_text(row(pipeline("sequential", "pinned", 1, 100), 40) + "," +
                                 row(pipeline("depth_first", "pinned", 4, 10), 25)));
  const std::string report = std::string(OVERLAP_REPORT) + " advise " + file;
  const CommandResult text = run_command(report);
  EXPECT_EQ(text.exit_code, 0);
  for (const char* part : {"BEST CONFIGURATIONS", "1.60x", "RULES OF THUMB", "not measured"})
    EXPECT_TRUE(contains(text.output, part)) << text.output;
  const auto json = nlohmann::json::parse(run_command(report + " --format json").output);
  EXPECT_EQ(json["schema"], "overlap-advice-1");
  EXPECT_EQ(json["choices"][0]["best"]["streams"], "4");
  EXPECT_NEAR(json["choices"][0]["gain"]["ratio"].get<double>(), 1.6, 1e-9);
  EXPECT_EQ(json["rules"].size(), 9U);
  EXPECT_EQ(run_command(report + " --format junit").exit_code, 2);
  EXPECT_EQ(run_command(std::string(OVERLAP_REPORT) + " advise /nosuch.json").exit_code, 3);
}

}  // namespace
}  // namespace overlap::report
