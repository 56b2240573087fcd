#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

/// Read the file to its end; throw UserError, of the `quantity` that gives the file, where it
/// cannot be read, has no seal of this version, or a damaged content. Local.
void require_seal(const std::string& path, const std::string& quantity);

/// Whether a result file has a seal, of any version. Reads it to its end; throws UserError, naming
/// it, where it cannot be read, has a seal that does not hold, or of another version. Local.
bool has_seal(const std::string& path);

/// Bytes of a file.
struct Extent {
  std::int64_t first = 0;
  std::int64_t size = 0;
};

// A file that rows are written to has a frame: a text in its first bytes, with the mark of its run,
// of the places that change and of the checksum of all others.

/// That text before it is filled in, as long as it will be. Local.
std::string blank_frame(const std::string& run);

/// A number that is put in the place of one that comes later: a NaN, and not any other.
inline constexpr double not_known_yet = std::bit_cast<double>(0x7ff86d6173696e67);

/// Fill in the blank_frame of `run` in a file: what change are `tables`, and the numbers that are
/// not_known_yet and lie in none of `arrays`. Throws SystemError. Local.
void write_frame(const std::string& path, const std::string& run, const std::vector<Extent>& tables,
                 std::vector<Extent> arrays);

/// Whether there is a file of that path with the frame of `run`. Reads all that does not change,
/// and polls. Throws UserError, naming it, where that is damaged, and SystemError. Local.
bool has_frame(const std::string& path, const std::string& run);

}  // namespace masing::io
