# Sourced by quickstart.sh and test.sh: installs what is missing to build, on Debian and Ubuntu; elsewhere says what is.
# shellcheck shell=bash

say() { printf '\n== %s\n' "$*"; }

# install_packages PACKAGE...: those that are not installed yet.
install_packages() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null; then
    echo "This is no Debian or Ubuntu: make sure that these are installed under your system's names: $*"
    return 0
  fi
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "Not installed, and there is no sudo to install them: ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

build_packages=(g++ cmake ninja-build git libbenchmark-dev nlohmann-json3-dev libcli11-dev libfmt-dev libeigen3-dev libjs-chart.js libgtest-dev)

# The preset that this machine can build: cuda where there is an nvcc.
choose_preset() {
  if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || [ -n "${CUDACXX:-}" ]; then echo cuda; else echo host; fi
}

# configure PRESET [OPTION...]: quietly, unless it fails.
configure() {
  local log="build/configure-$1.log"
  mkdir -p build
  cmake --preset "$@" >"$log" 2>&1 || { cat "$log"; return 1; }
  grep -E 'Overlap backends' "$log"
}

# The architecture of this machine's GPU, or some one where there is none.
one_architecture() { if nvidia-smi -L 2>/dev/null | grep -q GPU; then echo native; else echo 90; fi; }

torch_python=build/torch-venv/bin/python

# prepare_torch: a Python with PyTorch, Google Benchmark and pytest, as $torch_python; needs python3-venv. Takes the system's PyTorch if it has
# one; else PyPI's, which is 2 GB to fetch and 5 GB on disk, CUDA libraries included.
prepare_torch() {
  [ -x "$torch_python" ] && "$torch_python" -c 'import torch, google_benchmark, pytest, ruff' 2>/dev/null && return 0
  local options=()
  python3 -c 'import torch' 2>/dev/null && options=(--system-site-packages)
  python3 -m venv "${options[@]}" build/torch-venv && "$torch_python" -m pip install --quiet --no-compile -r bench/torch/requirements.txt
}
