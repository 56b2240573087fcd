#include "io/result_reader.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace io {

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

}  // namespace io
