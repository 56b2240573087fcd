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

/// The sum_of_hashes of the numbers that lie in those bytes of a file; nothing where it has fewer.
/// Polls. Throws SystemError. Local.
std::optional<std::uint64_t> sum_of_hashes_in(const std::string& path, const Extent& bytes);

// A file that rows are being written to is sealed but for them: somewhere in its first bytes stands
// a text, with the mark of its run, of the places that change and of the checksum of all others.

/// That text before it is filled in, as long as it will be. Local.
std::string blank_seal(const std::string& run);

/// A number that is put in the place of one that comes later: a NaN, and not any other.
inline constexpr double not_known_yet = std::bit_cast<double>(0x7ff86d6173696e67);

/// Seal a file that has a blank_seal of `run`, but for the rows, which lie in `tables`, and the
/// numbers that are not_known_yet, which lie in none of `arrays`. Throws SystemError. Local.
void seal_but_rows(const std::string& path, const std::string& run, std::vector<Extent> tables,
                   std::vector<Extent> arrays);

/// Whether there is a file of that path with the seal_but_rows of `run`. Reads all but its rows,
/// and polls. Throws UserError, naming it, where that does not hold, and SystemError. Local.
bool has_seal_but_rows(const std::string& path, const std::string& run);

/// Copy bytes of a file to another, from the byte `first` there on. Throws SystemError. Local.
void copy_bytes(const std::string& from, const Extent& bytes, const std::string& to,
                std::int64_t first);

}  // namespace masing::io
