#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "parallel/communicator.hpp"

// A sealed file ends with a seal of 32 bytes: a mark that contains the version of the seal, then
// the number of bytes before the seal, then the checksum of these bytes. To compute the checksum,
// the bytes are divided into segments of 4 MiB. The checksum is the sum mod 2^64 of the XXH3-64
// hashes of the segments, where the seed of a hash is the index of the segment. HDF5 ignores the
// seal when it reads the file, as it ignores all bytes after its own data. If HDF5 changes the
// file, it removes the seal. A file with an invalid seal must not be opened with HDF5, because HDF5
// crashes on some damaged files.

namespace masing::io {

/// Appends a seal to the file `draft`, flushes this file to the disk and renames it to `path`
/// (put_in_place). If `complete` is given, the root calls it once with the bytes of the first
/// segment, as soon as the hashes of all other segments are computed. `complete` may change these
/// bytes, but not their number. Throws SystemError on all ranks alike if the file cannot be read,
/// written or renamed. Collective.
void seal(const parallel::Communicator& comm, const std::string& draft, const std::string& path,
          const std::function<void(std::string&)>& complete = {});

/// Appends the seal to the bytes of a file in memory. Local.
void seal(std::string& bytes);

/// Flushes the file `draft` to the disk and then renames it to `path`. If `path` exists, it keeps
/// its old content until `draft` replaces it. Throws SystemError on all ranks alike if the
/// file cannot be flushed or renamed. Collective.
void put_in_place(const parallel::Communicator& comm, const std::string& draft,
                  const std::string& path);

/// Returns whether a file ends with a seal. Verifies the seal if there is one; to compute the
/// checksum, each rank reads a part of the file. Throws UserError on all ranks alike if the file
/// cannot be read, or if its seal is invalid or of another version. The message contains the name
/// of the file. If the size or the checksum is wrong, or if a read fails, the message ends with
/// `advice`. Collective.
bool verify_seal(const parallel::Communicator& comm, const std::string& path,
                 const std::string& advice);

/// A range of bytes of a file.
struct ByteRange {
  std::int64_t first = 0;
  std::int64_t size = 0;
};

/// Copies doubles from the file `from` to the range `target` of the file `to`; each rank copies a
/// part of them. The copied doubles begin at the byte `first` of `from`. `count` doubles are read,
/// or fewer if the file ends earlier. Those that do not fit into `target` are read, but not
/// written. Returns the checksum (sum_of_hashes in io/hdf5.hpp) of all doubles that were read.
/// Calls base::poll(). Throws SystemError on all ranks alike if a file cannot be read or written.
/// Collective.
std::uint64_t copy_numbers(const parallel::Communicator& comm, const std::string& from,
                           std::int64_t first, std::int64_t count, const std::string& to,
                           const ByteRange& target);

}  // namespace masing::io
