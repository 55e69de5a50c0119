// Files as they really come: every fault is read rightly with a warning, or refused with its place and
// reason.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "command.hpp"
#include "names/counters.hpp"
#include "read/json_text.hpp"
#include "read/results.hpp"
#include "run_text.hpp"

namespace overlap::report {
namespace {

report::Run read(const std::string& text) { return parse_run(text, "some.json"); }

bool warns(const report::Run& run, const std::string& text) {
  return std::ranges::any_of(run.warnings,
                             [&](const std::string& warning) { return contains(warning, text); });
}

const std::string kGood = run_text(row_text("a/n:1", 1.5) + "," + row_text("a/n:2", 2.5));

TEST(Reader, TakesGoodFilesWithoutAWord) {
  const report::Run run = read(kGood);
  EXPECT_TRUE(run.warnings.empty());
  ASSERT_EQ(run.rows.size(), 2U);
  EXPECT_DOUBLE_EQ(run.rows[1].time_us(), 2.5);
}

TEST(Reader, TakesByteOrderMarksAndLineEnds) {
  std::string crlf = kGood;
  for (std::size_t at = 0; (at = crlf.find(", ", at)) != std::string::npos; at += 3)
    crlf.replace(at, 2, ",\r\n");
  EXPECT_EQ(read("\xEF\xBB\xBF" + crlf).rows.size(), 2U);
  EXPECT_TRUE(read("\xEF\xBB\xBF" + crlf).warnings.empty());
}

TEST(Reader, TakesUtf16OfBothKinds) {
  for (const bool little : {true, false}) {
    std::string wide = little ? "\xFF\xFE" : "\xFE\xFF";
    for (const char c : kGood) wide += little ? std::string{c, '\0'} : std::string{'\0', c};
    const report::Run run = read(wide);
    EXPECT_EQ(run.rows.size(), 2U);
    EXPECT_TRUE(warns(run, "UTF-16"));
    EXPECT_FALSE(read(wide.substr(0, wide.size() - 20)).cut_off.empty());
  }
}

TEST(Reader, NumbersThatAreNoneAreMissingAndNeverZero) {
  for (const char* number : {"NaN", "nan", "-nan", "Infinity", "-Infinity", "inf", "null", "1e400",
                             "-nan(ind)", "1.#INF", "-1.#IND00"}) {
    const report::Run run = read(run_text(row_text("a/n:1", 1, "us", std::string(", \"x\": ") + number)));
    EXPECT_FALSE(run.rows[0].counter("x")) << number;
    EXPECT_EQ(warns(run, "NaN or infinite"), std::string(number) != "null") << number;
    const std::string time =
        std::string(R"({"name": "a/n:1", "time_unit": "us", "real_time": )") + number + "}";
    const report::Run failed = read(run_text(time + "," + row_text("b/n:1", 1)));
    EXPECT_TRUE(failed.rows[0].invalid) << number;
    EXPECT_TRUE(contains(failed.rows[0].failure, "not finite")) << failed.rows[0].failure;
    EXPECT_FALSE(failed.rows[1].failed()) << "the rest of the file is good";
  }
}

TEST(Reader, WrongFieldsFailTheirRowWithThePlace) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"name": "a/n:1", "time_unit": "us"})", "real_time is missing"},
      {R"({"name": "a/n:1", "time_unit": "us", "real_time": "1"})", "real_time is not a number"},
      {R"({"name": "a/n:1", "time_unit": "us", "real_time": [1]})", "real_time is not a number"},
      {R"({"name": "a/n:1", "time_unit": "weeks", "real_time": 1})", "time_unit is 'weeks'"},
      {R"({"name": "a/n:1", "real_time": 1})", "time_unit is ''"},
      {R"({"name": "a/n:1", "time_unit": "us", "real_time": -1})", "a time of -1 us"},
  };
  for (const auto& [text, reason] : cases) {
    const std::string file = run_text(row_text("b/n:1", 1) + "," + text);
    const report::Run run = read(file);
    ASSERT_EQ(run.rows.size(), 2U);
    const Row& row = run.rows[1];
    EXPECT_TRUE(row.invalid && contains(row.failure, reason)) << row.failure;
    EXPECT_TRUE(contains(row.failure, "offset " + std::to_string(file.find(text)))) << row.failure;
    EXPECT_TRUE(row.times_us.empty());
  }
  EXPECT_TRUE(contains(refusal(run_text(R"({"real_time": 1, "time_unit": "us"})")), "has no name"));
  EXPECT_TRUE(contains(refusal(run_text(R"({"name": 7, "real_time": 1, "time_unit": "us"})")),
                       "name that is empty or no text"));
  for (const char* element : {"7", "null", "[]", "\"x\""})
    EXPECT_TRUE(contains(refusal(run_text(element)), "benchmarks[0] is no object")) << element;
}

