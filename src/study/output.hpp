#pragma once

#include <string>

#include "io/hdf5.hpp"
#include "study/refinement.hpp"

namespace masing::study {

/// "1" or ">=0.5". Local.
std::string expected_text(const ExpectedOrder& expected);

/// The study as an aligned table with its verdict, for people. Local.
std::string table(const StudySpec& spec, const Study& study);

/// /cases, /fit and /timing of a study file. Collective.
void write(const parallel::Communicator& comm, const io::Handle& file, const StudySpec& spec,
           const Study& study);

}  // namespace masing::study
