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

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
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
    refuse_file(path, "is damaged: it has " + std::to_string(size) + " bytes and says " +
                          std::to_string(end));
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
    refuse_file(path, "is damaged: HDF5 cannot read it");
  }
  if (text.front() == refused) {
    throw base::UserError(text.substr(1));
  }
  if (text.front() != made) {
    refuse_file(path, "is damaged:" + text);
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

/// A dataset, or an attribute of an object, as HDF5 names it.
struct Place {
  const Handle& handle;
  bool attribute;

  [[nodiscard]] Handle type() const {
    return {attribute ? H5Aget_type(handle.id()) : H5Dget_type(handle.id()), H5Tclose};
  }
  [[nodiscard]] Handle space() const {
    return {attribute ? H5Aget_space(handle.id()) : H5Dget_space(handle.id()), H5Sclose};
  }
  void read(const Handle& type, void* values) const {
    check(attribute ? H5Aread(handle.id(), type.id(), values)
                    : H5Dread(handle.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  }
};

/// Only numbers count in a comparison.
enum class Kind { numbers, texts, references };

/// What a dataset or attribute holds.
struct Content {
  Kind kind = Kind::numbers;
  std::string type;           ///< of numbers: class and size; of integers, which are read as 64-bit
                              ///< ones, class and sign
  std::size_t file_item = 0;  ///< bytes of one entry in the file
  std::vector<hsize_t> shape;
  std::size_t item = 1;              ///< of numbers: bytes of one entry
  std::vector<unsigned char> bytes;  ///< of numbers
  std::vector<std::string> texts;    ///< without what pads them
};

Kind kind_of(const Handle& type) {
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind == H5T_STRING) {
    return Kind::texts;
  }
  const bool points =
      kind == H5T_REFERENCE || kind == H5T_VLEN || H5Tdetect_class(type.id(), H5T_REFERENCE) > 0 ||
      H5Tdetect_class(type.id(), H5T_VLEN) > 0 || H5Tdetect_class(type.id(), H5T_STRING) > 0;
  return points ? Kind::references : Kind::numbers;
}

std::string until_zero(const std::string& text) {
  return text.substr(0, text.find('\0'));
}

std::vector<std::string> read_texts(const Place& place, const Handle& type, std::size_t entries) {
  std::vector<std::string> texts;
  if (H5Tis_variable_str(type.id()) <= 0) {
    const std::size_t length = H5Tget_size(type.id());
    std::string all(entries * length, '\0');
    place.read(type, all.data());
    for (std::size_t i = 0; i < entries; ++i) {
      texts.push_back(until_zero(all.substr(i * length, length)));
    }
    return texts;
  }
  std::vector<char*> pointers(entries);
  place.read(type, pointers.data());
  for (const char* text : pointers) {
    texts.emplace_back(text == nullptr ? "" : text);
  }
  check(H5Dvlen_reclaim(type.id(), place.space().id(), H5P_DEFAULT, pointers.data()));
  return texts;
}

void read_numbers(const Place& place, const Handle& type, std::size_t entries, Content& content) {
  const H5T_class_t kind = H5Tget_class(type.id());
  content.type = std::to_string(kind);
  if (kind == H5T_INTEGER) {
    const bool with_sign = H5Tget_sign(type.id()) == H5T_SGN_2;
    content.type += with_sign ? " with sign" : " without sign";
    content.item = sizeof(std::int64_t);
    content.bytes.resize(entries * content.item);
    const Handle wide(H5Tcopy(with_sign ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64), H5Tclose);
    place.read(wide, content.bytes.data());
    return;
  }
  content.type += "/" + std::to_string(content.file_item);
  content.item = content.file_item;
  content.bytes.resize(entries * content.item);
  place.read(type, content.bytes.data());
}

Content content_of(const Place& place) {
  const Handle type = place.type();
  const Handle space = place.space();
  Content content;
  content.kind = kind_of(type);
  content.file_item = H5Tget_size(type.id());
  content.shape.resize(
      static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.id()))));
  check(H5Sget_simple_extent_dims(space.id(), content.shape.data(), nullptr));
  const auto entries = static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space.id())));
  const Handle file(H5Iget_file_id(place.handle.id()), H5Fclose);
  hsize_t bytes = 0;
  check(H5Fget_filesize(file.id(), &bytes));
  // masing compresses nothing, so that no object is larger than its file.
  if (content.file_item == 0 || entries > bytes / content.file_item) {
    throw base::SystemError("an object larger than the file");
  }
  if (content.kind == Kind::texts) {
    content.texts = read_texts(place, type, entries);
  } else if (content.kind == Kind::numbers) {
    read_numbers(place, type, entries, content);
  }
  return content;
}

