#pragma once

#include <cstdint>
#include <string>

#include "parallel/communicator.hpp"

// A sealed file ends with 32 bytes: a mark with the version, the number of bytes before it, and
// their XXH3-64. HDF5 ignores what follows its data, and cuts it off where it changes a file. It
// must not open a file whose seal is broken: some damaged files crash it.

namespace masing::io {

/// Seal the file `draft`, then put_in_place. Throws SystemError alike on all ranks. Collective.
void seal(const parallel::Communicator& comm, const std::string& draft, const std::string& path);

/// Flush the file `draft` to the disk and rename it to `path`; until then `path` keeps its old
/// content. Throws SystemError alike on all ranks. Collective.
void put_in_place(const parallel::Communicator& comm, const std::string& draft,
                  const std::string& path);

/// Read the file to its end; throw UserError, naming the `option` that gave the file, where it
/// cannot be read, has no seal of this version, or a damaged content. Local.
void require_seal(const std::string& path, const std::string& option);

/// Whether a result file has a seal, of any version. Reads it to its end; throws UserError, naming
/// it, where it cannot be read, has a seal that does not hold, or of another version. Local.
bool has_seal(const std::string& path);

/// Copy a file, with its seal if it has one. Throws SystemError alike on all ranks. Collective.
void copy_file(const parallel::Communicator& comm, const std::string& from, const std::string& to);

/// Bytes of a file.
struct Extent {
  std::int64_t first = 0;
  std::int64_t size = 0;
};

/// Copy bytes of a file to another, from the byte `first` there on. Throws SystemError. Local.
void copy_bytes(const std::string& from, const Extent& bytes, const std::string& to,
                std::int64_t first);

}  // namespace masing::io
