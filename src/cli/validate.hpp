#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/request.hpp"
#include "study/reference.hpp"

// From a request to its run.

namespace masing::cli {

/// A request with every default resolved.
struct Validated {
  std::shared_ptr<const Request> request;
  Configuration configuration;
  engine::RunSpec run;                                ///< of a study what is held fixed
  std::vector<std::string> warnings;                  ///< what the user should know
  std::vector<study::Level> levels;                   ///< of a study, coarse to fine
  study::Reference reference;                         ///< of a study
  std::vector<study::ExpectedOrder> expected_orders;  ///< of a study
  std::string unmet_hypotheses;                       ///< of a study: study::unmet_hypotheses
};

/// The run that a request makes, with its defaults resolved. Throws UserError for the first value
/// outside its range; what only a cell can show (k, η > 0, |u0| ≤ η) is slab::check_profile's.
/// Local.
Validated resolved(std::shared_ptr<const Request> request, Configuration configuration);

/// Which steps have a row of /series. Local.
io::Sampling sampling_of(const Configuration& configuration);
/// The run of a request; where it, or what it is measured against, is the exact solution, with the
/// times where F is not smooth. Throws UserError where they are not known, or there are too many
/// elements. Local.
engine::RunSpec run_of(const Validated& request);

}  // namespace masing::cli