TEST(Reader, ControlBytesAndBadUtf8AreReplaced) {
  const std::string message = R"(, "label": "a)"
                              "\x1b[31m\tb\xff\xc3\xa9\xed\xa0\x80"
                              R"(")";
  const report::Run run = read(run_text(row_text("a/n:1", 1, "us", message)));
  EXPECT_EQ(run.rows.size(), 1U);
  EXPECT_TRUE(warns(run, "raw control byte"));
  EXPECT_TRUE(warns(run, "no UTF-8"));
  const std::string failed = R"({"name": "a/n:1", "error_occurred": true, "error_message": "x)"
                             "\x01\xfe"
                             R"("})";
  EXPECT_EQ(read(run_text(failed)).rows[0].failure, "x\x01\xEF\xBF\xBD");
}

TEST(Reader, OfEqualKeysTheFirstCounts) {
  const report::Run run = read(run_text(row_text("a/n:1", 1, "us", R"(, "real_time": 77, "name": "b")")));
  EXPECT_DOUBLE_EQ(run.rows[0].time_us(), 1);
  EXPECT_EQ(run.rows[0].name(), "a/n:1");
  EXPECT_TRUE(warns(run, "fields that are there twice: 2, such as 'real_time'"));
}

TEST(Reader, EqualNamesOfOtherInstancesStayApart) {
  const auto row = [](int instance, double time) {
    return row_text("a/n:1", time, "us",
                    R"(, "family_index": 0, "per_family_instance_index": )" + std::to_string(instance));
  };
  const report::Run run = read(run_text(row(0, 1) + "," + row(1, 5) + "," + row(0, 3)));
  ASSERT_EQ(run.rows.size(), 2U);
  EXPECT_EQ(run.rows[0].name(), "a/n:1");
  EXPECT_EQ(run.rows[0].times_us, (std::vector<double>{1, 3}));
  EXPECT_EQ(run.rows[1].name(), "a/n:1 #2");
  EXPECT_TRUE(warns(run, "1 row with the name of another"));
}

TEST(Reader, AggregatesServeWhereRepetitionsAreMissing) {
  // by hand.
  const auto by_hand = [](const std::string& name, double time) {
    return R"({"name": "a/n:1_)" + name +
           R"(", "run_name": "a/n:1", "run_type": "aggregate", "aggregate_name": ")" + name +
           R"(", "real_time": )" + std::to_string(time) + R"(, "time_unit": "us"})";
  };
  const report::Run medians =
      read(run_text(by_hand("mean", 9) + "," + by_hand("median", 7) + "," + by_hand("cv", 0.1)));
  ASSERT_EQ(medians.rows.size(), 1U);
  EXPECT_DOUBLE_EQ(medians.rows[0].time_us(), 7);
  EXPECT_TRUE(medians.rows[0].summary_only);
  EXPECT_TRUE(warns(medians, "only as a summary"));
  EXPECT_DOUBLE_EQ(read(run_text(by_hand("mean", 9))).rows[0].time_us(), 9);
  const report::Run only_cv = read(run_text(by_hand("cv", 0.1)));
  EXPECT_EQ(only_cv.rows[0].failure, "no time in the file") << "a coefficient is no time";
}

TEST(Reader, FittedComplexityIsLeftOutAndSaid) {
  const report::Run run = read(run_text(
      row_text("a/n:1", 1) +
      R"(,{"name": "a_BigO", "run_name": "a", "big_o": "N", "cpu_coefficient": 1, "time_unit": "ns"})" +
      R"(,{"name": "a_RMS", "run_name": "a", "rms": 0.1})"));
  EXPECT_EQ(run.rows.size(), 1U);
  EXPECT_TRUE(warns(run, "2 rows of fitted complexity"));
}

