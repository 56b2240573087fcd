#pragma once

#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "parallel/communicator.hpp"

namespace masing::io {

/// The version of the program, e.g. "1.0.0".
std::string program_version();

/// What the program was built from, by the name of the attribute in /provenance.
struct BuildFact {
  std::string name;
  std::string value;
};

/// Version, git revision ("unknown" outside a checkout), compiler and its flags, the kernel's
/// instruction set on this machine, libraries. Local.
std::vector<BuildFact> build_facts();

/// Writes /provenance, attributes of what made the file: the build_facts, command line, ranks,
/// hosts, processor, system, date, and `run`, the mark of the run. Collective.
void write_provenance(const Handle& file, const parallel::Communicator& comm,
                      const std::string& command_line, const std::string& run);

}  // namespace masing::io
