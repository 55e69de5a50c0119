#!/usr/bin/env bash
# Runs clang-tidy, with the checks of .clang-tidy, over the sources that are no tests.
#   tools/lint.sh          those that differ from origin/main; on main itself, from the commit before
#   tools/lint.sh --all    all of them: five minutes of one core
# Compiles without the precompiled headers, so a source that lacks an #include is found too. A header is checked as part of
# one source that includes it. Exit 77: clang-tidy 14 is not here.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/needs.sh

tidy=$(command -v clang-tidy-14 || command -v clang-tidy || true)
if [ -z "$tidy" ] || ! "$tidy" --version | grep -q 'version 14\.'; then
  echo "clang-tidy 14 is not here: the sources are not checked with it"
  exit 77
fi

# Neither tests, nor what needs PyTorch, nor kernels/cuda: clang 14 does not know std::source_location.
wanted() { grep -vE '(^|/)tests/|^kernels/(torch|cuda)/' || true; }
sources() { git ls-files --cached --others --exclude-standard "$@" | wanted; }

# changed_sources COMMIT: those that differ from it.
changed_sources() {
  local file
  { git diff --name-only --diff-filter=d "$1" -- '*.cpp' '*.hpp'; git ls-files --others --exclude-standard '*.cpp' '*.hpp'; } | wanted |
    while read -r file; do
      if [[ $file = *.cpp ]]; then echo "$file"; else sources '*.cpp' | xargs grep -l "[\"/]${file##*/}\"" | head -n 1; fi
    done | sort -u
}

base=$(git merge-base HEAD origin/main 2>/dev/null || true)
[ "$base" = "$(git rev-parse HEAD)" ] && base=$(git rev-parse --quiet --verify HEAD~1 || true)
if [ "${1:-}" = --all ] || [ -z "$base" ]; then files=$(sources '*.cpp'); else files=$(changed_sources "$base"); fi

[ -n "$files" ] || { echo "nothing to check"; exit 0; }

configure host -B build/lint -DBUILD_TESTING=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DOVERLAP_WERROR=OFF
cmake --build build/lint --target revision >/dev/null
xargs -P "$(nproc)" -n 1 "$tidy" --quiet -p build/lint --extra-arg=-Wno-unknown-warning-option <<<"$files" \
  2> >(grep -vE 'warnings? generated|^Error while processing' >&2)
