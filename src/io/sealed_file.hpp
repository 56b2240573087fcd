#pragma once

#include <string>

#include "parallel/communicator.hpp"

// A sealed file ends with 32 bytes of its own: a mark, how many bytes are before it, and their
// CRC-64 (ECMA-182). HDF5 does not look behind its data, and is not asked to open a file whose seal
// is broken: some damaged files crash it.

namespace masing::io {

/// Seal the file `draft`, then put_in_place. Throws SystemError alike on all ranks. Collective.
void seal(const parallel::Communicator& comm, const std::string& draft, const std::string& path);

/// Have the file `draft` on the disk, and give it the name `path`, which until then names what it
/// named before. Throws SystemError alike on all ranks. Collective.
void put_in_place(const parallel::Communicator& comm, const std::string& draft,
                  const std::string& path);

/// Throws UserError alike on all ranks, naming the `option` that gave the file, where it cannot be
/// read, has no seal, or a damaged content: it is read to its end. Collective.
void require_seal(const parallel::Communicator& comm, const std::string& path,
                  const std::string& option);

/// Copy a file, with its seal if it has one. Throws SystemError alike on all ranks. Collective.
void copy_file(const parallel::Communicator& comm, const std::string& from, const std::string& to);

}  // namespace masing::io
