#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace masing::base {

/// The cells of a table, which are parts of the text that contains the table.
struct TextTable {
  std::string name;  ///< names the table in messages
  /// The cells of the last line of words above the rows; empty if there is none.
  std::vector<std::string_view> heading;
  std::size_t columns = 0;
  std::vector<std::string_view> cells;  ///< [rows, columns]
  std::vector<int> lines;               ///< the number of the line of each row

  /// Returns the cell in a row and a column. Local.
  [[nodiscard]] std::string_view cell(std::size_t row, std::size_t column) const {
    return cells[row * columns + column];
  }
  /// Returns the numbers in the cells of a column, with NaN for a cell that is no finite number.
  /// Numbers may have a decimal point or a decimal comma, exponents with e or d, and thousands that
  /// the other mark separates. The cells of the column that can be read in one way only decide what
  /// its marks mean. If there are none, those of the other columns do; they decide that thousands
  /// are separated only where the column also has numbers without a mark. Throws UserError, whose
  /// message names both readings, if a comma may be either. Local.
  [[nodiscard]] std::vector<double> numbers(std::size_t column) const;
};

/// Returns the cells of the table that `text` contains; `text` must outlive them. Empty lines,
/// lines that begin with #, and a line such as "sep=;" are ignored. If the first row has a
/// semicolon or a tab, this separates the cells. If it has none, blanks do if it has no comma or
/// consists of several numbers between blanks, and commas otherwise. Quotation marks may enclose a
/// cell. Lines of words may stand above the rows; a line of `columns` cells is a row if one cell is
/// no word. If `columns` is 0, the first line is the heading: it has as many cells as each row, and
/// its separator, but a heading of one word has none. Throws UserError if a row has another
/// number of cells. Local.
TextTable text_table(std::string_view text, const std::string& name, std::size_t columns);

}  // namespace masing::base
