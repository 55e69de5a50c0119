#!/usr/bin/env bash
# tools/compare.sh from end to end, on a row that takes no time. $1: overlap-bench-host, $2: overlap-report.
set -u
cd "$(dirname "$0")/../../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0
expect() { # expect CODE WORDS... -- ARGUMENTS...
  local code=$1 words=$2
  shift 2
  local output status=0
  output=$(REPORT=$report tools/compare.sh "$@" 2>&1) || status=$?
  if [ "$status" != "$code" ] || ! grep -q -- "$words" <<<"$output"; then
    echo "expected $code and '$words' of: compare.sh $*"
    echo "$output"
    bad=1
  fi
}
bench=$1 report=$2
flags=(-- --benchmark_filter=event_pair --benchmark_min_time=0.001 --benchmark_min_warmup_time=0)

expect 0 tolerances.json --aa --new "$bench" --runs 3 -o "$folder" "${flags[@]}"
grep -q overlap-tolerances-1 "$folder/tolerances.json" || { echo "no tolerances"; bad=1; }

# Programs whose every run takes as long as they say, so that the verdict is the same on a busy machine.
constant() { # constant NAME MICROSECONDS
  cp "$folder/aa-1.json" "$folder/template"
  cat >"$folder/$1" <<PROGRAM
#!/usr/bin/env bash
for flag; do case \$flag in --benchmark_out=*) out=\${flag#*=} ;; esac; done
sed -E 's/"(real_time|cpu_time|p50_us|min_us|p95_us)": [^,]*/"\1": $2/' "$folder/template" >"\$out"
PROGRAM
  chmod +x "$folder/$1"
}
constant before 10
constant after 20
constant slower 30

expect 0 "2 baseline and 2 new runs" --baseline "$folder/before" --new "$folder/before" --runs 2 -o "$folder" "${flags[@]}"
for file in baseline-2.json new-2.json verdict.txt verdict.md verdict.json verdict.xml; do
  [ -s "$folder/$file" ] || { echo "no $file"; bad=1; }
done
rm "$folder/tolerances.json" # of a row that takes no time: anything may be
expect 1 REGRESSED --baseline "$folder/before" --new "$folder/after" -o "$folder" "${flags[@]}"
expect 0 IMPROVED --baseline "$folder/after" --new "$folder/before" -o "$folder" "${flags[@]}"
expect 0 "5 baseline and 2 new runs" --baseline "$folder/baseline-*.json" --new "$folder/after" --runs 2 -o "$folder" "${flags[@]}"
mkdir "$folder/old runs" "$folder/beside"
cp "$folder"/baseline-[1-3].json "$folder/old runs"
for baseline in "$folder/old runs/*.json" "$folder/old runs" "$folder/old runs/" "$folder/baseline-1.json $folder/baseline-[23].json"; do
  expect 0 "3 baseline and 2 new runs" --baseline "$baseline" --new "$folder/after" --runs 2 -o "$folder" "${flags[@]}"
done
expect 2 "give another -o" --baseline "$folder/new-*.json" --new "$folder/after" -o "$folder"
[ -s "$folder/new-1.json" ] || { echo "the baseline was removed"; bad=1; }
expect 1 REGRESSED --baseline "$folder/old runs" --new "$folder/slower" --runs 3 -o "$folder"
grep -q '"exit_code": *1' "$folder/verdict.json" || { echo "verdict.json does not say what it came to"; bad=1; }

# The report beside either program serves; a name without a slash is a file here.
ln -s "$(realpath "$report")" "$folder/beside/overlap-report"
cp "$folder/before" "$folder/beside/before"
REPORT_GIVEN=$report report=""
expect 0 "2 baseline and 2 new runs" --baseline "$folder/beside/before" --new "$folder/before" --runs 2 -o "$folder"
expect 2 "no overlap-report" --baseline "$folder/before" --new "$folder/before" --runs 2 -o "$folder"
report=$REPORT_GIVEN

# Nothing measured is no regression.
expect 2 "wrote no rows" --baseline "$bench" --new "$bench" -o "$folder" -- --benchmark_filter=nosuch
expect 2 "is no program" --baseline "$bench" --new /nosuch
expect 2 "give --baseline" --new "$folder/after" -o "$folder"
expect 0 "2 baseline and 2 new runs" --baseline "$folder/before" --new "$folder/before" --runs 02 -o "$folder"
expect 2 "three runs or more" --aa --new "$bench" --runs 2 -o "$folder"
expect 2 "is no program" --baseline "$bench" --new "$folder"
expect 2 "neither a program nor JSON" --baseline /nosuch --new "$bench" -o "$folder"
expect 2 "no number of runs" --baseline "$bench" --new "$bench" --runs x
expect 2 "unknown argument" --bassline x
expect 2 "ended with 2" --baseline "$bench" --new "$bench" -o "$folder" -- --nosuchflag
exit $bad
