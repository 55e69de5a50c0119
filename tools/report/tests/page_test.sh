#!/usr/bin/env bash
# Opens pages in headless Chromium and looks at what was drawn. $1: overlap-report. Exit 77: there is no Chromium.
set -u
cd "$(dirname "$0")/../../.."
report=$1
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || { echo "no Chromium here: pages not checked"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0
complain() { echo "FAILED: $*"; bad=1; }

# dom FILE: the page after its scripts have run.
dom() {
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" --window-size=1200,900 \
    --virtual-time-budget=30000 --dump-dom "file://$1" 2>/dev/null
}
count() { grep -o -- "$1" <<<"$2" | wc -l; }

"$report" table reports/h200/quick.json --format html -o "$folder/table.html" || complain "no table page"
grep -qE '(src|href)="?http' "$folder/table.html" && complain "the page loads something"
page=$(dom "$folder/table.html")
if grep -q 'kChartLibrary = ""' build/*/tools/report/page_assets.cpp 2>/dev/null && ! grep -q 'data-drawn' <<<"$page"; then
  grep -q 'Built without Chart.js' <<<"$page" || complain "no charts, and nothing said about it"
else
  # Two orders of two chunk sizes over four stream counts, and the bound.
  [ "$(count 'data-drawn="{&quot;points&quot;:\[4,4,4,4,4\]' "$page")" -ge 1 ] || complain "time over streams is not drawn"
  # Two kinds of graph in three timings over three sizes.
  [ "$(count 'points&quot;:\[3,3,3,3,3,3\],' "$page")" -ge 1 ] || complain "the gain of graphs is not drawn"
  [ "$(count 'data-drawn' "$page")" -ge 9 ] || complain "only $(count 'data-drawn' "$page") charts are drawn"
  grep -qE 'width&quot;:0[,}]' <<<"$page" && complain "a chart has no width"
fi
rows=$("$report" table reports/h200/quick.json --format csv | tail -n +2 | wc -l)
views=$("$report" table reports/h200/quick.json --format json | grep -c '"family"')
[ "$(count '<tr>' "$page")" = $((rows + views)) ] || complain "$(count '<tr>' "$page") table rows, expected $((rows + views))"

cat >"$folder/evil.json" <<'JSON'
{"context": {"gpu": "</script><img src=x onerror=document.title='owned'>"}, "benchmarks": [
 {"name": "<b>x</b>/n:1", "real_time": 1, "time_unit": "us", "run_type": "iteration"},
 {"name": "y/n:<i>2", "error_occurred": true, "error_message": "</script><script>document.title='owned'</script>"}]}
JSON
"$report" table "$folder/evil.json" --format html -o "$folder/evil.html" 2>/dev/null
page=$(dom "$folder/evil.html")
grep -q '<td>&lt;b&gt;x' <<<"$page" || grep -q '&lt;b&gt;x&lt;/b&gt;' <<<"$page" || complain "the name is not shown as it is"
grep -qE '<img|<title>owned|<b>x' <<<"$page" && complain "markup from the data became markup of the page"

"$report" advise reports/h200/quick.json --format html -o "$folder/advice.html"
page=$(dom "$folder/advice.html")
[ "$(count 'class="good"' "$page")" -ge 3 ] || complain "rules are not marked"

for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
  printf '{"context": {"gpu": "G", "date": "2026-01-%02d", "revision": "c%d"}, "benchmarks": [{"name": "a/n:1", "real_time": %d, "time_unit": "us"}]}' \
    "$i" "$i" $((i < 7 ? 100 + i % 2 : 120 + i % 2)) >"$folder/run-$i.json"
  "$report" history add "$folder/store" "$folder/run-$i.json"
done
"$report" history show "$folder/store" --advisory --format html -o "$folder/history.html"
page=$(dom "$folder/history.html")
grep -q 'points&quot;:\[12,1\]' <<<"$page" || grep -q 'Built without Chart.js' <<<"$page" || complain "the change is not marked in the history"
grep -q 'class="number bad">+' <<<"$page" || complain "the slowdown is not marked"

"$report" compare --baseline "$folder"/run-[1-6].json --new "$folder"/run-[789].json "$folder"/run-1[012].json --advisory --format html -o "$folder/compare.html"
page=$(dom "$folder/compare.html")
grep -q '<td class="bad">REGRESSED' <<<"$page" || complain "the regression is not marked"
exit $bad
