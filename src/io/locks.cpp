#include "io/locks.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "io/result_reader.hpp"
#include "io/sealed_file.hpp"

namespace masing::io {

namespace {

constexpr const char* lock = ".lock";

/// Returns the descriptor of the lock file `name`, which is now locked. Throws UserError if it
/// cannot be created or another run has locked it. Local.
int locked(const std::string& name, const std::string& path, const std::string& quantity) {
  for (;;) {
    const int file = open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (file < 0) {
      throw base::UserError(quantity, "cannot write " + path + ": " + std::strerror(errno) +
                                          "; give a file in a writable folder");
    }
    // If locking fails for another reason, as on a file system without locks, the run goes on
    // without a lock.
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(file);
      throw base::UserError(quantity, "another run is writing " + path +
                                          "; give another file, or wait for it (if one launcher "
                                          "started both, it is not of the MPI of masing)");
    }
    // The previous owner of the lock may have removed the file after this run opened it and before
    // this run locked it. Then the open file has no name any more, and this run tries again.
    struct stat info {};
    if (fstat(file, &info) == 0 && info.st_nlink > 0) {
      return file;
    }
    close(file);
  }
}

/// Throws UserError if a new file `path` would replace something that must be kept
/// (OutputLock::OutputLock). Local.
void require_replaceable(const std::string& path, const std::string& quantity) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  if (!std::filesystem::exists(status)) {
    return;
  }
  const auto refuse = [&](const char* why) { throw base::UserError(quantity, path + why); };
  if (!std::filesystem::is_regular_file(status)) {
    // Opening a pipe, for example, could take forever.
    refuse(" is not a regular file; give a file name");
  }
  const std::optional<std::string> kind = kind_at_start(path);
  if (!kind) {
    refuse(" is there already and was not made by masing; move it, or give another name");
  }
  if (quantity == "checkpoint" && kind != "checkpoint" && !first_bytes(path, 1).empty()) {
    refuse(kind->empty() ? " is of an older masing; give another name"
                         : " is a result, no checkpoint; give another name");
  }
  if (quantity != "checkpoint" && kind == "checkpoint") {
    refuse(" is a checkpoint, no result; give another name");
  }
}

}  // namespace

void with_file_name(const std::string& path, const std::function<void()>& work) {
  try {
    work();
  } catch (const base::SystemError& error) {
    const std::string what = error.what();
    if (!what.starts_with("HDF5") || path.empty()) {
      throw;
    }
    constexpr double few = 65536;
    throw base::SystemError(path + ": " + what +
                            (available_bytes(path) < few ? "; its disk is full" : ""));
  }
}

std::filesystem::path folder_of(const std::string& path) {
  return std::filesystem::absolute(path).parent_path();
}

double available_bytes(const std::string& path) {
  std::error_code unknown;
  const auto space = std::filesystem::space(folder_of(path), unknown);
  return unknown ? base::infinity : static_cast<double>(space.available);
}

std::optional<std::string> kind_at_start(const std::string& path) {
  if (const auto head = read_head(path)) {
    return head->kind;
  }
  // a file of masing 1 or 2 has no head; one of the first texts in it is "masing"
  const std::string start = first_bytes(path, 8192);
  const bool may_be_older =
      start.starts_with(hdf5_signature) && start.find("masing") != std::string::npos;
  return start.empty() || may_be_older ? std::optional<std::string>("") : std::nullopt;
}

std::vector<std::string> files_of_result(const std::string& path) {
  return {path, path + partial, path + partial_draft, path + lock};
}

std::vector<std::string> files_of_checkpoint(const std::string& path) {
  return {path, path + checkpoint_draft, path + lock};
}

OutputLock::OutputLock(const parallel::Communicator& comm, const std::string& path,
                       const std::string& quantity)
    : files_(quantity == "checkpoint" ? files_of_checkpoint(path) : files_of_result(path)) {
  if (path.empty()) {
    return;
  }
  parallel::on_root(comm, [&] {
    require_replaceable(path, quantity);
    file_ = locked(files_.back(), path, quantity);
  });
}

OutputLock::~OutputLock() {
  if (file_ >= 0) {
    // Remove the files before the lock is released, because afterwards files with these names may
    // belong to another run.
    unlink(files_[files_.size() - 2].c_str());  // the draft
    unlink(files_.back().c_str());
    close(file_);
  }
}

}  // namespace masing::io
