#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "parallel/communicator.hpp"

namespace io {

/// Datasets [n] that grow by one row a sample. Rows are kept and written some thousands at a time;
/// flush() writes the last ones.
class SampleColumns {
 public:
  /// Both must outlive the object. Local.
  SampleColumns(const parallel::Communicator& comm, const Handle& file)
      : comm_(comm), file_(file) {}

  /// One more column, before the first row. Collective.
  void add(const std::string& path, const Meaning& meaning);
  /// One row, the same on every rank, an entry a column. Collective where it fills the buffer.
  void push(std::span<const double> row);
  /// Collective.
  void flush();
  /// Go on after the first `rows` rows of the file. Collective.
  void resume(std::int64_t rows);
  /// Rows so far.
  [[nodiscard]] std::int64_t rows() const { return rows_; }

 private:
  struct Column {
    Table table;
    std::vector<double> pending;
  };

  const parallel::Communicator& comm_;
  const Handle& file_;
  std::vector<Column> columns_;
  std::int64_t rows_ = 0;
};

}  // namespace io
