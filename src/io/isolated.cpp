#include "io/isolated.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "base/error.hpp"

namespace io {

namespace {

// The first byte of what the child says.
constexpr char made = 'm';
constexpr char refused = 'r';

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw base::UserError(path + " " + why + "; give a file that masing wrote");
}

/// Where in the superblock of a version its end of file stands, in 8 bytes; 0 for versions that
/// masing does not write. Source: HDF5 File Format Specification, II.A.
std::size_t place_of_end(unsigned char version) {
  switch (version) {
    case 0:
      return 40;
    case 2:
    case 3:
      return 28;
    default:
      return 0;
  }
}

/// What can be said of a file without HDF5: throws where it cannot be whole.
void require_plausible(const std::string& path, std::int64_t size) {
  constexpr std::array<unsigned char, 8> signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  std::array<unsigned char, 48> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(head.data()), head.size());
  if (!file || !std::equal(signature.begin(), signature.end(), head.begin())) {
    throw base::UserError("cannot open " + path + " as HDF5; give a file that masing wrote");
  }
  const std::size_t place = place_of_end(head[signature.size()]);
  if (place == 0) {
    return;
  }
  std::uint64_t end = 0;
  for (std::size_t i = 8; i > 0; --i) {
    end = 256 * end + head.at(place + i - 1);
  }
  if (end > static_cast<std::uint64_t>(size)) {
    refuse(path,
           "is damaged: it has " + std::to_string(size) + " bytes and says " + std::to_string(end));
  }
}

std::int64_t size_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    throw base::UserError("cannot open " + path + " as HDF5: " + std::strerror(errno) +
                          "; give a file that masing wrote");
  }
  if (!S_ISREG(info.st_mode)) {
    throw base::UserError("cannot open " + path +
                          " as HDF5: not a regular file; give a file that masing wrote");
  }
  return info.st_size;
}

/// Ends the child where its processor time shows that HDF5 goes round in circles.
void limit_time(std::int64_t size) {
  constexpr std::int64_t least_seconds = 20;
  constexpr std::int64_t slowest_rate = 20'000'000;  // bytes per second, each read a few times
  const auto seconds = static_cast<rlim_t>(least_seconds + size / slowest_rate);
  const rlimit limit{seconds, seconds};
  ::setrlimit(RLIMIT_CPU, &limit);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
}

void write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t put = ::write(descriptor, text.data() + done, text.size() - done);
    if (put < 0 && errno != EINTR) {
      _exit(1);
    }
    done += static_cast<std::size_t>(std::max<ssize_t>(put, 0));
  }
}

[[noreturn]] void be_child(int descriptor, std::int64_t size,
                           const std::function<std::string()>& read) {
  // What aborts says so on stderr, where the user is to see one line, the parent's.
  const int silence = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(silence, STDERR_FILENO);
  limit_time(size);
  std::string text;
  try {
    text = made + read();
  } catch (const base::UserError& mistake) {
    text = std::string(1, refused) + mistake.what();
  } catch (const std::exception& failure) {
    text = failure.what();
    text.insert(0, 1, ' ');
  } catch (...) {
    text = " unknown failure";
  }
  write_all(descriptor, text);
  _exit(0);  // nothing of the parent's may be flushed or finalised here
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t got = ::read(descriptor, piece.data(), piece.size());
    if (got == 0 || (got < 0 && errno != EINTR)) {
      return text;
    }
    text.append(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
}

}  // namespace

std::string isolated(const std::string& path, const std::function<std::string()>& read) {
  const std::int64_t size = size_of(path);
  require_plausible(path, size);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw base::SystemError(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  const pid_t child = ::fork();
  if (child == 0) {
    be_child(ends[1], size, read);
  }
  ::close(ends[1]);
  const std::string text = child < 0 ? "" : read_all(ends[0]);
  ::close(ends[0]);
  if (child < 0) {
    throw base::SystemError(std::string("cannot make a process: ") + std::strerror(errno));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0 || text.empty()) {
    refuse(path, "is damaged: HDF5 cannot read it");
  }
  if (text.front() == refused) {
    throw base::UserError(text.substr(1));
  }
  if (text.front() != made) {
    refuse(path, "is damaged:" + text);
  }
  return text.substr(1);
}

}  // namespace io
