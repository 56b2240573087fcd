#pragma once

#include <memory>
#include <span>

#include "cli/validate.hpp"
#include "scan/scan.hpp"

// Scans: what they may ask for, and the problem at each point.

namespace masing::cli {

/// A scan, and what its problems are made from.
struct Scan {
  scan::ScanSpec spec;
  std::shared_ptr<const Request> request;
};

/// Throws UserError where a request of masing scan asks for what its kind cannot give. Local.
void check_scan(const Validated& request);

/// What a scan finds at its points. Local.
scan::ScanKind kind_of_scan(const Configuration& configuration);

/// The problem at values of the axes, without that of an amplitude. Throws UserError. Local.
scan::ScanProblem problem_at(const Scan& scan, std::span<const double> values);
/// The same at the first of them.
scan::ScanProblem first_problem(const Scan& scan);

}  // namespace masing::cli
