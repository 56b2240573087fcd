#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/expression.hpp"
#include "io/samples.hpp"

namespace masing::cli {

/// The inputs that the cells of a table of samples name: files with a table of two columns, and
/// arrays that the samples contain.
class Inputs {
 public:
  using Points = std::shared_ptr<const base::PointTable>;

  /// Throws UserError if the arrays of the samples do not have the sizes that the samples state.
  explicit Inputs(io::Samples source);

  /// Returns the index of an input, which is added unless an input of this name exists.
  std::size_t add(const std::string& name);
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::shared_ptr<const io::Samples>& source() const { return source_; }

  /// Returns an input that a cell of `column` names, and keeps it until this function reads another
  /// input for the same column. Throws UserError if the input cannot be read. Local.
  [[nodiscard]] Points read(const std::string& column, std::size_t index) const;
  /// Returns the checksum XXH3 of all inputs as 16 hexadecimal digits. Files that cannot be read
  /// are left out. Local.
  [[nodiscard]] std::string checksum() const;

 private:
  /// Returns the array `name`, which is called "array:0", "array:1" and so on. Throws UserError if
  /// the samples do not contain it.
  [[nodiscard]] Points array(const std::string& name) const;
  /// Returns the text of a file. Searches a file with a relative path beside the result file that
  /// contains the samples, then in the folder of the table. Throws UserError if the file cannot be
  /// read.
  [[nodiscard]] std::string text(const std::string& name) const;

  std::shared_ptr<const io::Samples> source_;
  std::vector<double> ends_;  // for each array the number of points up to its end
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> indices_;
  // for each column the input that was read last, with its index
  mutable std::map<std::string, std::pair<std::size_t, Points>> last_;
};

}  // namespace masing::cli
