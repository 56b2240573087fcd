# What the scripts share; source it. Sets `root` (the repository, or share/masing below an install
# prefix), `program` and `results`, and leaves the folder as it is.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cores=$(nproc)
# A clone has its program built, and keeps results in it; below an install prefix, share/masing, the
# program is there, and results go to the current folder.
if [ -e "$root/CMakeLists.txt" ]; then
  program=$root/build/masing
  results=$root/results
else
  program=$(cd "$root/../.." && pwd)/bin/masing
  results=$PWD/results
fi

# Open MPI refuses root and more ranks than cores unless told. The ranks share this host: an
# allreduce that need not look for others takes two thirds of the time. It installs no handlers of
# signals.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=vader,self OMPI_MCA_opal_signal=

# The first python3 on the PATH may lack the libraries: take the first that has those named.
find_python() {
  local candidate
  for candidate in "${MASING_PYTHON:-}" python3 /usr/bin/python3; do
    if [ -n "$candidate" ] && "$candidate" -c "import $1" >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
  echo "no Python with $1 found; set MASING_PYTHON to one that has them" >&2
  return 1
}

# build_preset PRESET [--target TARGET]: configure and build a preset, a new one with Ninja where there
# is one; its output goes to a log (in the folder `logs`, if set) that is shown if it fails.
build_preset() {
  local log preset=$1
  shift
  if [ -z "${CMAKE_GENERATOR:-}" ] && command -v ninja >/dev/null; then
    local -x CMAKE_GENERATOR=Ninja
  fi
  log=$(mktemp "${logs:-${TMPDIR:-/tmp}}/build.XXXXXX")
  if (cd "$root" && cmake --preset "$preset" && cmake --build --preset "$preset" --parallel "$cores" "$@") \
      >"$log" 2>&1; then
    rm -f "$log"
  else
    tail -n 60 "$log" >&2
    rm -f "$log"
    echo "the build of preset '$preset' failed" >&2
    return 1
  fi
}

# Show the comment that the script begins with, and stop.
show_help() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit; }

# take_folder "$@": of -h and --help show_help; refuse all but one folder.
take_folder() {
  case "${1:-}" in
    -h | --help) show_help ;;
    -*) echo "${0##*/}: unknown argument '$1'; see --help" >&2; exit 2 ;;
  esac
  if [ $# -gt 1 ]; then
    echo "${0##*/}: unknown argument '$2'; the only one is the folder" >&2
    exit 2
  fi
}

# What every script of runs begins with: install what is missing, build the program, make the folder
# of the results; sets `python` to one that can draw them. What draws the page is installed while the
# program is built.
prepare_runs() {
  if [ -e "$root/CMakeLists.txt" ]; then
    "$root/jobs/install_dependencies.sh" --program || return
    "$root/jobs/install_dependencies.sh" --page &
    local page=$! built=0
    echo "building (preset release), two or three minutes the first time"
    build_preset release --target masing || built=$?
    wait "$page" && [ "$built" -eq 0 ] || return 1
  fi
  python=$(find_python h5py,h5netcdf,numpy,scipy,pandas,xarray,uncertainties,matplotlib,jinja2) || return
  mkdir -p "$1"
}
