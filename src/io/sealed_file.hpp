#pragma once

#include <string>

#include "parallel/communicator.hpp"

// A sealed file ends with 32 bytes: a mark with the version, the number of bytes before it, and
// their XXH3-64. HDF5 ignores what follows its data. It must not open a file whose seal is broken:
// some damaged files crash it.

namespace masing::io {

/// Seal the file `draft`, then put_in_place. Throws SystemError alike on all ranks. Collective.
void seal(const parallel::Communicator& comm, const std::string& draft, const std::string& path);

/// Flush the file `draft` to the disk and rename it to `path`; until then `path` keeps its old
/// content. Throws SystemError alike on all ranks. Collective.
void put_in_place(const parallel::Communicator& comm, const std::string& draft,
                  const std::string& path);

/// Read the file to its end; throw UserError alike on all ranks, naming the `option` that gave the
/// file, where it cannot be read, has no seal of this version, or a damaged content. Collective.
void require_seal(const parallel::Communicator& comm, const std::string& path,
                  const std::string& option);

/// Copy a file, with its seal if it has one. Throws SystemError alike on all ranks. Collective.
void copy_file(const parallel::Communicator& comm, const std::string& from, const std::string& to);

}  // namespace masing::io
