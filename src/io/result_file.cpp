#include "io/result_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <petscsys.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <boost/version.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "io/build_info.hpp"
#include "io/result_reader.hpp"
#include "io/samples.hpp"
#include "parallel/phase.hpp"
#include "parallel/session.hpp"
#include "parallel/stop.hpp"

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

/// Returns the value of an attribute: `text`, which is cut after 32 KiB. If a command line is cut,
/// /configuration still contains all its parameters.
std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 32768;
  return text.size() <= longest ? text : text.substr(0, longest) + " ... (cut)";
}

/// Writes /provenance, whose attributes describe the build, the call and the host of the root.
/// Collective.
void write_provenance(const Handle& file, const parallel::Communicator& comm,
                      const ResultSpec& result) {
  const Handle group = create_group(file, "/provenance");
  auto facts = build_facts();
  facts.insert(facts.end(), {{"command_line", shortened(result.command_line)},
                             {"host", host_name()},
                             {"date", base::utc_now()}});
  for (const auto& fact : facts) {
    write_attribute(group, fact.first, parallel::from_root(comm, [&] { return fact.second; }));
  }
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

namespace {

// The endings that are added to the name of a result file to form the names of its other files.
constexpr const char* partial = ".partial";
constexpr const char* partial_draft = ".partial.draft";
constexpr const char* lock = ".lock";

/// Throws UserError if `path` exists and is not a regular file, such as a pipe: opening a pipe
/// could take forever.
void require_regular(const std::string& path, const std::string& quantity) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw base::UserError(quantity, path + " is not a regular file; give a file name");
  }
}

[[noreturn]] void refuse(const std::string& path, const std::string& quantity) {
  throw base::UserError(quantity, "cannot write " + path + ": " + std::strerror(errno) +
                                      "; give a file in a writable folder");
}

/// Returns whether `name` is, at present, the name of the open file with the descriptor `file`.
bool has_name(int file, const std::string& name) {
  struct stat mine {};
  struct stat there {};
  return fstat(file, &mine) == 0 && stat(name.c_str(), &there) == 0 &&
         mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

int locked(const std::string& name, const std::string& path, const std::string& quantity) {
  for (;;) {
    const int file = open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (file < 0) {
      refuse(path, quantity);
    }
    // If locking fails for another reason, as on a file system without locks, the run goes on
    // without a lock.
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(file);
      throw base::UserError(
          quantity, "another run is writing " + path + "; give another file, or wait for it");
    }
    // The previous owner of the lock may have removed the file after this run opened it and before
    // this run locked it. Then this run tries again.
    if (has_name(file, name)) {
      return file;
    }
    close(file);
  }
}

}  // namespace

void with_file_name(const std::string& path, const std::function<void()>& work) {
  try {
    work();
  } catch (const base::SystemError& error) {
    const std::string what = error.what();
    if (!what.starts_with("HDF5") || path.empty()) {
      throw;
    }
    constexpr double few = 65536;
    throw base::SystemError(path + ": " + what +
                            (available_bytes(path) < few ? "; its disk is full" : ""));
  }
}

std::filesystem::path folder_of(const std::string& path) {
  return std::filesystem::absolute(path).parent_path();
}

double available_bytes(const std::string& path) {
  std::error_code unknown;
  const auto space = std::filesystem::space(folder_of(path), unknown);
  return unknown ? base::infinity : static_cast<double>(space.available);
}

void require_replaceable(const std::string& path, const std::string& quantity) {
  require_regular(path, quantity);
  const std::optional<std::string> kind = kind_at_start(path);
  if (quantity == "checkpoint" && kind && kind != "checkpoint" && !first_bytes(path, 1).empty()) {
    throw base::UserError(
        quantity, path +
                      (kind->empty() ? " is of an older masing" : " is a result, no checkpoint") +
                      "; give another name");
  }
  if (access(path.c_str(), F_OK) == 0 && !kind) {
    throw base::UserError(
        quantity, path +
                      " is there already and was not made by masing; move it, or give another "
                      "name");
  }
}

