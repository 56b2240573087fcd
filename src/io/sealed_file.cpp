#include "io/sealed_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace masing::io {

namespace {

constexpr std::string_view mark_of_any_version = "masing seal ";

struct Seal {
  std::array<char, 16> mark{'m', 'a', 's', 'i', 'n', 'g', ' ', 's', 'e', 'a', 'l', ' ', '2', '\n'};
  std::int64_t size = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(Seal) == 32);

// Closed in child processes.
constexpr const char* read_mode = "re";

constexpr std::size_t piece_bytes = std::size_t{4} << 20;

/// Owner of an open file.
class File {
 public:
  /// `mode` as of fopen.
  File(std::string path, const char* mode)
      : path_(std::move(path)), file_(std::fopen(path_.c_str(), mode)) {
    if (file_ == nullptr) {
      fail("open");
    }
  }
  ~File() { std::fclose(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[noreturn]] void fail(const char* what) const {
    throw base::SystemError(fmt::format("cannot {} {}: {}", what, path_, std::strerror(errno)));
  }

  /// Reads up to `size` bytes; fewer only at the end.
  std::size_t read(char* bytes, std::size_t size) const {
    const std::size_t got = std::fread(bytes, 1, size, file_);
    if (std::ferror(file_) != 0) {
      fail("read");
    }
    return got;
  }
  void write(const char* bytes, std::size_t size) const {
    if (std::fwrite(bytes, 1, size, file_) != size || std::fflush(file_) != 0) {
      fail("write");
    }
  }
  void flush() const {
    if (::fsync(::fileno(file_)) != 0) {
      fail("write");
    }
  }
  void go_to(std::int64_t place) const {
    if (::fseeko(file_, place, SEEK_SET) != 0) {
      fail("read");
    }
  }
  [[nodiscard]] std::int64_t size() const {
    struct stat info {};
    if (::fstat(::fileno(file_), &info) != 0) {
      fail("read");
    }
    return S_ISREG(info.st_mode) ? info.st_size : -1;
  }

 private:
  std::string path_;
  std::FILE* file_;
};

/// Calls `work` with the next `size` bytes of a file, piece by piece; false if it has fewer.
template <typename Work>
bool for_each_piece(const File& file, std::int64_t size, const Work& work) {
  std::vector<char> piece(static_cast<std::size_t>(std::min<std::int64_t>(size, piece_bytes)));
  while (size > 0) {
    const auto expected = static_cast<std::size_t>(std::min<std::int64_t>(size, piece_bytes));
    const std::size_t got = file.read(piece.data(), expected);
    work(piece.data(), got);
    if (got < expected) {
      return false;
    }
    size -= static_cast<std::int64_t>(got);
  }
  return true;
}

/// XXH3-64 of the first `size` bytes of a file; nothing where it has fewer.
std::optional<std::uint64_t> checksum(const File& file, std::int64_t size) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       XXH3_freeState);
  if (state == nullptr) {
    throw std::bad_alloc();
  }
  XXH3_64bits_reset(state.get());
  const bool whole = for_each_piece(file, size, [&](const char* bytes, std::size_t n) {
    XXH3_64bits_update(state.get(), bytes, n);
  });
  return whole ? std::optional(XXH3_64bits_digest(state.get())) : std::nullopt;
}

void move_durably(const std::string& from, const std::string& to) {
  File(from, read_mode).flush();
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    throw base::SystemError(
        fmt::format("cannot rename {} to {}: {}", from, to, std::strerror(errno)));
  }
  const auto folder = std::filesystem::path(to).parent_path();
  File(folder.empty() ? "." : folder.string(), read_mode).flush();
}

constexpr auto seal_bytes = static_cast<std::int64_t>(sizeof(Seal));

/// What a look at a file shows.
struct Look {
  bool is_sealed = false;  ///< with a seal of any version
  std::string fault;       ///< what is wrong with the seal, empty if nothing is
};

/// Reads the seal of a file, and the file where the seal is of this version.
Look look_at(const File& file) {
  const std::int64_t size = file.size() - seal_bytes;
  if (size < 0) {
    return {.is_sealed = false, .fault = "is too short to have a seal"};
  }
  Seal seal;
  seal.mark.fill('\0');
  file.go_to(size);
  file.read(reinterpret_cast<char*>(&seal), sizeof seal);
  const std::string_view mark(seal.mark.data(), seal.mark.size());
  if (!mark.starts_with(mark_of_any_version)) {
    return {.is_sealed = false, .fault = "has no seal"};
  }
  if (seal.mark != Seal().mark) {
    return {.is_sealed = true, .fault = "has the seal of another version of masing"};
  }
  file.go_to(0);
  const std::optional<std::uint64_t> found = checksum(file, size);
  const bool holds = found && seal.size == size && seal.checksum == *found;
  return {.is_sealed = true, .fault = holds ? "" : "is damaged: its checksum is another"};
}

}  // namespace

void seal(const parallel::Communicator& comm, const std::string& draft, const std::string& path) {
  parallel::on_root(comm, [&] {
    Seal seal;
    {
      const File file(draft, read_mode);
      seal.size = file.size();
      seal.checksum = checksum(file, seal.size).value_or(0);
    }
    const File file(draft, "ae");
    file.write(reinterpret_cast<const char*>(&seal), sizeof seal);
  });
  put_in_place(comm, draft, path);
}

void put_in_place(const parallel::Communicator& comm, const std::string& draft,
                  const std::string& path) {
  parallel::on_root(comm, [&] { move_durably(draft, path); });
}

void require_seal(const std::string& path, const std::string& option) {
  std::string fault;
  try {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
      fault = "is not a regular file";
    } else {
      fault = look_at(File(path, read_mode)).fault;
    }
  } catch (const base::SystemError& error) {
    throw base::UserError(fmt::format("{}: {}; give a checkpoint of masing", option, error.what()));
  }
  if (!fault.empty()) {
    throw base::UserError(
        fmt::format("{}: {} {}; give a whole checkpoint of masing", option, path, fault));
  }
}

bool has_seal(const std::string& path) {
  const Look look = look_at(File(path, read_mode));
  if (look.is_sealed && !look.fault.empty()) {
    throw base::UserError(
        fmt::format("{} {}; take a copy that is whole, or make it again (to have it read as it is, "
                    "cut the seal off: truncate -s -{} FILE)",
                    path, look.fault, seal_bytes));
  }
  return look.is_sealed;
}

void copy_file(const parallel::Communicator& comm, const std::string& from, const std::string& to) {
  parallel::on_root(comm, [&] {
    const File source(from, read_mode);
    const File target(to, "we");
    for_each_piece(source, source.size(),
                   [&](const char* bytes, std::size_t n) { target.write(bytes, n); });
  });
}

void copy_bytes(const std::string& from, const Extent& bytes, const std::string& to,
                std::int64_t first) {
  const File source(from, read_mode);
  const File target(to, "r+e");
  source.go_to(bytes.first);
  target.go_to(first);
  const bool whole = for_each_piece(
      source, bytes.size, [&](const char* piece, std::size_t n) { target.write(piece, n); });
  if (!whole) {
    throw base::SystemError(fmt::format("{} is shorter than it says", from));
  }
}

}  // namespace masing::io
