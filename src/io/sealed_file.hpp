#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "parallel/communicator.hpp"

// A sealed file ends with a seal of 32 bytes: a mark that contains the version of the seal, then
// the number of bytes before the seal, then the checksum of these bytes. To compute the checksum,
// the bytes are divided into segments of 4 MiB. The checksum is the sum mod 2^64 of the XXH3-64
// hashes of the segments, where the seed of a hash is the index of the segment. HDF5 ignores a
// seal, as it ignores all bytes after its own data, but removes the seal if it changes the file. A
// file with an invalid seal must not be opened with HDF5, which crashes on some damaged files.

namespace masing::io {

/// Appends a seal to the file `draft`, flushes this file to the disk and renames it to `path`
/// (put_in_place). If `complete` is given, the root calls it with the bytes of the first segment
/// after the checksums of all other segments are computed; `complete` may change these bytes.
/// Throws SystemError on all ranks alike if the file cannot be read, written or renamed.
/// Collective.
void seal(const parallel::Communicator& comm, const std::string& draft, const std::string& path,
          const std::function<void(std::string&)>& complete = {});

/// Appends the seal to the bytes of a file in memory. Local.
void seal(std::string& bytes);

/// Flushes the file `draft` to the disk and renames it to `path`; until then a file `path` keeps
/// its old content. Throws SystemError on all ranks alike if the file cannot be flushed or renamed.
/// Collective.
void put_in_place(const parallel::Communicator& comm, const std::string& draft,
                  const std::string& path);

/// Returns whether a file has a seal. If the file has a seal, reads the whole file, of which each
/// rank reads a part, and verifies the seal. Throws UserError on all ranks alike if the file cannot
/// be read, or if its seal is invalid or of another version. The message contains the name of the
/// file and, if the checksum is wrong or reading fails, `advice`. Collective.
bool verify_seal(const parallel::Communicator& comm, const std::string& path,
                 const std::string& advice);

/// A range of bytes of a file.
struct ByteRange {
  std::int64_t first = 0;
  std::int64_t size = 0;
};

/// Copies doubles from the file `from` to the range `target` of the file `to`; each rank copies a
/// part of them. Reads `count` doubles from the byte `first` on, or fewer if the file ends earlier,
/// and writes those that fit into `target`. Returns the checksum (sum_of_hashes in io/hdf5.hpp) of
/// all doubles that were read. Calls base::poll(). Throws SystemError on all ranks alike if a file
/// cannot be read or written. Collective.
std::uint64_t copy_numbers(const parallel::Communicator& comm, const std::string& from,
                           std::int64_t first, std::int64_t count, const std::string& to,
                           const ByteRange& target);

}  // namespace masing::io
