#pragma once

#include <cstdint>
#include <string>

#include "parallel/communicator.hpp"

// A sealed file ends with 32 bytes of its own: a mark, how many bytes are before it, and their
// CRC-64 (ECMA-182). HDF5 does not look behind its data, and is not asked to open a file whose seal
// is broken: some damaged files crash it.

namespace io {

/// Seal the file `draft`, have it on the disk, and give it the name `path`, which until then names
/// what it named before. Throws SystemError alike on all ranks. Collective.
void seal(const parallel::Communicator& comm, const std::string& draft, const std::string& path);

/// The bytes of a sealed file before its seal. Throws UserError alike on all ranks, naming the
/// `option` that gave the file, where it cannot be read, has no seal, or a damaged content.
/// Collective.
std::int64_t sealed_size(const parallel::Communicator& comm, const std::string& path,
                         const std::string& option);

/// Copy the first `size` bytes of a file, all of it if negative, to a new one. Throws SystemError
/// alike on all ranks. Collective.
void copy_bytes(const parallel::Communicator& comm, const std::string& from, const std::string& to,
                std::int64_t size = -1);

}  // namespace io
