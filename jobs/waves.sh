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
# study NAME CASE [OPTION…]: on one rank, because ranks that share such short chains would mostly wait for each other.
# Exit code 3, an order not as expected, is a finding for the page.
study() {
  "$program" converge --config "$root/jobs/cases/wave-$2.ini" "${@:3}" --output "$folder/wave-$1.h5" || [ $? -eq 3 ]
  studies+=("$folder/wave-$1.h5")
}
for name in {smooth,papers}-{loading,unloading,reversals}; do study "$name" "$name"; done
# A dashpot 0.005/h in every element: the viscosity does not depend on h. The dashpots of the finest level limit the step.
dashpots=(--set "c=0.005*n" --expect-order 2 --levels)
study dashpots-loading papers-loading "${dashpots[@]}" 50:800:800:12800:5
study dashpots-unloading papers-unloading "${dashpots[@]}" 50:800:800:12800:5
study dashpots-reversals papers-reversals "${dashpots[@]}" 50:3200:800:51200:5
MASING_PROGRAM=$program "$python" "$root/analysis/report.py" "${studies[@]}" \
  --title "Orders of a hysteretic wave" -o "$folder/waves.html" >/dev/null
echo "report: $folder/waves.html"
