#!/usr/bin/env bash
# One run on a machine with a GPU, from build to results: builds, runs the CUDA tests, the sweeps, the sanitizers,
# and leaves everything in a folder.
#   tools/lab/gpu_run.sh OUTPUT_FOLDER [STEP...]      steps: tests quick again paper sanitize (default), aa, torch, against, interleaved
# aa: ten short runs of the same program, for verdicts on nothing: aa.tar.gz and the tolerances they give.
# torch: installs the PyTorch extension into python3 (which needs torch, google-benchmark, pytest and scikit-build-core),
# runs its tests and its benchmark.
# against: builds the sources in the folder AGAINST too, and runs both programs in turn: five runs a side, a verdict a row.
# interleaved: three repetitions of every pipeline row, in order and shuffled; says how long each took.
# tools/lab/record.sh makes the tables of it.
# Environment: CUDA_ARCHITECTURES (default 90), REVISION (default: asks git), AA_RUNS (default 10).
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
out=${1:?usage: tools/lab/gpu_run.sh OUTPUT_FOLDER [tests|quick|again|paper|sanitize|aa|torch ...]}
shift
steps=${*:-tests quick again paper sanitize}
mkdir -p "$out"
build=build/gpu
failed=0

say() { printf '\n== %s (%ss)\n' "$*" "$SECONDS"; }
attempt() { "$@" || { echo "FAILED ($?): $*"; failed=1; }; }

say "building"
cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DOVERLAP_WERROR=ON -DOVERLAP_ENABLE_CUDA=ON \
  -DCMAKE_CUDA_ARCHITECTURES="${CUDA_ARCHITECTURES:-90}" -DOVERLAP_REVISION="${REVISION:-}" >"$out/build.log" 2>&1 &&
  cmake --build $build >>"$out/build.log" 2>&1 || { tail -40 "$out/build.log"; exit 1; }

for step in $steps; do
  say "$step"
  case $step in
    tests)
      attempt ctest --test-dir $build -L cuda --output-on-failure --timeout 300 >"$out/ctest.log" 2>&1
      grep -E '\*\*\*|tests passed|Skipped' "$out/ctest.log"
      grep -A12 -E ': Failure|ERROR' "$out/ctest.log" | head -60 ;;
    quick | again | paper)
      preset=$step
      [ "$step" = again ] && preset=quick
      attempt $build/overlap-bench --preset="$preset" --benchmark_out="$out/$step.json" >"$out/$step.log" 2>"$out/$step.err"
      grep -vE '^$' "$out/$step.err" | tail -15 ;;
    sanitize)
      small="--benchmark_min_warmup_time=0 --benchmark_min_time=0 --sweep=n=10007 --sweep=streams=1,2 --sweep=chunk=n/3
        --sweep=dim=100 --sweep=batches=4 --sweep=buffers=2 --sweep=bytes=40960 --sweep=graph_cost.kernels=10 --sweep=result=host"
      for tool in memcheck racecheck; do
        attempt compute-sanitizer --tool $tool --error-exitcode 9 $build/overlap-bench $small \
          --benchmark_filter='^(timer|sequence|swish|double|concurrent|graph)|pinned|write_comb|d2d' >"$out/$tool.log" 2>&1
        grep -E 'SUMMARY' "$out/$tool.log"
      done ;;
    aa)
      attempt tools/compare.sh --aa --new $build/overlap-bench --runs "${AA_RUNS:-10}" -o "$out/aa" -- \
        --benchmark_min_time=0.03 --benchmark_min_warmup_time=0.05
      tar -C "$out" -czf "$out/aa.tar.gz" aa && rm -rf "$out/aa" ;;
    torch)
      CMAKE_ARGS="-DCMAKE_CUDA_ARCHITECTURES=${CUDA_ARCHITECTURES:-90} -DOVERLAP_WERROR=ON -DOVERLAP_ENABLE_CUDA=ON" attempt \
        python3 -m pip install --no-build-isolation --no-deps --force-reinstall ./kernels/torch >"$out/torch-build.log" 2>&1
      OVERLAP_REPORT=$PWD/$build/overlap-report attempt python3 -m pytest -q kernels/torch/tests bench/torch/tests >"$out/torch-tests.log" 2>&1
      tail -15 "$out/torch-tests.log"
      attempt python3 bench/torch/main.py --revision="${REVISION:-}" --benchmark_out="$out/torch.json" >"$out/torch.log" 2>&1
      tail -5 "$out/torch.log"
      # What the host paces moves with the host, and what the memory paces differs by less than one row shows: the
      # middle of nine, taken in mixed order.
      attempt python3 bench/torch/main.py --revision="${REVISION:-}" --benchmark_filter='^torch_swish' \
        --sweep=n=1000,2^28 --sweep=dtype=float32 --sweep=impl=extension,silu,composed --sweep=submit=launch \
        --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true \
        --benchmark_out="$out/torch-repeated.json" >>"$out/torch.log" 2>&1 ;;
    against)
      base=build/gpu-against
      cmake -S "${AGAINST:?the folder of the other sources}" -B $base -G Ninja -DCMAKE_BUILD_TYPE=Release -DOVERLAP_ENABLE_CUDA=ON \
        -DCMAKE_CUDA_ARCHITECTURES="${CUDA_ARCHITECTURES:-90}" -DBUILD_TESTING=OFF -DOVERLAP_REVISION=against >"$out/against-build.log" 2>&1 &&
        cmake --build $base --target overlap-bench >>"$out/against-build.log" 2>&1 || { tail -20 "$out/against-build.log"; exit 1; }
      REPORT=$build/overlap-report attempt tools/compare.sh --baseline $base/overlap-bench --new $build/overlap-bench \
        --runs "${RUNS:-5}" -o "$out/against" -- --benchmark_filter="${ROWS:-^(pipeline|sequence|double_buffer|swish)/}" \
        --benchmark_min_time=0.05 --benchmark_min_warmup_time=0.05 >"$out/against.log" 2>&1
      cat "$out/against/verdict.txt"
      tar -C "$out" -czf "$out/against.tar.gz" against && rm -rf "$out/against" ;;
    interleaved)
      for shuffled in false true; do
        attempt $build/overlap-bench --benchmark_filter='^pipeline' --benchmark_repetitions=3 --benchmark_min_time=0.02 \
          --benchmark_min_warmup_time=0.02 --benchmark_enable_random_interleaving=$shuffled >/dev/null 2>"$out/interleaved.err"
        echo "interleaving $shuffled: $(grep 'rows in' "$out/interleaved.err")"
      done ;;
    *) echo "unknown step $step"; exit 2 ;;
  esac
done
say "done"
exit $failed
