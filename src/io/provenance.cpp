#include "io/provenance.hpp"

#include <muParserDef.h>
#include <petscsys.h>

#include <boost/version.hpp>
#include <ctime>

#include "io/build_info.hpp"
#include "masing/kernel.hpp"

namespace io {

namespace {

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text);
  return all.substr(0, all.find_first_of(",\n"));
}

std::string petsc_version() {
  return std::to_string(PETSC_VERSION_MAJOR) + "." + std::to_string(PETSC_VERSION_MINOR) + "." +
         std::to_string(PETSC_VERSION_SUBMINOR);
}

std::string hdf5_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32] = "";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// HDF5 takes attributes of less than 64 kB; what a long command line says is in /configuration.
std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 32768;
  return text.size() <= longest ? text : text.substr(0, longest) + " ... (cut)";
}

}  // namespace

std::string program_version() {
  return MASING_VERSION;
}
std::string git_revision() {
  return MASING_GIT_REVISION;
}
bool git_dirty() {
  return MASING_GIT_DIRTY != 0;
}

void write_provenance(const Handle& file, const parallel::Communicator& comm,
                      const std::string& command_line) {
  const Handle group = create_group(file, "/provenance");
  write_attribute(group, "version", program_version());
  write_attribute(group, "git_revision", git_revision());
  write_attribute(group, "git_dirty", std::string(git_dirty() ? "yes" : "no"));
  write_attribute(group, "compiler", std::string(MASING_COMPILER));
  write_attribute(group, "kernel", std::string(masing::kernel_instruction_set()));
  write_attribute(group, "mpi", mpi_version());
  write_attribute(group, "petsc", petsc_version());
  write_attribute(group, "hdf5", hdf5_version());
  write_attribute(group, "boost", std::string(BOOST_LIB_VERSION));
  write_attribute(group, "muparser", mu::ParserVersion);
  write_attribute(group, "command_line", shortened(command_line));
  write_attribute(group, "ranks", static_cast<std::int64_t>(comm.size()));
  // The clocks of hosts differ; every rank must write the same attribute.
  write_attribute(group, "date", parallel::from_root(comm, now));
}

}  // namespace io
