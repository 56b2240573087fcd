#include "io/result_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <fstream>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/poll.hpp"
#include "base/text.hpp"
#include "io/provenance.hpp"
#include "io/sealed_file.hpp"
#include "parallel/session.hpp"

namespace masing::io {

namespace {

std::string partial(const std::string& path) {
  return path + ".partial";
}

std::string partial_draft(const std::string& path) {
  return partial(path) + ".draft";
}

std::string lock(const std::string& path) {
  return path + ".lock";
}

/// Throws UserError where `path` is there and no regular file: opening a pipe would wait for ever.
void require_regular(const std::string& path, const std::string& quantity) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    throw base::UserError(quantity, path + " is not a regular file; give a file name");
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

[[noreturn]] void refuse(const std::string& path, const std::string& quantity) {
  throw base::UserError(quantity, "cannot write " + path + ": " + std::strerror(errno) +
                                      "; give a file in a writable folder");
}

[[noreturn]] void refuse_shared(const std::string& path, const std::string& quantity) {
  throw base::UserError(quantity,
                        "another run is writing " + path + "; give another file, or wait for it");
}

/// Whether the open file is the one that has this name now.
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
    // Where a file system has no locks, the run goes on without.
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(file);
      refuse_shared(path, quantity);
    }
    // Its holder may have removed it between our opening and our locking it.
    if (has_name(file, name)) {
      return file;
    }
    close(file);
  }
}

}  // namespace

void require_replaceable(const std::string& path, const std::string& quantity) {
  require_regular(path, quantity);
  if (access(path.c_str(), F_OK) == 0 && !is_replaceable(path)) {
    throw base::UserError(
        quantity, path +
                      " is there already and was not made by masing; move it, or give another "
                      "name");
  }
}

std::vector<std::string> files_of_result(const std::string& path) {
  return {path, partial(path), partial_draft(path), lock(path)};
}

OutputLock::OutputLock(const parallel::Communicator& comm, const std::string& path,
                       const std::string& quantity)
    : name_(lock(path)) {
  parallel::on_root(comm, [&] {
    require_replaceable(path, quantity);
    const std::string draft = partial(path);
    for (const std::string& name : {path, draft, name_}) {
      require_regular(name, quantity);
    }
    if (access(draft.c_str(), F_OK) == 0 && access(draft.c_str(), W_OK) != 0) {
      refuse(draft, quantity);
    }
    file_ = locked(name_, path, quantity);
  });
}

OutputLock::~OutputLock() {
  if (file_ >= 0) {
    unlink(name_.c_str());  // while the lock is held: later the file may be another run's
    close(file_);
  }
}

namespace {

void write_kind(const Handle& file, const std::string& kind) {
  write_attribute(file, "program", std::string("masing"));
  write_attribute(file, "schema", std::string(schema));
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

void create_recipe(const parallel::Communicator& comm, const std::string& path,
                   const Recipe& recipe) {
  const Handle file = open_together(comm, path, H5F_ACC_TRUNC);
  write_kind(file, recipe.kind);
  write_text(file, "/configuration", recipe.configuration);
  flush(file);
}

namespace {

/// A mark that no other run has.
std::string new_mark() {
  std::random_device chance;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", chance(), chance(), chance(), chance());
}

/// The mark of the run whose file this is, empty where it has none or cannot be read.
std::string mark_in(const std::string& path) {
  try {
    require_sound(path);
    return read_text_attribute(open_for_reading(path), "/provenance", "run");
  } catch (const base::Stopped&) {
    throw;
  } catch (const std::exception&) {
    return "";
  }
}

std::filesystem::path folder_of(const std::string& path) {
  return std::filesystem::absolute(path).parent_path();
}

constexpr char end_of_text = '\0';

}  // namespace

namespace {

herr_t add_dataset(hid_t /*file*/, const char* name, const H5O_info_t* info, void* names) {
  if (info->type == H5O_TYPE_DATASET) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(std::string("/") + name);
  }
  return 0;
}

/// The datasets of a file.
std::vector<std::string> datasets(const Handle& file) {
  std::vector<std::string> names;
  check(H5Ovisit2(file.id(), H5_INDEX_NAME, H5_ITER_NATIVE, add_dataset, &names, H5O_INFO_BASIC));
  return names;
}

/// Numbers in a file.
struct Numbers {
  std::vector<hsize_t> shape;
  Extent bytes;
  bool is_table = false;  ///< filled by rows
};

/// Where a dataset of doubles lies in its file; nothing for other objects.
std::optional<Numbers> numbers(const Handle& file, const std::string& name) {
  const Handle dataset(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle type(H5Dget_type(dataset.id()), H5Tclose);
  if (H5Tget_class(type.id()) != H5T_FLOAT) {
    return std::nullopt;
  }
  const Handle space(H5Dget_space(dataset.id()), H5Sclose);
  Numbers found;
  found.shape.resize(static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space.id()))));
  check(H5Sget_simple_extent_dims(space.id(), found.shape.data(), nullptr));
  found.bytes = {static_cast<std::int64_t>(H5Dget_offset(dataset.id())),
                 static_cast<std::int64_t>(H5Dget_storage_size(dataset.id()))};
  const Handle properties(H5Dget_create_plist(dataset.id()), H5Pclose);
  H5D_fill_time_t fill = H5D_FILL_TIME_IFSET;
  check(H5Pget_fill_time(properties.id(), &fill));
  found.is_table = fill == H5D_FILL_TIME_NEVER;
  return found;
}

