#include "io/hdf5.hpp"

#include <fmt/core.h>
#include <hdf5_hl.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <exception>

#include "base/error.hpp"
#include "base/partition.hpp"
#include "io/sealed_file.hpp"
#include "parallel/session.hpp"

namespace masing::io {

namespace {

/// Returns a UTF-8 string type with a length of `size` bytes, or of variable length if `size` is
/// H5T_VARIABLE.
Handle string_type(std::size_t size) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type.id(), size));
  check(H5Tset_cset(type.id(), H5T_CSET_UTF8));
  return type;
}

Handle scalar_space() {
  return {H5Screate(H5S_SCALAR), H5Sclose};
}

/// Returns the property list of a read or write. `ranks` is H5FD_MPIO_COLLECTIVE if all ranks of
/// the file read or write together, and H5FD_MPIO_INDEPENDENT if this rank does so independently.
Handle transfer_by(H5FD_mpio_xfer_t ranks) {
  if (parallel::is_alone()) {
    // MPI-IO is not used then, and a file in memory does not accept properties of MPI-IO.
    return {H5P_DEFAULT, H5Pclose};
  }
  Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  check(H5Pset_dxpl_mpio(transfer.id(), ranks));
  return transfer;
}

/// Writes an attribute. An existing attribute with this name is overwritten.
void write_value(const Handle& object, const std::string& name, hid_t type, const void* value) {
  const Handle space = scalar_space();
  const bool is_there = check(H5Aexists(object.id(), name.c_str())) > 0;
  const Handle attribute(
      is_there ? H5Aopen(object.id(), name.c_str(), H5P_DEFAULT)
               : H5Acreate2(object.id(), name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  check(H5Awrite(attribute.id(), type, value));
}

/// Creates a dataset at `path`, and those groups in `path` that do not exist yet. If there is a
/// dataset at `path`, opens it. Throws SystemError if that has another shape.
Handle create_dataset(const Handle& file, const std::string& path, hid_t type, const Handle& space,
                      hid_t properties = H5P_DEFAULT) {
  if (exists(file, path)) {
    Handle dataset = open_dataset(file, path);
    const Handle there(H5Dget_space(dataset.id()), H5Sclose);
    if (check(H5Sextent_equal(there.id(), space.id())) == 0) {
      throw base::SystemError(path + " has another shape");
    }
    return dataset;
  }
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  check(H5Pset_create_intermediate_group(links.id(), 1));
  return {
      H5Dcreate2(file.id(), path.c_str(), type, space.id(), links.id(), properties, H5P_DEFAULT),
      H5Dclose};
}

/// Reads or writes a rectangular part of a dataset; `transfer` is H5Dread or H5Dwrite, and `local`
/// is the buffer in memory. For each dimension of the dataset, `offset` has the index of the first
/// entry of the part, and `extent` the number of its entries. If the buffer is empty, `transfer` is
/// called, but nothing is transferred. Collective if `ranks` is H5FD_MPIO_COLLECTIVE, Local if it
/// is H5FD_MPIO_INDEPENDENT.
template <typename Value, typename Transfer>
void transfer_part(const Handle& dataset, std::span<const hsize_t> offset,
                   std::span<const hsize_t> extent, std::span<Value> local,
                   const Transfer& transfer, H5FD_mpio_xfer_t ranks = H5FD_MPIO_COLLECTIVE) {
  const Handle properties = transfer_by(ranks);
  const hsize_t count = local.size();
  const Handle file_space(H5Dget_space(dataset.id()), H5Sclose);
  const Handle memory_space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  if (count == 0) {
    check(H5Sselect_none(file_space.id()));
    check(H5Sselect_none(memory_space.id()));
  } else {
    check(H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, offset.data(), nullptr,
                              extent.data(), nullptr));
  }
  std::remove_const_t<Value> nothing = 0.0;
  check(transfer(dataset.id(), H5T_NATIVE_DOUBLE, memory_space.id(), file_space.id(),
                 properties.id(), local.empty() ? &nothing : local.data()));
}

}  // namespace

hid_t check(hid_t code) {
  if (code >= 0) {
    return code;
  }
  std::string message;  // the message of the innermost HDF5 function that failed
  const auto keep_first = [](unsigned /*depth*/, const H5E_error2_t* error, void* text) {
    auto& first = *static_cast<std::string*>(text);
    first = first.empty() && error->desc != nullptr ? error->desc : first;
    return herr_t{0};
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &message);
  throw base::SystemError("HDF5: " + (message.empty() ? "failure" : message));
}

