#pragma once

#include <memory>
#include <string>

#include "engine/observer.hpp"
#include "options/configuration.hpp"
#include "study/recording.hpp"

namespace study {

/// One run of a study: its trajectory and the time it took.
struct Run {
  std::unique_ptr<Recording> recording;
  double seconds = 0.0;
};

/// How a run is kept and who else watches it.
struct Watch {
  std::int64_t stride = 1;         ///< every how many steps x and y are kept
  std::int64_t field_samples = 1;  ///< at how many times u is kept
  std::string title;               ///< for the progress line
  engine::Observer* observer = nullptr;
};

/// `configuration` at another level. Local.
options::Configuration at_level(options::Configuration configuration, const options::Level& level);

/// Run one level of a study. Throws UserError alike on all ranks. Collective.
Run run(const parallel::Communicator& comm, const options::Configuration& configuration,
        const Watch& watch);

}  // namespace study
