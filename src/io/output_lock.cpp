#include "io/output_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace io {

namespace {

/// Throws UserError where `path` is there and no regular file: opening a pipe would wait for ever.
void require_regular(const std::string& path, const std::string& option) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    throw base::UserError(option + ": " + path + " is not a regular file; give a file name");
  }
}

[[noreturn]] void refuse(const std::string& path, const std::string& option) {
  throw base::UserError(option + ": cannot write " + path + ": " + std::strerror(errno) +
                        "; give a file in a writable folder");
}

[[noreturn]] void refuse_shared(const std::string& path, const std::string& option) {
  throw base::UserError(option + ": another run is writing " + path +
                        "; give another file, or wait for it");
}

/// Whether the open file is the one that has this name now.
bool has_name(int file, const std::string& name) {
  struct stat mine {};
  struct stat there {};
  return fstat(file, &mine) == 0 && stat(name.c_str(), &there) == 0 &&
         mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

int locked(const std::string& name, const std::string& path, const std::string& option) {
  for (;;) {
    const int file = open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (file < 0) {
      refuse(name, option);
    }
    // Where a file system has no locks, the run goes on without.
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(file);
      refuse_shared(path, option);
    }
    // Its holder may have removed it between our opening and our locking it.
    if (has_name(file, name)) {
      return file;
    }
    close(file);
  }
}

}  // namespace

OutputLock::OutputLock(const parallel::Communicator& comm, const std::string& path,
                       const std::string& option)
    : name_(path + ".lock") {
  parallel::from_root(comm, [&] {
    const std::string partial = path + ".partial";
    for (const std::string& name : {path, partial, name_}) {
      require_regular(name, option);
    }
    if (access(partial.c_str(), F_OK) == 0 && access(partial.c_str(), W_OK) != 0) {
      refuse(partial, option);
    }
    file_ = locked(name_, path, option);
    return std::string();
  });
}

OutputLock::~OutputLock() {
  if (file_ >= 0) {
    unlink(name_.c_str());  // before the lock is free, so that nobody's else goes
    close(file_);
  }
}

}  // namespace io
