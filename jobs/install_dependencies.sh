#!/usr/bin/env bash
# Install from apt what is missing to build, run and test masing; do nothing when all is there.
# Works as root or with sudo, from any directory. Without an option all is installed; with one only
#   --run      what the program and the Python package need
#   --program  what the program needs
#   --page     what the scripts in analysis/ need
set -euo pipefail

# A command comes with the package that provides it; a library with its -dev package.
program=(g++ cmake pkg-config ninja-build git libpetsc64-real-dev libopenmpi-dev openmpi-bin
         libhdf5-openmpi-dev libboost-dev libboost-program-options-dev
         libfmt-dev libxxhash-dev libeigen3-dev)
module=(make pybind11-dev python3-dev)
analysis=(python3 python3-numpy python3-scipy python3-pandas python3-h5py python3-matplotlib python3-jinja2
          python3-xarray python3-h5netcdf python3-uncertainties)
checks=(mold libgtest-dev python3-pytest python3-pytest-xdist
        python3-nbconvert python3-ipykernel python3-pip python3-setuptools python3-wheel clang clang-format
        clang-tidy valgrind strace iproute2 libflint-arb-dev doxygen libjs-mathjax)
# What tests are skipped without, where apt has none: a browser (Ubuntu's is a snap), for those of the
# report; a Slurm, for that of the job script.
extras=()
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null; then browser=$name; fi
done
if [ -z "${browser:-}" ]; then extras+=(chromium); fi
daemons=$PATH:/usr/sbin
if ! PATH=$daemons command -v slurmctld >/dev/null; then extras+=(slurm-wlm); fi
if ! PATH=$daemons command -v munged >/dev/null; then extras+=(munge); fi

wanted=("${program[@]}" "${module[@]}" "${analysis[@]}")
case "${1:-}" in
  --run) extras=() ;;
  --program) extras=(); wanted=("${program[@]}") ;;
  --page) extras=(); wanted=("${analysis[@]}") ;;
  "") wanted+=("${checks[@]}") ;;
  *) echo "install_dependencies.sh: unknown argument '$1'; see the head of the script" >&2; exit 2 ;;
esac

if ! command -v apt-get >/dev/null; then
  echo "install_dependencies.sh: no apt-get here; provide these by other means (modules, spack):" >&2
  echo "  ${wanted[*]}" >&2
  exit 1
fi

missing=()
for package in "${wanted[@]}"; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ] && [ ${#extras[@]} -eq 0 ]; then
  echo "dependencies: all there"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null; then
    as_root=(sudo)
  elif [ ${#missing[@]} -gt 0 ]; then
    echo "install_dependencies.sh: run as root or install sudo; missing: ${missing[*]}" >&2
    exit 1
  fi
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
has_lists() {
  [ -n "$(find /var/lib/apt/lists -name '*Packages*' -print -quit 2>/dev/null)" ]
}
refresh() { "${as_root[@]}" apt-get update -q >"$log" 2>&1; }
install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
    --no-install-recommends "$@" >"$log" 2>&1
}
# A list that is there may be stale: refresh it once where the first try finds a package gone.
install_fresh() {
  { has_lists && install "$@"; } || { refresh && install "$@"; }
}
if [ ${#missing[@]} -gt 0 ]; then
  echo "dependencies: installing ${missing[*]}"
  install_fresh "${missing[@]}" || { tail -n 20 "$log" >&2; exit 1; }
fi
for extra in "${extras[@]}"; do
  echo "dependencies: installing $extra"
  if { has_lists && ! apt-cache show "$extra" >/dev/null 2>&1; } || ! install_fresh "$extra"; then
    echo "dependencies: apt gives no $extra; the tests that need it are skipped"
  fi
done
echo "dependencies: installed"
