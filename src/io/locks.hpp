#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parallel/communicator.hpp"

// The names of the files of a run, and which of these files a run may write.

namespace masing::io {

/// The endings that are added to the names of a result file and of a checkpoint to form the names
/// of their other files.
inline constexpr const char* partial = ".partial";
inline constexpr const char* partial_draft = ".partial.draft";
inline constexpr const char* checkpoint_draft = ".draft";

/// Calls `work`, which writes the file `path`. If an HDF5 function fails in `work` and `path` is
/// not empty, throws a SystemError. Its message is that of HDF5 with the name of the file. If less
/// than 64 KiB are free on the disk, the message also says that the disk is full. Collective if
/// `work` is collective.
void with_file_name(const std::string& path, const std::function<void()>& work);

/// Returns the absolute path of the folder of a file. Local.
std::filesystem::path folder_of(const std::string& path);

/// Returns the number of free bytes on the disk where the file `path` is or would be, or infinity
/// if the system does not provide this number. Local.
double available_bytes(const std::string& path);

/// Returns the kind of a file that masing wrote: "checkpoint", or the kind of a result, such as
/// "simulate". Reads only the first bytes of the file, and not with HDF5, which may crash on a
/// damaged file. Returns no value if its first bytes show that masing did not write it. Returns an
/// empty text if it is empty or no regular file, or if it seems to be of masing 1 or 2. Local.
std::optional<std::string> kind_at_start(const std::string& path);

/// Returns the paths of all files that a run with the result file `path` may create, in this order:
/// `path`, then `path`.partial and `path`.partial.draft (see OutputFile), then `path`.lock (see
/// OutputLock). Local.
std::vector<std::string> files_of_result(const std::string& path);

/// Returns the paths of all files that a run with the checkpoint `path` may create, in this order:
/// `path`, then `path`.draft (see write_checkpoint), then `path`.lock (see OutputLock). Local.
std::vector<std::string> files_of_checkpoint(const std::string& path);

/// Prevents two runs from writing the same file FILE, a result or a checkpoint, at the same time.
/// On a file system without locks, it prevents nothing. The root holds a lock on the file FILE.lock
/// as long as the object exists; if the run is killed, the operating system releases the lock. The
/// destructor removes FILE.lock, and also the draft of the result or of the checkpoint if it still
/// exists.
class OutputLock {
 public:
  /// Acquires the lock. Throws UserError on all ranks alike if the file cannot be written, if it
  /// must not be replaced, or if another run is writing it. These cases are checked here because a
  /// message of HDF5 would not tell one from another. What must not be replaced is a file that is
  /// neither empty nor written by masing, anything that is not a regular file, a result by a
  /// checkpoint, and a checkpoint by a result. Does nothing if `path` is empty. `quantity` is the
  /// option that names the file: "output" for a result or "checkpoint". Collective.
  OutputLock(const parallel::Communicator& comm, const std::string& path,
             const std::string& quantity = "output");
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::vector<std::string> files_;  // those that the run may create
  int file_ = -1;                   // descriptor of the open lock file, on the root
};

}  // namespace masing::io
