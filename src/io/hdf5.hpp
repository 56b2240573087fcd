#pragma once

#include <hdf5.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/partition.hpp"
#include "engine/engine.hpp"
#include "parallel/communicator.hpp"

namespace masing::io {

/// Returns `code`, the result of an HDF5 function. A negative `code` means that the function has
/// failed; check() then throws SystemError with HDF5's message and the place `where` of the call in
/// the source. Local.
hid_t check(hid_t code, base::Location where = base::Location::current());

/// Owns an HDF5 identifier. The destructor closes the identifier by calling the function `close`. A
/// handle can be moved, but not copied.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close, base::Location where = base::Location::current())
      : id_(check(id, where)), close_(close) {}
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
/// H5F_ACC_TRUNC creates a new file. The file is accessed by MPI-IO, unless this rank works alone
/// (parallel::is_alone). The metadata of the file (groups, names, attributes and sizes) must be
/// read and written by all ranks together, in the same order on each. The numbers of datasets may
/// be read or written by a single rank. If `path` is empty, creates a file in memory, which is
/// possible only if this rank works alone. Collective on `comm`.
Handle open_together(const parallel::Communicator& comm, const std::string& path, unsigned flags);
/// Returns an access property list of the class `kind`, such as H5P_DATASET_ACCESS. If an object is
/// opened with this list, the root alone reads the metadata of the object from the file and
/// broadcasts them to the other ranks. open_together() sets this property for the whole file, but
/// HDF5 1.10 ignores it there. If this rank works alone, returns HDF5's default list. Local.
Handle access_together(hid_t kind);
/// Opens a dataset. Collective on the file's ranks.
Handle open_dataset(const Handle& file, const std::string& path);

/// Passes all buffered data of a file to the operating system, and throws SystemError if that
/// fails. Otherwise HDF5 would write the buffered data when the file is closed, and a failure would
/// remain unnoticed. Collective on the file's ranks.
void flush(const Handle& file);

/// Creates a group. Collective on the file's ranks.
Handle create_group(const Handle& file, const std::string& name);

/// Writes a text attribute of a group or dataset. The text may have any length. Collective on the
/// file's ranks.
void write_attribute(const Handle& object, const std::string& name, const std::string& text);
/// Writes `text`, padded with blanks, as an attribute of exactly `length` bytes. If the attribute
/// is later overwritten by another text, no other byte of the file changes. Throws SystemError if
/// `text` has more than `length` bytes. Collective on the file's ranks.
void write_padded_attribute(const Handle& object, const std::string& name, std::string text,
                            std::size_t length);
/// Writes an attribute that is a floating-point number. Collective on the file's ranks.
void write_attribute(const Handle& object, const std::string& name, double value);
/// Writes an attribute that is an integer. Collective on the file's ranks.
void write_attribute(const Handle& object, const std::string& name, std::int64_t value);

/// Attaches to each axis of the dataset at `path` a dimension scale, which is a dataset with the
/// coordinates along this axis. The scale of axis i is the dataset with the name names[i] in the
/// group of `path` or, if this group has no such dataset, in the nearest group above that has one.
/// If the scale of an axis is the dataset at `path` itself, this dataset is marked as a dimension
/// scale. Collective on the file's ranks.
/// Source: HDF5 Dimension Scale Specification; netCDF-4 and xarray read dimension scales.
void name_axes(const Handle& file, const std::string& path, const std::vector<std::string>& names);

/// Writes a text as the scalar dataset `path`. Collective on the file's ranks.
void write_text(const Handle& file, const std::string& path, const std::string& text);

/// Describes the entries that one rank has in a row of a dataset, when all ranks write the row
/// together. The entries are computed and written segment by segment, so that the rank needs memory
/// for one segment only.
struct RowSegments {
  base::CellRange range;  ///< the indices of this rank's entries in the row; may be empty
  /// The largest number of entries that any rank has. It determines how many segments every rank
  /// writes.
  std::int64_t largest = 0;
  /// Computes the entries with the indices first, first + 1, … in the row and stores them in
  /// `values`. Local.
  std::function<void(std::int64_t first, std::span<double> values)> make;
};

/// The largest number of entries in a segment.
inline constexpr std::int64_t segment_entries = std::int64_t{1} << 20;

/// Creates the dataset `path` with the shape [total] and writes its entries segment by segment.
/// Collective on the file's ranks.
void write_distributed(const Handle& file, const std::string& path, const Attributes& attributes,
                       const RowSegments& segments, std::int64_t total);

/// Creates the dataset `path` with the root's `values`, and attaches the dimension scale `axis` to
/// the axis of this dataset (see name_axes). All ranks must pass equally many values; those of the
/// other ranks are ignored. Collective.
void write_column(const parallel::Communicator& comm, const Handle& file, const std::string& path,
                  const Attributes& attributes, std::span<const double> values,
                  const std::string& axis);

/// Returns all numbers of the dataset `path`. `ranks` says whether all ranks read the numbers in
/// one collective operation (H5FD_MPIO_COLLECTIVE, only for a file that open_together() has opened)
/// or each rank reads them independently (H5FD_MPIO_INDEPENDENT). Collective on the file's ranks.
std::vector<double> read_numbers(const Handle& file, const std::string& path,
                                 H5FD_mpio_xfer_t ranks = H5FD_MPIO_INDEPENDENT);

/// Fills `local` with the numbers at the indices first, first + 1, … of a dataset [n] or, if `row`
/// is given, of this row of a dataset [rows, columns]. `ranks` has the meaning that it has in
/// read_numbers(). Collective on the file's ranks.
void read_distributed(const Handle& file, const std::string& path, std::span<double> local,
                      std::int64_t first, std::optional<std::int64_t> row = {},
                      H5FD_mpio_xfer_t ranks = H5FD_MPIO_COLLECTIVE);

/// Returns a checksum of consecutive numbers of a table: the sum mod 2^64 of one hash for each
/// number. `first` is the index of numbers[0] in the table, counted row by row. The checksum
/// depends neither on the order of summation nor on the distribution of the numbers over the ranks.
/// The hash is a bijection of the bits of the number, so that a change of any single number changes
/// the checksum. The hash also depends on the index of the number, so that an exchange of two
/// numbers almost certainly changes the checksum.
/// Source: splitmix64, Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014.
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

/// The number of rows of a table, and checksums of the numbers in these rows (sum_of_hashes); a
/// checkpoint contains one CountedRows for each table. The last row has a checksum of its own
/// because it may be the sample at the final time T. A longer run that resumes from the checkpoint
/// may have no sample at this time, and then drops the row.
struct CountedRows {
  std::int64_t rows = 0;
  std::int64_t columns = 1;
  std::uint64_t before = 0;  ///< checksum of all rows except the last
  std::uint64_t last = 0;    ///< checksum of the last row

