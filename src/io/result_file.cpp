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
#include <bit>
#include <boost/version.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
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

/// Writes /provenance, whose attributes describe the build, the call, its number of `ranks`, and
/// the host of the root. Collective.
void write_provenance(const Handle& file, const parallel::Communicator& comm, int ranks,
                      const ResultSpec& result) {
  const Handle group = create_group(file, "/provenance");
  auto facts = build_facts();
  facts.insert(facts.end(), {{"command_line", shortened(result.command_line)},
                             {"host", host_name()},
                             {"date", base::utc_now()}});
  for (const auto& fact : facts) {
    write_attribute(group, fact.first, parallel::from_root(comm, [&] { return fact.second; }));
  }
  write_attribute(group, "ranks", std::int64_t{ranks});
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
  if (quantity == "checkpoint" && !kind.value_or("").empty() && kind != "checkpoint") {
    throw base::UserError(quantity, path + " is a result, no checkpoint; give another name");
  }
  if (access(path.c_str(), F_OK) == 0 && !kind) {
    throw base::UserError(
        quantity, path +
                      " is there already and was not made by masing; move it, or give another "
                      "name");
  }
}

std::optional<std::string> kind_at_start(const std::string& path) {
  constexpr std::string_view signature("\x89HDF\r\n\x1a\n");
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) {
    return std::nullopt;
  }
  const std::string head = first_bytes(path, 8192);
  if (!head.empty() && (!head.starts_with(signature) || head.find("masing") == std::string::npos)) {
    return std::nullopt;
  }
  // A checkpoint contains the name of the group /checkpoint, without the slash, between two zero
  // bytes. The result of a resumed run may contain the same word in its command line, "--restart
  // run.h5.checkpoint", but there no zero byte precedes it.
  if (head.find(std::string_view("\0checkpoint\0", 12)) != std::string::npos) {
    return "checkpoint";
  }
  // HDF5 stores the texts of attributes one after the other: for each text 8 bytes, then the length
  // of the text in 8 bytes, then the text padded to a multiple of 8 bytes. The text of the kind
  // follows the text of the schema, which occupies 16 bytes. Therefore the length of the kind
  // begins 24 bytes after the beginning of the schema, and the kind itself 32 bytes after it. Of
  // the length, only the lowest byte is read. Of the schema, only "masing 1." is searched for, so
  // that files of all versions 1.x are recognised.
  const auto at = std::min(head.find(std::string_view(schema).substr(0, 9)), head.size());
  const bool has_kind = at + 48 < head.size();
  return has_kind ? head.substr(at + 32, static_cast<unsigned char>(head[at + 24])) : "";
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

/// Returns the beginning of the text in /provenance that says where the rows of a run are. The rest
/// of this text contains the path of each dataset, followed by the index of the first byte of the
/// dataset in the file.
std::string begin_of_places(const std::string& run) {
  return "rows of " + run + ":";
}

// the length, in bytes, of the text that says where the rows are
constexpr std::size_t places_length = 2048;

/// Writes into /provenance the text that says where the rows of run `run` are (begin_of_places),
/// over an earlier text of this kind if there is one. Collective.
void write_places(const Handle& file, const std::string& run, const ByteRanges& places) {
  std::string text = begin_of_places(run);
  for (const auto& [path, bytes] : places) {
    text += fmt::format(" {} {}", path, bytes.first);
  }
  const Handle group(H5Gopen2(file.id(), "/provenance", H5P_DEFAULT), H5Gclose);
  write_padded_attribute(group, "rows", text, places_length);
}

/// Returns the text in the file `path` that says where the rows of run `run` are, without the
/// beginning that begin_of_places() returns. Returns an empty text if the file has no rows of this
/// run. Does not open the file with HDF5. Local.
std::string places_in(const std::string& path, const std::string& run) {
  // The attributes of /provenance are in the first MiB of the file.
  const std::string head = first_bytes(path, std::size_t{1} << 20);
  const std::string begin = begin_of_places(run);
  const auto at = head.find(begin);
  return at == std::string::npos ? "" : head.substr(at + begin.size(), places_length);
}

/// Returns the byte ranges of all datasets of an open file.
ByteRanges places_of_datasets(const Handle& file) {
  ByteRanges places;
  for (const auto& [name, type] : objects_in(file)) {
    if (type == H5O_TYPE_DATASET) {
      const Handle dataset = open_dataset(file, name);
      places["/" + name] = {static_cast<std::int64_t>(H5Dget_offset(dataset.id())),
                            static_cast<std::int64_t>(H5Dget_storage_size(dataset.id()))};
    }
  }
  return places;
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

/// Copies rows into the datasets of the new file `to`; `places` contains the byte ranges of these
/// datasets. Tries the files in rows.files one after another until one is found that contains all
/// rows with the right checksums. Throws UserError if there is no such file. Calls base::poll().
/// Collective.
void copy_rows(const parallel::Communicator& comm, const RowSource& rows, const std::string& to,
               const ByteRanges& places) {
  std::string fault;  // what is wrong with the first file
  for (const auto& file : rows.files) {
    const auto is_other = [&](const auto& each) {
      const auto& [table, counted] = each;
      const auto source = file.second.find(table);
      return source == file.second.end() ||
             copy_numbers(comm, file.first, source->second.first, counted.rows * counted.columns,
                          to, places.at(table)) != counted.before + counted.last;
    };
    const auto other = std::ranges::find_if(rows.tables, is_other);
    if (other == rows.tables.end()) {
      return;
    }
    if (fault.empty()) {
      fault = fmt::format("{} is damaged: the checksum of {} rows of {} is another", file.first,
                          other->second.rows, other->first);
    }
  }
  throw base::UserError("restart", fault + "; take a copy that is whole, or begin anew");
}

}  // namespace

