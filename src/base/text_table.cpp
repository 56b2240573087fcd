#include "base/text_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace masing::base {

namespace {

constexpr std::string_view minus_sign = "−";

/// Returns whether the commas of a number without an exponent separate its thousands: whether each
/// stands before three digits that a comma, the point or the end of the text follows, and one to
/// three digits, the first of which is not 0, stand before the first comma.
bool has_thousands(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  text.remove_prefix(text.find_first_of("+-") == 0 ? 1 : 0);
  const std::string_view whole = text.substr(0, text.find('.'));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const bool is_comma = (whole.size() - i) % 4 == 0;
    if (is_comma ? whole[i] != ',' : !is_digit(whole[i])) {
      return false;
    }
  }
  const std::string_view fraction = text.substr(std::min(text.size(), whole.size() + 1));
  return whole.size() > 4 && whole.front() > '0' && std::ranges::all_of(fraction, is_digit);
}

/// Returns the number in a cell whose decimal separator is `decimal`, a point or a comma. The other
/// one may separate the thousands of a number without an exponent. Returns NaN if the cell is no
/// finite number, or begins or ends with a comma, which is then a separator of cells.
double number_in(std::string_view cell, char decimal) {
  std::string text(cell);
  if (text.starts_with(minus_sign)) {
    text.replace(0, minus_sign.size(), "-");
  }
  const bool has_end = text.starts_with(',') || text.ends_with(',');
  if (decimal == ',') {  // then a point and a comma change their roles
    std::ranges::transform(text, text.begin(), [](char c) {
      return c == ',' ? '.' : c == '.' ? ',' : c;
    });
  }
  const bool has_comma = text.find(',') != std::string::npos;
  if (has_end || (has_comma && !has_thousands(text))) {
    return undefined;
  }
  std::erase(text, ',');
  std::ranges::replace(text, 'D', 'e');
  std::ranges::replace(text, 'd', 'e');
  return to_number(text).value_or(undefined);
}

/// Returns the decimal separator of a column, by the rule of TextTable::numbers().
char decimal_separator(const TextTable& table, std::size_t column) {
  const auto has_comma = [](auto text) { return text.find(',') != std::string_view::npos; };
  if (std::ranges::none_of(table.cells, has_comma)) {
    return '.';
  }
  std::set<char> own;     // the separators without which a cell of this column is no number
  std::set<char> others;  // the same of the other columns
  bool has_plain = false;
  std::size_t either = table.cells.size();  // the first cell of the column with two readings
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    const double point = number_in(table.cells[i], '.');
    const double comma = number_in(table.cells[i], ',');
    const bool is_own = i % table.columns == column;
    if (std::isnan(point) != std::isnan(comma)) {
      (is_own ? own : others).insert(std::isnan(comma) ? '.' : ',');
    } else if (is_own && !std::isnan(point)) {
      has_plain = has_plain || point == comma;
      either = point == comma ? either : std::min(either, i);
    }
  }
  if (!own.empty() || either == table.cells.size()) {
    return own == std::set{','} ? ',' : '.';
  }
  const std::string_view cell = table.cells[either];
  const char decimal = others.empty() ? '.' : *others.begin();
  const bool is_thousands = cell.find(decimal) == std::string_view::npos;
  if (others.size() > 1 || (is_thousands && (others.empty() || !has_plain))) {
    const auto [low, high] = std::minmax({number_in(cell, '.'), number_in(cell, ',')});
    throw UserError(fmt::format(
        "{} line {}: '{}' may be {} or {}, and no other number in its column shows which; give one "
        "of these",
        table.name, table.lines[either / table.columns], cell, to_text(low), to_text(high)));
  }
  return decimal;
}

/// Returns the separator of the cells of a line.
char separator_of(std::string_view line) {
  if (const auto found = line.find_first_of(";\t"); found != std::string_view::npos) {
    return line[found];
  }
  std::vector<std::string> words = split(line, ' ');
  std::erase(words, "");
  const auto is_number = [](std::string word) {
    std::erase(word, '"');
    return !std::isnan(number_in(word, '.')) || !std::isnan(number_in(word, ','));
  };
  const bool has_numbers = words.size() > 1 && std::ranges::all_of(words, is_number);
  return has_numbers || line.find(',') == std::string_view::npos ? ' ' : ',';
}

/// Appends the cells of a line to `cells`, without the quotation marks and blanks around them. One
/// separator may stand behind the last cell, and commas before semicolons and tabs.
void add_cells(std::string_view line, char separator, std::vector<std::string_view>& cells) {
  const char* const blanks = separator == '\t' ? " " : " \t";
  const std::string ends = separator == ' ' ? " \t" : std::string(1, separator);
  const auto skip = [&](std::size_t count) {
    line.remove_prefix(std::min(count, line.size()));
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  };
  for (skip(0); !line.empty();) {
    const std::size_t close = line.front() == '"' ? line.find('"', 1) : std::string_view::npos;
    const bool is_quoted = close != std::string_view::npos;
    const std::size_t end = std::min(line.find_first_of(ends, is_quoted ? close : 0), line.size());
    std::string_view cell = line.substr(0, end);
    cell = cell.substr(0, cell.find_last_not_of(separator == ',' ? " " : ", ") + 1);
    cells.push_back(is_quoted && cell.size() == close + 1 ? trimmed(cell.substr(1, close - 1))
                                                          : cell);
    skip(end + 1);
  }
}

/// Returns whether a cell is a word: it begins as no number does, and stands for no missing one.
bool is_word(std::string_view cell) {
  constexpr std::string_view missing[] = {"nan", "inf", "infinity", "na", "n/a", "null", "none"};
  std::string lower(cell);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool is_number = cell.starts_with(minus_sign) || cell.find_first_of("-+.,0123456789") == 0;
  return !is_number && std::ranges::count(missing, lower) == 0;
}

}  // namespace

std::vector<double> TextTable::numbers(std::size_t column) const {
  const char decimal = decimal_separator(*this, column);
  std::vector<double> all;
  for (std::size_t i = column; i < cells.size(); i += columns) {
    all.push_back(number_in(cells[i], decimal));
  }
  return all;
}

TextTable text_table(std::string_view text, const std::string& name, std::size_t columns) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  text.remove_prefix(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  const char line_end = text.find('\n') == std::string_view::npos ? '\r' : '\n';
  TextTable table{.name = name, .columns = columns};
  char separator = 0;  // of the rows; 0 above them
  std::size_t end = 0;
  for (int number = 1; end != std::string_view::npos; ++number) {
    end = text.find(line_end);
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#' || line.starts_with("sep=")) {
      continue;
    }
    const std::size_t before = table.cells.size();
    const char own = separator == 0 ? separator_of(line) : separator;
    add_cells(line, own, table.cells);
    const std::span row(table.cells.begin() + static_cast<std::ptrdiff_t>(before),
                        table.cells.end());
    const bool is_above = columns == 0 || std::ranges::all_of(row, is_word) ||
                          (row.size() != columns && is_word(row.front()));
    if (separator == 0 && is_above) {
      table.columns = columns == 0 ? row.size() : columns;
      separator = columns > 0 ? '\0' : row.size() == 1 ? '\n' : own;
      table.heading = std::exchange(table.cells, {});
      continue;
    }
    separator = own;
    table.lines.push_back(number);
    if (row.size() != table.columns) {
      throw UserError(fmt::format("{} line {} has {} cells, not {}{}", name, number, row.size(),
                                  table.columns, columns == 0 ? " as the heading" : ""));
    }
  }
  return table;
}

}  // namespace masing::base
