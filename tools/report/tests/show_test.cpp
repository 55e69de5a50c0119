// Findings as text, Markdown, CSV, pages and JSON: the same content in each, safe for whoever reads it.
#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "json_at.hpp"
#include "judge/format.hpp"
#include "judge/verdict.hpp"
#include "judge/view.hpp"
#include "known.hpp"
#include "run_text.hpp"
#include "show/escape.hpp"
#include "show/findings.hpp"
#include "show/json.hpp"
#include "show/render.hpp"

namespace overlap::report {
namespace {

const std::string kReport = OVERLAP_REPORT;

std::string pipeline(const std::string& rest) {
  return "pipeline/order:" + rest + "/n:100/work:1/manual_time";
}

/// Sequential at 40 us, and four streams at 20 that are bound by the host; slower by a factor.
report::Run run_of(const std::string& path, double factor = 1, const std::string& more = "") {
  return parse_run(
      run_text(row_text(pipeline("sequential/mem:pinned/submit:launch/streams:1"), 40 * factor) + "," +
               row_text(pipeline("depth_first/mem:pinned/submit:launch/streams:4"), 20 * factor, "us",
                        R"(, "submit_us": 19.0, "host_bound": 1.0, "cv": 0.01)" + more)),
      path);
}

/// What a page draws, as JSON.
Json data_of(const std::string& page) {
  const std::string start = "id=\"data\">";
  const auto from = page.find(start) + start.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(Format, WritesNumbersForReaders) {
  for (const auto& [us, text] : {std::pair(0.0018, "1.80 ns"),
                                 {0.0022, "2.20 ns"},
                                 {0.00025, "0.250 ns"},
                                 {0.0000123, "0.0123 ns"},
                                 {0.0123, "12.3 ns"},
                                 {0.999, "999 ns"},
                                 {0.009996, "10.0 ns"},
                                 {0.09995, "100 ns"},
                                 {0.9994, "999 ns"},
                                 {0.9996, "1.00 us"},
                                 {99.96, "100 us"},
                                 {999.6, "1.00 ms"},
                                 {999'600.0, "1.00 s"},
                                 {1.2e9, "1200 s"},
                                 {0.0, "0 ns"}})
    EXPECT_EQ(format_time(us), text);
  for (const auto& [rate, text] : {std::pair(850.0, "850 B/s"),
                                   {12'345.0, "12.3 kB/s"},
                                   {1.5e6, "1.50 MB/s"},
                                   {999.4, "999 B/s"},
                                   {999'999.0, "1.00 MB/s"},
                                   {9'996.0, "10.0 kB/s"},
                                   {0.0, "0.00 B/s"},
                                   {2e9, "2.00 GB/s"},
                                   {4.24e12, "4.24 TB/s"},
                                   {1.2e16, "12000 TB/s"}})
    EXPECT_EQ(format_rate(rate, "B/s"), text);
  EXPECT_EQ(format_rate(12.3e6, ""), "12.3 M");
  EXPECT_EQ(format_rate(12, ""), "12.0");
  EXPECT_EQ(format_count("-1024"), "-1,024");
  EXPECT_EQ(format_time(1.284), "1.28 us");
  EXPECT_EQ(format_time(23.67), "23.7 us");
  EXPECT_EQ(format_time(863.4), "863 us");
  EXPECT_EQ(format_time(3709.2), "3.71 ms");
  EXPECT_EQ(format_time(2.5e6), "2.50 s");
  EXPECT_EQ(format_change(1.0124), "+1.2 %");
  EXPECT_EQ(format_change(0.5), "-50.0 %");
  EXPECT_EQ(format_change(0.9996), "+0.0 %");
  EXPECT_EQ(format_count("16777216"), "16,777,216");
  EXPECT_EQ(format_count("999"), "999");
  EXPECT_EQ(format_count("pinned"), "pinned");
  EXPECT_EQ(counted(1, "replay"), "1 replay");
  EXPECT_EQ(counted(2000, "replay"), "2,000 replays");
  EXPECT_EQ(axes_text({{"order", "depth_first"}, {"n", "1000"}}), "order depth_first, n 1,000");
}

TEST(Format, DescribesARunByTheKeysThatHaveALabel) {
  report::Run run;
  run.path = "x.json";
  EXPECT_EQ(describe_run(run), "unknown device, x.json");
  run.context = {{"gpu", "G"},        {"driver", "1"},     {"cuda_runtime", "13.0"},
                 {"revision", "abc"}, {"pcie", "unknown"}, {"backend", "cuda"}};
  EXPECT_EQ(describe_run(run), "G, driver 1, CUDA 13.0, revision abc, x.json");
}

TEST(Tables, ShowFilesSideBySide) {
  const std::vector<report::Run> runs = {run_of("a.json"), run_of("b.json", 2)};
  const std::string text = to_text(tables(make_views(runs, {}), runs));
  EXPECT_TRUE(contains(text, "A: Test GPU, a.json")) << text;
  EXPECT_TRUE(contains(text, "B speedup")) << text;
  EXPECT_TRUE(contains(text, "19.0*")) << text;
  EXPECT_TRUE(contains(text, "* host bound")) << text;
}

TEST(Tables, EveryFormatShowsFailures) {
  const std::string failed =
      R"({"name": "sequence/submit:launch/n:1", "error_occurred": true, "error_message": "a|b, \"c\"", "real_time": 0, "time_unit": "us"},)" +
      row_text("sequence/submit:graph/n:1", 5);
  const std::vector<report::Run> runs = {parse_run(run_text(failed), "x")};
  const auto views = make_views(runs, {});
  const Document document = tables(views, runs);
  EXPECT_TRUE(contains(to_text(document), "failed"));
  EXPECT_TRUE(contains(to_text(document), "a|b"));
  EXPECT_TRUE(contains(to_markdown(document), "failed: a\\|b"));
  EXPECT_TRUE(contains(table_csv(views, runs), R"("a|b, ""c""")"));
  EXPECT_EQ(
      json_at(data_of(to_html(document)), "sections", 0U, "rows", 0U).elements().back().at("text").text(),
      "a|b, \"c\"");
  const Json json = Json::parse(table_json(views, runs));
  const Json::Array rows = json_at(json, "views", 0U, "rows").elements();
  const auto result = [&](std::size_t row) { return rows[row].at("results").elements()[0]; };
  EXPECT_EQ(result(0).at("failure").text(), "a|b, \"c\"");
  EXPECT_FALSE(result(0).find("time_us"));
  EXPECT_EQ(result(1).at("time_us").number(), 5.0);
}

TEST(Tables, RatesChooseTheirUnit) {
  const auto shown = [](const std::string& name, double bytes) {
    const std::string rates = fmt::format(R"(, "bytes_per_second": {}, "items_per_second": 2.5e6)", bytes);
    const std::vector<report::Run> runs = {parse_run(run_text(row_text(name, 1, "us", rates)), "x")};
    return to_text(tables(make_views(runs, {}), runs));
  };
  EXPECT_TRUE(contains(shown("BM_x/8", 4.24e12), "rate  items/s"));
  EXPECT_TRUE(contains(shown("BM_x/8", 4.24e12), "4.24 TB/s   2.50 M"));
  EXPECT_TRUE(contains(shown("BM_x/8", 1500), "1.50 kB/s"));
  EXPECT_TRUE(contains(shown("swish/pass:forward/n:8", 4.24e12), "4240.0")) << "a column in GB/s";
  EXPECT_TRUE(contains(shown("swish/pass:forward/n:8", 1e7), "10.0 MB/s")) << "which would be 0.0";
}

TEST(Tables, ARowThatWasSkippedIsNotFailed) {
  const std::vector<report::Run> runs = {parse_run(
      run_text(R"({"name": "f/1", "skipped": true, "skip_message": "no cores"},)" + row_text("f/2", 5)),
      "x")};
  const auto views = make_views(runs, {});
  const Document document = tables(views, runs);
  EXPECT_TRUE(contains(to_text(document), "skipped  no cores"));
  EXPECT_TRUE(contains(to_markdown(document), "| skipped: no cores |"));
  EXPECT_TRUE(contains(table_csv(views, runs), ",skipped: no cores,"));
  EXPECT_TRUE(contains(table_json(views, runs), "\"skipped\": true"));
  for (const std::string& text : {to_text(document), to_markdown(document), to_html(document)})
    EXPECT_FALSE(contains(text, "failed")) << text.substr(0, 500);
}

TEST(Csv, HasTheNameOfARowAndEveryValue) {
  const std::vector<report::Run> runs = {
      parse_run(run_text(row_text("=f/n:4/8/threads:2", 1) + "," + row_text("=f/n:4/-16", 2)), "x")};
  const std::string csv = table_csv(make_views(runs, {}), runs);
  EXPECT_TRUE(csv.starts_with("file,gpu,backend,family,row,n,arg1,threads,time_us,")) << csv;
  EXPECT_TRUE(contains(csv, ",'=f,'=f/n:4/8/threads:2,4,8,2,1,")) << csv;
  EXPECT_TRUE(contains(csv, ",'=f,'=f/n:4/-16,4,-16,1,2,")) << csv;
}

TEST(Tables, EveryFormatMarksRowsThatWereCutShort) {
  for (const bool cut : {false, true}) {
    const std::vector<report::Run> runs = {run_of("x", 1, cut ? R"(, "over_budget": 1.0)" : "")};
    const auto views = make_views(runs, {});
    const Document document = tables(views, runs);
    for (const std::string& shown : {to_text(document), to_markdown(document), to_html(document)}) {
      EXPECT_EQ(contains(shown, "20.0 us\u2020"), cut) << shown;
      EXPECT_EQ(contains(shown, "\u2020 cut short"), cut) << shown;
      EXPECT_FALSE(contains(shown, "40.0 us\u2020")) << "only the row that was cut short";
    }
    EXPECT_EQ(contains(table_csv(views, runs), ",,1\r\n"), cut);
    EXPECT_EQ(contains(table_json(views, runs), "\"over_budget\": true"), cut);
  }
}

TEST(Csv, HasOneFieldPerColumnWhateverTheSections) {
  const std::vector<report::Run> runs = {run_of("x")};
  Document several{.title = "t"};
  several.sections = {
      {.title = "a", .columns = {{"one"}, {"two", true}}, .rows = {{{{"x,y"}, {"2 us", 2.5}}}}},
      {.title = "b", .columns = {{"two", true}}, .rows = {{{{"3 us", 3}}, "why"}}},
      {.title = "c", .notes = {"=said"}}};
  EXPECT_EQ(to_csv(several), "section,one,two,note\r\na,\"x,y\",2.5,\r\nb,,3,why\r\nc,,,'=said\r\n");
  std::istringstream lines(table_csv(make_views(runs, {}), runs));
  std::ptrdiff_t commas = -1, count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto here = std::ranges::count(line, ',');
    EXPECT_TRUE(commas < 0 || here == commas) << line;
    commas = here;
  }
  EXPECT_EQ(count, 3);
}

/// What `compare` finds of two rows: one 20 % slower, one that is gone.
Judgement judged(const CompareOptions& options) {
  std::vector<report::Run> before, after;
  for (const double off : {0.0, 0.01, -0.01}) {
    const auto rows = [off](double second) {
      return row_text("a|b/n:1", 10 + off) + "," + row_text("=cmd/n:2", second + off);
    };
    before.push_back(parse_run(run_text(rows(10) + "," + row_text("c<d>/n:3", 10 + off)), "x"));
    after.push_back(parse_run(run_text(rows(12)), "x"));
  }
  return judge(before, after, options);
}

TEST(Comparisons, AreWellFormedAndSayTheWorstFirst) {
  const CompareOptions options;
  const Judgement judgement = judged(options);
  const Document document = comparison(judgement, options);
  const std::string markdown = to_markdown(document);
  EXPECT_LT(markdown.find("REGRESSED"), markdown.find("REMOVED"));
  EXPECT_TRUE(contains(markdown, "c\\<d\\>"));
  EXPECT_FALSE(contains(markdown, "a\\|b")) << "nobody has to see what stayed the same";
  EXPECT_FALSE(contains(to_text(document), "a|b"));
  EXPECT_TRUE(contains(to_html(document), "a|b"));
  EXPECT_TRUE(contains(to_csv(comparison_records(judgement, {})), "REGRESSED,'=cmd/n:2,3,10,"));
  const std::string junit = compare_junit(judgement, options, {1, "2 REGRESSED"});
  EXPECT_TRUE(contains(junit, R"(tests="3" failures="2" errors="0" skipped="0")"));
  EXPECT_TRUE(contains(junit, R"(name="exit_reason" value="2 REGRESSED")"));
  EXPECT_TRUE(contains(junit, "c&lt;d&gt;"));
  const Json json = Json::parse(compare_json(judgement, options, {1, "2 REGRESSED"}));
  EXPECT_EQ(json.at("exit_reason").text(), "2 REGRESSED");
  EXPECT_EQ(json.at("schema").text(), "overlap-compare-1");
  EXPECT_EQ(json_at(json, "counts", "REGRESSED").number(), 1);
  EXPECT_EQ(json_at(json, "rows", 0U, "new", "runs").elements().size(), 3U);
  EXPECT_TRUE(contains(to_text(document), "Geometric mean of 2 ratios"));
}

TEST(Comparisons, SayOnceThatNothingCouldBeTested) {
  const std::vector<report::Run> one = {
      parse_run(run_text(row_text("a/n:1", 1) + "," + row_text("b/n:1", 2)), "x")};
  const Document document = comparison(judge(one, one, {}), {});
  EXPECT_EQ(document.mark, Mark::neutral);
  EXPECT_TRUE(to_text(document).starts_with("Nothing could be tested"));
  EXPECT_TRUE(to_markdown(document).starts_with("### \u26AA"));
  EXPECT_FALSE(contains(to_text(document), "would settle it"));
}

TEST(Comparisons, FitIntoAComment) {
  Judgement judgement;
  for (int i = 0; i < 5000; ++i) {
    Comparison row;
    row.name = fmt::format("row/n:{}", i);
    row.verdict = Verdict::regressed;
    judgement.rows.push_back(row);
  }
  const std::string markdown = to_markdown(comparison(judgement, {}));
  EXPECT_LT(markdown.size(), 65'536U);
  EXPECT_TRUE(contains(markdown, "more rows do not fit here"));
  EXPECT_EQ(std::ranges::count(to_csv(comparison_records(judgement, {})), '\n'), 5001);
}

TEST(Histories, AreQuietAboutWhatStayed) {
  Series still, slower;
  still.name = "still/n:1";
  slower.name = "slower/n:1";
  for (Series* series : {&still, &slower}) {
    series->context = "G";
    series->times_us = {100, 120};
    series->commits = {"c1", "c2"};
  }
  slower.changes.push_back({"c2", "2026-01-02", 100, 120, 0.0001, false, ""});
  const Document document = history({still, slower});
  EXPECT_EQ(
      to_text(document),
      "slower/n:1\n  G, 2 runs, now 120 us\n  +20.0 % at c2 (2026-01-02): 100 us -> 120 us\n"
      "2 series, 1 changed or drifting, 1 slower and not acknowledged, 2 of fewer than 5 runs, which show "
      "nothing\n");
  EXPECT_FALSE(contains(to_markdown(document), "still"));
  EXPECT_TRUE(contains(to_markdown(document), "| c2 | 2026-01-02 | 100 us | 120 us | +20.0 % |"));
  EXPECT_TRUE(contains(to_html(document), "still/n:1"));
  EXPECT_TRUE(contains(to_csv(document), "slower/n:1,c2,2026-01-02,100,120,1.2,"));
}

TEST(Pages, HoldEveryCellOfTheirDocument) {
  const std::vector<report::Run> runs = {run_of("<a>.json"), run_of("b.json", 2)};
  const Document document = tables(make_views(runs, {}), runs);
  const std::string page = to_html(document);
  EXPECT_FALSE(contains(page, "<a>.json")) << "data must not become markup";
  const Json data = data_of(page);
  ASSERT_EQ(data.at("sections").elements().size(), document.sections.size());
  EXPECT_EQ(json_at(data, "machines", 0U, "title").text(), document.machines[0].title);
  for (std::size_t s = 0; s < document.sections.size(); ++s) {
    const Section& section = document.sections[s];
    const Json::Array& rows = json_at(data, "sections", s, "rows").elements();
    ASSERT_EQ(rows.size(), section.rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t c = 0; c < section.columns.size(); ++c)
        EXPECT_EQ(json_at(rows[r], c, "text").text(), section.rows[r].fields[c].text);
  }
}

TEST(Csv, KeepsAxesNamedLikeItsOwnColumns) {
  const std::vector<report::Run> runs = {parse_run(run_text(row_text("x/file:7/backend:8", 1)), "run.json")};
  const std::string csv = table_csv(make_views(runs, {}), runs);
  for (const char* field : {"run.json,", ",7,", ",8,", ",cuda,"}) EXPECT_TRUE(contains(csv, field)) << csv;
}

/// What is recorded under reports/ is what the program makes of it today. tools/lab/record.sh writes it.
TEST(Recorded, TextsAreMadeFromTheirRuns) {
  const std::string h200 = "reports/h200/";
  const std::pair<std::string, std::string> all[] = {
      {"table reports/h200/quick.json", "quick.txt"},
      {"table reports/h200/quick.json --format md", "quick.md"},
      {"advise reports/h200/quick.json", "quick-advice.txt"},
      {"table reports/h200/paper.json", "paper.txt"},
      {"table reports/h200/paper.json --format md", "paper.md"},
      {"advise reports/h200/paper.json", "paper-advice.txt"},
      {"table reports/h200/quick.json reports/published/rtx4090.json", "beside-published.txt"},
      {"table reports/h200/torch-repeated.json", "torch-repeated.txt"},
      {"table reports/h200/quick.json reports/h200/torch.json | sed -n '1,2p;/^torch_swish/,$p'",
       "torch.txt"},
  };
  for (const auto& [arguments, file] : all) {
    std::istringstream recorded(read_file(OVERLAP_SOURCE "/" + h200 + file));
    std::istringstream made(run_command("cd " OVERLAP_SOURCE " && " + kReport + " " + arguments).output);
    std::string was, is;
    for (int line = 1; std::getline(recorded, was); ++line) {
      std::getline(made, is);
      ASSERT_EQ(is, was) << file << ":" << line << ": tools/lab/record.sh writes it anew";
    }
    EXPECT_FALSE(std::getline(made, is)) << file << " ends before: " << is;
  }
}

TEST(Xml, LeavesOutWhatXmlCannotSay) {
  EXPECT_EQ(xml_escaped("a\xEF\xBF\xBE<\xEF\xBF\xBF\x01\xEF\xBF\xBD\xEF\xBF"), "a&lt;\xEF\xBF\xBD\xEF\xBF");
}

class ShowTest : public CommandTest {};

TEST_F(ShowTest, AdviceOnSeveralRunsIsOneDocument) {
  const std::string a = write("a.json", run_text(row_text("f/n:1", 1), R"("gpu": "A")")),
                    b = write("b.json", run_text(row_text("f/n:1", 2), R"("gpu": "B")"));
  const auto advice_on = [](const std::string& files) {
    return Json::parse(run_command(kReport + " advise --format json " + files).output);
  };
  EXPECT_EQ(advice_on(a).at("schema").text(), "overlap-advice-1");
  const Json both = advice_on(a + " " + b);
  ASSERT_EQ(both.elements().size(), 2U);
  EXPECT_EQ(json_at(both, 1U, "file", "path").text(), b);
}

TEST_F(ShowTest, AVariableThatIsNotSetIsAUsageError) {
  const std::string run = write("a.json", run_text(row_text("f/n:1", 1)));
  const std::string compare = " compare --baseline " + run + " --new " + run;
  for (const std::string& words :
       {" table " + run + " -o \"\"", compare + " --tolerances \"\"", compare + " --metric \"\"",
        " history add " + path("s") + " " + run + " --commit \"\""}) {
    const CommandResult result = run_command(kReport + words);
    EXPECT_EQ(result.exit_code, 2) << words;
    EXPECT_TRUE(contains(result.output, "is empty: leave the option out")) << result.output;
  }
}

TEST_F(ShowTest, EveryCommandHasEveryFormatAndTheSameBytesInAnyLocale) {
  std::string files;
  for (int day = 1; day <= 3; ++day)
    files += " " + write(fmt::format("run{}.json", day),
                         run_text(row_text("sequence/submit:launch/n:1234567", 1e6 + day) + "," +
                                      row_text("sequence/submit:graph/n:1234567", 1234.5 - day),
                                  fmt::format(R"("gpu": "G", "date": "2026-01-0{}", "revision": "c")", day)));
  ASSERT_EQ(run_command(kReport + " history add " + path("store") + files).exit_code, 0);
  for (const std::string& command :
       {" table" + files, " advise" + files, " compare --baseline" + files + " --new" + files,
        " history show " + path("store")}) {
    for (const char* format : {"text", "md", "csv", "html", "json"}) {
      const std::string base = kReport + command + " --format " + format;
      EXPECT_EQ(run_command(base + " -o " + path("a")).exit_code, 0) << base;
      EXPECT_EQ(run_command("LC_ALL=de_DE.UTF-8 " + base + " -o " + path("b")).exit_code, 0) << base;
      EXPECT_FALSE(read_file(path("a")).empty()) << base;
      EXPECT_EQ(read_file(path("a")), read_file(path("b"))) << base;
    }
    EXPECT_EQ(run_command(kReport + command + " --format pdf").exit_code, 2);
  }
}

}  // namespace
}  // namespace overlap::report
