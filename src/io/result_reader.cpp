#include "io/result_reader.hpp"

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
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/hdf5.hpp"

namespace masing::io {

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

namespace {

std::vector<hsize_t> extent(const Handle& dataset) {
  const Handle space(H5Dget_space(dataset.id()), H5Sclose);
  std::vector<hsize_t> sizes(
      static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space.id()))));
  check(H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr));
  // masing compresses nothing, so that no column or row is larger than its file.
  const Handle file(H5Iget_file_id(dataset.id()), H5Fclose);
  hsize_t bytes = 0;
  check(H5Fget_filesize(file.id(), &bytes));
  if (std::ranges::any_of(sizes, [&](hsize_t n) { return n > bytes / sizeof(double); })) {
    throw base::SystemError("a dataset larger than the file");
  }
  return sizes;
}

}  // namespace

Handle open_for_reading(const std::string& path) {
  check(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr));
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) {
    throw base::UserError("cannot open " + path + " as HDF5; give a file that masing wrote");
  }
  return {file, H5Fclose};
}

Handle ResultReader::dataset(const std::string& name) const {
  const hid_t found = H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT);
  if (found < 0) {
    throw base::UserError(path_ + " has no " + name + "; give a file of masing simulate");
  }
  return {found, H5Dclose};
}

std::vector<std::int64_t> ResultReader::shape(const std::string& name) const {
  const auto sizes = extent(dataset(name));
  return {sizes.begin(), sizes.end()};
}

bool ResultReader::has_attribute(const std::string& name, const std::string& attribute) const {
  const htri_t found = H5Aexists_by_name(file_.id(), name.c_str(), attribute.c_str(), H5P_DEFAULT);
  if (found < 0) {
    throw base::UserError(path_ + " has no " + name + "; give a file of masing simulate");
  }
  return found > 0;
}

std::vector<double> ResultReader::column(const std::string& name) const {
  const Handle found = dataset(name);
  const auto sizes = extent(found);
  if (sizes.size() != 1) {
    throw base::UserError(path_ + " " + name + " is not one column of numbers");
  }
  std::vector<double> values(sizes[0]);
  check(H5Dread(found.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  return values;
}

std::vector<double> ResultReader::row(const std::string& name, std::int64_t row) const {
  const Handle found = dataset(name);
  const auto sizes = extent(found);
  if (sizes.size() != 2) {
    throw base::UserError(path_ + " " + name + " is not a table of numbers");
  }
  std::vector<double> values(sizes[1]);
  const std::array<hsize_t, 2> offset{static_cast<hsize_t>(row), 0};
  const std::array<hsize_t, 2> count{1, sizes[1]};
  const Handle part(H5Dget_space(found.id()), H5Sclose);
  check(H5Sselect_hyperslab(part.id(), H5S_SELECT_SET, offset.data(), nullptr, count.data(),
                            nullptr));
  const Handle memory(H5Screate_simple(1, &sizes[1], nullptr), H5Sclose);
  check(H5Dread(found.id(), H5T_NATIVE_DOUBLE, memory.id(), part.id(), H5P_DEFAULT, values.data()));
  return values;
}

namespace {

/// Bytes with their type and shape.
struct Content {
  std::string type;  ///< class and size
  std::vector<hsize_t> shape;
  std::vector<unsigned char> bytes;
  std::size_t item = 1;  ///< bytes of one entry
};

/// Bytes that the file of an object has.
std::size_t file_size(hid_t object) {
  const Handle file(H5Iget_file_id(object), H5Fclose);
  hsize_t size = 0;
  check(H5Fget_filesize(file.id(), &size));
  return size;
}

/// What `object`, or an attribute of it, is said to hold, with room for it.
Content described(hid_t object, hid_t type_id, hid_t space_id) {
  const Handle type(type_id, H5Tclose);
  const Handle space(space_id, H5Sclose);
  Content content;
  content.item = H5Tget_size(type.id());
  content.type = std::to_string(H5Tget_class(type.id())) + "/" + std::to_string(content.item);
  content.shape.resize(
      static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.id()))));
  check(H5Sget_simple_extent_dims(space.id(), content.shape.data(), nullptr));
  const auto entries = static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space.id())));
  // masing compresses nothing, so that no object is larger than its file.
  if (content.item == 0 || entries > file_size(object) / content.item) {
    throw base::SystemError("an object larger than the file");
  }
  content.bytes.resize(entries * content.item);
  return content;
}

