#!/usr/bin/env bash
# Measure the orders of convergence of waves in chains of continuous elements, and write a page about them:
#   jobs/waves.sh [FOLDER]
# FOLDER takes the results (default: results/waves in the clone, or in the current folder where masing is installed).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

take_folder "$@"
folder=${1:-$results/waves}
prepare_runs "$folder"

studies=()
for name in {smooth,papers,dashpots}-{loading,unloading,reversals}; do
  # On one rank: ranks that share such short chains would mostly wait for each other. Exit code 3, an order not as
  # expected, is a finding for the page.
  "$program" converge --config "$root/jobs/cases/wave-$name.ini" \
    --output "$folder/wave-$name.h5" || [ $? -eq 3 ]
  studies+=("$folder/wave-$name.h5")
done
"$python" "$root/analysis/report.py" "${studies[@]}" --title "Orders of a hysteretic wave" \
  --program "$program" -o "$folder/waves.html" >/dev/null
finish_runs
echo "report: $folder/waves.html"
