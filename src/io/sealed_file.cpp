#include "io/sealed_file.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/partition.hpp"
#include "base/poll.hpp"
#include "io/hdf5.hpp"

namespace masing::io {

namespace {

constexpr std::string_view mark_of_any_version = "masing seal ";

struct Seal {
  std::array<char, 16> mark{'m', 'a', 's', 'i', 'n', 'g', ' ', 's', 'e', 'a', 'l', ' ', '3', '\n'};
  std::int64_t size = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(Seal) == 32);
constexpr auto seal_bytes = static_cast<std::int64_t>(sizeof(Seal));
constexpr auto number_bytes = static_cast<std::int64_t>(sizeof(double));

constexpr std::int64_t segment_bytes = std::int64_t{4} << 20;

/// Owns an open file.
class File {
 public:
  /// Opens a file in a `mode` of fopen, by default for reading. With the letter "e" in the mode,
  /// the programs that this process starts do not inherit the open file.
  explicit File(std::string path, const char* mode = "re")
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

  /// Returns `size` bytes from the byte `first` on, or fewer if the file ends earlier.
  [[nodiscard]] std::string read(std::int64_t first, std::int64_t size) const {
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (::fseeko(file_, first, SEEK_SET) != 0) {
      fail("read");
    }
    bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file_));
    if (std::ferror(file_) != 0) {
      fail("read");
    }
    return bytes;
  }
  /// Reads the bytes [first, end) in segments, and calls `use` with each segment and the index of
  /// its first byte in the file. Calls base::poll().
  template <typename Use>
  void read_segments(std::int64_t first, std::int64_t end, const Use& use) const {
    for (; first < end; first += segment_bytes) {
      base::poll();
      use(read(first, std::min(end - first, segment_bytes)), first);
    }
  }
  /// Writes bytes to the file from the byte `first` on, or at its end if the file was opened for
  /// appending.
  void write(std::int64_t first, const void* bytes, std::size_t size) const {
    if (::fseeko(file_, first, SEEK_SET) != 0 || std::fwrite(bytes, 1, size, file_) != size ||
        std::fflush(file_) != 0) {
      fail("write");
    }
  }
  void flush() const {
    if (::fsync(::fileno(file_)) != 0) {
      fail("write");
    }
  }
  [[nodiscard]] std::int64_t size() const {
    struct stat info {};
    if (::fstat(::fileno(file_), &info) != 0) {
      fail("read");
    }
    return info.st_size;
  }

 private:
  std::string path_;
  std::FILE* file_;
};

/// Divides the bytes [begin, end) into one part for each rank; a part consists of whole segments,
/// of which only the last one before `end` may be shorter. Each rank whose part [a, b) is not empty
/// calls sum(a, b). Returns the sum mod 2^64 of the results of all ranks. If `sum` throws an
/// exception on some ranks, all ranks throw the exception of the first of these ranks
/// (parallel::on_each). Collective.
std::uint64_t sum_by_shares(const parallel::Communicator& comm, std::int64_t begin,
                            std::int64_t end,
                            const std::function<std::uint64_t(std::int64_t, std::int64_t)>& sum) {
  const std::int64_t segments = (end - begin + segment_bytes - 1) / segment_bytes;
  const auto first = [&](int rank) {
    return std::min(end, begin + base::floor_of_ratio(segments, rank, comm.size()) * segment_bytes);
  };
  std::uint64_t all = 0;
  parallel::on_each(comm, [&] {
    if (first(comm.rank()) < first(comm.rank() + 1)) {
      all = sum(first(comm.rank()), first(comm.rank() + 1));
    }
  });
  parallel::sum_over_ranks(comm, std::span(&all, 1));
  return all;
}

/// Returns the hash of `bytes`, the segment of a file that begins at the byte `at`. The checksum of
/// a file is the sum of the hashes of its segments.
std::uint64_t sum_of_segment(std::string_view bytes, std::int64_t at) {
  const auto index = static_cast<XXH64_hash_t>(at / segment_bytes);
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), index);
}

/// Returns a function of (first, end) that returns the sum of the hashes of the segments in the
/// bytes [first, end) of a file; `first` must be the beginning of a segment, and `end` the end of
/// one. The checksum of the file is the sum of these contributions of all its parts, in any order
/// and from any ranks. The function calls base::poll(); `path` must outlive it.
auto checksum_of(const std::string& path) {
  return [&path](std::int64_t first, std::int64_t end) {
    std::uint64_t sum = 0;
    File(path).read_segments(first, end, [&](const std::string& bytes, std::int64_t at) {
      sum += sum_of_segment(bytes, at);
    });
    return sum;
  };
}

}  // namespace

