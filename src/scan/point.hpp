#pragma once

#include <span>
#include <string>

#include "parallel/communicator.hpp"
#include "scan/scan.hpp"
#include "scan/steady.hpp"

namespace masing::scan {

/// The values of the axes that define the problem of a point: all but an amplitude. Local.
std::span<const double> problem_values(const ScanSpec& spec, std::span<const double> values);

/// Makes the points of one task of a scan after another. A task is one point; or those of all
/// amplitudes of closed cycles, or of the last axis where each limit cycle begins with the one
/// before.
class PointMaker {
 public:
  /// On `ranks` ranks in all with `available` bytes each. `spec` must outlive it. `shows_progress`:
  /// that of runs, on this rank.
  PointMaker(const ScanSpec& spec, std::size_t tasks, int ranks, double available,
             bool shows_progress)
      : spec_(spec),
        tasks_(tasks),
        ranks_(ranks),
        available_(available),
        shows_progress_(shows_progress),
        solver_(spec.past, spec.keep_series) {}

  /// Make the points of a task; a failure is theirs. `title`: for the progress line. False, and
  /// none is made, where `own` is one rank and the run is one for all of them. Throws Stopped.
  /// Collective on `own`.
  bool make(const parallel::Communicator& own, const std::string& title,
            std::span<ScanPoint> points);

 private:
  bool compute(const parallel::Communicator& own, const std::string& title,
               std::span<ScanPoint> points);
  void compute_run(const parallel::Communicator& own, const ScanProblem& problem,
                   const std::string& title, ScanPoint& point) const;
  [[nodiscard]] bool is_for_all_ranks(const engine::RunSpec& run) const;

  const ScanSpec& spec_;
  std::size_t tasks_;
  int ranks_;
  double available_;
  bool shows_progress_;
  SteadySolver solver_;
};

}  // namespace masing::scan
