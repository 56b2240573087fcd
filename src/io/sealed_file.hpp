#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "parallel/communicator.hpp"

// A file of masing begins with a head of 512 bytes. This is the user block of HDF5, which HDF5
// skips. The head is a text that is padded with blanks:
//
//     masing file 2
//     kind simulate
//     run 5f0c…
//     recipe 03b5…
//     bytes 612752
//     xxh3 9a0f1c22…
//
// The lines `run` and `recipe` are in files whose rows are written during the run, so that a run
// may go on with them; complete or not, they keep these lines. The two last lines, the seal, are in
// complete files only. `bytes` is the size of the file without its end. The end
// of a complete file are the 16 bytes "masing file end\n". HDF5 ignores them when it reads the
// file, and cuts them off when it opens the file for writing. Therefore a file without this end was
// changed by another program, or is not complete.
//
// To compute the checksum `xxh3`, the file is divided into segments of 4 MiB; the first one begins
// after the head. The checksum is the sum mod 2^64 of the XXH3-64 hashes of the segments, where the
// seed of a hash is the index of the segment, and of the hash of the lines before the checksum,
// with the seed 2^64 - 1. A file with an invalid seal must not be opened with HDF5, because HDF5
// crashes on some damaged files.

namespace masing::io {

/// The size of the head of a file, in bytes.
inline constexpr std::int64_t head_bytes = 512;

/// What the head of a file says about the file, apart from the seal.
struct Head {
  std::string kind;      ///< "simulate", "converge", "scan", "benchmark" or "checkpoint"
  std::string run = {};  ///< the id of the run; empty if no run can go on with the file
  /// a checksum of all that must be the same if a run is to go on in this file (OutputFile); the
  /// head has it in the line `recipe`
  std::string fingerprint = {};
};

/// Returns `size` bytes of a file from the byte `first` on, or fewer if the file ends earlier.
/// Throws SystemError if the file cannot be read. Local.
std::string read_bytes(const std::string& path, std::int64_t first, std::int64_t size);

/// Returns the first `count` bytes of a file, or all bytes if the file has fewer. Returns an empty
/// text if `path` is a pipe, from which reading could take forever, or anything else that is not a
/// regular file that may be read. Local, without MPI.
std::string first_bytes(const std::string& path, std::int64_t count);

/// Returns the head of a file, or no value if there is no regular file `path` with a head of this
/// version. If the head is damaged, its members may be arbitrary texts. Reads the first 512 bytes
/// only. Local, without MPI.
std::optional<Head> read_head(const std::string& path);

/// Writes a head without a seal over the first 512 bytes of a file. Throws SystemError if the file
/// cannot be written. Local.
void write_head(const std::string& path, const Head& head);

/// Returns the sum of the hashes of all segments of a file but the first. It does not change any
/// more when HDF5 closes a file that was flushed, if since then only attributes in the first
/// segment were overwritten. Calls base::poll(). Throws SystemError on all ranks alike if the file
/// cannot be read. Collective.
std::uint64_t sum_of_rest(const parallel::Communicator& comm, const std::string& path);

/// Completes the file `draft` with a head, a seal and an end, flushes this file to the disk and
/// renames it to `path` (put_in_place). `rest` must be sum_of_rest() of the file. Throws
/// SystemError on all ranks alike if the file cannot be read, written or renamed. Collective.
void seal(const parallel::Communicator& comm, const std::string& draft, const std::string& path,
          const Head& head, std::uint64_t rest);

/// Completes the bytes of a file in memory, of which the first 512 are free for the head. Local.
void seal(std::string& bytes, const Head& head);

/// Flushes the file `draft` to the disk and then renames it to `path`. If `path` exists, it keeps
/// its old content until `draft` replaces it. Throws SystemError on all ranks alike if the
/// file cannot be flushed or renamed. Collective.
void put_in_place(const parallel::Communicator& comm, const std::string& draft,
                  const std::string& path);

/// Returns whether a file has the end of a complete file. If so, verifies the seal in its head; to
/// compute the checksum, each rank reads a part of the file. Files of masing 1 and 2 have no such
/// end. Throws UserError on all ranks alike if the file cannot be read, or if its seal is invalid.
/// The message contains the name of the file. If the seal is invalid, or if a read fails, the
/// message ends with `advice`. Collective.
bool verify_seal(const parallel::Communicator& comm, const std::string& path,
                 const std::string& advice);

}  // namespace masing::io
