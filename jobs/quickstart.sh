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

# run COMMAND CASE NAME [OPTION…]: run a case on one core, because of so few cells more ranks would
# mostly wait for each other. What it prints is shown at its end, because others run beside it.
run() {
  local said code=0
  said=$("$program" "$1" --quiet --config "$root/jobs/cases/$2.ini" --output "$folder/$3.h5" "${@:4}") ||
    code=$?
  printf '%s\n' "$said"
  # Exit code 3, an order not as expected, is a finding for the report, not a failure of the run.
  [ "$code" -eq 0 ] || [ "$code" -eq 3 ]
}
export -f run
export root program folder
# Run the lines of the input, each the words after `run`, one on every core.
run_all() { xargs -P "$cores" -L 1 bash -c 'run "$@"' -; }

run_all <<END
simulate cycle-fig10 cycle-fig10 --cells 1500
simulate cycle-fig10 cycle-fig09 --cells 700
simulate cycle-fig10 cycle-fig08 --cells 100
simulate cycle-fig10 cycle-fig07 --cells 10
simulate cycle-fig10 cycle-fig06 --cells 3
END
cycles=("$folder"/cycle-fig{06,07,08,09,10}.h5)
"$python" "$root/analysis/cycles.py" "${cycles[@]}" -o "$folder/cycles.png"
echo "first picture: $folder/cycles.png; the studies and the report follow"

run_all <<END
converge study-cells study-cells
converge proposition-4.1 proposition-4.1
converge study-steps study-steps
converge study-leapfrog study-leapfrog
converge proposition-4.1-jumps proposition-4.1-jumps
END
studies=("$folder"/{proposition-4.1,study-cells,study-steps,study-leapfrog,proposition-4.1-jumps}.h5)
MASING_PROGRAM=$program "$python" "$root/analysis/report.py" "${studies[@]}" --cycles "${cycles[@]}" \
  --reproduce -o "$folder/report.html" >/dev/null
# The README's pictures are the page's first figure:
#   cp results/quickstart/report-files/cycle-fig06-together.svg analysis/pictures/cycles.svg
#   cp results/quickstart/report-files/study-cells-errors.svg analysis/pictures/errors.svg
echo "report: $folder/report.html"
