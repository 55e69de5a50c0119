// The command line: our flags, and Google Benchmark's, which keep their meaning.
#pragma once

#include <string>
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
  MeasureSettings measure;
  std::vector<std::string> for_google_benchmark;  ///< what it has to be told
  std::string help;                               ///< not empty: print it and stop
};

/// Reads the command line. @throws UsageError, with the nearest valid words.
Options parse_options(int argc, const char* const* argv, bool host);

/// Whether Google Benchmark would run `name` under `filter`: a search for an extended regular expression,
/// inverted by a leading '-'. @throws UsageError for a broken expression.
class NameFilter {
 public:
  explicit NameFilter(const std::string& filter);
  bool matches(const std::string& name) const;

 private:
  std::string expression_;
  bool inverted_ = false;
};

}  // namespace overlap
