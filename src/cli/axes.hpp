#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"

// What a scan varies (--over "w=0.3:1.75:30", --backbone).

namespace masing::cli {

/// What a scan varies: an option, a parameter of the model, the amplitude of closed curves, or else
/// a constant.
struct Axis {
  scan::ScanAxis values;
  const Option* option = nullptr;
  std::string parameter = {};
  bool is_amplitude = false;

  [[nodiscard]] bool is_constant() const {
    return option == nullptr && parameter.empty() && !is_amplitude;
  }
};

/// The axes that --over and --backbone (or empty) give of a model. Throws UserError, with its
/// origin. Local.
std::vector<Axis> scan_axes(const std::vector<Setting>& over, const std::string& backbone,
                            const std::string& model);

}  // namespace masing::cli