std::optional<std::string> kind_at_start(const std::string& path) {
  std::error_code unknown;
  if (const auto head = read_head(path)) {
    return head->kind;
  }
  if (!std::filesystem::is_regular_file(path, unknown)) {
    return std::nullopt;
  }
  // a file of masing 1 to 3 has no head; one of the first texts in it is "masing"
  const std::string start = first_bytes(path, 8192);
  const bool may_be_older =
      start.starts_with(hdf5_signature) && start.find("masing") != std::string::npos;
  return start.empty() || may_be_older ? std::optional<std::string>("") : std::nullopt;
}

std::vector<std::string> files_of_result(const std::string& path) {
  return {path, path + partial, path + partial_draft, path + lock};
}

OutputLock::OutputLock(const parallel::Communicator& comm, const std::string& path,
                       const std::string& quantity)
    : path_(path) {
  if (path.empty()) {
    return;
  }
  parallel::on_root(comm, [&] {
    require_replaceable(path, quantity);
    const std::string draft = path + partial;
    require_regular(draft, quantity);
    require_regular(path + lock, quantity);
    if (access(draft.c_str(), F_OK) == 0 && access(draft.c_str(), W_OK) != 0) {
      refuse(draft, quantity);
    }
    file_ = locked(path + lock, path, quantity);
  });
}

