#pragma once

#include <string>

#include "io/hdf5.hpp"
#include "parallel/communicator.hpp"

namespace io {

/// The version of the program, e.g. "0.1.0".
std::string program_version();
/// The git revision it was built from ("unknown" outside a checkout), and whether the tree had
/// changes then.
std::string git_revision();
bool git_dirty();

/// /provenance: what made the file (program, compiler, libraries, command line, ranks, date), as
/// attributes. Collective.
void write_provenance(const Handle& file, const parallel::Communicator& comm,
                      const std::string& command_line);

}  // namespace io