Handle::~Handle() {
  // Closing an HDF5 object is a collective call. During an exception the object is not closed: if
  // only this rank has failed, the call would wait for the other ranks forever.
  if (id_ >= 0 && (std::uncaught_exceptions() == 0 || parallel::is_alone())) {
    close_(id_);
  }
}

Handle open_together(const parallel::Communicator& comm, const std::string& path, unsigned flags) {
  // HDF5 by default prints its error stack. This is switched off, as check() reports an error in
  // one line.
  check(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr));
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  check(H5Pset_userblock(creation.id(), head_bytes));
  if (path.empty()) {
    constexpr std::size_t increment = std::size_t{1} << 16;
    check(H5Pset_fapl_core(access.id(), increment, 0));
    return {H5Fcreate("masing", flags, creation.id(), access.id()), H5Fclose};
  }
  if (parallel::is_alone()) {
    // Do not use MPI-IO here: Open MPI would create a lock file PATH-1-PID.lock, which would remain
    // if the process is killed.
    check(H5Pset_fapl_sec2(access.id()));
    check(H5Pset_file_locking(access.id(), false, true));
    check(H5Pset_sieve_buf_size(access.id(), 0));  // rows are passed to the system without a buffer
  } else {
    check(H5Pset_fapl_mpio(access.id(), comm.handle(), MPI_INFO_NULL));
    // Do not call H5Pset_coll_metadata_write: with it, Open MPI 4.1 fills the gaps between the
    // metadata that it writes with old data from its buffer. The space of a table can lie in such a
    // gap, and its rows would be overwritten.
    check(H5Pset_all_coll_metadata_ops(access.id(), true));
  }
  const bool creates = flags == H5F_ACC_TRUNC;
  return {creates ? H5Fcreate(path.c_str(), flags, creation.id(), access.id())
                  : H5Fopen(path.c_str(), flags, access.id()),
          H5Fclose};
}

Handle access_together(hid_t kind) {
  if (parallel::is_alone()) {
    return {H5P_DEFAULT, H5Pclose};
  }
  Handle access(H5Pcreate(kind), H5Pclose);
  check(H5Pset_all_coll_metadata_ops(access.id(), true));
  return access;
}

Handle open_dataset(const Handle& file, const std::string& path) {
  return {H5Dopen2(file.id(), path.c_str(), access_together(H5P_DATASET_ACCESS).id()), H5Dclose};
}

void flush(const Handle& file) {
  check(H5Fflush(file.id(), H5F_SCOPE_GLOBAL));
}

bool exists(const Handle& file, const std::string& path) {
  const Handle access = access_together(H5P_LINK_ACCESS);
  std::size_t end = 0;
  do {  // HDF5 cannot look up a path of which a group does not exist
    end = path.find('/', end + 1);
    if (check(H5Lexists(file.id(), path.substr(0, end).c_str(), access.id())) == 0) {
      return false;
    }
  } while (end != std::string::npos);
  return true;
}

Handle create_group(const Handle& file, const std::string& name) {
  if (exists(file, name)) {
    return {H5Gopen2(file.id(), name.c_str(), access_together(H5P_GROUP_ACCESS).id()), H5Gclose};
  }
  return {H5Gcreate2(file.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose};
}

void write_attribute(const Handle& object, const std::string& name, const std::string& text) {
  const Handle type = string_type(H5T_VARIABLE);
  const char* value = text.c_str();
  if (check(H5Aexists(object.id(), name.c_str())) == 0) {
    write_value(object, name, type.id(), &value);
  }
}

void write_attribute(const Handle& object, const std::string& name, double value) {
  write_value(object, name, H5T_NATIVE_DOUBLE, &value);
}

void write_attribute(const Handle& object, const std::string& name, std::int64_t value) {
  write_value(object, name, H5T_NATIVE_INT64, &value);
}

void name_axes(const Handle& file, const std::string& path, const std::vector<std::string>& names) {
  const Handle dataset = open_dataset(file, path);
  for (const char* of_axes : {"CLASS", "DIMENSION_LIST"}) {
    if (check(H5Aexists(dataset.id(), of_axes)) > 0) {
      return;
    }
  }
  for (unsigned axis = 0; axis < names.size(); ++axis) {
    std::string group = path;
    std::string scale;
    do {
      group.resize(group.rfind('/'));
      scale = group + "/" + names[axis];
    } while (!group.empty() && !exists(file, scale));
    if (scale == path) {
      check(H5DSset_scale(dataset.id(), names[axis].c_str()));
    } else {
      const Handle other = open_dataset(file, scale);
      check(H5DSattach_scale(dataset.id(), other.id(), axis));
    }
  }
}

void write_text(const Handle& file, const std::string& path, const std::string& text) {
  const Handle type = string_type(text.size() + 1);  // the length includes the terminating zero
  const Handle space = scalar_space();
  const Handle dataset = create_dataset(file, path, type.id(), space);
  const Handle transfer = transfer_by(H5FD_MPIO_COLLECTIVE);
  check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, transfer.id(), text.c_str()));
}