OutputLock::~OutputLock() {
  if (file_ >= 0) {
    // Remove the files before the lock is released, because afterwards files with these names may
    // belong to another run.
    unlink((path_ + partial_draft).c_str());
    unlink((path_ + lock).c_str());
    close(file_);
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

namespace {

/// Returns a random id of 128 bits, which practically no other run has.
std::string new_run_id() {
  std::random_device chance;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", chance(), chance(), chance(), chance());
}

/// Returns the numbers of rows and the checksums that a checkpoint contains, as a map whose keys
/// are the paths of the tables.
std::map<std::string, CountedRows> counted_in(const Handle& checkpoint) {
  std::map<std::string, CountedRows> counted;
  for (const auto& [name, type] : objects_in(checkpoint)) {
    const std::string before = std::string("/") + rows_name + "/";
    const auto at = name.find(before);
    if (type == H5O_TYPE_DATASET && at != std::string::npos) {
      counted[name.substr(at + before.size() - 1)] =
          CountedRows::unpacked(read_numbers(checkpoint, name, H5FD_MPIO_COLLECTIVE));
    }
  }
  return counted;
}

/// Calls `work`, which calls base::poll(). If a stop is requested meanwhile, throws Stopped with
/// the remark that nothing is lost. Collective.
void poll_during(const parallel::Communicator& comm, const std::function<void()>& work) {
  try {
    const base::Polling polling = parallel::stop_polling();
    work();
  } catch (const base::Stopped&) {
    throw base::Stopped("stopped " + parallel::stop_reason(comm) + " before the first step" +
                        nothing_lost);
  }
}

/// Compares the checksums of the rows in the file `from` with those in rows.tables. If the file
/// `to` is given, copies the rows to this file. Returns what is wrong with the first table whose
/// checksum is another, or an empty text. Collective.
std::string fault_in(const parallel::Communicator& comm, const RowSource& rows, const Handle& from,
                     const Handle* to = nullptr) {
  for (const auto& [table, counted] : rows.tables) {
    const Handle source = open_dataset(from, table);
    const Handle target = to == nullptr ? Handle() : open_dataset(*to, table);
    if (sum_of_rows(comm, source, counted, to == nullptr ? nullptr : &target) !=
        counted.before + counted.last) {
      return fmt::format(
          "{} is damaged: the checksum of {} rows of {} is another; take a copy that is whole, or "
          "begin anew",
          rows.path, counted.rows, table);
    }
  }
  return "";
}

/// Returns a checksum of the configuration and the build of a result, which determine all objects
/// of its file and what they contain, apart from rows. Collective.
std::string recipe_of(const parallel::Communicator& comm, const ResultSpec& result) {
  return parallel::from_root(comm, [&] {
    std::string all = result.configuration + '\0' + result.derived;
    for (const auto& [name, value] : build_facts()) {
      all += '\0' + value;
    }
    return fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
  });
}

}  // namespace

RowSource find_rows(const parallel::Communicator& comm, const std::string& checkpoint,
                    const ResultSpec& result) {
  const Handle file = open_together(comm, checkpoint, H5F_ACC_RDONLY);
  RowSource rows{.run = read_text_attribute(file, checkpoint_group, "run"),
                 .path = "",
                 .tables = counted_in(file)};
  if (rows.run.empty() || rows.tables.empty()) {
    throw base::UserError(
        "restart",
        checkpoint + " is a checkpoint of another version; give one that this masing wrote");
  }
  const std::filesystem::path named = read_text_attribute(file, checkpoint_group, "output");
  const std::string& output = result.path;
  const std::string recipe = recipe_of(comm, result);
  std::string fault;  // what is wrong with the first file of the run
  for (const std::string& of : {output, (folder_of(checkpoint) / named).string()}) {
    for (const std::string& path : {of + partial, of}) {
      const std::string ids = parallel::from_root(comm, [&] {
        const Head head = read_head(path).value_or(Head());
        return head.run + " " + head.recipe;
      });
      if (!ids.starts_with(rows.run + " ")) {
        continue;
      }
      rows.path = path;
      std::string wrong;
      try {
        const Handle source = open_together(comm, path, H5F_ACC_RDONLY);
        poll_during(comm, [&] { wrong = fault_in(comm, rows, source); });
        if (wrong.empty()) {
          rows.in_place = path == output + partial && ids == rows.run + " " + recipe;
          return rows;
        }
      } catch (const base::SystemError& error) {
        wrong = fmt::format("{} is damaged: {}; begin anew", path, error.what());
      }
      fault = fault.empty() ? wrong : fault;
    }
  }
  if (!fault.empty()) {
    throw base::UserError("restart", fault);
  }
  throw base::UserError(
      "restart", fmt::format("the rows that {} goes on with are not in {}, nor in {}; give as "
                             "output the file that they were written for",
                             checkpoint, output + partial, output));
}

void write_time(const Handle& file, const std::string& name, double value) {
  const Handle group(H5Gopen2(file.id(), "/timing", H5P_DEFAULT), H5Gclose);
  write_attribute(group, name, value);
}

namespace {

/// Sets the attributes of /timing that have the seconds that the root has spent in each phase until
/// now. Collective.
void write_durations(const parallel::Communicator& comm, const Handle& file) {
  parallel::PhaseSeconds seconds = parallel::phase_seconds();
  parallel::broadcast(comm, seconds);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    write_time(file, std::string(parallel::phase_names[i]) + "_seconds", seconds[i]);
  }
}

/// Creates the group /timing with all of its attributes. It must be called before datasets are
/// created, so that the attributes lie in the first segment of the file (io/sealed_file.hpp).
/// Collective.
void make_timing(const parallel::Communicator& comm, const Handle& file, const std::string& kind) {
  const Handle group = create_group(file, "/timing");
  write_durations(comm, file);
  write_attribute(group, "wall_seconds", base::undefined);
  if (kind == "simulate") {
    write_attribute(group, "steps_per_second", base::undefined);
    write_attribute(group, "cell_updates_per_second", base::undefined);
  }
}

}  // namespace

OutputFile::OutputFile(const parallel::Communicator& comm, const ResultSpec& result,
                       std::optional<RowSource> rows, std::optional<int> ranks)
    : comm_(comm),
      result_(result),
      rows_(std::move(rows)),
      head_{result_.kind},
      draft_(result.path.empty() ? "" : result.path + (copies_rows() ? partial_draft : partial)),
      file_(open_together(comm_, draft_, is_new() ? H5F_ACC_TRUNC : H5F_ACC_RDWR)) {
  if (rows_ || result_.kind == "simulate") {
    head_.run = rows_ ? rows_->run : parallel::from_root(comm, new_run_id);
    head_.recipe = recipe_of(comm, result_);
  }
  if (is_new()) {
    write_kind(file_, result_.kind);
    write_provenance(file_, comm_, result_);
    write_attribute(file_, "Conventions", conventions);
  }
  write_attribute(create_group(file_, "/provenance"), "ranks",
                  std::int64_t{ranks.value_or(comm.size())});
  if (is_new() && !result_.configuration.empty()) {
    make_timing(comm_, file_, result_.kind);
    write_configuration(file_, result_);
    if (result_.samples) {
      write_samples(comm_, file_, result_, result_.samples->bytes() <= most_sample_bytes);
    }
  }
}

void OutputFile::start_rows() {
  if (draft_.empty()) {
    return;
  }
  if (copies_rows()) {
    const Handle from = open_together(comm_, rows_->path, H5F_ACC_RDONLY);
    std::string fault;
    poll_during(comm_, [&] { fault = fault_in(comm_, *rows_, from, &file_); });
    if (!fault.empty()) {
      throw base::UserError("restart", fault);
    }
  }
  flush(file_);
  parallel::on_root(comm_, [&] { write_head(draft_, head_); });
  if (copies_rows()) {
    put_in_place(comm_, draft_, result_.path + partial);
    draft_ = result_.path + partial;
  }
}

void OutputFile::save_rows(const Handle& checkpoint, const std::string& path) const {
  with_file_name(result_.path, [&] { flush(file_); });
  // The stored path of the result file is relative to the folder of the checkpoint, so that both
  // files may be moved together.
  const Handle group(H5Gopen2(checkpoint.id(), checkpoint_group, H5P_DEFAULT), H5Gclose);
  write_attribute(group, "output", parallel::from_root(comm_, [&] {
                    const auto output = std::filesystem::absolute(result_.path);
                    return std::filesystem::proximate(output, folder_of(path)).string();
                  }));
  write_attribute(group, "run", head_.run);
}

void OutputFile::finish() {
  const parallel::PhaseTimer timer(parallel::Phase::seal);
  {
    const parallel::PhaseTimer output(parallel::Phase::output);
    flush(file_);
    parallel::min_over_ranks(comm_, 0);  // Wait until each rank has written its part.
  }
  const std::uint64_t rest = draft_.empty() ? 0 : sum_of_rest(comm_, draft_);
  if (!result_.configuration.empty()) {
    write_durations(comm_, file_);
    flush(file_);
  }
  if (result_.image != nullptr) {
    // HDF5 leaves the head out of the image of a file.
    std::string& image = *result_.image;
    const auto size = static_cast<std::size_t>(check(H5Fget_file_image(file_.id(), nullptr, 0)));
    image.assign(head_bytes + size, ' ');
    check(H5Fget_file_image(file_.id(), image.data() + head_bytes, size));
    close();
    seal(image, head_);
  } else {
    close();
    seal(comm_, draft_, result_.path, head_, rest);
  }
}

void write_file(const parallel::Communicator& comm, const ResultSpec& result,
                const std::function<void(const parallel::Communicator&, const Handle&)>& write) {
  if (result.path.empty() && result.image == nullptr) {
    return;
  }
  const parallel::PhaseTimer timer(parallel::Phase::output);
  parallel::on_root(comm, [&] {
    const parallel::RootAlone root;
    try {
      with_file_name(result.path, [&] {
        OutputFile output(root.comm(), result, {}, comm.size());
        write(root.comm(), output.file());
        output.finish();
      });
    } catch (...) {
      if (!result.path.empty()) {
        unlink((result.path + partial).c_str());
      }
      throw;
    }
  });
}

}  // namespace masing::io
