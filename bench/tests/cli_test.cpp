// The executables as a user runs them: flags, exit codes, JSON, bad input. The host one everywhere; the CUDA
// one under the same tests where there is a device, and refusing politely where there is none.
#include <nlohmann/json.hpp>
#include <set>

#include "command.hpp"

namespace overlap {
namespace {

using Json = nlohmann::json;

const std::string kBench = OVERLAP_BENCH;
const std::string kQuick = " --benchmark_min_time=0.001 --benchmark_min_warmup_time=0";
// Small rows of every family.
const std::string kSmall =
    kQuick +
    " --sweep=n=10007 --sweep=streams=1,2 --sweep=chunk=n/3 --sweep=mem=pinned,pageable --sweep=dim=33 "
    "--sweep=bytes=4096 --sweep=graph_cost.kernels=10 --sweep=order=sequential,depth_first,engine_streams";

class BenchTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    const CommandResult probe = run_command(kBench + kQuick + " --benchmark_filter=event_pair");
    if (probe.exit_code == 3) GTEST_SKIP() << probe.output;
  }

  /// Runs with output to a file, and parses it: strictly, as trackers do.
  Json run(const std::string& arguments, int exit_code = 0) {
    const CommandResult result = run_command(kBench + arguments + " --benchmark_out=" + path("run.json"));
    EXPECT_EQ(result.exit_code, exit_code) << result.output;
    return Json::parse(read_file(path("run.json")));
  }
};

TEST_F(BenchTest, EveryFamilyRunsAndFillsTheJson) {
  const Json json = run(kSmall);
  for (const char* key : {"backend", "gpu", "compute_capability", "sm_count", "l2_bytes", "copy_engines",
                          "driver", "cuda_runtime", "pcie", "sm_clock_mhz", "timer_floor_us", "build_type",
                          "compiler", "revision", "sweep", "gpu_uuid", "pci_address"})
    EXPECT_TRUE(json["context"].contains(key)) << key;
  EXPECT_TRUE(contains(json["context"]["sm_clock_mhz"], "after"));
  EXPECT_TRUE(contains(json["context"]["sweep"], "streams=1,2"));
  std::set<std::string> families, names;
  for (const Json& row : json["benchmarks"]) {
    const std::string name = row["name"];
    EXPECT_TRUE(names.insert(name).second) << "twice: " << name;
    EXPECT_TRUE(name.ends_with("/manual_time")) << name;
    EXPECT_FALSE(row.contains("error_occurred")) << name;
    families.insert(name.substr(0, name.find('/')));
    for (const char* key :
         {"min_us", "p50_us", "p95_us", "cv", "batch", "submit_us", "host_bound", "cpu_free_pct"})
      EXPECT_TRUE(row.contains(key)) << name << " " << key;
    EXPECT_LE(row["min_us"], row["p50_us"]) << name;
    EXPECT_LE(row["p50_us"], row["p95_us"]) << name;
    // The library's own time is per operation, as ours are, whatever the batch.
    EXPECT_EQ(row["iterations"].get<double>(), row["batch"].get<double>() * row["samples"].get<double>())
        << name;
    EXPECT_GE(row["real_time"].get<double>(), 0.999 * row["min_us"].get<double>()) << name;
    EXPECT_LE(row["real_time"].get<double>(), 100 * (row["p95_us"].get<double>() + 1)) << name;
    EXPECT_EQ(row["time_unit"], "us");
  }
  EXPECT_EQ(families, (std::set<std::string>{"timer", "transfer", "pipeline", "double_buffer", "concurrent",
                                             "graph_cost", "sequence", "swish", "cpu"}));
}