TEST(Reader, LogLinesAroundTheJsonAreLeftOut) {
  const report::Run run = read("Loading {things}...\n" + kGood + "\nWARNING: done\n");
  EXPECT_EQ(run.rows.size(), 2U);
  EXPECT_TRUE(warns(run, "text before"));
  EXPECT_TRUE(warns(run, "text after"));
  for (const char* log :
       {"[INFO] device 0\n", "[1/3] {building}\n", "{\"level\": \"info\", \"msg\": \"[up]\"}\n", "[]\n{}\n",
        "[{\n", "{\"context\": unset}\n", "\"a quote\n"})
    EXPECT_EQ(read(log + kGood).rows.size(), 2U) << log;
  EXPECT_TRUE(contains(refusal(kGood + kGood), "a second run follows"));
  EXPECT_TRUE(contains(refusal("no json at all"), "holds no JSON object"));
}

TEST(Reader, EmptyAndForeignFilesAreRefused) {
  EXPECT_TRUE(contains(refusal(""), "is empty"));
  EXPECT_TRUE(contains(refusal("\xEF\xBB\xBF"), "offset 3: is empty"));
  EXPECT_FALSE(refusal(" \r\n\t").empty());
  EXPECT_TRUE(contains(refusal(R"({"benchmarks": [{"name": "a"}]})"), "list of names"));
  EXPECT_TRUE(contains(refusal(R"({"context": {}, "benchmarks": {"a": 1}})"), "no \"benchmarks\" array"));
  EXPECT_TRUE(contains(refusal(R"({"context": {}})"), "no \"benchmarks\" array"));
  EXPECT_TRUE(contains(refusal("[]"), "no \"benchmarks\" array"));
}

TEST(Reader, RowsThatStandBeforeTheContextAreNotLostWithIt) {
  const std::string rows = row_text("a/n:1", 1.5) + "," + row_text("a/n:2", 2.5);
  const std::string context = R"({"backend": "cuda", "caches": [{"size": 1}], "sweep": "preset quick"})";
  const std::string whole = R"({"benchmarks": [)" + rows + R"(], "context": )" + context + "}";
  EXPECT_TRUE(read(whole).cut_off.empty());
  const std::size_t first = whole.find("},{") + 1, last = whole.find("}]") + 1,
                    begin = whole.find(context) + 1, end = whole.size() - 2;
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    if (length < first) {
      ASSERT_TRUE(contains(refusal(cut), "some.json: ")) << length;
      continue;
    }
    const report::Run run = read(cut);
    ASSERT_EQ(run.rows.size(), length < last ? 1U : 2U) << length;
    ASSERT_TRUE(contains(run.cut_off, "cut off")) << length;
    ASSERT_EQ(contains(run.cut_off, "without its context"), length < begin) << length;
    ASSERT_EQ(contains(run.cut_off, "without the rest of its context"), length >= begin && length <= end)
        << length << " of " << begin << " to " << end << ": " << run.cut_off;
  }
  EXPECT_TRUE(contains(refusal(R"({"benchmarks": [{"name": "a"}, {"name": )"), "list of names"));
  EXPECT_TRUE(contains(refusal(R"({"benchmarks": [)" + rows + "]}"), "no \"context\" object"));
}

/// `count` objects of one name as versions 1.5.0 to 1.5.4 wrote them: repetitions are numbered, rows are not.
std::string numbered(std::size_t count, std::size_t repetitions, bool in_blocks) {
  std::string rows;
  for (std::size_t i = 0; i < count; ++i)
    rows +=
        (i > 0 ? "," : "") + (R"({"name": "f", "run_type": "iteration", "time_unit": "us", "repetitions": )" +
                              std::to_string(repetitions) + R"(, "repetition_index": )" +
                              std::to_string(in_blocks ? i % repetitions : i * repetitions / count) +
                              R"(, "real_time": )" + std::to_string(i) + "}");
  return run_text(rows);
}

