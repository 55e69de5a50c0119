#!/usr/bin/env bash
# Who may include whom, and the format of the sources. Exit 77: nothing wrong, but the formatter is missing.
set -u
cd "$(dirname "$0")/../../.."
bad=0
complain() { echo "$1:"; echo "$2"; bad=1; }

found=$(grep -rnE '#include [<"]cuda' --include='*.[ch]pp' --include='*.cu' --include='*.cuh' kernels bench tools | grep -v '^kernels/cuda/')
[ -n "$found" ] && complain "CUDA headers outside kernels/cuda" "$found"
found=$(grep -rnE '#include [<"]benchmark/' --include='*.[ch]pp' kernels bench tools | grep -v '^bench/')
[ -n "$found" ] && complain "Google Benchmark outside bench" "$found"
found=$(grep -rnE '#include [<"](host|cuda)/' --include='*.[ch]pp' bench tools)
[ -n "$found" ] && complain "bench or tools see a backend's insides" "$found"
found=$(grep -rnE '#include [<"]overlap/' --include='*.[ch]pp' tools)
[ -n "$found" ] && complain "the report sees the device" "$found"
found=$(grep -rnE '#include "cuda/' kernels/host; grep -rnE '#include "host/' kernels/cuda)
[ -n "$found" ] && complain "one backend sees the other" "$found"

formatter=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$formatter" ] || ! "$formatter" --version | grep -q 'version 14\.'; then
  echo "clang-format 14 is not here: format not checked"
  [ $bad = 0 ] && exit 77
  exit 1
fi
found=$(find kernels bench tools -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' | sort | xargs "$formatter" --dry-run 2>&1 | grep -E 'warning:' | cut -d: -f1 | uniq -c)
[ -n "$found" ] && complain "not formatted (clang-format -i)" "$found"
exit $bad