TEST_F(BenchTest, FamiliesSayWhatTheirRowsNeed) {
  const Json json = run(kSmall);
  const std::map<std::string, std::vector<std::string>> needs = {
      {"pipeline",
       {"h2d_us", "kernel_us", "d2h_us", "chunks", "serial_us", "bound_us", "bound_pct", "predicted_us",
        "best_chunks", "best_streams", "bytes_per_second"}},
      {"double_buffer", {"transfer_pct", "serial_us", "bound_us", "bound_pct", "bytes_per_second"}},
      {"concurrent", {"blocks", "resident_blocks", "possible_speedup", "serial_us", "bound_us", "bound_pct"}},
      {"transfer", {"bytes_per_second"}},
      {"swish", {"pct_of_copy", "bytes_per_second"}},
  };
  const std::set<std::string> loads = {"copy_in", "copy_out",   "duplex_link",
                                       "kernel",  "submission", "timer_floor"};
  for (const Json& row : json["benchmarks"]) {
    const std::string name = row["name"], family = name.substr(0, name.find('/'));
    if (const auto found = needs.find(family); found != needs.end()) {
      for (const std::string& key : found->second) EXPECT_TRUE(row.contains(key)) << name << " " << key;
    }
    if (row.contains("bound_us")) {
      EXPECT_LE(row["bound_us"], row["serial_us"].get<double>() * 1.0001) << name;
    }
    EXPECT_EQ(contains(name, "duplex"), row.contains("h2d_gb_per_s") && row.contains("d2h_gb_per_s")) << name;
    if (family == "timer" || family == "cpu") continue;
    const std::string label = row.value("label", "");
    if (family == "graph_cost" && label.empty()) continue;  // phases that the host does by itself
    ASSERT_TRUE(label.starts_with("bound_by:")) << name;
    EXPECT_TRUE(loads.contains(label.substr(9))) << label;
  }
}

