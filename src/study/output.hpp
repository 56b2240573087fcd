#pragma once

#include <string>

#include "io/hdf5.hpp"
#include "study/refinement.hpp"

namespace study {

/// "1" or ">=0.5". Local.
std::string expected_text(const options::ExpectedOrder& expected);

/// What the levels were measured against, in words. Local.
std::string reference_text(const options::Configuration& configuration, const Study& study);

/// The study as an aligned table with its verdict, for people. Local.
std::string table(const options::Configuration& configuration, const Study& study);

/// /cases, /fit and /timing of a study file. Collective.
void write(const parallel::Communicator& comm, const io::Handle& file,
           const options::Configuration& configuration, const Study& study);

}  // namespace study
