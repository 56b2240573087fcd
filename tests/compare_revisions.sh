#!/usr/bin/env bash
# Which numbers another revision has otherwise than this one:
#   tests/compare_revisions.sh REVISION|PROGRAM [OPTION...]
# Builds REVISION in a temporary worktree, with the compilers of this clone, unless it is a built PROGRAM, and this
# clone (preset release) unless $MASING_PROGRAM names its program. The options are those of compare_revisions.py. The
# last line is the summary; exit code 0: nothing differs, 1: something does, 2: a mistake in the call, 3: no build.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../jobs/common.sh"

python=$(find_python h5py,numpy) || exit 3
if [ $# -eq 0 ] || [[ $1 == -* ]]; then
  exec "$python" "$root/tests/compare_revisions.py" "${@:---help}"
fi
revision=$1
shift
if [ -x "$revision" ] && [ ! -d "$revision" ]; then
  other=$(realpath "$revision")
elif ! commit=$(git -C "$root" rev-parse --verify --quiet "$revision^{commit}"); then
  echo "'$revision' is neither a revision of $root nor a program" >&2
  exit 2
fi
folder=$(mktemp -d)
clean() {
  git -C "$root" worktree remove --force "$folder/source" 2>/dev/null || true
  rm -rf "$folder"
}
trap clean EXIT

if [ -z "${MASING_PROGRAM:-}" ]; then
  echo "building this clone (preset release)"
  build_preset release || exit 3
  MASING_PROGRAM=$program
fi
if [ -n "${commit:-}" ]; then
  echo "building $revision (preset release)"
  git -C "$root" worktree add --quiet --detach "$folder/source" "$commit"
  cache=$(dirname "$MASING_PROGRAM")/CMakeCache.txt
  if [ -z "${CXX:-}" ] && [ -e "$cache" ]; then
    CXX=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$cache")
    export CXX
  fi
  (root=$folder/source; build_preset release) || exit 3
  other=$folder/source/build/masing
fi
code=0
"$python" "$root/tests/compare_revisions.py" "$other" "$(realpath "$MASING_PROGRAM")" "$@" || code=$?
exit $code