void write_distributed(const Handle& file, const std::string& path, std::int64_t first,
                       std::span<const double> values) {
  const std::array offset{static_cast<hsize_t>(first)};
  const std::array<hsize_t, 1> extent{values.size()};
  transfer_part(open_dataset(file, path), offset, extent, values, H5Dwrite);
}

void write_column(const parallel::Communicator& comm, const Handle& file, const std::string& path,
                  const Attributes& attributes, std::span<const double> values,
                  const std::string& axis) {
  const std::int64_t count = std::ssize(values);
  Table(file, path, attributes, count, 0).append(comm, count, values);
  name_axes(file, path, {axis});
}

std::vector<double> read_numbers(const Handle& file, const std::string& path,
                                 H5FD_mpio_xfer_t ranks) {
  const Handle dataset = open_dataset(file, path);
  const Handle space(H5Dget_space(dataset.id()), H5Sclose);
  std::vector<double> values(
      static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space.id()))));
  if (!values.empty()) {
    check(H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, transfer_by(ranks).id(),
                  values.data()));
  }
  return values;
}

void read_distributed(const Handle& file, const std::string& path, std::span<double> local,
                      std::int64_t first, std::optional<std::int64_t> row, H5FD_mpio_xfer_t ranks) {
  const std::array<hsize_t, 2> offset{static_cast<hsize_t>(row.value_or(0)),
                                      static_cast<hsize_t>(first)};
  const std::array<hsize_t, 2> extent{1, local.size()};
  const std::size_t skipped = row ? 0 : 1;
  transfer_part(open_dataset(file, path), std::span(offset).subspan(skipped),
                std::span(extent).subspan(skipped), local, H5Dread, ranks);
}

namespace {

/// Throws UserError if the file is kept in memory, and this process cannot have `bytes` for the
/// rows of a table. HDF5 would fail at the first row, and crash when the process ends.
void require_room_in_memory(const Handle& file, double bytes) {
  const Handle access(H5Fget_access_plist(file.id()), H5Pclose);
  if (H5Pget_driver(access.id()) != H5FD_CORE || bytes == 0.0) {
    return;
  }
  const auto size = static_cast<std::size_t>(std::min(bytes, 0x1p62));
  void* const room =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) {
    throw base::UserError(
        "output", fmt::format("the result in memory needs {:.0f} GB, which this process cannot "
                              "have; give a file, or a larger sample-every",
                              1e-9 * bytes));
  }
  munmap(room, size);
}

}  // namespace

Table::Table(const Handle& file, std::string path, const Attributes& attributes, std::int64_t rows,
             std::int64_t columns)
    : file_(&file),
      path_(std::move(path)),
      counted_{.columns = std::max<std::int64_t>(1, columns)} {
  require_room_in_memory(file,
                         8.0 * static_cast<double>(rows) * static_cast<double>(counted_.columns));
  const std::array size{static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
  const Handle space(H5Screate_simple(columns == 0 ? 1 : 2, size.data(), nullptr), H5Sclose);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_EARLY));
  check(H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER));
  const Handle dataset = create_dataset(file, path_, H5T_IEEE_F64LE, space, properties.id());
  write_attribute(dataset, "description", attributes.description);
  write_attribute(dataset, "symbol", attributes.symbol);
  write_attribute(dataset, "units", attributes.units);
  // Programs that read netCDF files label an axis with the attribute long_name.
  write_attribute(dataset, "long_name",
                  attributes.label.empty() ? attributes.description : attributes.label);
  if (!attributes.label.empty()) {
    write_attribute(dataset, "label", attributes.label);
  }
}

namespace {

/// Returns how many rows of `columns` numbers a dataset has.
std::int64_t rows_of(const Handle& dataset, std::int64_t columns) {
  const Handle space(H5Dget_space(dataset.id()), H5Sclose);
  return check(H5Sget_simple_extent_npoints(space.id())) / columns;
}

}  // namespace

