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

/// Keeps other runs from writing the result and the checkpoint of this one, and refuses to replace
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

/// Writes the state that `serialize` hands to an archive to the checkpoint `path`, if that is not
/// empty: as FILE.draft, sealed (io/sealed_file), on the disk, then renamed, so that FILE is always
/// a whole checkpoint. It is an HDF5 file with /configuration and a group /checkpoint: an attribute
/// `format`, the numbers of the root, and the arrays split over the ranks. `attach` adds to the
/// open file what links it to the rows of a result file. Throws SystemError, also where the disk
/// has no room. Collective.
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

  /// Hands an archive that restores what was saved to `restore`, which asks for any part of it.
  /// Throws UserError, naming the file, where it does not hold what is asked for. Collective.
  void restore(const std::function<void(engine::Archive&)>& restore) const;

 private:
  std::string path_;
  Handle file_;
};

}  // namespace masing::io
