#include "io/result_file.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <muParserDef.h>
#include <petscsys.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/version.hpp>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/host.hpp"
#include "io/build_info.hpp"
#include "io/sealed_file.hpp"
#include "slab/kernel/kernel.hpp"

namespace masing::io {

namespace {

std::string partial(const std::string& path) {
  return path + ".partial";
}

/// Throws UserError where `path` is there and no regular file: opening a pipe would wait for ever.
void require_regular(const std::string& path, const std::string& option) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    throw base::UserError(option + ": " + path + " is not a regular file; give a file name");
  }
}

/// Whether a file is empty or was begun by masing: HDF5 whose root says so, in its first bytes.
bool is_replaceable(const std::string& path) {
  constexpr std::string_view signature("\x89HDF\r\n\x1a\n");
  std::string head(8192, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head.empty() || (head.starts_with(signature) && head.find("masing") != std::string::npos);
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
      refuse(path, option);
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

void require_replaceable(const std::string& path, const std::string& option) {
  require_regular(path, option);
  if (access(path.c_str(), F_OK) == 0 && !is_replaceable(path)) {
    throw base::UserError(fmt::format(
        "{}: {} is there already and was not made by masing; move it, or give another name", option,
        path));
  }
}

OutputLock::OutputLock(const parallel::Communicator& comm, const std::string& path,
                       const std::string& option)
    : name_(path + ".lock") {
  parallel::on_root(comm, [&] {
    require_replaceable(path, option);
    const std::string draft = partial(path);
    for (const std::string& name : {path, draft, name_}) {
      require_regular(name, option);
    }
    if (access(draft.c_str(), F_OK) == 0 && access(draft.c_str(), W_OK) != 0) {
      refuse(draft, option);
    }
    file_ = locked(name_, path, option);
  });
}

OutputLock::~OutputLock() {
  if (file_ >= 0) {
    unlink(name_.c_str());  // while the lock is held: later the file may be another run's
    close(file_);
  }
}

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

/// /provenance: what made the file (program, compiler, libraries, command line, ranks, date), as
/// attributes. The git revision is "unknown" outside a checkout.
void write_provenance(const Handle& file, const parallel::Communicator& comm,
                      const std::string& command_line) {
  const Handle group = create_group(file, "/provenance");
  write_attribute(group, "version", program_version());
  write_attribute(group, "git_revision", std::string(MASING_GIT_REVISION));
  write_attribute(group, "git_dirty", std::string(MASING_GIT_DIRTY != 0 ? "yes" : "no"));
  write_attribute(group, "compiler", std::string(MASING_COMPILER));
  write_attribute(group, "kernel", std::string(slab::kernel_instruction_set()));
  write_attribute(group, "mpi", mpi_version());
  write_attribute(group, "petsc", petsc_version());
  write_attribute(group, "hdf5", hdf5_version());
  write_attribute(group, "boost", std::string(BOOST_LIB_VERSION));
  write_attribute(group, "muparser", mu::ParserVersion);
  write_attribute(group, "command_line", shortened(command_line));
  write_attribute(group, "ranks", static_cast<std::int64_t>(comm.size()));
  write_attribute(group, "processor", parallel::from_root(comm, base::processor_name));
  write_attribute(group, "system", parallel::from_root(comm, base::system_name));
  // The clocks of hosts differ; every rank must write the same attribute.
  write_attribute(group, "date", parallel::from_root(comm, now));
}

void write_kind(const Handle& file, const std::string& kind) {
  write_attribute(file, "program", std::string("masing"));
  write_attribute(file, "kind", kind);
}

/// /configuration with what is said of the problem, and what the root says of the run.
void write_configuration(const Handle& file, const ResultSpec& result) {
  write_text(file, "/configuration", result.configuration);
  const Handle dataset(H5Dopen2(file.id(), "/configuration", H5P_DEFAULT), H5Dclose);
  write_attribute(dataset, "problem", result.problem);
  write_attribute(dataset, "papers_problem", std::int64_t{result.papers_problem});
  write_attribute(file, "title", result.title);
  write_attribute(file, "has_cells", std::int64_t{result.has_cells});
}

}  // namespace

std::string program_version() {
  return MASING_VERSION;
}

void create_recipe(const parallel::Communicator& comm, const std::string& path,
                   const Recipe& recipe) {
  const Handle file = open_together(comm, path, H5F_ACC_TRUNC);
  write_kind(file, recipe.kind);
  write_text(file, "/configuration", recipe.configuration);
}

OutputFile::OutputFile(const parallel::Communicator& comm, const ResultSpec& result)
    : comm_(comm), path_(result.path), file_(open_together(comm, partial(path_), H5F_ACC_TRUNC)) {
  write_kind(file_, result.kind);
  write_provenance(file_, comm, result.command_line);
  if (!result.configuration.empty()) {
    write_configuration(file_, result);
  }
}

OutputFile::OutputFile(const parallel::Communicator& comm, const ResultSpec& result,
                       const std::string& checkpoint)
    : comm_(comm), path_(result.path) {
  copy_file(comm, checkpoint, partial(path_));
  file_ = open_together(comm, partial(path_), H5F_ACC_RDWR);
  // A restart may extend the time.
  check(H5Ldelete(file_.id(), "/configuration", H5P_DEFAULT));
  write_configuration(file_, result);
}

void OutputFile::copy_to(const std::string& path) const {
  check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL));
  copy_file(comm_, partial(path_), path);
}

void OutputFile::finish() {
  check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL));
  file_ = Handle();
  put_in_place(comm_, partial(path_), path_);
}

}  // namespace masing::io
