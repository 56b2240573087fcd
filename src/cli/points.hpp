#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/expression.hpp"
#include "cli/words.hpp"
#include "io/specs.hpp"
#include "scan/points.hpp"

// These functions read the points of a scan: the axes of --over and the table of --samples.

namespace masing::cli {

/// The inputs that the cells of a table of samples name: files with a table of two columns, and
/// arrays that the samples contain.
class Inputs {
 public:
  using Points = std::shared_ptr<const base::PointTable>;

  explicit Inputs(io::Samples source);

  [[nodiscard]] const std::shared_ptr<const io::Samples>& source() const { return source_; }

  /// Returns the input `name`, which a cell of `column` names, and keeps it until this function
  /// reads another input for the same column. Throws UserError if the input cannot be read. Local.
  [[nodiscard]] Points read(const std::string& column, const std::string& name) const;
  /// Returns the checksum XXH3 of the inputs of these names and of all arrays, as 16 hexadecimal
  /// digits. Files that cannot be read are left out. Local.
  [[nodiscard]] std::string checksum(const std::vector<std::string>& names) const;

 private:
  /// Returns the array `name`, which is called "array:0", "array:1" and so on. Throws UserError if
  /// the samples do not contain it, or if their arrays do not have the sizes that they state.
  [[nodiscard]] Points array(const std::string& name) const;
  /// Returns the text of a file. Searches a file with a relative path beside the result file that
  /// contains the samples, then in the folder of the table. Throws UserError if the file cannot be
  /// read.
  [[nodiscard]] std::string text(const std::string& name) const;

  std::shared_ptr<const io::Samples> source_;
  // for each column the input that was read last, with its name
  mutable std::map<std::string, std::pair<std::string, Points>> last_;
};

/// The points of a scan and the inputs that they need.
struct Axes {
  scan::Points points = {};
  /// The inputs of the table of samples, whose rows are then the first axis; empty if there is
  /// none.
  std::optional<Inputs> inputs = {};
  decltype(Files::input) input = {};  ///< reads the inputs of a point on all ranks alike

  /// Returns the entries of all keys that the scan varies at a point. The text of an input is its
  /// path. Throws UserError if an input cannot be read. Local.
  [[nodiscard]] std::vector<Entry> at(std::int64_t point) const;
  /// Throws UserError if the inputs have another checksum than `before`, which may be empty. Local.
  void require_unchanged(const std::string& before) const;
};

/// Returns the points of a scan: the rows of --samples, whose table is in given.samples or in the
/// file that the option names, and the values of each --over. Throws UserError if an axis or the
/// table is not valid, if two of them vary the same, or if there are more than 10^6 points. Local
/// if reading `files` is local.
Axes axes_of(const Given& given, const Files& files);

}  // namespace masing::cli
