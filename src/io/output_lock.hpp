#pragma once

#include <string>

#include "parallel/communicator.hpp"

namespace io {

/// Keeps a second run from writing the same result file: a lock on FILE.lock, held by the root
/// until the object dies, and given back by the system if the run is killed. The lock file goes
/// with it.
class OutputLock {
 public:
  /// Throws UserError alike on all ranks, naming the `option` that gave the path, where a file
  /// cannot be written there (HDF5's own messages would not say why) or another run is writing it.
  /// Collective.
  OutputLock(const parallel::Communicator& comm, const std::string& path,
             const std::string& option = "--output");
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::string name_;
  int file_ = -1;  // on the root
};

}  // namespace io
