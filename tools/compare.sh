#!/usr/bin/env bash
# Runs two builds of overlap-bench in turn, several times each, and judges them: runs made side by side share the
# machine's moods, runs made one after the other do not.
#   tools/compare.sh --baseline OLD/overlap-bench --new NEW/overlap-bench [--runs N] [-o FOLDER] [-- BENCH FLAGS...]
#   tools/compare.sh --baseline 'main/*.json'     --new NEW/overlap-bench ...     recorded runs (or their folder) instead
#   tools/compare.sh --aa --new NEW/overlap-bench ...    measures what rows move by themselves, for later comparisons
# Everything ends in FOLDER (default results/compare): baseline-*.json, new-*.json, verdict.txt, .md, .json and .xml;
# with --aa, tolerances.json, which later comparisons with the same FOLDER use. The overlap-report is the one beside
# either program; REPORT=... names another.
# Exit code: overlap-report compare's (0 fine, 1 regressed, 2 usage, 3 unreadable, 5 incomparable). Flags that match no
# row are 2.
set -euo pipefail

usage() { sed -n '2,11p' "$0" | sed 's/^# \{0,1\}//'; exit 2; }
say() { printf '\n== %s\n' "$*"; }

baseline="" new="" runs=5 folder=results/compare aa=no flags=()
while [ $# -gt 0 ]; do
  case $1 in
    --baseline) baseline=${2:?--baseline needs a program or JSON files}; shift 2 ;;
    --new) new=${2:?--new needs a program}; shift 2 ;;
    --runs) runs=${2:?--runs needs a number}; shift 2 ;;
    -o) folder=${2:?-o needs a folder}; shift 2 ;;
    --aa) aa=yes; shift ;;
    --) shift; flags=("$@"); break ;;
    *) echo "compare.sh: unknown argument '$1'"; usage ;;
  esac
done
[ $aa = yes ] || [ -n "$baseline" ] || { echo "compare.sh: give --baseline, a program or JSON files"; usage; }
is_program() { [ -f "$1" ] && [ -x "$1" ]; }
is_program "$new" || { echo "compare.sh: --new '$new' is no program"; usage; }
[[ $runs =~ ^[0-9]+$ ]] && [ "$runs" -ge 1 ] || { echo "compare.sh: --runs '$runs' is no number of runs"; usage; }
[ $aa = no ] || [ "$runs" -ge 3 ] || { echo "compare.sh: --aa needs three runs or more"; usage; }
runs=$((10#$runs))
[[ $new == */* ]] || new=./$new # beside us, not on the PATH
[[ -z $baseline || $baseline == */* ]] || baseline=./$baseline
report=${REPORT:-$(dirname "$new")/overlap-report}
[ -x "$report" ] || [ -n "${REPORT:-}" ] || report=$(dirname "$baseline")/overlap-report
[ -x "$report" ] || { echo "compare.sh: no overlap-report at '${REPORT:-$report}' or beside '$new'; set REPORT"; exit 2; }

# Recorded runs are found before anything is measured or removed.
old=()
if [ $aa = no ] && ! is_program "$baseline"; then
  if [ -d "$baseline" ]; then
    shopt -s nullglob
    old=("${baseline%/}"/baseline-*.json) # of a folder that this script wrote, the runs of one side
    [ ${#old[@]} -gt 0 ] || old=("${baseline%/}"/*.json)
  else
    mapfile -t old < <(compgen -G "$baseline" | sort)
  fi
  # Several names or patterns may stand in one argument.
  # shellcheck disable=SC2086
  [ ${#old[@]} -gt 0 ] || mapfile -t old < <(for each in ${baseline#./}; do compgen -G "$each" | sort; done)
  [ ${#old[@]} -gt 0 ] || { echo "compare.sh: --baseline '$baseline' is neither a program nor JSON files"; usage; }
  for file in "${old[@]}"; do
    if [[ $file -ef $folder/$(basename "$file") && $(basename "$file") == new-*.json ]]; then
      echo "compare.sh: the baseline $file is where new runs go: give another -o"
      exit 2
    fi
  done
fi
mkdir -p "$folder" && [ -w "$folder" ] || { echo "compare.sh: -o '$folder' is no folder that can be written"; exit 2; }

# measure PROGRAM FILE: one run. A failed row is for the verdict to name; anything else ends this script.
measure() {
  local status=0
  "$1" --benchmark_out="$2" "${flags[@]}" >"${2%.json}.log" 2>&1 || status=$?
  if [ $status -gt 1 ] || [ ! -s "$2" ]; then
    tail -n 5 "${2%.json}.log"
    echo "compare.sh: $1 ended with $status and wrote no rows; its output is in ${2%.json}.log"
    [ $status -gt 1 ] || status=2 # nothing was measured: 1 would say that something regressed
    exit $status
  fi
}

if [ $aa = yes ]; then
  rm -f "$folder"/aa-*.json
  for ((i = 1; i <= runs; ++i)); do
    say "run $i of $runs"
    measure "$new" "$folder/aa-$i.json"
  done
  "$report" noise "$folder"/aa-*.json -o "$folder/tolerances.json"
  say "wrote $folder/tolerances.json"
  exit 0
fi

rm -f "$folder"/new-*.json
if [ ${#old[@]} -eq 0 ]; then
  rm -f "$folder"/baseline-*.json
  for ((i = 1; i <= runs; ++i)); do
    say "round $i of $runs"
    # Each goes first as often as the other.
    if ((i % 2)); then
      measure "$baseline" "$folder/baseline-$i.json"
      measure "$new" "$folder/new-$i.json"
    else
      measure "$new" "$folder/new-$i.json"
      measure "$baseline" "$folder/baseline-$i.json"
    fi
  done
  old=("$folder"/baseline-*.json)
else
  for ((i = 1; i <= runs; ++i)); do
    say "run $i of $runs"
    measure "$new" "$folder/new-$i.json"
  done
fi

arguments=(--baseline "${old[@]}" --new "$folder"/new-*.json)
[ -f "$folder/tolerances.json" ] && arguments+=(--tolerances "$folder/tolerances.json")
say "verdict"
status=0
"$report" compare "${arguments[@]}" || status=$?
[ $status -le 1 ] || exit $status
for format in text:txt md:md json:json junit:xml; do
  "$report" compare "${arguments[@]}" --format "${format%:*}" -o "$folder/verdict.${format#*:}" 2>"$folder/verdict.log" ||
    [ $? -eq $status ] || { cat "$folder/verdict.log"; exit 2; }
done
rm -f "$folder/verdict.log"
exit $status
