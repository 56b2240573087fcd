#include "io/sealed_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/hooks.hpp"
#include "base/partition.hpp"

namespace masing::io {

namespace {

constexpr std::string_view first_line = "masing file 2\n";
constexpr std::string_view end_of_file = "masing file end\n";

constexpr std::int64_t segment_bytes = std::int64_t{4} << 20;

[[noreturn]] void fail(const char* what, const std::string& path) {
  throw base::SystemError(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

/// Writes bytes over those of an existing file from the byte `first` on.
void write_bytes(const std::string& path, std::int64_t first, std::string_view bytes) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(first).write(bytes.data(), std::ssize(bytes)).flush();
  if (!file) {
    fail("write", path);
  }
}

/// Waits until the system has written a file or folder to the disk.
void flush_to_disk(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_flushed = file >= 0 && ::fsync(file) == 0;
  ::close(file);
  if (!is_flushed) {
    fail("write", path);
  }
}

std::int64_t size_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    fail("read", path);
  }
  return info.st_size;
}

/// Returns the sum of the hashes of the segments in the bytes [first, end) of a file. `first` must
/// be the beginning of a segment, and `end` the end of one. read(a, size) returns `size` bytes from
/// the byte `a` on. Calls base::poll().
template <typename Read>
std::uint64_t sum_of_segments(std::int64_t first, std::int64_t end, const Read& read) {
  std::uint64_t sum = 0;
  while (first < end) {
    base::poll();
    const auto index = static_cast<XXH64_hash_t>(first / segment_bytes);
    const std::int64_t next = std::min(end, (first / segment_bytes + 1) * segment_bytes);
    const auto bytes = read(first, next - first);
    sum += XXH3_64bits_withSeed(bytes.data(), bytes.size(), index);
    first = next;
  }
  return sum;
}

/// Returns sum_of_segments() of a file. Local.
std::uint64_t sum_in(const std::string& path, std::int64_t first, std::int64_t end) {
  return sum_of_segments(
      first, end, [&](std::int64_t at, std::int64_t size) { return read_bytes(path, at, size); });
}

/// Returns sum_in() of a file, where each rank reads a part of the segments. Throws SystemError on
/// all ranks alike if the file cannot be read. Collective.
std::uint64_t sum_by_shares(const parallel::Communicator& comm, const std::string& path,
                            std::int64_t first, std::int64_t end) {
  const std::int64_t segments = (end + segment_bytes - 1) / segment_bytes;
  const auto first_of = [&](int rank) {
    return std::min(
        end, std::max(first, base::floor_of_ratio(segments, rank, comm.size()) * segment_bytes));
  };
  std::uint64_t sum = 0;
  parallel::on_each(comm,
                    [&] { sum = sum_in(path, first_of(comm.rank()), first_of(comm.rank() + 1)); });
  parallel::sum_over_ranks(comm, std::span(&sum, 1));
  return sum;
}

/// Returns the bytes of a head: `lines`, padded with blanks.
std::string padded(std::string lines) {
  lines.resize(head_bytes, ' ');
  return lines;
}

/// Returns the lines of a head without a seal.
std::string lines_of(const Head& head) {
  return fmt::format("{}kind {}\n{}{}", first_line, head.kind,
                     head.run.empty() ? "" : "run " + head.run + "\n",
                     head.fingerprint.empty() ? "" : "recipe " + head.fingerprint + "\n");
}

/// Returns the bytes of the head of a complete file, which has `size` bytes without its end.
/// `content` is the sum of the hashes of all segments.
std::string sealed_head(const Head& head, std::int64_t size, std::uint64_t content) {
  const std::string lines = fmt::format("{}bytes {}\n", lines_of(head), size);
  content += XXH3_64bits_withSeed(lines.data(), lines.size(), ~XXH64_hash_t{0});
  return padded(fmt::format("{}xxh3 {:016x}\n", lines, content));
}

/// Returns the head in the first bytes of a file, see read_head().
std::optional<Head> head_in(const std::string& bytes) {
  if (!bytes.starts_with(first_line)) {
    return std::nullopt;
  }
  std::istringstream words(bytes.substr(first_line.size()));
  std::map<std::string, std::string> values;
  for (std::string key, value; words >> key >> value;) {
    values[key] = value;
  }
  return Head{values["kind"], values["run"], values["recipe"]};
}

}  // namespace