std::uint64_t sum_of_rows(const parallel::Communicator& comm, const Handle& from,
                          const CountedRows& counted, const Handle* to) {
  const std::int64_t there = rows_of(from, counted.columns);
  if (there < counted.rows) {
    throw base::SystemError(fmt::format("{} rows for {}", there, counted.rows));
  }
  const std::int64_t room = to == nullptr ? 0 : rows_of(*to, counted.columns);
  const std::int64_t end = base::floor_of_ratio(counted.rows, comm.rank() + 1, comm.size());
  // Whole rows are read together, or a part of one row, so that sum_of_hashes() can sum them.
  const std::int64_t columns = std::min(counted.columns, most_entries);
  const std::int64_t rows = most_entries / columns;
  std::uint64_t sum = 0;
  parallel::on_each(comm, [&] {
    std::vector<double> numbers;
    std::int64_t row = base::floor_of_ratio(counted.rows, comm.rank(), comm.size());
    for (; row < end; row += rows) {
      for (std::int64_t column = 0; column < counted.columns; column += columns) {
        const std::array offset{static_cast<hsize_t>(row), static_cast<hsize_t>(column)};
        std::array extent{static_cast<hsize_t>(std::min(rows, end - row)),
                          static_cast<hsize_t>(std::min(columns, counted.columns - column))};
        numbers.resize(extent[0] * extent[1]);
        transfer_part(from, offset, extent, std::span(numbers), H5Dread, H5FD_MPIO_INDEPENDENT);
        sum += sum_of_hashes(numbers, row * counted.columns + column);
        if (row < room) {
          extent[0] = std::min(extent[0], static_cast<hsize_t>(room - row));
          transfer_part(*to, offset, extent, std::span(numbers).first(extent[0] * extent[1]),
                        H5Dwrite, H5FD_MPIO_INDEPENDENT);
        }
      }
    }
  });
  parallel::sum_over_ranks(comm, std::span(&sum, 1));
  return sum;
}

void Table::serialize(const parallel::Communicator& comm, std::int64_t rows,
                      engine::Archive& archive) {
  std::vector<CountedRows> all{counted_};
  parallel::sum_over_ranks(comm, std::span(&all.front().before, 1));
  parallel::sum_over_ranks(comm, std::span(&all.front().last, 1));
  archive.structs(rows_name + path_, all);
  if (!archive.restores()) {
    return;
  }
  CountedRows saved = all.front();
  // The last row may be dropped (see CountedRows).
  if (rows == saved.rows - 1) {
    saved = {rows, saved.columns, saved.before, 0};
  }
  const std::int64_t there = rows_of(open_dataset(*file_, path_), counted_.columns);
  if (rows != saved.rows || rows > there || saved.columns != counted_.columns) {
    throw base::SystemError(fmt::format("{} has {} rows for {}", path_, there, rows));
  }
  counted_ = comm.is_root() ? saved : CountedRows{rows, saved.columns};
}

void Table::append_row(std::int64_t first, std::span<const double> values) {
  counted_.before +=
      std::exchange(counted_.last, sum_of_hashes(values, counted_.rows * counted_.columns + first));
  const std::array offset{static_cast<hsize_t>(counted_.rows), static_cast<hsize_t>(first)};
  const std::array<hsize_t, 2> extent{1, values.size()};
  transfer_part(open_dataset(*file_, path_), offset, extent, values, H5Dwrite);
  ++counted_.rows;
}

void Table::append(const parallel::Communicator& comm, std::int64_t rows,
                   std::span<const double> values) {
  if (rows == 0) {
    return;
  }
  const Handle dataset = open_dataset(*file_, path_);
  const std::array offset{static_cast<hsize_t>(counted_.rows), hsize_t{0}};
  const std::array<hsize_t, 2> extent{static_cast<hsize_t>(rows),
                                      values.size() / static_cast<hsize_t>(rows)};
  parallel::on_root(comm, [&] {
    for (std::int64_t row = 0; row < rows; ++row) {
      counted_.before += std::exchange(
          counted_.last,
          sum_of_hashes(values.subspan(static_cast<std::size_t>(row) * extent[1], extent[1]),
                        (counted_.rows + row) * counted_.columns));
    }
    transfer_part(dataset, offset, extent, values, H5Dwrite, H5FD_MPIO_INDEPENDENT);
  });
  counted_.rows += rows;
}

}  // namespace masing::io