/// The first `rows` rows of them, where they have so many.
Extent first_rows(const Numbers& of, std::int64_t rows) {
  const auto all = of.shape.empty() ? 0 : static_cast<std::int64_t>(of.shape.front());
  return {of.bytes.first, all == 0 ? 0 : of.bytes.size / all * std::min(all, rows)};
}

/// What a checkpoint counts.
std::vector<TableRows> counted_in(const Handle& checkpoint) {
  std::vector<TableRows> found;
  for (const std::string& name : datasets(checkpoint)) {
    const std::string before = std::string("/") + rows_name + "/";
    const auto at = name.find(before);
    if (at != std::string::npos) {
      found.push_back({name.substr(at + before.size() - 1),
                       CountedRows::unpacked(read_numbers(checkpoint, name))});
    }
  }
  return found;
}

/// Throws UserError where a file has other rows than those that are counted. Polls.
void require_counted(const std::string& path, const std::vector<TableRows>& tables) {
  for (const auto& [table, counted] : tables) {
    std::optional<std::uint64_t> sum;
    try {
      const Handle file = open_for_reading(path);
      const Extent bytes = first_rows(numbers(file, table).value_or(Numbers()), counted.rows);
      sum = bytes.size == 0 ? 0 : sum_of_hashes_in(path, bytes);
    } catch (const base::SystemError&) {
      sum.reset();
    }
    if (sum != counted.before + counted.last) {
      throw base::UserError(
          "restart", fmt::format("{} is damaged: the checksum of {} rows of {} is another; take a "
                                 "copy that is whole, or begin anew",
                                 path, counted.rows, table));
    }
  }
}

}  // namespace

Rows rows_of(const parallel::Communicator& comm, const std::string& checkpoint,
             const std::string& output) {
  std::vector<TableRows> tables;
  const auto look = [&] {
    const Handle file = open_for_reading(checkpoint);
    const std::string run = read_text_attribute(file, "/", "run");
    const std::filesystem::path named = read_text_attribute(file, "/", "output");
    tables = counted_in(file);
    if (run.empty() || tables.empty()) {
      throw base::UserError(
          "restart",
          checkpoint + " is a checkpoint of another version; give one that this masing wrote");
    }
    for (const std::string& of : {output, (folder_of(checkpoint) / named).string()}) {
      for (const std::string& path : {partial(of), of}) {
        if (path == of ? mark_in(path) == run : has_seal_but_rows(path, run)) {
          require_counted(path, tables);
          return base::joined({run, path, of}, std::string(1, end_of_text));
        }
      }
    }
    throw base::UserError(
        "restart", fmt::format("the rows that {} goes on with are not in {}, nor in {}; give as "
                               "output the file that they were written for",
                               checkpoint, partial(output), output));
  };
  std::string found;
  try {
    found = parallel::from_root(comm, [&] {
      const auto begin = std::chrono::steady_clock::now();
      const base::Polling polling([begin] {
        if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(1) &&
            parallel::stop_requested()) {
          throw base::Stopped("");
        }
      });
      return look();
    });
  } catch (const base::Stopped&) {
    throw base::Stopped("stopped " + parallel::stop_reason(comm) +
                        " before the first step; nothing is lost: give the same command");
  }
  const auto first = found.find(end_of_text);
  const auto second = found.find(end_of_text, first + 1);
  return {found.substr(0, first), found.substr(first + 1, second - first - 1),
          found.substr(second + 1), std::move(tables)};
}

namespace {

struct Copy {
  Extent from;
  std::int64_t to;
};

/// What is to be copied from one file to another: of each table as many rows as both have.
std::vector<Copy> copies(const Handle& source, const Handle& target,
                         const std::vector<TableRows>& tables) {
  std::vector<Copy> found;
  for (const auto& [name, counted] : tables) {
    const auto here = numbers(source, name);
    const auto there = numbers(target, name);
    if (!here || !there || here->shape.size() != there->shape.size() ||
        !std::equal(here->shape.begin() + 1, here->shape.end(), there->shape.begin() + 1)) {
      throw base::SystemError("the rows before the restart have another " + name);
    }
    const std::int64_t size =
        std::min(first_rows(*here, counted.rows).size, first_rows(*there, counted.rows).size);
    if (size > 0) {
      found.push_back({{here->bytes.first, size}, there->bytes.first});
    }
  }
  return found;
}

/// Copies the rows of a run to a file with room for more, or for fewer.
void copy_rows(const std::string& from, const std::string& to,
               const std::vector<TableRows>& tables) {
  std::vector<Copy> all;
  {
    const Handle source = open_for_reading(from);
    const Handle target = open_for_reading(to);
    all = copies(source, target, tables);
  }
  for (const Copy& copy : all) {
    copy_bytes(from, copy.from, to, copy.to);
  }
}

}  // namespace

