#include "io/sample_columns.hpp"

#include <cassert>

namespace io {

namespace {
constexpr std::size_t rows_kept = 8192;
}

void SampleColumns::add(const std::string& path, const Meaning& meaning) {
  columns_.push_back({Table(file_, path, meaning, 0), {}});
}

void SampleColumns::push(std::span<const double> row) {
  assert(row.size() == columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].pending.push_back(row[c]);
  }
  ++rows_;
  if (columns_.front().pending.size() >= rows_kept) {
    flush();
  }
}

void SampleColumns::resume(std::int64_t rows) {
  for (Column& column : columns_) {
    column.table.resume(rows);
  }
  rows_ = rows;
}

void SampleColumns::flush() {
  for (auto& [table, pending] : columns_) {
    const auto of_root = comm_.is_root() ? std::span<const double>(pending) : std::span<double>();
    table.append(static_cast<std::int64_t>(pending.size()), of_root, 0);
    pending.clear();
  }
  // What is written so far can be read if the run is cut off.
  check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL));
}

}  // namespace io
