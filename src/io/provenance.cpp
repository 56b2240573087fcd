#include "io/provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <petscsys.h>

#include <boost/version.hpp>
#include <cstdint>
#include <ctime>

#include "base/host.hpp"
#include "io/build_info.hpp"
#include "slab/kernel/kernel.hpp"

namespace masing::io {

namespace {

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text);
  return all.substr(0, all.find_first_of(",\n"));
}

std::string petsc_version() {
  return fmt::format("{}.{}.{}", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR);
}

std::string hdf5_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

std::string now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
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

std::vector<BuildFact> build_facts() {
  return {{"version", MASING_VERSION},
          {"git_revision", MASING_GIT_REVISION},
          {"git_dirty", MASING_GIT_DIRTY != 0 ? "yes" : "no"},
          {"compiler", MASING_COMPILER},
          {"flags", MASING_FLAGS},
          {"kernel", std::string(slab::kernel_instruction_set())},
          {"mpi", mpi_version()},
          {"petsc", petsc_version()},
          {"hdf5", hdf5_version()},
          {"boost", BOOST_LIB_VERSION}};
}

void write_provenance(const Handle& file, const parallel::Communicator& comm,
                      const std::string& command_line, const std::string& run) {
  const Handle group = create_group(file, "/provenance");
  for (const auto& [name, value] : build_facts()) {
    write_attribute(group, name, value);
  }
  write_attribute(group, "command_line", shortened(command_line));
  write_attribute(group, "ranks", static_cast<std::int64_t>(comm.size()));
  write_attribute(group, "hosts", static_cast<std::int64_t>(parallel::hosts(comm)));
  write_attribute(group, "processor", parallel::from_root(comm, base::processor_name));
  write_attribute(group, "system", parallel::from_root(comm, base::system_name));
  // The clocks of hosts differ; every rank must write the same attribute.
  write_attribute(group, "date", parallel::from_root(comm, now));
  write_attribute(group, "run", run);
}

}  // namespace masing::io
