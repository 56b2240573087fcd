#pragma once

#include <string>
#include <vector>

#include "parallel/communicator.hpp"
#include "scan/scan.hpp"
#include "scan/steady.hpp"

namespace masing::scan {

/// The points that are made together, one after another on the same ranks: one; or those of all
/// amplitudes of closed cycles, or of the last axis where each limit cycle begins with the one
/// before.
using Line = std::vector<ScanPoint>;

/// Marks all points of a line as failed. Local.
void fail(Line& line, const std::string& message);

/// Makes lines of a scan, one after another.
class LineMaker {
 public:
  /// `spec` must outlive it. `shows_progress`: that of runs, on this rank.
  LineMaker(const ScanSpec& spec, bool shows_progress)
      : spec_(spec), shows_progress_(shows_progress), solver_(spec.past, spec.keep_series) {}

  /// Make a line, whose problem is that of its first point; a failure is its own. `title`: for the
  /// progress line; `available`: bytes a rank. Throws Stopped. Collective on `own`.
  void make(const parallel::Communicator& own, const ScanProblem& problem, const std::string& title,
            double available, Line& line);

 private:
  void compute(const parallel::Communicator& own, const ScanProblem& problem,
               const std::string& title, double available, Line& line);
  void compute_cycle(const parallel::Communicator& own, const ScanProblem& problem,
                     ScanPoint& point);
  void compute_run(const parallel::Communicator& own, const ScanProblem& problem,
                   const std::string& title, double available, ScanPoint& point) const;

  const ScanSpec& spec_;
  bool shows_progress_;
  SteadySolver solver_;
};

}  // namespace masing::scan
