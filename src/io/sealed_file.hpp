#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "parallel/communicator.hpp"

// A sealed file ends with 32 bytes: a mark with the version, the number of bytes before it, and
// their checksum, the sum mod 2^64 of XXH3-64 of each piece of 4 MiB with its index as seed. HDF5
// ignores what follows its data, and cuts it off where it changes a file. It must not open a file
// whose seal is broken: some damaged files crash it.

namespace masing::io {

/// Seal the file `draft`, then put_in_place. Throws SystemError alike on all ranks. Collective.
/// `complete` changes the first piece, on the root, when all others are summed.
void seal(const parallel::Communicator& comm, const std::string& draft, const std::string& path,
          const std::function<void(std::string&)>& complete = {});

/// Put behind the bytes of a file their seal. Local.
void seal(std::string& bytes);

/// Flush the file `draft` to the disk and rename it to `path`; until then `path` keeps its old
/// content. Throws SystemError alike on all ranks. Collective.
void put_in_place(const parallel::Communicator& comm, const std::string& draft,
                  const std::string& path);

/// Reads a file that has a seal to its end, each rank a share. Returns false where it has none.
/// Throws UserError alike on all ranks, with the file and `advice`, where the file cannot be read,
/// or has a seal that does not hold or is of another version. Collective.
bool verify_seal(const parallel::Communicator& comm, const std::string& path,
                 const std::string& advice);

/// Bytes of a file.
struct ByteRange {
  std::int64_t first = 0;
  std::int64_t size = 0;
};

/// Copy `count` doubles of a file, from the byte `first` on, to a range of another, as many as it
/// has room for, each rank a share. Returns the sum_of_hashes (io/hdf5) of all of them; of fewer
/// where the file ends before. Polls. Throws SystemError alike on all ranks. Collective.
std::uint64_t copy_numbers(const parallel::Communicator& comm, const std::string& from,
                           std::int64_t first, std::int64_t count, const std::string& to,
                           const ByteRange& target);

}  // namespace masing::io
