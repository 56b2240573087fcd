#include "io/result_reader.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/hdf5.hpp"
#include "io/sealed_file.hpp"

namespace masing::io {

namespace {

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  throw base::UserError(path + " " + why + "; give a file that masing wrote");
}

/// Where in the superblock of versions 0 to 3 its end of file stands, in 8 bytes; 0 for versions
/// that masing does not write. Source: HDF5 File Format Specification, II.A.
constexpr std::array<std::size_t, 4> places_of_end{40, 0, 28, 28};

/// What can be said of a file without HDF5: throws where it cannot be whole.
void require_plausible(const std::string& path, std::int64_t size) {
  constexpr std::array<unsigned char, 8> signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  std::array<unsigned char, 48> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(head.data()), head.size());
  if (!file || !std::equal(signature.begin(), signature.end(), head.begin())) {
    throw base::UserError("cannot open " + path + " as HDF5; give a file that masing wrote");
  }
  const unsigned char version = head[signature.size()];
  const std::size_t place = version < places_of_end.size() ? places_of_end[version] : 0;
  if (place == 0) {
    return;
  }
  std::uint64_t end = 0;
  for (std::size_t i = 8; i > 0; --i) {
    end = 256 * end + head.at(place + i - 1);
  }
  // A longer one has what is left of a seal.
  if (end != static_cast<std::uint64_t>(size)) {
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

}  // namespace

bool require_sound(const std::string& path) {
  const std::int64_t size = size_of(path);
  if (has_seal(path)) {
    return true;
  }
  require_plausible(path, size);
  return false;
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
  if (extent(dataset(name)).size() != 1) {
    throw base::UserError(path_ + " " + name + " is not one column of numbers");
  }
  return read_numbers(file_, name);
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

Handle Place::type() const {
  return {is_attribute ? H5Aget_type(handle.id()) : H5Dget_type(handle.id()), H5Tclose};
}

Handle Place::space() const {
  return {is_attribute ? H5Aget_space(handle.id()) : H5Dget_space(handle.id()), H5Sclose};
}

std::size_t Place::entries() const {
  const auto count = static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space().id())));
  const std::size_t size = H5Tget_size(type().id());
  const Handle file(H5Iget_file_id(handle.id()), H5Fclose);
  hsize_t bytes = 0;
  check(H5Fget_filesize(file.id(), &bytes));
  // masing compresses nothing, so that no object is larger than its file.
  if (size == 0 || count > bytes / size) {
    throw base::SystemError("an object larger than the file");
  }
  return count;
}

void Place::read(const Handle& type, void* values) const {
  check(is_attribute ? H5Aread(handle.id(), type.id(), values)
                     : H5Dread(handle.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
}

std::vector<std::string> Place::texts() const {
  const Handle form = type();
  const std::size_t count = entries();
  std::vector<std::string> texts;
  if (H5Tis_variable_str(form.id()) > 0) {
    std::vector<char*> pointers(count);
    read(form, pointers.data());
    for (const char* text : pointers) {
      texts.emplace_back(text == nullptr ? "" : text);
    }
    check(H5Dvlen_reclaim(form.id(), space().id(), H5P_DEFAULT, pointers.data()));
    return texts;
  }
  const std::size_t length = H5Tget_size(form.id());
  std::string all(count * length, '\0');
  read(form, all.data());
  for (std::size_t i = 0; i < count; ++i) {
    const std::string padded = all.substr(i * length, length);
    texts.push_back(padded.substr(0, padded.find('\0')));
  }
  return texts;
}

namespace {

/// Whether a place has texts as masing writes them: datasets of a fixed length, attributes of any.
bool is_text(const Place& place) {
  const Handle type = place.type();
  return H5Tget_class(type.id()) == H5T_STRING &&
         (place.is_attribute || H5Tis_variable_str(type.id()) == 0);
}

}  // namespace

std::string text_of(const std::string& path) {
  constexpr std::streamsize largest = 256 << 20;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    throw base::UserError("cannot read " + path + ": " + std::strerror(errno));
  }
  if (!S_ISREG(info.st_mode) || info.st_size > largest) {
    throw base::UserError("cannot read " + path + ": not a regular file of at most 256 MiB");
  }
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    throw base::UserError("cannot read " + path + ": " + std::strerror(errno));
  }
  return text.str();
}

std::string last_field(const std::string& path) {
  const ResultReader file(path);
  const auto shape = file.shape("/field/u");
  const std::vector<double> s = file.column("/field/s");
  if (shape.size() != 2 || shape[0] < 1 || !std::cmp_equal(s.size(), shape[1])) {
    throw base::UserError(path + " has no field of a slab; give a file of masing simulate");
  }
  if (file.has_attribute("/field", "thinned_from")) {
    throw base::UserError(path + " holds a thinned field; give a file made with field-points = 0");
  }
  const std::vector<double> u = file.row("/field/u", shape[0] - 1);
  std::string points = "points:";
  for (std::size_t i = 0; i < s.size(); ++i) {
    points += (i == 0 ? "" : "; ") + base::to_text(s[i]) + " " + base::to_text(u[i]);
  }
  return points;
}

std::string read_text_attribute(const Handle& file, const std::string& path,
                                const std::string& name) {
  if (H5Aexists_by_name(file.id(), path.c_str(), name.c_str(), H5P_DEFAULT) <= 0) {
    return "";
  }
  const Handle attribute(
      H5Aopen_by_name(file.id(), path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const Place place{attribute, true};
  return is_text(place) ? base::joined(place.texts(), "") : "";
}

Recipe read_recipe(const std::string& path) {
  const Handle file = open_for_reading(path);
  const std::string kind = read_text_attribute(file, "/", "kind");
  if (!kind.empty() && H5Lexists(file.id(), "configuration", H5P_DEFAULT) > 0) {
    const Handle configuration(H5Oopen(file.id(), "configuration", H5P_DEFAULT), H5Oclose);
    if (H5Iget_type(configuration.id()) == H5I_DATASET && is_text({configuration})) {
      return {kind, base::joined(Place{configuration}.texts(), "")};
    }
  }
  throw base::UserError(path + " has no /configuration; give a file that masing wrote");
}

}  // namespace masing::io
