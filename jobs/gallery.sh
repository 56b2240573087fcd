#!/usr/bin/env bash
# Run every case file, and make a page of each and an index with links to the pages:
#   jobs/gallery.sh [FOLDER]
# FOLDER takes the results (default: results/gallery in the clone, or in the current folder where masing is installed).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

take_folder "$@"
folder=${1:-$results/gallery}
prepare_runs "$folder"

index=$folder/index.html
echo '<!DOCTYPE html><meta charset="utf-8"><title>Cases</title><ul>' >"$index"
for case in "$root"/jobs/cases/*.ini; do
  name=$(basename "$case" .ini)
  command=simulate
  if grep -Eq '^(refine|levels) *=' "$case"; then command=converge; fi
  if grep -Eq '^\[over\]' "$case"; then command=scan; fi
  rm -f "$folder/$name.h5"
  # Exit code 3, an order not as expected, is a finding. A case that fails has no page.
  if { mpirun -n "$cores" "$program" "$command" --config "$case" --output "$folder/$name.h5" </dev/null ||
      [ $? -eq 3 ]; } && MASING_PROGRAM=$program "$python" "$root/analysis/report.py" "$folder/$name.h5" --title "$name" \
      --page-only >/dev/null; then
    echo "<li><a href=\"$name.html\">$name</a>" >>"$index"
  else
    echo "gallery.sh: $case failed" >&2
  fi
done
echo '</ul>' >>"$index"
echo "gallery: $index"
