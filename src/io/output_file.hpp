#pragma once

#include <string>

#include "io/compare.hpp"
#include "io/hdf5.hpp"
#include "options/configuration.hpp"
#include "parallel/communicator.hpp"

namespace io {

/// Create an HDF5 file of that name with only the recipe of what is to come into it. Collective.
void create_recipe(const parallel::Communicator& comm, const std::string& path,
                   const Recipe& recipe);

/// A result file in the making: written beside its final name (FILE.partial) and renamed when all
/// is in it, so that a reader never sees half a file. It carries the configuration and the
/// provenance of its data.
class OutputFile {
 public:
  /// Creates FILE.partial with /configuration and /provenance. Throws UserError if the folder is
  /// missing or not writable, or another run writes FILE. `comm` must outlive the file. Collective.
  OutputFile(const parallel::Communicator& comm, const options::Configuration& configuration,
             const std::string& command_line);

  /// Goes on with the whole checkpoint that the configuration names: FILE.partial is a copy.
  /// Collective.
  OutputFile(const parallel::Communicator& comm, const options::Configuration& configuration);

  /// The same for a file of another `kind` than a configuration's, without /configuration.
  /// Collective.
  OutputFile(const parallel::Communicator& comm, std::string path, const std::string& kind,
             const std::string& command_line);

  [[nodiscard]] const Handle& file() const { return file_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Copies what the file holds to another. Collective.
  void copy_to(const std::string& path) const;

  /// Closes the file, has it on the disk and gives it its final name. Nothing may be written any
  /// more. Throws SystemError alike on all ranks. Collective.
  void finish();

 private:
  const parallel::Communicator& comm_;
  std::string path_;
  Handle file_;
};

}  // namespace io
