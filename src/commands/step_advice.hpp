#pragma once

#include "options/configuration.hpp"
#include "parallel/communicator.hpp"

namespace commands {

/// Whether warnings are said.
enum class Speech { silent, loud };

/// Throws UserError alike on all ranks where `leapfrog` is unstable at a level's step, and says on
/// stderr where `euler` lets an elastic oscillation grow more than tenfold. Collective.
void advise_on_step(const parallel::Communicator& comm, const options::Configuration& configuration,
                    Speech speech);

}  // namespace commands
