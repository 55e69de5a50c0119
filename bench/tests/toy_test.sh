#!/usr/bin/env bash
# A family of somebody's own gets a table with a baseline, and a choice of advice, from what it says of itself.
# $1: toy-bench, $2: overlap-report.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0
expect() { # expect PATTERN TEXT
  grep -Eq -- "$1" <<<"$2" || { echo "no '$1' in:"; echo "$2"; bad=1; }
}
"$1" --benchmark_min_time=0.01 --benchmark_min_warmup_time=0 --benchmark_out="$folder/toy.json" >/dev/null 2>&1 || { echo "toy-bench failed"; exit 1; }
table=$("$2" table "$folder/toy.json")
expect 'kettle   cups 1 .*baseline: heat gas' "$table"
expect 'heat .*speedup .*cups_per_s' "$table"
expect 'gas .* 1\.00x' "$table"
expect 'mains .* (1\.[2-9]|2\.|3\.)' "$table"
expect 'kettle   cups 2' "$("$2" advise "$folder/toy.json")"
expect 'did you mean .cups.' "$("$1" --sweep=cup=1 2>&1)"
exit $bad
