#pragma once

#include <functional>
#include <string>

#include "engine/engine.hpp"
#include "io/hdf5.hpp"
#include "io/specs.hpp"

namespace masing::io {

/// Removes the checkpoint `path` and the temporary file of this checkpoint, if they exist.
/// Collective.
void remove_checkpoint(const parallel::Communicator& comm, const std::string& path);

/// Writes a checkpoint with the state that `serialize` passes to an archive. Does nothing if `path`
/// is empty. The checkpoint is first written to the temporary file `path`.draft, then sealed
/// (io/sealed_file.hpp), flushed to the disk and renamed to `path`. Therefore a file `path` is
/// always a complete checkpoint. A checkpoint is an HDF5 file with the dataset /configuration and
/// the group /checkpoint. This group has the attribute `format`, and contains the numbers that the
/// root passes to the archive and the vectors that all ranks pass to it. `attach`, if given, is
/// called with the open checkpoint. It stores there the id of the run whose rows belong to the
/// checkpoint (OutputFile::save_rows). Throws SystemError if the
/// checkpoint cannot be written, for example because the disk is full. Collective.
void write_checkpoint(const parallel::Communicator& comm, const std::string& path,
                      const ResultSpec& result,
                      const std::function<void(engine::Archive&)>& serialize,
                      const std::function<void(const Handle&)>& attach = {});

/// Calls `restore` with an archive that reads from the checkpoint `path`. `restore` need not read
/// the whole saved state. Throws, on all ranks alike, SystemError if HDF5 cannot open the file, and
/// UserError if it is not a checkpoint in the present version of the format, or does not contain
/// what `restore` reads. Collective.
void restore_checkpoint(const parallel::Communicator& comm, const std::string& path,
                        const std::function<void(engine::Archive&)>& restore);

}  // namespace masing::io