/// What the program wrote before its rows were values (c59ff23), a line a family: fields that every row has,
/// and those with a ? that some have.
TEST_F(BenchTest, RowsHaveTheFieldsTheyAlwaysHad) {
  std::map<std::string, std::pair<std::set<std::string>, std::set<std::string>>> known;  // always, sometimes
  std::istringstream lines(read_file(std::string(OVERLAP_TEST_DATA) + "/fields.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string family, field;
    words >> family;
    while (words >> field)
      field.starts_with('?') ? known[family].second.insert(field.substr(1))
                             : known[family].first.insert(field);
  }
  const std::set<std::string> later = {"plain_loop_us", "over_plain_loop"};
  const Json json = run(kSmall);
  for (const Json& row : json["benchmarks"]) {
    const std::string name = row["name"];
    const auto& [always, sometimes] = known.at(name.substr(0, name.find('/')));
    for (const std::string& field : always)
      if (field != "overlap_pct" && field != "l2_ratio") {
        EXPECT_TRUE(row.contains(field)) << name << " has no " << field;
      }
    for (const auto& [field, value] : row.items())
      EXPECT_TRUE(always.contains(field) || sometimes.contains(field) || later.contains(field) ||
                  field == "overlap_pct" || field == "label" || field == "sm_clock_mhz")
          << name << " has " << field;
  }
}

TEST_F(BenchTest, BytesPerSecondAndTimeAgree) {
  const Json json = run(
      kQuick + " --sweep=n=10007 --benchmark_filter='pipeline/order:sequential/mem:pinned/submit:launch'");
  const Json& row = json["benchmarks"].at(0);
  EXPECT_NEAR(row["bytes_per_second"].get<double>() * row["real_time"].get<double>() * 1e-6, 10007 * 12.0, 1);
}

TEST_F(BenchTest, RepetitionsAreEquallyLongAndAggregated) {
  for (const char* interleaving : {"false", "true"}) {
    const Json json = run(kQuick +
                          " --sweep=n=1000 --sweep=submit=launch,graph "
                          "--benchmark_filter='sequence.*(steady|single)|event_pair' "
                          "--benchmark_repetitions=3 --benchmark_enable_random_interleaving=" +
                          interleaving);
    std::map<std::string, std::set<long>> iterations;
    std::map<std::string, int> repetitions;
    for (const Json& row : json["benchmarks"]) {
      if (row["run_type"] != "iteration") continue;
      iterations[row["name"]].insert(row["iterations"].get<long>());
      ++repetitions[row["name"]];
    }
    EXPECT_EQ(iterations.size(), 5U);
    for (const auto& [name, lengths] : iterations) EXPECT_EQ(lengths.size(), 1U) << name;
    for (const auto& [name, count] : repetitions) EXPECT_EQ(count, 3) << name;
  }
}

TEST_F(BenchTest, FixedIterationsAreFixed) {
  const Json json =
      run(" --benchmark_min_time=12x --benchmark_min_warmup_time=0 --sweep=n=1000 --benchmark_filter=single");
  for (const Json& row : json["benchmarks"]) EXPECT_EQ(row["iterations"], 12) << row["name"];
}

TEST_F(BenchTest, FailedRowsFailAloneAndAreInTheJson) {
  const Json json = run(kQuick +
                            " --sweep=n=1000 --sweep=mem=pinned --sweep=order=depth_first --sweep=chunk=500 "
                            "--sweep=streams=0,2 --benchmark_filter='pipeline' --benchmark_repetitions=2",
                        1);
  std::size_t failed = 0, good = 0;
  for (const Json& row : json["benchmarks"]) {
    if (row["run_type"] != "iteration") continue;
    const bool error = row.value("error_occurred", false);
    EXPECT_EQ(error, contains(row["name"], "streams:0")) << row["name"];
    EXPECT_EQ(error, contains(row.value("error_message", ""), "streams:0 is below 1"));
    ++(error ? failed : good);
  }
  EXPECT_EQ(failed, 4U);  // launch and graph, twice
  EXPECT_EQ(good, 4U);
}

TEST_F(BenchTest, MissingWaitsAreAFailedRowAndOnlyRunWhenAskedFor) {
  const std::string small =
      " --sweep=dim=256 --sweep=batches=8 --sweep=buffers=2 --benchmark_filter=double_buffer";
  EXPECT_EQ(run(kQuick + small).dump().find("sync:none"), std::string::npos);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // the fixture's own test does it there
  const Json json = run(kQuick + small + " --sweep=sync=none,per_buffer", 1);
  for (const Json& row : json["benchmarks"]) {
    const bool none = contains(row["name"], "sync:none");
    EXPECT_EQ(row.value("error_occurred", false), none) << row["name"];
    EXPECT_EQ(contains(row.value("error_message", ""), "wrong result"), none) << row["name"];
  }
#endif
}

TEST_F(BenchTest, ImpossibleSizesFailWithTheReason) {
  for (const auto& [sweep, reason] : std::map<std::string, std::string>{
           {"--sweep=n=0", "n:0 is below 1"},
           {"--sweep=n=2^50", "choose a smaller size"},
           {"--sweep=chunk=2^40", "is above"},
       }) {
    const CommandResult result = run_command(kBench + kQuick + " " + sweep +
                                             " --benchmark_filter='pipeline/order:depth_first/mem:pinned'");
    EXPECT_EQ(result.exit_code, 1) << sweep;
    EXPECT_TRUE(contains(result.output, "FAILED")) << result.output;
    EXPECT_TRUE(contains(result.output, reason)) << sweep << "\n" << result.output;
  }
}

TEST_F(BenchTest, FilterThatMatchesNothingLeavesNothing) {
  const CommandResult result =
      run_command(kBench + " --benchmark_filter=nosuchrow --benchmark_out=" + path("no.json"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.output, "No row matches")) << result.output;
  EXPECT_FALSE(std::filesystem::exists(path("no.json")));
}

TEST_F(BenchTest, SaysBeforeMeasuringThatItCannotWrite) {
  for (const std::string& out : {std::string("/nosuch/folder/x.json"), std::string("/dev/full"), path("")}) {
    const CommandResult result = run_command(kBench + " --benchmark_out=" + out);  // would take a minute
    EXPECT_EQ(result.exit_code, 2) << out << result.output;
    EXPECT_TRUE(contains(result.output, "cannot write")) << result.output;
    EXPECT_FALSE(contains(result.output, "manual_time")) << "it measured first";
  }
}

TEST_F(BenchTest, JsonOnStandardOutputIsOnlyJson) {
  const CommandResult result =
      run_command("(" + kBench + kQuick +
                  " --sweep=n=100 --benchmark_filter=sequence --benchmark_format=json 2>/dev/null)");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NO_THROW(EXPECT_FALSE(Json::parse(result.output)["benchmarks"].empty()));
}

TEST_F(BenchTest, UnknownDeviceSaysWhichThereAre) {
  const CommandResult result = run_command(kBench + " --device=77");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result.output, "--device=0")) << result.output;
}

TEST_F(BenchTest, InterruptedRunLeavesWholeJson) {
  run_command("timeout --foreground --preserve-status -s INT 3 " + kBench +
              " --benchmark_min_time=0.3 --benchmark_out=" + path("cut.json"));
  const Json json = Json::parse(read_file(path("cut.json")));
  EXPECT_TRUE(std::ranges::any_of(json["benchmarks"], [](const Json& row) {
    return contains(row.value("error_message", ""), "interrupted");
  }));
}

