#!/usr/bin/env bash
# Who may include whom (layout.py says), and the format of the sources. Exit 77: nothing wrong, but the formatter is missing.
set -u
cd "$(dirname "$0")/../../.."
bad=0
python3 tools/report/tests/layout.py --self-test || bad=1
python3 tools/report/tests/layout.py || bad=1

formatter=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$formatter" ] || ! "$formatter" --version | grep -q 'version 14\.'; then
  echo "clang-format 14 is not here: format not checked"
  [ $bad = 0 ] && exit 77
  exit 1
fi
found=$(find kernels bench tools -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' | sort | xargs "$formatter" --dry-run 2>&1 | grep -E 'warning:' | cut -d: -f1 | uniq -c)
[ -z "$found" ] || { echo "not formatted (clang-format -i):"; echo "$found"; bad=1; }
exit $bad
