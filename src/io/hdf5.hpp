#pragma once

#include <hdf5.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "parallel/communicator.hpp"

namespace masing::io {

/// Returns `code`, the result of an HDF5 function. If `code` is negative, the function has failed,
/// and SystemError is thrown with the message of HDF5. Local.
hid_t check(hid_t code);

/// Owns an HDF5 identifier, which the destructor closes by calling the function `close`. A handle
/// can be moved, but not copied.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(check(id)), close_(close) {}
  ~Handle();
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  [[nodiscard]] hid_t id() const { return id_; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// The attributes that describe the numbers of a dataset.
struct Attributes {
  std::string description;  ///< what the numbers are
  std::string symbol;       ///< the symbol of the numbers in the papers, or a formula
  std::string label = {};   ///< label of a plot's axis; empty: `description` is used
  std::string units = "1";  ///< units of the numbers; "1": they are dimensionless
};

/// Opens the HDF5 file `path` on all ranks. `flags` is one of HDF5's constants H5F_ACC_…;
/// H5F_ACC_TRUNC creates a new file, with room for its head (io/sealed_file.hpp). The file is
/// accessed by MPI-IO, unless this rank works alone (parallel::is_alone). All ranks of `comm` must
/// read and write the metadata of the file (groups, names, attributes and sizes) together and in
/// the same order. The numbers in datasets may be read or written by a single rank. If `path` is
/// empty, creates a file in memory; this requires that the rank works alone. Collective on `comm`.
Handle open_together(const parallel::Communicator& comm, const std::string& path, unsigned flags);
/// Returns a property list with which objects are opened; `kind` is the class of the list, such as
/// H5P_DATASET_ACCESS. The list makes HDF5 read the metadata of the object on the root only and
/// broadcast them to the other ranks. open_together() sets the same property for the whole file,
/// but HDF5 1.10 ignores it there. If this rank works alone, returns HDF5's default list. Local.
Handle access_together(hid_t kind);
/// Opens a dataset. Collective on the file's ranks.
Handle open_dataset(const Handle& file, const std::string& path);

/// Passes all buffered data of a file to the operating system. Throws SystemError if that fails.
/// Without this call HDF5 writes the buffered data when the file is closed, where a failure remains
/// unnoticed. Collective on the file's ranks.
void flush(const Handle& file);

/// Returns whether a file has an object at `path`. Collective on the file's ranks.
bool exists(const Handle& file, const std::string& path);

// A run that goes on in the file of an interrupted run finds all objects there. Therefore the
// functions below that create a group, a dataset or an attribute take the one that exists already.
// They do not read texts and dimension scales that exist: HDF5 1.10 crashes where their lengths are
// damaged.

/// Creates a group, or opens it if it exists. Collective on the file's ranks.
Handle create_group(const Handle& file, const std::string& name);

/// Writes a text attribute of a group or dataset. The text may have any length. If the attribute
/// exists, it stays as it is. Collective on the file's ranks.
void write_attribute(const Handle& object, const std::string& name, const std::string& text);
/// Writes an attribute that is a floating-point number, over the old one if there is one.
/// Collective on the file's ranks.
void write_attribute(const Handle& object, const std::string& name, double value);
/// Writes an attribute that is an integer, over the old one if there is one. Collective on the
/// file's ranks.
void write_attribute(const Handle& object, const std::string& name, std::int64_t value);

/// Attaches to each axis of the dataset at `path` a dimension scale, which is a dataset with the
/// coordinates along this axis. The scale of axis i is the dataset with the name names[i] in the
/// group of `path` or, if this group has no such dataset, in the nearest group above that has one.
/// If the scale of an axis is the dataset at `path` itself, this dataset is marked as a dimension
/// scale. Does nothing if the dataset has dimension scales already. Collective on the file's ranks.
/// Source: HDF5 Dimension Scale Specification; netCDF-4 and xarray read dimension scales.
void name_axes(const Handle& file, const std::string& path, const std::vector<std::string>& names);

/// Writes a text as the scalar dataset `path`. Collective on the file's ranks.
void write_text(const Handle& file, const std::string& path, const std::string& text);

/// Writes the entries of an existing dataset of one dimension. Each rank writes its part of them:
/// `values`, which begin at the index `first` and may be empty. Collective on the file's ranks.
void write_distributed(const Handle& file, const std::string& path, std::int64_t first,
                       std::span<const double> values);

/// Creates the dataset `path` with the root's `values`, and attaches the dimension scale `axis` to
/// the axis of this dataset (see name_axes). Every rank must pass as many values as the root, but
/// only those of the root are written. Collective.
void write_column(const parallel::Communicator& comm, const Handle& file, const std::string& path,
                  const Attributes& attributes, std::span<const double> values,
                  const std::string& axis);

/// Returns all numbers of the dataset `path`. If `ranks` is H5FD_MPIO_COLLECTIVE, all ranks read
/// the numbers in one collective operation; the file must have been opened by open_together(). If
/// `ranks` is H5FD_MPIO_INDEPENDENT, each rank reads them independently. Collective on the file's
/// ranks.
std::vector<double> read_numbers(const Handle& file, const std::string& path,
                                 H5FD_mpio_xfer_t ranks = H5FD_MPIO_INDEPENDENT);

/// Fills `local` with the numbers at the indices first, first + 1, … of a dataset [n]. If `row` is
/// given, the dataset has the shape [rows, columns], and the indices are those in this row. `ranks`
/// has the same meaning as in read_numbers(). Collective on the file's ranks.
void read_distributed(const Handle& file, const std::string& path, std::span<double> local,
                      std::int64_t first, std::optional<std::int64_t> row = {},
                      H5FD_mpio_xfer_t ranks = H5FD_MPIO_COLLECTIVE);

/// Returns a checksum of consecutive numbers of a table: the sum mod 2^64 of the hashes of the
/// numbers. `first` is the index of numbers[0] in the table, counted row by row. The numbers may be
/// distributed over the ranks in any way: the sum of the checksums of all ranks is that of the
/// whole table. The hash is a bijection of the bits of the number, so that a change of any single
/// number changes the checksum. The hash also depends on the index of the number, so that an
/// exchange of two numbers almost certainly changes the checksum. Source: splitmix64, Steele, Lea
/// and Flood, Fast splittable pseudorandom number generators, 2014.
inline std::uint64_t sum_of_hashes(std::span<const double> numbers, std::int64_t first) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  std::uint64_t key = (static_cast<std::uint64_t>(first) + 1) * golden;
  std::uint64_t sum = 0;
  for (const double number : numbers) {
    std::uint64_t hash = std::bit_cast<std::uint64_t>(number) ^ key;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    sum += hash ^ (hash >> 31);
    key += golden;
  }
  return sum;
}

/// The number of rows that a table has at a checkpoint, and the checksums (sum_of_hashes) of their
/// numbers. The last row has a checksum of its own because it may be the sample at the final time
/// T. A longer run that resumes from the checkpoint may have no sample at this time; the row is
/// then dropped.
struct CountedRows {
  std::int64_t rows = 0;
  std::int64_t columns = 1;  ///< how many numbers a row has
  std::uint64_t before = 0;  ///< checksum of all rows except the last
  std::uint64_t last = 0;    ///< checksum of the last row
};

/// The largest number of entries that sum_of_rows() reads at once.
inline constexpr std::int64_t most_entries = std::int64_t{1} << 20;

/// Returns the checksum of rows of the dataset `from`, of which each rank reads a part. `counted`
/// says how many rows and columns are summed; its checksums are not used. If the dataset `to` is
/// given, writes the rows to this dataset, too, as far as it has rows. Throws SystemError on all
/// ranks alike if `from` has other columns or fewer rows, or if rows cannot be read or written.
/// Collective.
std::uint64_t sum_of_rows(const parallel::Communicator& comm, const Handle& from,
                          const CountedRows& counted, const Handle* to = nullptr);

/// A checkpoint stores the CountedRows of a table under a name that ends with this word and the
/// path of the table.
inline constexpr const char* rows_name = "rows";

/// A dataset [rows, columns], or [rows] if `columns` is 0, that is filled row by row. The space of
/// all rows in the file is allocated when the dataset is created, so that appending rows changes no
/// other part of the file. Rows that are not yet written contain zeros. The object counts the
/// appended rows and computes checksums of their numbers for checkpoints.
class Table {
 public:
  /// Creates the dataset, or takes the one that exists. Throws SystemError if that has another
  /// shape. The handle `file` must outlive the object. Collective on the file's ranks.
  Table(const Handle& file, std::string path, const Attributes& attributes, std::int64_t rows,
        std::int64_t columns);

  /// Appends `rows` rows, which the root of `comm` writes from its array `values` [rows, columns].
  /// A failure is thrown on all ranks alike. Collective on `comm`, which must consist of the ranks
  /// of the file.
  void append(const parallel::Communicator& comm, std::int64_t rows,
              std::span<const double> values);
  /// Appends one row. Each rank writes its part of it: `values`, which begin at the index `first`
  /// of the row and may be empty. Collective on the file's ranks.
  void append_row(std::int64_t first, std::span<const double> values);
  /// If the archive saves, saves the number of appended rows and the checksums of their numbers;
  /// `rows` is not used. If the archive restores, restores both, so that the next row is appended
  /// after the first `rows` rows. Throws SystemError if the checkpoint has no checksum of exactly
  /// these rows, or if the dataset has fewer rows. Collective on `comm`, which must consist of the
  /// ranks of the file.
  void serialize(const parallel::Communicator& comm, std::int64_t rows, engine::Archive& archive);

 private:
  const Handle* file_;
  std::string path_;
  // the appended rows, with checksums of only those numbers that this rank has written
  CountedRows counted_;
};

}  // namespace masing::io
