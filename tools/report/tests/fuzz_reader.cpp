// For libFuzzer: whatever the bytes, the reader returns rows that are whole or throws an InputError.
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Itools/report -Ibench
//     tools/report/tests/fuzz_reader.cpp tools/report/read/*.cpp bench/names/*.cpp -lfmt -o fuzz_reader
//   ./fuzz_reader -max_len=4096 CORPUS tools/report/tests/data/fuzz
#include <cstdint>
#include <cstdlib>

#include "read/results.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace overlap::report;
  try {
    const Run run = parse_run(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    if (run.rows.empty()) std::abort();
    for (const Row& row : run.rows)
      if (row.failed() == !row.times_us.empty() || (!row.failed() && !(row.time_us() >= 0))) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