RowSource find_rows(const parallel::Communicator& comm, const std::string& checkpoint,
                    const std::string& output) {
  const Handle file = open_together(comm, checkpoint, H5F_ACC_RDONLY);
  RowSource rows{.run = read_text_attribute(file, checkpoint_group, "run"),
                 .files = {},
                 .tables = counted_in(file)};
  if (rows.run.empty() || rows.tables.empty()) {
    throw base::UserError(
        "restart",
        checkpoint + " is a checkpoint of another version; give one that this masing wrote");
  }
  const std::filesystem::path named = read_text_attribute(file, checkpoint_group, "output");
  for (const std::string& of : {output, (folder_of(checkpoint) / named).string()}) {
    for (const std::string& path : {of + partial, of}) {
      std::istringstream words(
          parallel::from_root(comm, [&] { return places_in(path, rows.run); }));
      ByteRanges places;
      std::string table;
      for (std::int64_t first = 0; words >> table >> first;) {
        places[table] = {.first = first};
      }
      if (!places.empty()) {
        rows.files.emplace_back(path, std::move(places));
      }
    }
  }
  if (!rows.files.empty()) {
    return rows;
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

constexpr std::size_t phases = parallel::phase_names.size();

/// Returns a placeholder for the duration of a phase of the program (parallel/phase.hpp), because
/// the duration is unknown until the file is sealed. The placeholder is a NaN with bits that
/// practically never occur elsewhere in a file.
double unknown_seconds(std::size_t phase) {
  return std::bit_cast<double>(0x7ff86d6173696e00 + phase);
}

/// Creates the group /timing with all of its attributes. It must be called before datasets are
/// created, so that the attributes lie in the first segment of the file (io/sealed_file.hpp).
void make_timing(const Handle& file, const std::string& kind) {
  const Handle group = create_group(file, "/timing");
  for (std::size_t i = 0; i < phases; ++i) {
    write_attribute(group, std::string(parallel::phase_names[i]) + "_seconds", unknown_seconds(i));
  }
  write_attribute(group, "wall_seconds", base::undefined);
  if (kind == "simulate") {
    write_attribute(group, "steps_per_second", base::undefined);
    write_attribute(group, "cell_updates_per_second", base::undefined);
  }
}

/// Replaces the placeholders in the first segment of a file by the seconds that this rank has spent
/// in each phase. Local.
void fill_in_phases(std::string& segment) {
  const parallel::PhaseSeconds seconds = parallel::phase_seconds();
  for (std::size_t i = 0; i < phases; ++i) {
    const double unknown = unknown_seconds(i);
    const auto at = segment.find(reinterpret_cast<const char*>(&unknown), 0, sizeof unknown);
    if (at != std::string::npos) {
      std::memcpy(segment.data() + at, &seconds[i], sizeof unknown);
    }
  }
}

}  // namespace

OutputFile::OutputFile(const parallel::Communicator& comm, const ResultSpec& result,
                       std::optional<RowSource> source, std::optional<int> ranks)
    : comm_(comm),
      result_(result),
      source_(std::move(source)),
      run_(source_ ? source_->run : parallel::from_root(comm, new_run_id)),
      draft_(result.path.empty() ? "" : result.path + (source_ ? partial_draft : partial)),
      file_(open_together(comm_, draft_, H5F_ACC_TRUNC)) {
  write_kind(file_, result_.kind);
  write_provenance(file_, comm_, ranks.value_or(comm.size()), result_);
  // A restart copies rows from files of simulate only. Their text that says where the rows are is
  // created now, so that start_rows() only overwrites it.
  if (result_.kind == "simulate" && !draft_.empty()) {
    write_places(file_, run_, {});
  }
  write_attribute(file_, "Conventions", conventions);
  if (!result_.configuration.empty()) {
    make_timing(file_, result_.kind);
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
  const ByteRanges places = places_of_datasets(file_);
  write_places(file_, run_, places);
  flush(file_);
  if (!source_) {
    return;
  }
  file_ = Handle();
  try {
    const base::Polling polling = parallel::stop_polling();
    copy_rows(comm_, *source_, draft_, places);
  } catch (const base::Stopped&) {
    throw base::Stopped("stopped " + parallel::stop_reason(comm_) + " before the first step" +
                        nothing_lost);
  }
  put_in_place(comm_, draft_, result_.path + partial);
  draft_ = result_.path + partial;
  file_ = open_together(comm_, draft_, H5F_ACC_RDWR);
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
  write_attribute(group, "run", run_);
}

void OutputFile::finish() {
  {
    const parallel::PhaseTimer timer(parallel::Phase::output);
    flush(file_);
    if (result_.image != nullptr) {
      std::string& image = *result_.image;
      image.resize(static_cast<std::size_t>(check(H5Fget_file_image(file_.id(), nullptr, 0))));
      check(H5Fget_file_image(file_.id(), image.data(), image.size()));
    }
    close();
  }
  const parallel::PhaseTimer timer(parallel::Phase::seal);
  if (result_.image != nullptr) {
    fill_in_phases(*result_.image);
    seal(*result_.image);
  } else {
    seal(comm_, draft_, result_.path, fill_in_phases);
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