Content attribute(hid_t object, const std::string& name) {
  const Handle handle(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  Content content = described(object, H5Aget_type(handle.id()), H5Aget_space(handle.id()));
  const Handle type(H5Aget_type(handle.id()), H5Tclose);
  check(H5Aread(handle.id(), type.id(), content.bytes.data()));
  return content;
}

Content dataset(hid_t object) {
  Content content = described(object, H5Dget_type(object), H5Dget_space(object));
  const Handle type(H5Dget_type(object), H5Tclose);
  check(H5Dread(object, type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, content.bytes.data()));
  return content;
}

herr_t add_name(hid_t /*object*/, const char* name, const H5A_info_t* /*info*/, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

herr_t add_object(hid_t /*file*/, const char* name, const H5O_info_t* info, void* objects) {
  static_cast<std::map<std::string, H5O_type_t>*>(objects)->emplace(name, info->type);
  return 0;
}

/// Every group and dataset whose content must be the same again.
std::map<std::string, H5O_type_t> objects(const Handle& file) {
  std::map<std::string, H5O_type_t> found;
  check(H5Ovisit2(file.id(), H5_INDEX_NAME, H5_ITER_INC, add_object, &found, H5O_INFO_BASIC));
  std::erase_if(found, [](const auto& entry) {
    return entry.first == "provenance" || entry.first == "timing" ||
           entry.first.starts_with("provenance/") || entry.first.starts_with("timing/");
  });
  return found;
}

std::string difference(const Content& expected, const Content& found) {
  if (expected.type != found.type || expected.shape != found.shape) {
    return "another type or shape";
  }
  std::size_t count = 0;
  std::size_t first = 0;
  for (std::size_t at = 0; at < expected.bytes.size(); at += expected.item) {
    if (std::memcmp(&expected.bytes[at], &found.bytes[at], expected.item) != 0) {
      first = count == 0 ? at / expected.item : first;
      ++count;
    }
  }
  return count == 0 ? ""
                    : std::to_string(count) + " of " +
                          std::to_string(expected.bytes.size() / expected.item) +
                          " entries, the first at " + std::to_string(first);
}

void compare_attributes(const std::string& place, hid_t expected, hid_t found,
                        std::vector<std::string>& lines) {
  std::vector<std::string> names;
  check(H5Aiterate2(expected, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names));
  std::vector<std::string> others;
  check(H5Aiterate2(found, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &others));
  if (names != others) {
    lines.push_back(place + ": other attributes");
    return;
  }
  for (const auto& name : names) {
    const std::string what = difference(attribute(expected, name), attribute(found, name));
    if (!what.empty()) {
      lines.push_back(place);
      lines.back().append(" attribute ").append(name).append(": ").append(what);
    }
  }
}

Handle open_object(const Handle& file, const std::string& name) {
  return {H5Oopen(file.id(), name.c_str(), H5P_DEFAULT), H5Oclose};
}

std::string text_of(const Content& content) {
  const std::string text(content.bytes.begin(), content.bytes.end());
  return text.substr(0, text.find('\0'));
}

/// Whether a type is that of the texts masing writes, which have a fixed length.
bool is_text(hid_t type_id) {
  const Handle type(type_id, H5Tclose);
  return H5Tget_class(type.id()) == H5T_STRING && H5Tis_variable_str(type.id()) == 0;
}

bool has_recipe(const Handle& file) {
  if (H5Aexists(file.id(), "kind") <= 0 ||
      H5Lexists(file.id(), "configuration", H5P_DEFAULT) <= 0) {
    return false;
  }
  const Handle kind(H5Aopen(file.id(), "kind", H5P_DEFAULT), H5Aclose);
  const Handle configuration = open_object(file, "configuration");
  return is_text(H5Aget_type(kind.id())) && H5Iget_type(configuration.id()) == H5I_DATASET &&
         is_text(H5Dget_type(configuration.id()));
}

}  // namespace

Recipe read_recipe(const std::string& path) {
  const Handle file = open_for_reading(path);
  if (!has_recipe(file)) {
    throw base::UserError(path + " has no /configuration; give a file that masing wrote");
  }
  return {text_of(attribute(file.id(), "kind")),
          text_of(dataset(open_object(file, "configuration").id()))};
}

std::vector<std::string> differences(const std::string& expected, const std::string& found) {
  const Handle file = open_for_reading(expected);
  const Handle other = open_for_reading(found);
  const auto there = objects(other);
  std::vector<std::string> lines;
  for (const auto& [name, type] : objects(file)) {
    const std::string place = std::string("/").append(name == "." ? "" : name);
    const auto twin = there.find(name);
    if (twin == there.end() || twin->second != type) {
      lines.push_back(place + ": not made again");
      continue;
    }
    const Handle one = open_object(file, name);
    const Handle two = open_object(other, name);
    if (type == H5O_TYPE_DATASET) {
      const std::string what = difference(dataset(one.id()), dataset(two.id()));
      if (!what.empty()) {
        lines.push_back(base::joined({place, what}, ": "));
      }
    }
    compare_attributes(place, one.id(), two.id(), lines);
  }
  const auto here = objects(file);
  for (const auto& [name, type] : there) {
    if (!here.contains(name)) {
      lines.push_back("/" + name + ": not in the file");
    }
  }
  return lines;
}

}  // namespace masing::io