std::string read_bytes(const std::string& path, std::int64_t first, std::int64_t size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::ifstream file(path, std::ios::binary);
  file.seekg(first);
  if (!file) {
    fail("open", path);
  }
  bytes.resize(static_cast<std::size_t>(file.read(bytes.data(), size).gcount()));
  if (file.bad()) {
    fail("read", path);
  }
  return bytes;
}

std::string first_bytes(const std::string& path, std::int64_t count) {
  std::error_code unknown;
  const bool is_read =
      std::filesystem::is_regular_file(path, unknown) && ::access(path.c_str(), R_OK) == 0;
  return is_read ? read_bytes(path, 0, count) : "";
}

std::optional<Head> read_head(const std::string& path) {
  return head_in(first_bytes(path, head_bytes));
}

void write_head(const std::string& path, const Head& head) {
  write_bytes(path, 0, padded(lines_of(head)));
}

std::uint64_t sum_of_rest(const parallel::Communicator& comm, const std::string& path) {
  std::int64_t size = 0;
  parallel::on_root(comm, [&] { size = size_of(path); });
  parallel::broadcast(comm, std::span(&size, 1));
  return sum_by_shares(comm, path, segment_bytes, size);
}

void seal(const parallel::Communicator& comm, const std::string& draft, const std::string& path,
          const Head& head, std::uint64_t rest) {
  parallel::on_root(comm, [&] {
    const std::int64_t size = size_of(draft);
    const std::uint64_t first = sum_in(draft, head_bytes, std::min(size, segment_bytes));
    write_bytes(draft, 0, sealed_head(head, size, first + rest));
    write_bytes(draft, size, end_of_file);
  });
  put_in_place(comm, draft, path);
}

void seal(std::string& bytes, const Head& head) {
  const auto part = [&](std::int64_t at, std::int64_t size) {
    return std::string_view(bytes).substr(static_cast<std::size_t>(at),
                                          static_cast<std::size_t>(size));
  };
  const std::uint64_t content = sum_of_segments(head_bytes, std::ssize(bytes), part);
  bytes.replace(0, head_bytes, sealed_head(head, std::ssize(bytes), content));
  bytes += end_of_file;
}

void put_in_place(const parallel::Communicator& comm, const std::string& draft,
                  const std::string& path) {
  parallel::on_root(comm, [&] {
    flush_to_disk(draft);
    if (std::rename(draft.c_str(), path.c_str()) != 0) {
      throw base::SystemError(
          fmt::format("cannot rename {} to {}: {}", draft, path, std::strerror(errno)));
    }
    const auto folder = std::filesystem::path(path).parent_path();
    flush_to_disk(folder.empty() ? "." : folder.string());
  });
}

bool verify_seal(const parallel::Communicator& comm, const std::string& path,
                 const std::string& advice) {
  try {
    std::int64_t size = 0;
    // the head and the end of the file
    const std::string ends = parallel::from_root(comm, [&]() -> std::string {
      std::error_code unknown;
      if (!std::filesystem::is_regular_file(path, unknown)) {
        throw base::UserError("cannot open " + path +
                              " as HDF5: " + (unknown ? unknown.message() : "not a regular file") +
                              "; give a file that masing wrote");
      }
      size = size_of(path) - std::ssize(end_of_file);
      return size < head_bytes ? ""
                               : read_bytes(path, 0, head_bytes) +
                                     read_bytes(path, size, std::ssize(end_of_file));
    });
    if (!ends.ends_with(end_of_file)) {
      return false;
    }
    parallel::broadcast(comm, std::span(&size, 1));
    const std::uint64_t content = sum_by_shares(comm, path, head_bytes, size);
    if (!ends.starts_with(sealed_head(head_in(ends).value_or(Head()), size, content))) {
      throw base::UserError(
          fmt::format("{} is damaged: its checksum is another; {}", path, advice));
    }
  } catch (const base::SystemError& error) {
    throw base::UserError(error.what() + ("; " + advice));
  }
  return true;
}

}  // namespace masing::io
