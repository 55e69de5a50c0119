// The command line: our flags, and Google Benchmark's, which keep their meaning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/measure.hpp"
#include "harness/sweep.hpp"

namespace overlap {

struct Options {
  SweepRequest sweep;
  int device = 0;
  bool list_axes = false;
  bool list_rows = false;    ///< --benchmark_list_tests
  std::string filter;        ///< --benchmark_filter
  std::string out;           ///< --benchmark_out; empty: none
  bool json_out = true;      ///< --benchmark_out_format
  bool json_stdout = false;  ///< --benchmark_format
  int repetitions = 1;       ///< --benchmark_repetitions
  bool interleaved = false;  ///< --benchmark_enable_random_interleaving
  MeasureSettings measure;
  std::vector<std::string> for_google_benchmark;  ///< what it has to be told
  std::string help;                               ///< not empty: print it and stop
};

/// Reads the command line of a program on the backend of that name. @throws UsageError, with the nearest
/// valid words.
Options parse_options(int argc, const char* const* argv, std::string_view backend);

/// The rows that Google Benchmark would run under `filter`: a search for an extended regular expression in
/// each name, inverted by a leading '-'. @throws UsageError for a broken expression.
std::vector<PlannedRow> selected(std::vector<PlannedRow> rows, const std::string& filter);

}  // namespace overlap
