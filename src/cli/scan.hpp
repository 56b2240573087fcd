#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/validate.hpp"
#include "scan/scan.hpp"

// Scans over parameters (--over "w=0.3:1.75:30"): their axes, and the problem at each point.

namespace masing::cli {

/// The axes that --over and --backbone give. Throws UserError, with its origin. Local.
std::vector<scan::ScanAxis> scan_axes(const Configuration& configuration);

/// Make what axes vary have values, [axes]: constants and parameters of the model, before keys are
/// set. Local.
void set_constants(Configuration& configuration, const std::vector<scan::ScanAxis>& axes,
                   std::span<const double> values);
/// The same of keys, after all others. Throws UserError. Local.
void set_keys(Configuration& configuration, const std::vector<scan::ScanAxis>& axes,
              std::span<const double> values);

/// The values of the first point of a scan. Local.
std::vector<double> first_values(const std::vector<scan::ScanAxis>& axes);

/// The scan of a request of masing scan. Throws UserError, also where its first point is at fault.
/// Local.
scan::ScanSpec scan_spec(const Validated& request, const std::string& command_line);

/// The scan's configuration as that of masing simulate at values of its axes. Throws UserError.
/// Local.
Configuration at_point(const Configuration& scan, std::span<const double> values);

/// Throws UserError where a configuration of masing scan asks for what its kind cannot give; else
/// takes the defaults from it that each point resolves for itself. Local.
void resolve_scan(Configuration& configuration, const engine::RunSpec& run);

}  // namespace masing::cli
