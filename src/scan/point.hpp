#pragma once

#include <span>
#include <string>

#include "parallel/communicator.hpp"
#include "scan/scan.hpp"

namespace masing::scan {

/// Sets the numbers of a point, and its series if `keeps_series`, to those of a run on the ranks of
/// `own` with `available` bytes each. `title`: of the progress line; empty for none. Throws
/// UserError, SystemError, Stopped. Collective on `own`.
void make_run(const parallel::Communicator& own, const ScanProblem& problem, double available,
              bool keeps_series, const std::string& title, ScanPoint& point);

/// Sets the numbers of points to those of the closed cycles whose amplitudes, all > 0, are the
/// values of the last axis. Throws UserError. Local.
void make_closed_cycles(const ScanProblem& problem, std::span<ScanPoint> points);

/// Whether `ranks` ranks may share a run, one of `tasks` (is_split), and there are fewer tasks than
/// ranks, or it does not fit beside others on one rank. Local.
bool is_for_all_ranks(const engine::RunSpec& run, double available, std::size_t tasks, int ranks);

}  // namespace masing::scan