// Words only: no device is needed.

TEST_F(CommandTest, UsageErrorsExitWith2AndNameTheNearest) {
  for (const auto& [arguments, hint] : std::map<std::string, std::string>{
           {"--prest=quick", "--preset"},
           {"--preset=quik", "'quick'"},
           {"--sweep=stream=1", "'streams'"},
           {"--sweep=order=depthfirst", "'depth_first'"},
           {"--sweep=streams=two", "2^20"},
           {"--benchmark_fliter=x", "--benchmark_filter"},
           {"'--benchmark_filter=(('", "regular expression"},
           {"stray", "unexpected argument"},
           {"--sweep=double_buffer.dim=n/4", "has no n"},
       }) {
    const CommandResult result = run_command(kBench + " " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << "\n" << result.output;
    EXPECT_TRUE(contains(result.output, hint)) << arguments << "\n" << result.output;
  }
}

TEST_F(CommandTest, HelpAndAxesTeach) {
  const CommandResult help = run_command(kBench + " --help");
  EXPECT_EQ(help.exit_code, 0);
  for (const char* word :
       {"--preset", "--sweep", "--list-axes", "--wall-budget", "--benchmark_filter", "Exit codes"})
    EXPECT_TRUE(contains(help.output, word)) << word;
  const CommandResult axes = run_command(kBench + " --list-axes");
  EXPECT_EQ(axes.exit_code, 0);
  for (const char* word :
       {"pipeline", "sequence", "swish", "timer", "cpu", "breadth_first", "latched", "paper", "double_buffer",
        "per_buffer", "concurrent", "transfer", "duplex", "graph_cost", "zero_copy", "tapered", "packed"})
    EXPECT_TRUE(contains(axes.output, word)) << word;
}

TEST_F(CommandTest, ListsNamesThatFiltersMatch) {
  const CommandResult all = run_command(kBench + " --benchmark_list_tests");
  EXPECT_EQ(all.exit_code, 0);
  const std::string first = all.output.substr(0, all.output.find('\n'));
  const CommandResult one =
      run_command(kBench + " --benchmark_list_tests '--benchmark_filter=^" + first + "$'");
  EXPECT_EQ(one.output, first + "\n");
}

TEST_F(CommandTest, PresetsHaveTheRowsTheyAlwaysHad) {
  if (!std::string(OVERLAP_BENCH).ends_with("-host")) return;  // recorded with the host backend's sizes
  for (const std::string preset : {"quick", "paper"}) {
    const auto sorted = [](const std::string& text) {
      std::multiset<std::string> names;
      std::istringstream lines(text);
      // The cpu rows follow the other families' sizes, which they did not always.
      for (std::string name; std::getline(lines, name);)
        if (!name.starts_with("cpu/")) names.insert(name);
      return names;
    };
    const CommandResult now = run_command(kBench + " --benchmark_list_tests --preset=" + preset);
    EXPECT_EQ(sorted(now.output),
              sorted(read_file(std::string(OVERLAP_TEST_DATA) + "/names-" + preset + ".txt")));
  }
}

TEST_F(CommandTest, CpuRowsTakeTheSizesOfTheRowsTheyAreFor) {
  const CommandResult trig =
      run_command(kBench + " --sweep=pipeline.n=4321 --benchmark_list_tests --benchmark_filter=cpu/op:trig");
  EXPECT_EQ(trig.output, "cpu/op:trig/n:4321/manual_time\n");
  const CommandResult sequence = run_command(
      kBench + " --sweep=pipeline.n=4321 --benchmark_list_tests --benchmark_filter=cpu/op:sequence");
  EXPECT_FALSE(contains(sequence.output, "4321")) << sequence.output;
}

#ifdef OVERLAP_BENCH_CUDA
TEST_F(CommandTest, WithoutADeviceCudaSaysWhyAndPointsToTheHost) {
  const CommandResult result = run_command(std::string("CUDA_VISIBLE_DEVICES= ") + OVERLAP_BENCH_CUDA);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result.output, "overlap-bench-host")) << result.output;
  EXPECT_EQ(std::ranges::count(result.output, '\n'), 1) << result.output;
}
#endif

}  // namespace
}  // namespace overlap
