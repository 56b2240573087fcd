#pragma once

#include <string>

#include "io/hdf5.hpp"
#include "study/refinement.hpp"

namespace masing::study {

/// "1" or ">=0.5". Local.
std::string expected_text(const cli::ExpectedOrder& expected);

/// What the levels were measured against, in words. Local.
std::string reference_text(const cli::Configuration& configuration, const Study& study);

/// The study as an aligned table with its verdict, for people. Local.
std::string table(const cli::Configuration& configuration, const Study& study);

/// /cases, /fit and /timing of a study file. Collective.
void write(const parallel::Communicator& comm, const io::Handle& file,
           const cli::Configuration& configuration, const Study& study);

}  // namespace masing::study
