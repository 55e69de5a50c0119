#!/usr/bin/env bash
# Builds and runs every test that this machine can run: the host backend and the report everywhere, the CUDA backend
# where there is a GPU (its tests are reported as skipped where there is only nvcc), then the host backend and the
# report again under AddressSanitizer with UBSan, and what of them has threads under ThreadSanitizer, then the PyTorch
# extension and its benchmark.
#   --fast    without the sanitizers and PyTorch
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/needs.sh

sanitizers=(asan tsan) with_torch=yes
case "${1:-}" in
  "") ;;
  --fast) sanitizers=() with_torch=no ;;
  *) echo "usage: tools/test.sh [--fast]"; exit 2 ;;
esac

install_packages "${build_packages[@]}"
install_packages chromium || echo "Without Chromium the pages of the report are not looked at."
[ $with_torch = yes ] && { install_packages python3-venv || with_torch=no; }
install_packages clang-format-14 || echo "Without clang-format 14 the format of the sources is not checked."
install_packages clang-tidy-14 || echo "Without clang-tidy 14 the sources are not checked with it."

if [ $with_torch = yes ]; then
  mkdir -p build
  prepare_torch >build/torch-venv.log 2>&1 &  # mostly waits for the network and the disk, while the rest is built
  torch_install=$!
fi

failed=()
for preset in "$(choose_preset)" "${sanitizers[@]}"; do
  say "building (preset $preset)"
  # Nothing is shipped from here: code for two architectures, one of them with programmatic launches, runs on all others.
  configure "$preset" -DCMAKE_CUDA_ARCHITECTURES="80-real;90"
  cmake --build --preset "$preset"
  say "testing (preset $preset)"
  ctest --preset "$preset" -j "$(nproc)" || failed+=("$preset")
done

say "checking the sources that changed with clang-tidy (all of them: tools/lint.sh --all)"
tools/lint.sh || [ $? = 77 ] || failed+=(lint)

if [ $with_torch = yes ]; then
  say "building the PyTorch extension (its PyTorch: build/torch-venv)"
  if wait $torch_install; then
    # For one architecture: the C++ build compiles the others.
    CMAKE_ARGS="-DOVERLAP_WERROR=ON -DCMAKE_CUDA_ARCHITECTURES=$(one_architecture)" \
      "$torch_python" -m pip install --quiet --force-reinstall --no-deps ./kernels/torch || failed+=(torch-build)
    say "testing the PyTorch extension"
    "$torch_python" -m ruff check --quiet --config tools/ruff.toml bench/torch kernels/torch tools &&
      "$torch_python" -m ruff format --quiet --check --config tools/ruff.toml bench/torch kernels/torch tools || failed+=(ruff)
    OVERLAP_REPORT=$PWD/build/$(choose_preset)/overlap-report \
      "$torch_python" -m pytest -q kernels/torch/tests bench/torch/tests || failed+=(torch)
  else
    tail -n 5 build/torch-venv.log
    echo "Without PyTorch its extension is not tested."
  fi
fi

if [ ${#failed[@]} -gt 0 ]; then
  say "FAILED: ${failed[*]}"
  exit 1
fi
say "all tests passed"
