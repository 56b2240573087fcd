#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/validate.hpp"
#include "scan/scan.hpp"

// Scans over parameters (--over "w=0.3:1.75:30"): their axes, and the problem at each point.

namespace masing::cli {

/// The axes that --over and --backbone (or empty) give of a model. Throws UserError, with its
/// origin. Local.
std::vector<Axis> scan_axes(const std::vector<Setting>& over, const std::string& backbone,
                            const std::string& model);

/// Throws UserError where a request of masing scan asks for what its kind cannot give. Local.
void check_scan(const Validated& request);

/// The scan of a request of masing scan. Throws UserError, also where its first point is at fault.
/// Local.
Scan scan_spec(const Validated& request, const std::string& command_line);

/// The problem at values of the axes, without that of an amplitude. Throws UserError. Local.
scan::ScanProblem problem_at(const Scan& scan, std::span<const double> values);
/// The same at the first of them.
scan::ScanProblem first_problem(const Scan& scan);

}  // namespace masing::cli
