#pragma once

#include <functional>

#include "parallel/communicator.hpp"
#include "study/refinement.hpp"

namespace masing::commands {

/// What is to be done with a study before it is written, which may fail. Collective.
using Announce = std::function<void(const study::Study& study)>;

/// Makes the result file of a study. Throws UserError alike on all ranks. Collective.
study::Study make_study(const parallel::Communicator& comm, const study::StudySpec& spec,
                        const Announce& announce = {});

}  // namespace masing::commands
