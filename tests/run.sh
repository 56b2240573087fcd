#!/usr/bin/env bash
# Install what is missing, build, run the tests; the last line is the summary.
#   tests/run.sh [--long]    --long: also what takes long, within 90 minutes: the tests with the mark
#                            or label `long`, the installation, the pages from the docstrings, the
#                            default ctest and the tests of commands under AddressSanitizer and
#                            UndefinedBehaviorSanitizer, ctest and some of pytest on what Clang
#                            builds (where there is clang++), the bits of GCC's -O1, -O2 and -O3
#                            and of Clang, and clang-tidy on every file, not on the last changed
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../jobs/common.sh"

arguments=("$@")
long=no
forms=(--label-exclude long)
case "${1:-}" in
  -h | --help) show_help ;;
  --long) long=yes; forms=(); shift ;;
esac
if [ $# -gt 0 ]; then
  echo "run.sh: unknown argument '$1'; the only ones are --long and --help" >&2
  exit 2
fi

# End what the tests have started: mpirun ends its ranks, and ninja its compilers, if they have the time.
end_all() {
  local group=${group:-$(jobs -p)}
  trap '' HUP INT TERM
  kill -TERM -- "-$group"
  for _ in {1..50}; do
    kill -0 -- "-$group" || break
    sleep 0.1
  done
  kill -KILL -- "-$group"
} 2>/dev/null

# Bash runs the trap of a signal when the command it waits for has ended, unless that is `wait`. So all
# is done by a second of this script, in a process group with what it starts, and this one waits. Only
# the installation is done here: it may ask for a password, and is better not ended half-way.
if [ -z "${MASING_TESTS_LOGS:-}" ]; then
  "$root/jobs/install_dependencies.sh" ||
    { printf '%s\n' "FAILED: installing" "0 passed, 1 failed"; exit 1; }
  MASING_TESTS_LOGS=$(mktemp -d)
  export MASING_TESTS_LOGS
  trap 'end_all; rm -rf "$MASING_TESTS_LOGS"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  set -m
  "$root/tests/run.sh" "${arguments[@]}" </dev/null &
  group=$!
  set +m
  wait "$group"
  exit
fi
logs=$MASING_TESTS_LOGS
unset MASING_TESTS_LOGS
cd "$root" || exit 1
rm -f build/masing.started
start=$SECONDS
passed=0
failed=0

# Add a finished step that is one test: its name and its exit code, which is returned.
count_step() {
  if [ "$2" -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $1"
  fi
  return "$2"
}

# The number an attribute of a JUnit file's first <testsuite> has; ctest puts each on its own line.
junit_number() {
  tr '\n\t' '  ' <"$1" | grep -o '<testsuite [^>]*' | head -n 1 | grep -o " $2=\"[0-9]*\"" |
    grep -o '[0-9]*' || echo 0
}

# Add the tests of a JUnit file; a missing or empty one is one failure.
count_junit() {
  local total bad skipped
  if [ ! -s "$2" ] || [ "$(junit_number "$2" tests)" -eq 0 ]; then
    count_step "$1 ran no test" 1
    return
  fi
  total=$(junit_number "$2" tests)
  bad=$(($(junit_number "$2" failures) + $(junit_number "$2" errors)))
  skipped=$(($(junit_number "$2" skipped) + $(junit_number "$2" disabled)))
  passed=$((passed + total - bad - skipped))
  failed=$((failed + bad))
  [ "$skipped" -eq 0 ] || echo "SKIPPED: $skipped of $1"
  [ "$bad" -eq 0 ] || echo "FAILED: $bad of $1"
}

# Print the 25 tests that took longest, of all JUnit files: seconds, then names.
show_slowest() {
  echo "== the slowest tests, in seconds"
  cat "$logs"/*.xml | tr '\n' ' ' | grep -o '<testcase [^>]*' | awk -F'"' '{
    for (i = 1; i < NF; i += 2) { sub(/.* /, "", $i); of[$i] = $(i + 1) }
    room = of["classname="] == of["name="] ? "ctest" : of["classname="]
    printf "%7.1f  %s %s\n", of["time="], room, of["name="] }' | sort -rn | head -n 25
}

finish() {
  show_slowest 2>/dev/null
  echo "masing tests took $((SECONDS - start)) s"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit $?
}

libraries=h5py,numpy,scipy,pandas,matplotlib,jinja2,xarray,h5netcdf,uncertainties,nbclient,ipykernel
python=$(find_python pytest,xdist,$libraries) || { count_step "finding Python" 1; finish; }
echo "== build of program and library (preset dev), some minutes the first time"
build_preset dev --target masing || { count_step "building" 1; finish; }

# The Python tests need only the program and wait much of their time. They run beside all that
# follows; what they say is shown at the end.
python_forms=()
[ "$long" = no ] || python_forms=(--long)
# run_pytest NAME ARGUMENT...: runs pytest with the results in NAME.xml.
run_pytest() {
  local name=$1
  shift
  "$python" -m pytest -q -p no:cacheprovider --junitxml="$logs/$name.xml" "$@"
}
# One more than cores: tests of runs that are stopped wait most of the time. They take longest, and
# so begin first.
MASING_PROGRAM=$root/build/dev/masing run_pytest pytest "${python_forms[@]}" \
  --numprocesses $((cores + 1)) --dist loadfile tests/commands/test_stops.py tests >"$logs/pytest.txt" 2>&1 &
pytest=$!
# Run a command with low priority.
gently() { (renice -n 10 "$BASHPID" >/dev/null && "$@"); }

# The ranks of the tests wait for each other: they would lose more time beside compilers than these.
echo "== build of the tests, beside pytest"
gently build_preset dev
if count_step "building without a warning" $?; then
  if [ "$long" = yes ]; then
    build_preset dev --target long_tests
    count_step "building the tests that take long" $?
  fi
  echo "== ctest, beside pytest"
  ctest --preset dev --parallel "$cores" "${forms[@]}" --output-junit "$logs/ctest.xml" \
    >"$logs/ctest.txt" 2>&1 || cat "$logs/ctest.txt"
  tail -n 3 "$logs/ctest.txt"
  count_junit ctest "$logs/ctest.xml"
fi

echo "== clang-format"
find src tests -name '*.[ch]pp' -print0 | gently xargs -0 clang-format --dry-run --Werror
count_step "clang-format" $?

# clang-tidy takes ten seconds a file: only what is not committed, else the last commit, and no more
# files than cores. It reads neither precompiled headers nor joined sources. Clang's analyzer would take
# three times as long.
sources=('src/*.cpp' 'tests/*.cpp')
tidy=(clang-tidy -p build/tidy --quiet --checks='-clang-analyzer-*')
if [ "$long" = yes ]; then
  changed=$(git ls-files --cached --others --exclude-standard "${sources[@]}")
  most=$(echo "$changed" | wc -l)
else
  changed=$({ git diff --name-only --diff-filter=d HEAD -- "${sources[@]}";
    git ls-files --others --exclude-standard "${sources[@]}"; } 2>/dev/null | sort -u)
  [ -n "$changed" ] ||
    changed=$(git diff-tree --no-commit-id --name-only --diff-filter=d -r HEAD -- "${sources[@]}")
  most=$cores
fi
if [ -n "$changed" ]; then
  some=$(echo "$changed" | head -n "$most")
  echo "== clang-tidy on $(echo "$some" | wc -l) of $(echo "$changed" | wc -l) files"
  # Only what this build compiles: not the sources of projects in tests/.
  { cmake --preset dev -B build/tidy -DMASING_PRECOMPILED_HEADERS=OFF -DCMAKE_UNITY_BUILD=OFF &&
    cmake --build build/tidy --target build_info; } >/dev/null &&
    for file in $some; do
      ! grep -qF "/$file\"" build/tidy/compile_commands.json || echo "$file"
    done | gently xargs -r -P "$cores" -n 1 "${tidy[@]}" 2>/dev/null
  count_step "clang-tidy" $?
fi

echo "== pytest"
wait "$pytest"
cat "$logs/pytest.txt"
count_junit pytest "$logs/pytest.xml"
if [ -e build/masing.started ]; then
  cat build/masing.started
  count_step "tests that take build/masing for the program" 1
fi

if [ "$long" = yes ]; then
  echo "== install"
  cmake --install build/dev --prefix "$logs/installed" >"$logs/install.txt" 2>&1 &&
    "$logs/installed/bin/masing" --version
  count_step "cmake --install" $?
  echo "== pages from the docstrings"
  cmake --build build/dev --target docs >"$logs/docs.txt" 2>&1 || { cat "$logs/docs.txt"; false; }
  count_step "docs without a warning" $?
  echo "== ctest and the tests of commands under the sanitizers (preset asan)"
  build_preset asan
  if count_step "building with sanitizers" $?; then
    ctest --preset asan --label-exclude long --parallel "$cores" --timeout 600 \
      --output-junit "$logs/asan.xml" >"$logs/asan.txt" 2>&1 || cat "$logs/asan.txt"
    count_junit "ctest with sanitizers" "$logs/asan.xml"
    # Python has no sanitizer, and cannot load a module that has one.
    MASING_MODULE=0 MASING_PROGRAM=$root/build/asan/masing run_pytest sanitized --numprocesses $((cores + 1)) \
      --dist loadfile tests/commands
    count_junit "pytest with sanitizers" "$logs/sanitized.xml"
  fi
  echo "== the bits of GCC's -O1, -O2 and -O3 (preset dev, build/o2, preset release)"
  { cmake --preset release -B build/o2 -DCMAKE_BUILD_TYPE= -DCMAKE_CXX_FLAGS=-O2 -DMASING_WARNINGS_AS_ERRORS=ON &&
    cmake --build build/o2 --parallel "$cores"; } >"$logs/o2.txt" 2>&1 || { cat "$logs/o2.txt"; false; } &&
    build_preset release
  if count_step "building with -O2 and -O3" $?; then
    MASING_PROGRAM=$root/build/dev/masing MASING_OTHER_PROGRAMS=$root/build/o2/masing:$root/build/masing \
      run_pytest levels --long -k not_depend_on_the_build tests/commands/test_same_bits.py
    count_junit "bits of three levels of optimisation" "$logs/levels.xml"
  fi
  echo "== ctest and some of pytest with Clang (preset clang)"
  if ! command -v clang++ >/dev/null; then
    echo "SKIPPED: what Clang builds, for want of clang++"
  elif build_preset clang; count_step "building with Clang without a warning" $?; then
    ctest --preset clang --label-exclude long --parallel "$cores" --output-junit "$logs/clang.xml" \
      >"$logs/clang.txt" 2>&1 || cat "$logs/clang.txt"
    count_junit "ctest with Clang" "$logs/clang.xml"
    MASING_PROGRAM=$root/build/clang/masing MASING_OTHER_PROGRAMS=$root/build/dev/masing \
      run_pytest compilers --long tests/commands/test_{same_bits,simulate,models}.py
    count_junit "pytest with Clang" "$logs/compilers.xml"
  fi
fi
finish
