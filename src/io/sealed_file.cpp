#include "io/sealed_file.hpp"

#include <fcntl.h>
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
#include <functional>
#include <memory>
#include <new>
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

constexpr std::size_t piece_bytes = std::size_t{4} << 20;

/// Owner of a file descriptor.
class File {
 public:
  File(std::string path, int flags) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), flags | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
      fail("open");
    }
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[noreturn]] void fail(const char* what) const {
    throw base::SystemError(fmt::format("cannot {} {}: {}", what, path_, std::strerror(errno)));
  }

  /// Reads up to `size` bytes; fewer only at the end.
  std::size_t read(char* bytes, std::size_t size) const {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t got = ::read(descriptor_, bytes + done, size - done);
      if (got < 0) {
        fail("read");
      }
      if (got == 0) {
        break;
      }
      done += static_cast<std::size_t>(got);
    }
    return done;
  }
  void write(const char* bytes, std::size_t size) const {
    while (size > 0) {
      const ssize_t put = ::write(descriptor_, bytes, size);
      if (put < 0) {
        fail("write");
      }
      bytes += put;
      size -= static_cast<std::size_t>(put);
    }
  }
  void flush() const {
    if (::fsync(descriptor_) != 0) {
      fail("write");
    }
  }
  [[nodiscard]] std::int64_t size() const {
    struct stat info {};
    if (::fstat(descriptor_, &info) != 0) {
      fail("read");
    }
    return S_ISREG(info.st_mode) ? info.st_size : -1;
  }

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// Calls `work` with the first `size` bytes of a file, piece by piece; false if it has fewer.
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

/// XXH3-64 of a text given in pieces.
class Checksum {
 public:
  Checksum() : state_(XXH3_createState(), XXH3_freeState) {
    if (state_ == nullptr) {
      throw std::bad_alloc();
    }
    XXH3_64bits_reset(state_.get());
  }
  void add(const char* bytes, std::size_t size) { XXH3_64bits_update(state_.get(), bytes, size); }
  [[nodiscard]] std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

/// Runs `work` on the root; a SystemError it throws is thrown on every rank. Collective.
void with_system_failure(const parallel::Communicator& comm, const std::function<void()>& work) {
  const std::string failure = parallel::from_root(comm, [&] {
    try {
      work();
    } catch (const base::SystemError& error) {
      return std::string(error.what());
    }
    return std::string();
  });
  if (!failure.empty()) {
    throw base::SystemError(failure);
  }
}

void move_durably(const std::string& from, const std::string& to) {
  File(from, O_RDONLY).flush();
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    throw base::SystemError(
        fmt::format("cannot rename {} to {}: {}", from, to, std::strerror(errno)));
  }
  const auto folder = std::filesystem::path(to).parent_path();
  File(folder.empty() ? "." : folder.string(), O_RDONLY | O_DIRECTORY).flush();
}

/// What is wrong with a sealed file, read to its end; empty if nothing is.
std::string damage(const File& file) {
  const std::int64_t size = file.size() - static_cast<std::int64_t>(sizeof(Seal));
  if (size < 0) {
    return "is too short to be a checkpoint";
  }
  Checksum checksum;
  Seal seal;
  seal.mark.fill('\0');
  const auto add = [&](const char* bytes, std::size_t n) { checksum.add(bytes, n); };
  if (!for_each_piece(file, size, add) ||
      file.read(reinterpret_cast<char*>(&seal), sizeof seal) < sizeof seal) {
    return "cannot be read to its end";
  }
  if (seal.mark != Seal().mark) {
    return std::string_view(seal.mark.data(), seal.mark.size()).starts_with(mark_of_any_version)
               ? "is a checkpoint of another version of masing"
               : "is not a checkpoint, or a truncated one";
  }
  return seal.size == size && seal.checksum == checksum.value() ? "" : "is damaged";
}

}  // namespace

void seal(const parallel::Communicator& comm, const std::string& draft, const std::string& path) {
  with_system_failure(comm, [&] {
    Seal seal;
    {
      const File file(draft, O_RDONLY);
      seal.size = file.size();
      Checksum checksum;
      for_each_piece(file, seal.size,
                     [&](const char* bytes, std::size_t n) { checksum.add(bytes, n); });
      seal.checksum = checksum.value();
    }
    const File file(draft, O_WRONLY | O_APPEND);
    file.write(reinterpret_cast<const char*>(&seal), sizeof seal);
  });
  put_in_place(comm, draft, path);
}

void put_in_place(const parallel::Communicator& comm, const std::string& draft,
                  const std::string& path) {
  with_system_failure(comm, [&] { move_durably(draft, path); });
}

void require_seal(const parallel::Communicator& comm, const std::string& path,
                  const std::string& option) {
  parallel::on_root(comm, [&] {
    std::string fault;
    try {
      struct stat info {};
      if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
        fault = "is not a regular file";
      } else {
        fault = damage(File(path, O_RDONLY));
      }
    } catch (const base::SystemError& error) {
      throw base::UserError(
          fmt::format("{}: {}; give a checkpoint of masing", option, error.what()));
    }
    if (!fault.empty()) {
      throw base::UserError(
          fmt::format("{}: {} {}; give a whole checkpoint of masing", option, path, fault));
    }
  });
}

void copy_file(const parallel::Communicator& comm, const std::string& from, const std::string& to) {
  with_system_failure(comm, [&] {
    const File source(from, O_RDONLY);
    const File target(to, O_WRONLY | O_CREAT | O_TRUNC);
    for_each_piece(source, source.size(),
                   [&](const char* bytes, std::size_t n) { target.write(bytes, n); });
  });
}

}  // namespace masing::io
