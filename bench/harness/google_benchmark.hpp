// Rows become Google Benchmark's: registered under their names, run by the library in its order, shown on its
// console, written into its JSON. Its header is included in google_benchmark.cpp and nowhere else.
#pragma once

#include <string>
#include <vector>

#include "harness/options.hpp"
#include "harness/row_runner.hpp"
#include "harness/run_context.hpp"

namespace overlap {

/// A row that failed, and why.
struct Failure {
  std::string name;
  std::string reason;
};

/// What running all rows came to.
struct Outcome {
  std::vector<Failure> failures;  ///< each row once
  std::size_t started = 0;        ///< rows, repetitions counted
  std::size_t over_budget = 0;    ///< of them that their wall-clock budget cut short
  double seconds = 0;             ///< of the wall clock
  bool written = true;            ///< whether the output file took everything
};

/// Hands the library its flags. `program` is argv[0], and outlives everything.
/// @return whether it takes them all; an older one may not, and says so.
bool initialize_google_benchmark(char* program, std::vector<std::string> words);

/// Runs all rows through the library, which prints them and writes --benchmark_out with `context`. The first
/// Ctrl-C fails the rows that are left, so that the JSON is complete; the second one ends the program.
Outcome run_rows(RowRunner& runner, const std::vector<PlannedRow>& rows, const Options& options,
                 const Context& context);

/// Adds what is only known at the end to the context of a finished JSON file, which replaces it in one step.
/// Leaves devices and pipes alone. @throws std::runtime_error if the file is not what was written, or cannot
/// be replaced.
void add_to_context(const std::string& path, const std::string& key, const std::string& value);

}  // namespace overlap
