#include "io/sealed_file.hpp"

#include <fmt/core.h>
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
#include <sstream>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/poll.hpp"

namespace masing::io {

namespace {

constexpr std::string_view mark_of_any_version = "masing seal ";

struct Seal {
  std::array<char, 16> mark{'m', 'a', 's', 'i', 'n', 'g', ' ', 's', 'e', 'a', 'l', ' ', '2', '\n'};
  std::int64_t size = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(Seal) == 32);
constexpr auto seal_bytes = static_cast<std::int64_t>(sizeof(Seal));

/// Owner of an open file.
class File {
 public:
  /// To be read, or `mode` as of fopen; closed in child processes.
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

  /// Up to `size` bytes from the byte `first` on; fewer only at the end.
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
  /// Writes from the byte `first` on; of a file that is only appended to, at its end.
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
  /// -1 of what is no regular file.
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

/// XXH3-64 of these parts of a file, one after another; nothing where it ends before. Polls.
std::optional<std::uint64_t> checksum(const File& file, const std::vector<Extent>& parts) {
  constexpr std::int64_t piece = std::int64_t{4} << 20;
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       XXH3_freeState);
  if (state == nullptr) {
    throw std::bad_alloc();
  }
  XXH3_64bits_reset(state.get());
  for (Extent part : parts) {
    for (; part.size > 0; part = {part.first + piece, part.size - piece}) {
      base::poll();
      const std::string bytes = file.read(part.first, std::min(part.size, piece));
      XXH3_64bits_update(state.get(), bytes.data(), bytes.size());
      if (std::ssize(bytes) < std::min(part.size, piece)) {
        return std::nullopt;
      }
    }
  }
  return XXH3_64bits_digest(state.get());
}

/// The seal of a file: whether it has one of any version, and what is wrong with it, empty if
/// nothing is.
struct Finding {
  bool is_sealed = false;
  std::string fault;
};

Finding examined(const File& file) {
  const std::int64_t size = file.size() - seal_bytes;
  if (size < 0) {
    return {.is_sealed = false, .fault = "is too short to have a seal"};
  }
  Seal seal;
  std::memcpy(&seal, file.read(size, seal_bytes).data(), sizeof seal);
  if (!std::string_view(seal.mark.data(), seal.mark.size()).starts_with(mark_of_any_version)) {
    return {.is_sealed = false, .fault = "has no seal"};
  }
  if (seal.mark != Seal().mark) {
    return {.is_sealed = true, .fault = "has the seal of another version of masing"};
  }
  const bool holds = seal.size == size && checksum(file, {{0, size}}) == seal.checksum;
  return {.is_sealed = true, .fault = holds ? "" : "is damaged: its checksum is another"};
}

}  // namespace

void seal(const parallel::Communicator& comm, const std::string& draft, const std::string& path) {
  parallel::on_root(comm, [&] {
    Seal seal;
    {
      const File file(draft);
      seal.size = file.size();
      seal.checksum = checksum(file, {{0, seal.size}}).value_or(0);
    }
    File(draft, "ae").write(seal.size, &seal, sizeof seal);
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

void require_seal(const std::string& path, const std::string& quantity) {
  std::string fault;
  try {
    std::error_code none_there;
    const auto status = std::filesystem::status(path, none_there);
    fault = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)
                ? "is not a regular file"
                : examined(File(path)).fault;
  } catch (const base::SystemError& error) {
    throw base::UserError(quantity, std::string(error.what()) + "; give a checkpoint of masing");
  }
  if (!fault.empty()) {
    throw base::UserError(quantity, path + " " + fault + "; give a whole checkpoint of masing");
  }
}

bool has_seal(const std::string& path) {
  const auto [is_sealed, fault] = examined(File(path));
  if (is_sealed && !fault.empty()) {
    throw base::UserError(
        fmt::format("{} {}; take a copy that is whole, or make it again (to have it read as it is, "
                    "cut the seal off: truncate -s -{} FILE)",
                    path, fault, seal_bytes));
  }
  return is_sealed;
}

namespace {

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

constexpr std::int64_t frame_length = 1024;  // of its text

/// What the text begins with; after it come the checksum, the size of the file, and the first byte
/// and the size of every place that changes.
std::string begin_of_frame(const std::string& run) {
  return "all but the rows of " + run + ": ";
}

/// Where the checksum lies in a file, in its frame; nothing where it has none. After the frame come
/// only datasets, and their attributes.
std::optional<Extent> place_of_checksum(const File& file, const std::string& run) {
  const std::string begin = begin_of_frame(run);
  const auto at = file.read(0, std::int64_t{1} << 20).find(begin);
  constexpr std::int64_t digits = 16;
  return at == std::string::npos
             ? std::nullopt
             : std::optional(Extent{static_cast<std::int64_t>(at) + std::ssize(begin), digits});
}

}  // namespace

std::string blank_frame(const std::string& run) {
  std::string text = begin_of_frame(run);
  text.resize(frame_length, ' ');
  return text;
}

void write_frame(const std::string& path, const std::string& run, const std::vector<Extent>& tables,
                 std::vector<Extent> arrays) {
  const File file(path, "r+e");
  const std::int64_t size = file.size();
  const auto place = place_of_checksum(file, run);
  std::vector<Extent> changing = tables;
  std::array<char, sizeof not_known_yet> bytes{};
  std::memcpy(bytes.data(), &not_known_yet, sizeof not_known_yet);
  const std::string_view unknown(bytes.data(), bytes.size());
  std::ranges::sort(arrays, {}, &Extent::first);
  for (const Extent& part : between(arrays, size).value_or(std::vector<Extent>())) {
    const std::string content = file.read(part.first, part.size);
    for (auto at = content.find(unknown); at != std::string::npos;
         at = content.find(unknown, at + unknown.size())) {
      changing.push_back({part.first + static_cast<std::int64_t>(at), std::ssize(unknown)});
    }
  }
  changing.push_back(place.value_or(Extent()));
  std::ranges::sort(changing, {}, &Extent::first);
  const auto fixed = between(changing, size);
  if (!place || !fixed) {
    throw base::SystemError(path + ": no frame, or datasets that overlap");
  }
  std::string places = fmt::format(" {}", size);
  for (const Extent& part : changing) {
    places += fmt::format(" {} {}", part.first, part.size);
  }
  if (std::ssize(begin_of_frame(run)) + place->size + std::ssize(places) > frame_length) {
    throw base::SystemError(path + ": too many datasets for a frame");
  }
  file.write(place->first + place->size, places.data(), places.size());
  const std::string sum = fmt::format("{:016x}", checksum(file, *fixed).value_or(0));
  file.write(place->first, sum.data(), sum.size());
}

bool has_frame(const std::string& path, const std::string& run) {
  if (!std::filesystem::exists(path)) {
    return false;
  }
  const File file(path);
  const auto place = place_of_checksum(file, run);
  if (!place) {
    return false;
  }
  std::istringstream words(file.read(place->first, frame_length - std::ssize(begin_of_frame(run))));
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

}  // namespace masing::io
