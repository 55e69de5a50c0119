#!/usr/bin/env bash
# Installs what is missing, builds, measures, and shows how much copy time streams hide here and what a graph saves.
# On the GPU if there is one, else on CPU threads. Arguments go to the benchmark, such as --preset=paper.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/needs.sh

install_packages "${build_packages[@]}"

preset=$(choose_preset)
say "building (preset $preset, in build/$preset)"
configure "$preset"
targets=(overlap-bench-host overlap-report)
[ "$preset" = cuda ] && targets+=(overlap-bench)
cmake --build --preset "$preset" --target "${targets[@]}"

bench=build/$preset/overlap-bench-host
backend=host
if [ "$preset" = cuda ]; then
  # Only asks whether there is a device: one row, a moment.
  if why=$(build/cuda/overlap-bench --benchmark_filter=event_pair --benchmark_dry_run 2>&1 >/dev/null); then
    bench=build/cuda/overlap-bench
    backend=cuda
  else
    echo "$why" | tail -n 1
  fi
else
  echo "No nvcc here, so only the host backend is built; with a CUDA Toolkit this script builds both."
fi

mkdir -p results
json=results/quick-$backend.json
say "measuring with $bench, about a minute (all rows: ${json%.json}.log)"
status=0
"$bench" --benchmark_out="$json" "$@" >"${json%.json}.log" || status=$?

say "results (build/$preset/overlap-report table $json)"
"build/$preset/overlap-report" table "$json" || status=$?
say "advice (build/$preset/overlap-report advise $json)"
"build/$preset/overlap-report" advise "$json" || status=$?
if [ "$backend" = host ]; then
  echo
  echo "These are CPU threads behind the same interface: they show that the harness works, not what a GPU would do."
fi
exit $status
