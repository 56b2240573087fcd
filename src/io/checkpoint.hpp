#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "io/hdf5.hpp"
#include "io/result_file.hpp"
#include "io/specs.hpp"

namespace masing::io {

/// Locks the result file and a scheduled checkpoint against other runs, and refuses to replace
/// files that masing did not write, also at the path of an unscheduled checkpoint.
class RunLocks {
 public:
  /// Throws UserError alike on all ranks, as OutputLock does. Collective.
  RunLocks(const parallel::Communicator& comm, const std::string& result,
           const CheckpointSpec& checkpoint);

 private:
  OutputLock result_;
  std::optional<OutputLock> checkpoint_;
};

/// The files that a checkpoint in `path` is written as: FILE and its temporary file. Local.
std::vector<std::string> files_of_checkpoint(const std::string& path);

/// Removes FILE and its temporary file, where they exist. Collective.
void remove_checkpoint(const parallel::Communicator& comm, const std::string& path);

/// Writes a checkpoint with the state that `serialize` passes to an archive. Does nothing if `path`
/// is empty. The file is written as FILE.draft, sealed (io/sealed_file), flushed to the disk and
/// renamed, so that FILE is always a complete checkpoint. It is an HDF5 file with /configuration
/// and a group /checkpoint: an attribute `format`, the numbers of the root, and the arrays split
/// over the ranks. `attach` adds to the open file the name and the id of the result file whose rows
/// belong to it. Throws SystemError, for example if the disk is full. Collective.
void write_checkpoint(const parallel::Communicator& comm, const std::string& path,
                      const ResultSpec& result,
                      const std::function<void(engine::Archive&)>& serialize,
                      const std::function<void(const Handle&)>& attach = {});

/// A checkpoint that is open for reading.
class CheckpointFile {
 public:
  /// Throws UserError alike on all ranks where the file is no checkpoint of this version.
  /// Collective.
  CheckpointFile(const parallel::Communicator& comm, const std::string& path);

  /// Calls `restore` with an archive that reads from this file, any part of the saved state. Throws
  /// UserError, naming the file, if it does not contain what is read. Collective.
  void restore(const std::function<void(engine::Archive&)>& restore) const;

 private:
  std::string path_;
  Handle file_;
};

}  // namespace masing::io