void seal(std::string& bytes) {
  Seal seal;
  seal.size = std::ssize(bytes);
  for (std::int64_t at = 0; at < seal.size; at += segment_bytes) {
    seal.checksum += sum_of_segment(std::string_view(bytes).substr(at, segment_bytes), at);
  }
  bytes.append(reinterpret_cast<const char*>(&seal), sizeof seal);
}

void seal(const parallel::Communicator& comm, const std::string& draft, const std::string& path,
          const std::function<void(std::string&)>& complete) {
  Seal seal;
  parallel::on_root(comm, [&] { seal.size = File(draft).size(); });
  parallel::broadcast(comm, std::span(&seal.size, 1));
  const auto sum = checksum_of(draft);
  seal.checksum = sum_by_shares(comm, segment_bytes, seal.size, sum);
  parallel::on_root(comm, [&] {
    const File file(draft, "r+e");
    if (complete) {
      std::string first = file.read(0, std::min(seal.size, segment_bytes));
      complete(first);
      file.write(0, first.data(), first.size());
    }
    seal.checksum += sum(0, std::min(seal.size, segment_bytes));
    file.write(seal.size, &seal, sizeof seal);
  });
  put_in_place(comm, draft, path);
}

void put_in_place(const parallel::Communicator& comm, const std::string& draft,
                  const std::string& path) {
  parallel::on_root(comm, [&] {
    File(draft).flush();
    if (std::rename(draft.c_str(), path.c_str()) != 0) {
      throw base::SystemError(
          fmt::format("cannot rename {} to {}: {}", draft, path, std::strerror(errno)));
    }
    const auto folder = std::filesystem::path(path).parent_path();
    File(folder.empty() ? "." : folder.string()).flush();
  });
}

bool verify_seal(const parallel::Communicator& comm, const std::string& path,
                 const std::string& advice) {
  try {
    std::int64_t size = 0;
    const auto read_end = [&] {
      std::error_code unknown;
      const auto status = std::filesystem::status(path, unknown);
      if (!std::filesystem::is_regular_file(status)) {
        const bool is_there = std::filesystem::exists(status);
        throw base::UserError("cannot open " + path +
                              " as HDF5: " + (is_there ? "not a regular file" : unknown.message()) +
                              "; give a file that masing wrote");
      }
      const File file(path);
      size = file.size() - seal_bytes;
      return size < 0 ? "" : file.read(size, seal_bytes);
    };
    const std::string end = parallel::from_root(comm, read_end);
    if (!end.starts_with(mark_of_any_version)) {
      return false;
    }
    parallel::broadcast(comm, std::span(&size, 1));
    Seal seal;
    std::memcpy(&seal, end.data(), sizeof seal);
    if (seal.mark != Seal().mark) {
      throw base::UserError(
          path +
          " has the seal of another version of masing; read it with that version, "
          "or cut the seal off a copy: truncate -s -32 COPY");
    }
    if (seal.size != size || seal.checksum != sum_by_shares(comm, 0, size, checksum_of(path))) {
      // If the end of the file has changed, another run has just replaced the file; verify the new
      // one.
      if (parallel::from_root(comm, read_end) != end) {
        return verify_seal(comm, path, advice);
      }
      throw base::UserError(
          fmt::format("{} is damaged: its checksum is another; {}", path, advice));
    }
  } catch (const base::SystemError& error) {
    throw base::UserError(error.what() + ("; " + advice));
  }
  return true;
}

std::uint64_t copy_numbers(const parallel::Communicator& comm, const std::string& from,
                           std::int64_t first, std::int64_t count, const std::string& to,
                           const ByteRange& target) {
  static_assert(std::endian::native == std::endian::little, "as HDF5 writes them");
  return sum_by_shares(comm, 0, count * number_bytes, [&](std::int64_t begin, std::int64_t end) {
    const File out(to, "r+e");
    std::uint64_t sum = 0;
    const auto copy = [&](const std::string& bytes, std::int64_t at) {
      const std::int64_t done = at - first;
      std::vector<double> numbers(bytes.size() / sizeof(double));
      std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
      sum += sum_of_hashes(numbers, done / number_bytes);
      const auto room = std::clamp<std::int64_t>(target.size - done, 0, std::ssize(bytes));
      out.write(target.first + done, bytes.data(), static_cast<std::size_t>(room));
    };
    File(from).read_segments(first + begin, first + end, copy);
    return sum;
  });
}

}  // namespace masing::io
