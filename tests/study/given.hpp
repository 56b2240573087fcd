#pragma once

#include "cli/validate.hpp"
#include "study/study_spec.hpp"

namespace masing::given {

/// The study that a configuration asks for. Local.
inline study::StudySpec spec_of(const cli::Configuration& configuration) {
  return cli::study_spec(cli::validated(configuration, {}), "");
}

}  // namespace masing::given
