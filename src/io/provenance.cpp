// What a file says about its kind, its origin and its configuration.

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <petscsys.h>
#include <sys/utsname.h>
#include <xxhash.h>

#include <array>
#include <boost/version.hpp>

#include "base/text.hpp"
#include "io/build_info.hpp"
#include "io/output_file.hpp"

namespace masing::io {

namespace {

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text);
  return all.substr(0, all.find_first_of(",\n"));
}

/// Converts a version number such as 90100 to a text such as "9.1.0".
std::string dotted(unsigned version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::string petsc_version() {
  // This is the version of the linked library, which may differ from the version of the headers.
  std::array<PetscInt, 3> is{};
  PetscGetVersionNumber(&is[0], &is[1], &is[2], nullptr);
  return fmt::format("{}", fmt::join(is, "."));
}

std::string hdf5_version() {
  std::array<unsigned, 3> is{};
  H5get_libversion(&is[0], &is[1], &is[2]);
  return fmt::format("{}", fmt::join(is, "."));
}

/// Returns the name of this host, or "unknown" if the system does not know it.
std::string host_name() {
  utsname system{};
  return uname(&system) == 0 ? system.nodename : "unknown";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> build_facts() {
  return {{"version", MASING_VERSION},
          {"git_revision", MASING_GIT_REVISION},
          {"git_dirty", MASING_GIT_DIRTY != 0 ? "yes" : "no"},
          {"compiler", MASING_COMPILER},
          {"flags", MASING_FLAGS},
          {"mpi", mpi_version()},
          {"petsc", petsc_version()},
          {"hdf5", hdf5_version()},
          {"boost", BOOST_LIB_VERSION},
          {"eigen", MASING_EIGEN},
          {"fmt", dotted(FMT_VERSION)},
          {"xxhash", dotted(XXH_versionNumber())},
          {"libc", gnu_get_libc_version()}};
}

void write_provenance(const Handle& file, const parallel::Communicator& comm,
                      const ResultSpec& result) {
  const Handle group = create_group(file, "/provenance");
  auto facts = build_facts();
  facts.insert(
      facts.end(),
      {{"command_line", result.command_line}, {"host", host_name()}, {"date", base::utc_now()}});
  for (const auto& fact : facts) {
    write_attribute(group, fact.first, parallel::from_root(comm, [&] { return fact.second; }));
  }
}

void write_kind(const Handle& file, const std::string& kind) {
  write_attribute(file, "program", std::string("masing"));
  write_attribute(file, "schema", std::string(schema));
  write_attribute(file, "kind", kind);
}

void write_configuration(const Handle& file, const ResultSpec& result) {
  write_text(file, "/configuration", result.configuration);
  const Handle dataset = open_dataset(file, "/configuration");
  write_attribute(dataset, "derived", result.derived);
  write_attribute(dataset, "problem", result.problem);
  write_attribute(dataset, "papers_problem", std::int64_t{result.papers_problem});
  write_attribute(file, "title", result.title);
  write_attribute(file, "has_cells", std::int64_t{result.has_cells});
}

void write_samples(const parallel::Communicator& comm, const Handle& file, const ResultSpec& result,
                   bool has_arrays) {
  const Samples& samples = *result.samples;
  const Handle group = create_group(file, "/samples");
  write_attribute(group, "folder", samples.folder);
  write_attribute(group, "records_xxh3", result.records_checksum);
  write_text(file, "/samples/table", samples.table);
  if (samples.sizes.empty() || !has_arrays) {
    return;
  }
  write_column(comm, file, "/samples/sizes", {"numbers of points of the arrays", "n"},
               samples.sizes, "sizes");
  write_column(comm, file, "/samples/arguments", {"arguments of all arrays", "t"},
               samples.arguments, "arguments");
  write_column(comm, file, "/samples/values", {"values of all arrays", "a"}, samples.values,
               "arguments");
}

}  // namespace masing::io
