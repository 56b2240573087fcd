#!/usr/bin/env bash
# Run every case file, and make a page of each and an index of thumbnails:
#   jobs/gallery.sh [FOLDER]
# FOLDER takes the results (default: results/gallery in the clone, or in the current folder where masing is installed).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

take_folder "$@"
folder=${1:-$results/gallery}
prepare_runs "$folder"
cases=("$root"/jobs/cases/*.ini)

"$python" "$root/analysis/gallery.py" --commands "${cases[@]}" --results "$folder" |
  while read -r command case; do
    result=$folder/$(basename "$case" .ini).h5
    rm -f "$result"
    # Exit code 3, an order not as expected, is a finding; a case that fails has no page, and the
    # gallery says so.
    mpirun -n "$cores" "$program" "$command" --config "$case" \
      --output "$result" </dev/null || [ $? -eq 3 ] ||
      echo "gallery.sh: $case failed" >&2
  done
"$python" "$root/analysis/gallery.py" "${cases[@]}" --results "$folder" \
  --program "$program" >/dev/null
echo "gallery: $folder/index.html"
