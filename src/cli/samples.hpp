#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/expression.hpp"
#include "io/samples.hpp"
#include "scan/scan.hpp"

namespace masing::cli {

/// The cells of a table in the form of a CSV file.
struct Cells {
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> rows;  ///< as many cells in each row as in the heading
  std::vector<int> lines;                      ///< the number of the line of each row
};

/// Returns the cells of a table. The first line that is neither empty nor begins with # is the
/// heading. Semicolons separate the cells if the heading has any, or else tabs if it has any, or
/// else commas; quotation marks may enclose a cell. Throws UserError if there is no row, or if a
/// row does not have as many cells as the heading. Local.
Cells cells_of(const std::string& table);

/// The inputs that the cells of a table of samples name: files with a table of two columns, and
/// arrays that the samples contain. The object keeps the inputs that were read last.
class Inputs {
 public:
  /// An input as it was read.
  struct Input {
    std::shared_ptr<const base::PointTable> points;
    scan::InputFacts facts;
  };

  /// Throws UserError if the arrays of the samples do not have the sizes that the samples state.
  explicit Inputs(io::Samples source);

  /// Returns the index of an input, which is added unless an input of this name exists.
  std::size_t add(const std::string& name);
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::shared_ptr<const io::Samples>& source() const { return source_; }

  /// Returns an input. Searches a file with a relative path beside the result file that contains
  /// the samples, then in the folder of the table. Throws UserError if the input cannot be read.
  /// Local.
  [[nodiscard]] const Input& read(std::size_t index) const;

 private:
  /// Returns the array `name`, which is called "array:0", "array:1" and so on. Throws UserError if
  /// the samples do not contain it.
  [[nodiscard]] Input array(const std::string& name) const;

  std::shared_ptr<const io::Samples> source_;
  std::vector<double> ends_;  // for each array the number of points up to its end
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> indices_;
  // the inputs that were read last, each with its index; the last one first
  mutable std::deque<std::pair<std::size_t, Input>> last_;
};

}  // namespace masing::cli
