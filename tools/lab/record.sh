#!/usr/bin/env bash
# Keeps a run of tools/lab/gpu_run.sh as a recorded one: copies its JSON and writes the texts that reports/README.md lists.
#   tools/lab/record.sh OUTPUT_FOLDER reports/MACHINE      REPORT=build/host/overlap-report
# With reports/MACHINE as both it writes the texts anew.
set -euo pipefail
cd "$(dirname "$0")/../.."
from=${1:?usage: tools/lab/record.sh OUTPUT_FOLDER reports/MACHINE}
to=${2:?usage: tools/lab/record.sh OUTPUT_FOLDER reports/MACHINE}
report=${REPORT:-build/host/overlap-report}
[ -x "$report" ] || { echo "record.sh: no $report: build Overlap first, or say REPORT=path" >&2; exit 2; }
compgen -G "$from/*.json" >/dev/null || { echo "record.sh: no JSON in $from" >&2; exit 2; }
mkdir -p "$to"

for run in quick paper torch torch-repeated; do
  [ ! -e "$from/$run.json" ] || [ "$from" -ef "$to" ] || install -m 644 "$from/$run.json" "$to/$run.json"
done
for run in quick paper; do
  [ -e "$to/$run.json" ] || continue
  "$report" table "$to/$run.json" >"$to/$run.txt"
  "$report" table "$to/$run.json" --format md >"$to/$run.md"
  "$report" advise "$to/$run.json" >"$to/$run-advice.txt"
done
[ ! -e "$to/quick.json" ] || "$report" table "$to/quick.json" reports/published/rtx4090.json >"$to/beside-published.txt"
if [ -e "$to/torch.json" ] && [ -e "$to/quick.json" ]; then  # which has the raw kernels' rows
  "$report" table "$to/quick.json" "$to/torch.json" | sed -n '1,2p;/^torch_swish/,$p' >"$to/torch.txt"
fi
[ ! -e "$to/torch-repeated.json" ] || "$report" table "$to/torch-repeated.json" >"$to/torch-repeated.txt"
echo "record.sh: wrote $to; its figures stand in README.md and reports/README.md too"
