#include "io/output_file.hpp"

#include <utility>

#include "io/provenance.hpp"
#include "io/sealed_file.hpp"
#include "options/parse.hpp"
#include "options/print.hpp"

namespace io {

namespace {

std::string partial(const std::string& path) {
  return path + ".partial";
}

Handle create(const parallel::Communicator& comm, const std::string& path) {
  // HDF5 prints its error stack by default; check() says it in one line.
  check(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr));
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check(H5Pset_fapl_mpio(access.id(), comm.handle(), MPI_INFO_NULL));
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose};
}

void write_kind(const Handle& file, const std::string& kind) {
  write_attribute(file, "program", std::string("masing"));
  write_attribute(file, "kind", kind);
}

}  // namespace

void create_recipe(const parallel::Communicator& comm, const std::string& path,
                   const Recipe& recipe) {
  const Handle file = create(comm, path);
  write_kind(file, recipe.kind);
  write_text(file, "/configuration", recipe.configuration);
}

OutputFile::OutputFile(const parallel::Communicator& comm,
                       const options::Configuration& configuration, const std::string& command_line)
    : OutputFile(comm, configuration.output, options::name_of(configuration.command),
                 command_line) {
  write_text(file_, "/configuration", options::printed_result_keys(configuration));
}

OutputFile::OutputFile(const parallel::Communicator& comm,
                       const options::Configuration& configuration)
    : comm_(comm), path_(configuration.output) {
  copy_file(comm, configuration.restart, partial(path_));
  file_ = open_together(comm, partial(path_), H5F_ACC_RDWR);
  // A restart may extend the time.
  check(H5Ldelete(file_.id(), "/configuration", H5P_DEFAULT));
  write_text(file_, "/configuration", options::printed_result_keys(configuration));
}

void OutputFile::copy_to(const std::string& path) const {
  check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL));
  copy_file(comm_, partial(path_), path);
}

OutputFile::OutputFile(const parallel::Communicator& comm, std::string path,
                       const std::string& kind, const std::string& command_line)
    : comm_(comm), path_(std::move(path)) {
  file_ = create(comm, partial(path_));
  write_kind(file_, kind);
  write_provenance(file_, comm, command_line);
}

void OutputFile::finish() {
  check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL));
  file_ = Handle();
  put_in_place(comm_, partial(path_), path_);
}

}  // namespace io
