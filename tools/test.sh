#!/usr/bin/env bash
# Builds and runs every test that this machine can run: the host backend and the report everywhere, the CUDA backend
# where there is a GPU (its tests are reported as skipped where there is only nvcc), then the host backend and the
# report again under AddressSanitizer with UBSan and under ThreadSanitizer.
#   --fast    without the sanitizers
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/needs.sh

sanitizers=(asan tsan)
case "${1:-}" in
  "") ;;
  --fast) sanitizers=() ;;
  *) echo "usage: tools/test.sh [--fast]"; exit 2 ;;
esac

install_packages "${build_packages[@]}"
install_packages chromium || echo "Without Chromium the pages of the report are not looked at."
install_packages clang-format-14 || echo "Without clang-format 14 the format of the sources is not checked."

failed=()
for preset in "$(choose_preset)" "${sanitizers[@]}"; do
  say "building (preset $preset)"
  configure "$preset"
  cmake --build --preset "$preset"
  say "testing (preset $preset)"
  ctest --preset "$preset" -j "$(nproc)" || failed+=("$preset")
done

if [ ${#failed[@]} -gt 0 ]; then
  say "FAILED: ${failed[*]}"
  exit 1
fi
say "all tests passed"
