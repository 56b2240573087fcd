#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace masing::scan {

/// A quantity that differs between the points of a scan.
struct Column {
  std::string name;
  /// The key of the configuration that the column gives: "mass", "model.k", "let.w", "table.r".
  /// Empty if the column numbers the rows of a table of samples.
  std::string key = {};
  std::string place = {};  ///< where the column was given, for messages: "--over mass"
  std::vector<double> values = {};
  bool has_paths = false;   ///< whether the values are indices in Points::paths
  bool is_axis = true;      ///< false if the values vary together with those of the column before
  std::int64_t stride = 1;  ///< the number of points from one value to the next

  /// Returns the value at a point. Local.
  [[nodiscard]] double at(std::int64_t point) const {
    return values[static_cast<std::size_t>(point / stride) % values.size()];
  }
};

/// The points of a scan: all combinations of the values of the axes, of which the last varies
/// fastest.
struct Points {
  std::vector<Column> columns = {};
  std::vector<std::string> paths = {};  ///< the names of all inputs that the columns contain

  /// Sets Column::stride of all columns. Local.
  void arrange() {
    std::int64_t points = 1;
    for (auto column = columns.rbegin(); column != columns.rend(); ++column) {
      column->stride = points;
      points *= column->is_axis ? std::ssize(column->values) : 1;
    }
  }
  /// Returns the number of points; one if there are no axes. Local.
  [[nodiscard]] std::int64_t count() const {
    return columns.empty() ? 1 : columns[0].stride * std::ssize(columns[0].values);
  }
};

}  // namespace masing::scan