Content attribute(const Handle& object, const std::string& name) {
  const Handle handle(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  return content_of({handle, true});
}

Handle open_object(const Handle& file, const std::string& name) {
  return {H5Oopen(file.id(), name.c_str(), H5P_DEFAULT), H5Oclose};
}

herr_t add_name(hid_t /*object*/, const char* name, const H5A_info_t* /*info*/, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

std::vector<std::string> attributes_of(const Handle& object) {
  std::vector<std::string> names;
  check(H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names));
  return names;
}

/// Whether an attribute only joins datasets with their dimension scales. Source: HDF5 Dimension
/// Scale Specification; netCDF-4's own begin with _.
bool is_of_dimension_scales(const std::string& attribute) {
  constexpr std::array names{"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST",
                             "DIMENSION_LABELS"};
  return std::ranges::find(names, attribute) != names.end() || attribute.starts_with("_Net") ||
         attribute == "_nc3_strict" || attribute == "_NCProperties";
}

using Objects = std::map<std::string, H5O_type_t>;

herr_t add_object(hid_t /*file*/, const char* name, const H5O_info_t* info, void* objects) {
  static_cast<Objects*>(objects)->emplace(name, info->type);
  return 0;
}

/// Every group and dataset outside /provenance and /timing.
Objects objects(const Handle& file) {
  Objects found;
  check(H5Ovisit2(file.id(), H5_INDEX_NAME, H5_ITER_INC, add_object, &found, H5O_INFO_BASIC));
  std::erase_if(found, [](const auto& entry) {
    return entry.first == "provenance" || entry.first == "timing" ||
           entry.first.starts_with("provenance/") || entry.first.starts_with("timing/");
  });
  return found;
}

constexpr const char* not_made = "not made again";
constexpr const char* not_there = "not in the file";

/// Which entries of `found` are others than those `expected`; empty if none.
std::string different_numbers(const Content& expected, const Content& found) {
  if (expected.type != found.type || expected.shape != found.shape ||
      expected.file_item > found.file_item) {
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

/// Compares two files, object by object, and keeps what it finds.
class Comparison {
 public:
  Comparison(const Handle& expected, const Handle& found) : expected_(expected), found_(found) {}

  std::vector<Difference> run() {
    const Objects here = objects(expected_);
    const Objects there = objects(found_);
    for (const auto& [name, type] : here) {
      const auto twin = there.find(name);
      if (twin == there.end() || twin->second != type) {
        missing(name, type);
      } else {
        compare_objects(name, type);
      }
    }
    for (const auto& [name, type] : there) {
      if (!here.contains(name)) {
        add(Weight::note, place_of(name), not_there);
      }
    }
    return std::move(differences_);
  }

 private:
  static std::string place_of(const std::string& object) {
    return std::string("/").append(object == "." ? "" : object);
  }

  void add(Weight weight, const std::string& place, const std::string& what) {
    differences_.push_back({weight, base::joined({place, what}, ": ")});
  }

  /// An object that was not made again counts if it or its attributes hold numbers.
  void missing(const std::string& name, H5O_type_t type) {
    const Handle object = open_object(expected_, name);
    const auto names = attributes_of(object);
    const bool numbers =
        (type == H5O_TYPE_DATASET && content_of({object, false}).kind == Kind::numbers) ||
        std::ranges::any_of(names, [&](const std::string& attribute_name) {
          return counts(attribute_name, attribute(object, attribute_name));
        });
    add(numbers ? Weight::counts : Weight::note, place_of(name), not_made);
  }

  static bool counts(const std::string& attribute_name, const Content& content) {
    return content.kind == Kind::numbers && !is_of_dimension_scales(attribute_name);
  }

  void compare_objects(const std::string& name, H5O_type_t type) {
    const Handle one = open_object(expected_, name);
    const Handle two = open_object(found_, name);
    if (type == H5O_TYPE_DATASET && name != configuration_name) {
      compare(Weight::counts, place_of(name), content_of({one, false}), content_of({two, false}));
    }
    compare_attributes(place_of(name), one, two);
  }

  void compare(Weight weight, const std::string& place, const Content& one, const Content& two) {
    if (one.kind == Kind::numbers) {
      const std::string what =
          two.kind == Kind::numbers ? different_numbers(one, two) : "another type or shape";
      if (!what.empty()) {
        add(weight, place, what);
      }
    } else if (one.kind != two.kind) {
      add(Weight::note, place, "another type");
    } else if (one.texts != two.texts) {
      add(Weight::note, place, "another text");
    }
  }

  void compare_attributes(const std::string& place, const Handle& one, const Handle& two) {
    const auto here = attributes_of(one);
    const auto there = attributes_of(two);
    const auto place_of_attribute = [&](const std::string& name) {
      return base::joined({place, "attribute", name}, " ");
    };
    for (const auto& name : here) {
      const Content content = attribute(one, name);
      const Weight weight = counts(name, content) ? Weight::counts : Weight::note;
      if (std::ranges::find(there, name) == there.end()) {
        add(weight, place_of_attribute(name), not_made);
      } else {
        compare(weight, place_of_attribute(name), content, attribute(two, name));
      }
    }
    for (const auto& name : there) {
      if (std::ranges::find(here, name) == here.end()) {
        add(Weight::note, place_of_attribute(name), not_there);
      }
    }
  }

  static constexpr const char* configuration_name = "configuration";

  const Handle& expected_;
  const Handle& found_;
  std::vector<Difference> differences_;
};

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
  const Handle configuration = open_object(file, "configuration");
  return {base::joined(attribute(file, "kind").texts, ""),
          base::joined(content_of({configuration, false}).texts, "")};
}

std::vector<Difference> differences(const std::string& expected, const std::string& found) {
  const Handle file = open_for_reading(expected);
  const Handle other = open_for_reading(found);
  return Comparison(file, other).run();
}

}  // namespace masing::io
