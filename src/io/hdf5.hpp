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

/// Return `code`; throw SystemError with HDF5's message and the place of the call if it is < 0.
/// Local.
hid_t check(hid_t code, base::Location where = base::Location::current());

/// Owner of an HDF5 identifier, closed by `close`; move-only.
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

/// The attributes of a dataset: what it holds, in words, as the papers' symbol, as the label of an
/// axis where it has one, and its units, "1" of what has none.
struct Attributes {
  std::string description;
  std::string symbol;
  std::string label = {};
  std::string units = "1";
};

/// A file opened by all ranks with `flags` (H5F_ACC_…), a new one with H5F_ACC_TRUNC: by MPI-IO;
/// where the session has one rank without it.
/// What HDF5 keeps beside the numbers, groups, names and sizes, all ranks must read and write
/// together; numbers one of them may move alone. Without a path it is a new one in memory, of a
/// session of one rank. Collective on `comm`.
Handle open_together(const parallel::Communicator& comm, const std::string& path, unsigned flags);
/// Properties of access to objects of a `kind`, as H5P_DATASET_ACCESS, with which the root reads
/// for all ranks what describes them: HDF5 1.10 does not go by the file's own. Local.
Handle access_together(hid_t kind);
/// A dataset of an open file. Collective on its ranks.
Handle open_dataset(const Handle& file, const std::string& path);

/// Hand all of a file to the system: what its closing could not write would go unnoticed.
/// Collective on the file's ranks.
void flush(const Handle& file);

/// A group "/name". Collective on the file's ranks.
Handle create_group(const Handle& file, const std::string& name);

/// A text attribute of a group or dataset, of its own length. Collective on the file's ranks.
void write_attribute(const Handle& object, const std::string& name, const std::string& text);
/// A text attribute of `length` bytes, padded; written again, it changes nothing else in the file.
/// Throws SystemError where the text is longer. Collective on the file's ranks.
void write_padded_attribute(const Handle& object, const std::string& name, std::string text,
                            std::size_t length);
/// An attribute that is a number. Collective on the file's ranks.
void write_attribute(const Handle& object, const std::string& name, double value);
/// The same of a whole number. Collective on the file's ranks.
void write_attribute(const Handle& object, const std::string& name, std::int64_t value);

/// Name the axes of the dataset at `path`: each is the dimension scale of that name in the group of
/// the dataset or in one above, the dataset itself where the name is its own. Collective on the
/// file's ranks.
/// Source: HDF5 Dimension Scale Specification; netCDF-4 and xarray read it.
void name_axes(const Handle& file, const std::string& path, const std::vector<std::string>& names);

/// One text as a scalar dataset. Collective on the file's ranks.
void write_text(const Handle& file, const std::string& path, const std::string& text);

/// A rank's entries of a row that all ranks write together, made piece by piece so that they need
/// not be held twice.
struct RowPieces {
  base::CellRange range;     ///< this rank's entries of the row; it may have none
  std::int64_t largest = 0;  ///< the most entries of any rank: all ranks make as many writes
  /// Makes the entries from `first` on, a global index. Local.
  std::function<void(std::int64_t first, std::span<double> values)> make;
};

/// Entries of one piece.
inline constexpr std::int64_t piece_entries = std::int64_t{1} << 20;

/// A dataset [total] made in pieces. Collective on the file's ranks.
void write_distributed(const Handle& file, const std::string& path, const Attributes& attributes,
                       const RowPieces& pieces, std::int64_t total);

/// A dataset [values] of the root's `values`, which other ranks may have, too, its axis named
/// `axis` as by name_axes. Every rank gives as many. Collective.
void write_column(const parallel::Communicator& comm, const Handle& file, const std::string& path,
                  const Attributes& attributes, std::span<const double> values,
                  const std::string& axis);

/// All numbers of a dataset [n], which `ranks` read: with H5FD_MPIO_COLLECTIVE one for all where
/// the file is open_together. Collective on the file's ranks.
std::vector<double> read_numbers(const Handle& file, const std::string& path,
                                 H5FD_mpio_xfer_t ranks = H5FD_MPIO_INDEPENDENT);

/// Fill `local` with the numbers of a dataset from index `first` on, of a table with those of its
/// row `row`; `ranks` as of read_numbers. Collective on the file's ranks.
void read_distributed(const Handle& file, const std::string& path, std::span<double> local,
                      std::int64_t first, std::optional<std::int64_t> row = {},
                      H5FD_mpio_xfer_t ranks = H5FD_MPIO_COLLECTIVE);

/// The sum mod 2^64 of hashes of a table's numbers from the one of index `first` on (row by row):
/// in any order and on any ranks the same. Each is a bijection of the number's bits, so that no
/// change of a single one goes unseen, keyed by its index, so that it cannot change places.
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

/// The rows of a table that a checkpoint covers, and their sum_of_hashes. The last row is apart: it
/// is the sample at T, which a run that goes on beyond T does not have.
struct CountedRows {
  std::int64_t rows = 0;
  std::int64_t columns = 1;
  std::uint64_t before = 0;  ///< of all rows but the last
  std::uint64_t last = 0;    ///< of the last one

  /// As numbers of a checkpoint, which are doubles: those of the sums have their bits. Local.
  [[nodiscard]] std::vector<double> packed() const;
  /// Of four such numbers. Throws SystemError where they are not four. Local.
  static CountedRows unpacked(std::span<const double> numbers);
};

/// Where an owner's part of a checkpoint has the CountedRows of its tables: this and their paths.
inline constexpr const char* rows_name = "rows";

/// A dataset [rows, columns], or [rows] where `columns` is 0, that is filled row by row. It has its
/// place in the file from the beginning, so that rows change nothing else there. Rows to come are
/// zeros. Checkpoints keep a checksum of those so far.
class Table {
 public:
  /// `file` must outlive the object; it may be closed and opened again between two calls.
  /// Collective on the file's ranks.
  Table(const Handle& file, std::string path, const Attributes& attributes, std::int64_t rows,
        std::int64_t columns);

  /// Append rows: each rank writes the columns from `first_column` on, `local` [rows, columns of
  /// this rank], which may be none; or the root of `root_of` writes its own alone, [rows, columns],
  /// and failures are thrown alike on all ranks. Collective on the file's ranks.
  void append(std::int64_t rows, std::span<const double> local, std::int64_t first_column,
              const parallel::Communicator* root_of = nullptr);
  /// Append one row made in pieces. Collective on the file's ranks.
  void append_row(const RowPieces& pieces);
  /// Save what is counted so far, the first `rows` rows, or go on after them. Throws SystemError
  /// where so many are not saved, or have no room. Collective on `comm`, the file's ranks.
  void serialize(const parallel::Communicator& comm, std::int64_t rows, engine::Archive& archive);

 private:
  const Handle* file_;
  std::string path_;
  CountedRows counted_;  // so far, of the sums this rank's part
};

}  // namespace masing::io