  /// Returns the four members as doubles, for a checkpoint. The bits of the two checksums are
  /// reinterpreted as doubles. Local.
  [[nodiscard]] std::vector<double> packed() const;
  /// Returns the object for which packed() has returned `numbers`. Throws SystemError if the length
  /// of `numbers` is not four. Local.
  static CountedRows unpacked(std::span<const double> numbers);
};

/// A checkpoint stores the CountedRows of a table under a name that consists of this word and the
/// path of the table.
inline constexpr const char* rows_name = "rows";

/// A dataset [rows, columns], or [rows] if `columns` is 0, that is filled row by row. The disk
/// space of all rows is allocated when the dataset is created, so that appending rows changes no
/// other part of the file. A row that is not yet written contains zeros. The object counts the
/// appended rows and computes checksums of their numbers for checkpoints.
class Table {
 public:
  /// Creates the dataset. The handle `file` must outlive the object; the file may be closed and
  /// opened again between two calls of member functions. Collective on the file's ranks.
  Table(const Handle& file, std::string path, const Attributes& attributes, std::int64_t rows,
        std::int64_t columns);

  /// Appends `rows` rows. If `root_of` is null, each rank writes some of the columns: `local` is
  /// the array [rows, columns of this rank] of their entries, which may be empty, and
  /// `first_column` is the index of the first of these columns. If `root_of` is given, only the
  /// root of this communicator writes the rows: `local` is there the array [rows, columns], and a
  /// failure is thrown on all ranks alike. Collective on the file's ranks.
  void append(std::int64_t rows, std::span<const double> local, std::int64_t first_column,
              const parallel::Communicator* root_of = nullptr);
  /// Appends one row, which is computed and written in segments. Collective on the file's ranks.
  void append_row(const RowSegments& segments);
  /// If the archive saves, saves the number of appended rows and the checksums of their numbers. If
  /// the archive restores, restores this number and the checksums, so that the next row is appended
  /// after the first `rows` rows; throws SystemError if the checkpoint does not contain the
  /// checksums of exactly these rows, or if the dataset has fewer rows. Collective on `comm`, which
  /// must consist of the ranks of the file.
  void serialize(const parallel::Communicator& comm, std::int64_t rows, engine::Archive& archive);

 private:
  const Handle* file_;
  std::string path_;
  // counts the appended rows; the checksums are those of the numbers that this rank wrote
  CountedRows counted_;
};

}  // namespace masing::io