/// Minutes, if each looked through all rows of its name.
TEST(Reader, TwinsOfManyRepetitionsStayWhole) {
  const std::size_t rows = many(10'000), all = 3 * rows;
  const auto place = static_cast<double>(rows);
  for (const bool in_blocks : {true, false}) {
    const report::Run run = read(numbered(all, 3, in_blocks));
    ASSERT_EQ(run.rows.size(), rows);
    EXPECT_EQ(run.rows[200].times_us, in_blocks ? (std::vector<double>{600, 601, 602})
                                                : (std::vector<double>{200, 200 + place, 200 + 2 * place}));
  }
  EXPECT_EQ(read(numbered(all, 1, true)).rows.size(), all) << "each is a row";
  EXPECT_EQ(read(numbered(all, all, true)).rows.size(), 1U);
  std::string unnumbered, with_summaries;
  for (int i = 0; i < 600; ++i) {
    const std::string begin = R"({"name": "f", "time_unit": "us", "real_time": )" + std::to_string(i);
    unnumbered += (i > 0 ? "," : "") + begin + R"(, "repetitions": 2})";
    with_summaries +=
        (i > 0 ? "," : "") + begin +
        (i % 3 < 2 ? R"(, "repetitions": 2, "repetition_index": )" + std::to_string(i % 3)
                   : R"(, "run_name": "f", "run_type": "aggregate", "aggregate_name": "mean")") +
        "}";
  }
  EXPECT_EQ(read(run_text(unnumbered)).rows.size(), 300U);
  const report::Run summed = read(run_text(with_summaries));
  ASSERT_EQ(summed.rows.size(), 200U);
  EXPECT_EQ(summed.rows[150].times_us, (std::vector<double>{450, 451}));
}

TEST(Reader, OffsetsAreThoseOfTheFile) {
  // What is put right before a fault must not move the fault's offset.
  const std::string bad = R"({"context": {"a": NaN, "b": -Infinity}, "benchmarks": [}])";
  EXPECT_TRUE(contains(refusal(bad), "offset " + std::to_string(bad.find("}]")))) << refusal(bad);
  EXPECT_TRUE(contains(refusal("\xEF\xBB\xBF" + bad), "offset " + std::to_string(bad.find("}]") + 3)));
  EXPECT_TRUE(contains(refusal("log\n" + bad), "offset " + std::to_string(bad.find("}]") + 4)));
}

TEST(Reader, HugeAndDeepInputsAreOnlyInputs) {
  EXPECT_FALSE(refusal(R"({"context": {"a": )" + std::string(200'000, '[')).empty());
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const report::Run around = read(run_text(row_text("a/n:1", 1), R"("gpu": "G", "x": )" + deep));
  EXPECT_EQ(around.about("gpu"), "G");
  EXPECT_TRUE(warns(around, "nested too deeply"));
  EXPECT_EQ(read(run_text(row_text("a/n:1", 1, "us", ", \"x\": " + deep))).rows.size(), 1U);
  EXPECT_TRUE(warns(read(run_text(row_text("a/n:1", 1, "us"), R"("x": )" + deep)), "nested too deeply"));
  EXPECT_THROW(Json::parse(deep), JsonError);
  EXPECT_EQ(Json::parse(std::string(150, '[') + std::string(150, ']')).elements().size(), 1U);
}

TEST(Reader, NamesForeignFilesForWhatTheyAre) {
  const std::string tar = "run.json" + std::string(249, '0') + "ustar  0" + kGood;
  const std::pair<const char*, const char*> all[] = {
      {R"({"meta": {"version": {"json": {"major": 1}}}, "devices": [], "benchmarks": [{"name": "b", "states": []}]})",
       "nvbench"},
      {"\x1F\x8B\x08 and more", "gzip"},
      {R"({"results": [{"command": "sleep 1", "mean": 1.0, "stddev": 0.1, "times": [1.0]}]})", "hyperfine"},
      {R"({"machine_info": {}, "commit_info": {}, "benchmarks": [{"name": "t", "stats": {"mean": 1}}], "datetime": "x"})",
       "pytest-benchmark"},
      {"name,iterations,real_time,cpu_time,time_unit\n\"BM_x\",1,2,3,ns\n", "CSV"},
      {"{\"schema\": \"overlap-history-1\", \"context\": {}, \"rows\": {}}\n", "store"},
      {R"({"schema": "overlap-tolerances-1", "tolerances": []})", "tolerance"},
      {"<!doctype html>\n<html></html>", "HTML"},
      {R"({"nvbandwidth": {"CUDA Runtime Version": 13000, "testcases": [{"name": "x", "status": "Passed"}]}})",
       "nvbandwidth"},
      {"nvbandwidth Version: v0.8\nBuilt from Git version: x\n", "nvbandwidth"},
      {R"(window.BENCHMARK_DATA = {"lastUpdate": 1, "repoUrl": "x", "entries": {"B": []}})",
       "github-action-benchmark"},
      {R"([{"name": "a", "unit": "us", "value": 1.5}])", "github-action-benchmark"},
      {"2026-01-01T00:00:00+00:00\nRunning ./x\nRun on (8 X 3000 MHz CPU s)\nCPU Caches:\n",
       "console output"},
      {"-----\nBenchmark   Time   CPU   Iterations\n-----\nBM_a   10 ns   10 ns   100\n", "console output"},
      {"\x28\xB5\x2F\xFD more", "zstd"},
      {"PK\x03\x04 more", "zip"},
      {tar.c_str(), "tar archive"},
      {R"({"schema": "overlap-table-1", "tables": []})", "table wrote"},
      {R"({"schema": "overlap-compare-1", "rows": []})", "compare wrote"},
      {"<?xml version=\"1.0\"?>\n<testsuites><testsuite name=\"x\"></testsuite></testsuites>", "JUnit"},
      {"verdict,row,baseline_runs\nSAME,a,5\n", "CSV of overlap-report"},
      {"time,commit,a\n1,abc,2\n", "Otava"},
  };
  for (const auto& [text, name] : all) {
    const std::string message = refusal(text);
    EXPECT_TRUE(contains(message, name)) << name << ": " << message;
  }
}

TEST(Reader, NamesUtf32AndTheWayOut) {
  for (const bool little : {true, false}) {
    for (const bool marked : {true, false}) {
      std::string wide;
      if (marked) wide = little ? std::string("\xFF\xFE\0\0", 4) : std::string("\0\0\xFE\xFF", 4);
      for (const char c : kGood)
        wide += little ? std::string{c, '\0', '\0', '\0'} : std::string{'\0', '\0', '\0', c};
      const std::string from = marked ? "UTF-32" : little ? "UTF-32LE" : "UTF-32BE";
      EXPECT_TRUE(contains(refusal(wide), "UTF-32: write it as UTF-8 first, with iconv -f " + from + " "))
          << refusal(wide);
    }
  }
}

TEST(Reader, CountersOfOurNamesAreOursOnlyInOurRows) {
  const auto text = [](const std::string& context, const std::string& marker) {
    return R"({"context": {)" + context +
           R"(}, "benchmarks": [{"name": "BM_x", "real_time": 10.0, "time_unit": "us", )" +
           R"("p50_us": 3.0, "batch": 7)" + marker + "}]}";
  };
  const std::string foreign = R"("executable": "x")", ours = R"("backend": "host", "sweep": "preset quick")",
                    marker = std::string(", \"") + counter::kOurs + "\": 1";
  const Row of_others = read(text(foreign, "")).rows.at(0);
  EXPECT_EQ(of_others.time_us(), 10);
  EXPECT_FALSE(of_others.counter("batch"));
  EXPECT_EQ(of_others.any_counter("batch"), 7);
  for (const std::string& each : {text(ours, ""), text(foreign, marker)}) {
    EXPECT_EQ(read(each).rows.at(0).time_us(), 3);
    EXPECT_EQ(read(each).rows.at(0).counter("batch"), 7);
  }
}

/// What the fuzzer asks of every input: rows that are whole, or a refusal.
void expect_whole_or_refused(const std::string& text, const std::string& name) {
  try {
    const report::Run run = read(text);
    EXPECT_FALSE(run.rows.empty()) << name;
    for (const Row& row : run.rows) EXPECT_NE(row.failed(), !row.times_us.empty()) << name;
  } catch (const InputError& e) {
    EXPECT_TRUE(contains(e.what(), "some.json: ")) << name;
  }
}

TEST(Reader, KeepsItsWordOnWhatTheFuzzerFound) {
  const std::string folder = std::string(OVERLAP_TEST_DATA) + "/fuzz";
  std::size_t inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".hex") continue;
    expect_whole_or_refused(read_file(entry.path().string()), entry.path().string());
    ++inputs;
  }
  std::ifstream corpus(folder +
                       "/corpus.hex");  // an input a line: what reached code that no other input reached
  for (std::string line; std::getline(corpus, line); ++inputs) {
    std::string text;
    for (std::size_t at = 0; at + 1 < line.size(); at += 2)
      text += static_cast<char>(std::stoi(line.substr(at, 2), nullptr, 16));
    expect_whole_or_refused(text, line.substr(0, 60));
  }
  EXPECT_GT(inputs, 100U);
}

}  // namespace
}  // namespace overlap::report
