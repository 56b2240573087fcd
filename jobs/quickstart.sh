#!/usr/bin/env bash
# From a clone to the papers' hysteresis cycles and convergence tables:
#   jobs/quickstart.sh [FOLDER]
# FOLDER takes the results (default: results/quickstart in the clone, or in the current folder where
# masing is installed).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

take_folder "$@"
folder=${1:-$results/quickstart}
prepare_runs "$folder"

# On one rank: of so few cells more ranks would mostly wait for each other.
masing() { "$program" "$@"; }

cycles=()
for figure in 06:3 07:10 08:100 09:700 10:1500; do
  masing simulate --config "$root/jobs/cases/cycle-fig10.ini" --cells "${figure#*:}" \
    --output "$folder/cycle-fig${figure%:*}.h5"
  cycles+=("$folder/cycle-fig${figure%:*}.h5")
done
studies=()
for study in proposition-4.1 proposition-3.1 study-cells study-steps study-euler study-memory \
    study-leapfrog proposition-4.1-jumps; do
  # Exit code 3, an order not as expected, is a finding for the report, not a failure of the run.
  masing converge --config "$root/jobs/cases/$study.ini" \
    --output "$folder/$study.h5" || [ $? -eq 3 ]
  studies+=("$folder/$study.h5")
done

"$python" "$root/analysis/cycles.py" "${cycles[@]}" -o "$folder/cycles.png"
"$python" "$root/analysis/report.py" "${studies[@]}" --cycles "${cycles[@]}" --reproduce \
  --program "$program" -o "$folder/report.html" >/dev/null
# The README's pictures are the page's first figure:
#   cp results/quickstart/report-files/cycle-fig06-together.svg analysis/pictures/cycles.svg
#   cp results/quickstart/report-files/study-cells-errors.svg analysis/pictures/errors.svg
finish_runs
echo "report: $folder/report.html"
