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
#include <span>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/poll.hpp"
#include "io/counted_rows.hpp"

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
    base::poll();
    const std::size_t got = file.read(piece.data(), expected);
    work(piece.data(), got);
    if (got < expected) {
      return false;
    }
    size -= static_cast<std::int64_t>(got);
  }
  return true;
}

/// XXH3-64 of these parts of a file, one after another; nothing where it ends before.
std::optional<std::uint64_t> checksum(const File& file, const std::vector<Extent>& parts) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       XXH3_freeState);
  if (state == nullptr) {
    throw std::bad_alloc();
  }
  XXH3_64bits_reset(state.get());
  for (const Extent& part : parts) {
    file.go_to(part.first);
    if (!for_each_piece(file, part.size, [&](const char* bytes, std::size_t n) {
          XXH3_64bits_update(state.get(), bytes, n);
        })) {
      return std::nullopt;
    }
  }
  return XXH3_64bits_digest(state.get());
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
  const std::optional<std::uint64_t> found = checksum(file, {{0, size}});
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
      seal.checksum = checksum(file, {{0, seal.size}}).value_or(0);
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

void require_seal(const std::string& path, const std::string& quantity) {
  std::string fault;
  try {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
      fault = "is not a regular file";
    } else {
      fault = look_at(File(path, read_mode)).fault;
    }
  } catch (const base::SystemError& error) {
    throw base::UserError(quantity, std::string(error.what()) + "; give a checkpoint of masing");
  }
  if (!fault.empty()) {
    throw base::UserError(quantity, path + " " + fault + "; give a whole checkpoint of masing");
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

std::optional<std::uint64_t> sum_of_hashes_in(const std::string& path, const Extent& bytes) {
  const File file(path, read_mode);
  file.go_to(bytes.first);
  std::vector<double> numbers(piece_bytes / sizeof(double));
  std::int64_t first = 0;
  std::uint64_t sum = 0;
  const bool whole = for_each_piece(file, bytes.size, [&](const char* piece, std::size_t n) {
    std::memcpy(numbers.data(), piece, n);
    const auto some = std::span(numbers).first(n / sizeof(double));
    sum += sum_of_hashes(some, first);
    first += std::ssize(some);
  });
  return whole ? std::optional(sum) : std::nullopt;
}

namespace {

// Of a seal but for rows: what it begins with, the checksum, the size of the file, and the first
// byte and the size of every place that changes, in their order.
constexpr std::size_t seal_text_length = 1024;
constexpr std::size_t checksum_digits = 16;

std::string begin_of_seal(const std::string& run) {
  return "sealed but for the rows of " + run + ": ";
}

/// Where that text begins in a file, after its mark; nothing where it has none.
std::optional<std::int64_t> place_of_seal(const File& file, const std::string& run) {
  // After it come only datasets, and their attributes.
  std::string head(std::size_t{1} << 20, '\0');
  file.go_to(0);
  head.resize(file.read(head.data(), head.size()));
  const std::string begin = begin_of_seal(run);
  const auto at = head.find(begin);
  return at == std::string::npos ? std::nullopt
                                 : std::optional(static_cast<std::int64_t>(at + begin.size()));
}

/// What lies between these parts of a file, which are in order; nothing where they are not.
std::optional<std::vector<Extent>> between(const std::vector<Extent>& parts, std::int64_t size) {
  std::vector<Extent> others;
  std::int64_t end = 0;
  for (const Extent& part : parts) {
    if (part.first < end || part.size < 0 || part.first > size - part.size) {
      return std::nullopt;
    }
    others.push_back({end, part.first - end});
    end = part.first + part.size;
  }
  others.push_back({end, size - end});
  return others;
}

/// The same of parts in any order. Throws SystemError where they overlap.
std::vector<Extent> between_sorted(std::vector<Extent>& parts, const File& file) {
  std::ranges::sort(parts, {}, &Extent::first);
  if (auto others = between(parts, file.size())) {
    return *others;
  }
  file.fail("seal");
}

/// Where in these parts of a file a number stands that is not_known_yet.
void add_unknown(const File& file, const std::vector<Extent>& parts, std::vector<Extent>& found) {
  std::array<char, sizeof not_known_yet> bytes{};
  std::memcpy(bytes.data(), &not_known_yet, sizeof not_known_yet);
  const std::string_view number(bytes.data(), bytes.size());
  for (const Extent& part : parts) {
    std::string content(static_cast<std::size_t>(part.size), '\0');
    file.go_to(part.first);
    file.read(content.data(), content.size());
    for (auto at = content.find(number); at != std::string::npos;
         at = content.find(number, at + number.size())) {
      found.push_back({part.first + static_cast<std::int64_t>(at), std::ssize(number)});
    }
  }
}

}  // namespace

std::string blank_seal(const std::string& run) {
  std::string text = begin_of_seal(run);
  text.resize(seal_text_length, ' ');
  return text;
}

void seal_but_rows(const std::string& path, const std::string& run, std::vector<Extent> tables,
                   std::vector<Extent> arrays) {
  const File file(path, "r+e");
  const std::optional<std::int64_t> place = place_of_seal(file, run);
  if (!place) {
    file.fail("seal");
  }
  std::vector<Extent> changing = std::move(tables);
  add_unknown(file, between_sorted(arrays, file), changing);
  changing.push_back({*place, checksum_digits});
  const std::vector<Extent> fixed = between_sorted(changing, file);
  std::string places = fmt::format(" {}", file.size());
  for (const Extent& part : changing) {
    places += fmt::format(" {} {}", part.first, part.size);
  }
  if (begin_of_seal(run).size() + checksum_digits + places.size() > seal_text_length) {
    throw base::SystemError(path + ": too many datasets for a seal");
  }
  file.go_to(*place + static_cast<std::int64_t>(checksum_digits));
  file.write(places.data(), places.size());
  const std::string sum = fmt::format("{:016x}", checksum(file, fixed).value_or(0));
  file.go_to(*place);
  file.write(sum.data(), sum.size());
}

bool has_seal_but_rows(const std::string& path, const std::string& run) {
  if (!std::filesystem::exists(path)) {
    return false;
  }
  const File file(path, read_mode);
  const std::optional<std::int64_t> place = place_of_seal(file, run);
  if (!place) {
    return false;
  }
  std::string text(seal_text_length - begin_of_seal(run).size(), '\0');
  file.go_to(*place);
  file.read(text.data(), text.size());
  std::istringstream words(text);
  std::string sum;
  std::int64_t size = 0;
  words >> sum >> size;
  std::vector<Extent> changing;
  for (Extent part; words >> part.first >> part.size;) {
    changing.push_back(part);
  }
  const auto fixed = between(changing, size);
  const auto found = fixed ? checksum(file, *fixed) : std::nullopt;
  if (!found || sum != fmt::format("{:016x}", *found)) {
    throw base::UserError(
        "restart", path +
                       " is damaged: the checksum of what is in it beside rows is another; take "
                       "a copy that is whole, or begin anew");
  }
  return true;
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
