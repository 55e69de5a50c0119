// What every command does with files: reads runs, keeps inputs from being overwritten, writes what it made.
#pragma once

#include <string>
#include <vector>

#include "read/results.hpp"

namespace overlap::report {

/// What is to happen with a file that ends too soon.
enum class CutOff {
  accepted,  ///< its complete rows are read, with a warning
  refused,   ///< rows that are missing would be taken for removed, or for a row of fewer runs
};

/// Reads and normalises files, and passes their warnings on. Runs come in the order of the files. Each file
/// that cannot be read is named.
/// @param counters  the only ones to keep; empty: all.
/// @param as_written  without normalising them.
/// @throws InputError if a file cannot be read.
std::vector<Run> read_runs(const std::vector<std::string>& files, CutOff cut_off,
                           const std::vector<std::string>& counters = {}, bool as_written = false);

/// Makes sure, before anything is read, that no input is the output: by whatever names, of what the output
/// would replace or append to. Empty names are none.
/// @param option  what the output is on the command line, such as "-o".
/// @throws UsageError, also if standard input is to be read twice.
void keep_apart(const std::vector<std::string>& inputs, const std::string& output,
                const std::string& option = "-o");

/// Writes to the file, or to standard output for no path and for "-". A file that is there is replaced at
/// once or, if the disk is full, not at all; pipes and devices are written as they are.
/// @throws UsageError if not all of it could be written.
void write_output(const std::string& text, const std::string& path);

}  // namespace overlap::report