OutputFile::OutputFile(const parallel::Communicator& comm, const ResultSpec& result)
    : comm_(comm),
      result_(result),
      run_(parallel::from_root(comm, new_mark)),
      draft_(partial(result.path)) {
  create();
}

OutputFile::OutputFile(const parallel::Communicator& comm, const ResultSpec& result,
                       const Rows& rows)
    : comm_(comm), result_(result), run_(rows.run), draft_(partial(result.path)) {
  const bool is_same = rows.path == draft_ && !parallel::from_root(comm, [&] {
                                                 const Recipe recipe = read_recipe(draft_);
                                                 const bool same =
                                                     recipe.configuration == result.configuration;
                                                 return std::string(same ? "same" : "");
                                               }).empty();
  if (is_same) {
    // Until lay_out it is read-only: creating a dataset fails.
    file_ = open_together(comm_, draft_, H5F_ACC_RDONLY);
    return;
  }
  if (rows.output != result.path) {
    source_lock_.emplace(comm, rows.output, "restart");
  }
  source_ = rows.path;
  tables_ = rows.tables;
  draft_ = partial_draft(result.path);
  create();
}

OutputFile::~OutputFile() {
  if (source_ && comm_.is_root()) {
    unlink(draft_.c_str());
  }
}

void OutputFile::create() {
  is_new_ = true;
  file_ = open_together(comm_, draft_, H5F_ACC_TRUNC);
  write_kind(file_, result_.kind);
  write_provenance(file_, comm_, result_.command_line, run_);
  if (result_.kind == "simulate") {  // others are not laid out
    const Handle group(H5Gopen2(file_.id(), "/provenance", H5P_DEFAULT), H5Gclose);
    write_attribute(group, "seal", blank_seal(run_));
  }
  if (!result_.configuration.empty()) {
    write_configuration(file_, result_);
  }
}

void OutputFile::lay_out() {
  flush(file_);
  std::vector<Extent> arrays;
  std::vector<Extent> tables;
  for (const std::string& name : datasets(file_)) {
    const auto found = numbers(file_, name);
    if (found && found->bytes.size > 0) {
      arrays.push_back(found->bytes);
      if (found->is_table) {
        tables.push_back(found->bytes);
      }
    }
  }
  file_ = Handle();
  if (is_new_) {
    parallel::on_root(comm_, [&] { seal_but_rows(draft_, run_, tables, arrays); });
  }
  if (source_) {
    parallel::on_root(comm_, [&] { copy_rows(*source_, draft_, tables_); });
    put_in_place(comm_, draft_, partial(result_.path));
    draft_ = partial(result_.path);
    source_.reset();
    source_lock_.reset();
  }
  file_ = open_together(comm_, draft_, H5F_ACC_RDWR);
}

namespace {

/// Has the system write out an open file, some times a second, and closes it when it is to stop.
void write_out(const std::stop_token& stop, int file) {
  constexpr std::chrono::milliseconds distance(250);
  std::mutex own;
  std::unique_lock lock(own);
  std::condition_variable_any wake;
  while (!stop.stop_requested()) {
    wake.wait_for(lock, stop, distance, [] { return false; });
    sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
  }
  close(file);
}

}  // namespace

void OutputFile::write_out_steadily() {
  const int file = open(draft_.c_str(), O_RDONLY | O_CLOEXEC);
  // Signals are for the thread that computes.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    writer_ = std::jthread(write_out, file);
  } catch (const std::system_error&) {
    close(file);  // without a thread, checkpoints take longer
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void OutputFile::begin_checkpoint(const std::string& draft) const {
  with_file_name(result_.path, [&] { flush(file_); });
  const Handle file = open_together(comm_, draft, H5F_ACC_TRUNC);
  write_kind(file, result_.kind);
  write_text(file, "/configuration", result_.configuration);
  write_attribute(file, "run", run_);
  // Both files may be moved together.
  write_attribute(file, "output", parallel::from_root(comm_, [&] {
                    const auto path = std::filesystem::absolute(result_.path);
                    return std::filesystem::proximate(path, folder_of(draft)).string();
                  }));
  flush(file);
}

void OutputFile::finish() {
  flush(file_);
  file_ = Handle();
  writer_ = std::jthread();
  seal(comm_, draft_, result_.path);
}

}  // namespace masing::io
