#include "base/function.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/enclosure.hpp"
#include "base/error.hpp"
#include "base/expression.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace masing::base {

namespace {

constexpr std::string_view points_prefix = "points:";

/// Returns the number that a word of a table represents, or nothing if the word is not a number; a
/// comma inside the word is the decimal separator.
std::optional<double> table_number(std::string word) {
  // A comma at an end of the word is no decimal separator.
  if (word.starts_with(',') || word.ends_with(',')) {
    return std::nullopt;
  }
  std::replace(word.begin(), word.end(), ',', '.');
  return to_number(word);
}

/// Returns the words of a line of a table. The words are separated by semicolons if the line has
/// any, or else by tabs if it has any. In a line without both, blanks are tried: they separate the
/// words if these are two or more numbers, which may contain decimal commas. If they are not,
/// commas and blanks separate the words.
std::vector<std::string> table_words(const std::string& line) {
  const auto words_between = [](const std::string& text, char separator) {
    std::vector<std::string> words = split(text, separator);
    std::erase(words, "");
    return words;
  };
  for (const char separator : {';', '\t'}) {
    if (line.find(separator) != std::string::npos) {
      std::vector<std::string> words = words_between(line, separator);
      for (std::string& word : words) {
        // This removes commas and blanks before the separator.
        word.resize(word.find_last_not_of(", ") + 1);
      }
      return words;
    }
  }
  std::vector<std::string> words = words_between(line, ' ');
  const auto is_number = [](const std::string& word) { return table_number(word).has_value(); };
  if (words.size() > 1 && std::ranges::all_of(words, is_number)) {
    return words;
  }
  std::string parted = line;
  std::replace(parted.begin(), parted.end(), ',', ' ');
  return words_between(parted, ' ');
}

/// Returns `value`, the computed value of an expression at `argument`, if it is finite. If it is
/// not, a part of the expression may have overflowed, as in exp(t)/exp(t) for a large t. If
/// bounds_of() then encloses the true value in a narrow interval, the centre of this interval is
/// returned, and if not, `value`.
double or_limit(const Expression& expression, double argument, double value) {
  if (value - value == 0.0) [[likely]] {
    return value;
  }
  const Bounds enclosure = bounds_of(expression.operations(), argument, argument);
  const double width = enclosure.value.high - enclosure.value.low;
  const double allowed = std::max(1e-9 * enclosure.value.magnitude(), 1e-10);
  const bool is_known = enclosure.smooth && width <= allowed;
  return is_known ? std::midpoint(enclosure.value.low, enclosure.value.high) : value;
}

/// Returns the two numbers of a line whose form is the most frequent one: two numbers, between them
/// blanks with at most one comma, semicolon or tab. Returns nothing for any other line.
std::optional<std::pair<double, double>> usual_line(std::string_view line) {
  std::pair<double, double> numbers;
  const char* const end = line.data() + line.size();
  const auto [comma, first_error] = std::from_chars(line.data(), end, numbers.first);
  const auto is_blank = [](char c) { return c == ' '; };
  const char* next = std::find_if_not(comma, end, is_blank);
  next += next != end && (*next == ',' || *next == ';' || *next == '\t') ? 1 : 0;
  const auto [rest, second_error] =
      std::from_chars(std::find_if_not(next, end, is_blank), end, numbers.second);
  const bool is_usual = first_error == std::errc() && second_error == std::errc() &&
                        next != comma && rest == end && std::isfinite(numbers.first) &&
                        std::isfinite(numbers.second);
  return is_usual ? std::optional(numbers) : std::nullopt;
}

/// Returns the points in the lines of `text`. Each line contains an argument and a value, and
/// `line_end` separates the lines; `name` names the text in messages. If `line_end` is a newline,
/// the lines before the first one that begins with a number are skipped as a heading.
PointTable points_in(std::string_view text, char line_end, const std::string& name) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  text.remove_prefix(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  PointTable table;
  std::size_t end = 0;
  for (int number = 1; end != std::string_view::npos; ++number) {
    end = text.find(line_end);
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') {
      continue;
    }
    auto point = usual_line(line);
    if (!point) {
      const std::vector<std::string> words = table_words(std::string(line));
      const auto argument = words.size() == 2 ? table_number(words[0]) : std::nullopt;
      const auto value = words.size() == 2 ? table_number(words[1]) : std::nullopt;
      if (argument && value) {
        point = {*argument, *value};
      } else if (line_end == '\n' && table.arguments.empty() && !words.empty() &&
                 !table_number(words[0])) {
        continue;
      } else {
        throw UserError(fmt::format("{} line {}: '{}' is not two finite numbers 'argument, value'",
                                    name, number, shortened(line, 60)));
      }
    }
    if (!table.arguments.empty() && point->first <= table.arguments.back()) {
      throw UserError(
          fmt::format("{} line {}: argument {} does not follow {}; arguments must increase", name,
                      number, to_text(point->first), to_text(table.arguments.back())));
    }
    table.arguments.push_back(point->first);
    table.values.push_back(point->second);
  }
  if (table.arguments.empty()) {
    throw UserError(name + " has no points; give at least one 'argument, value'");
  }
  return table;
}

/// Returns the text "points:0 1; 0.5 2" of a table.
std::string text_of(const PointTable& table) {
  std::string text(points_prefix);
  for (std::size_t i = 0; i < table.arguments.size(); ++i) {
    text += i == 0 ? "" : "; ";
    text += to_text(table.arguments[i]) + " ";
    text += to_text(table.values[i]);
  }
  return text;
}

}  // namespace

void require_text(std::string_view lines, const std::string& name) {
  const bool is_wide = lines.starts_with("\xFF\xFE") || lines.starts_with("\xFE\xFF");
  if (is_wide || lines.find('\0') != std::string_view::npos) {
    throw UserError(name + (is_wide ? " is UTF-16; save it as UTF-8 or ASCII"
                                    : " is no text; give columns of numbers"));
  }
}

std::shared_ptr<const PointTable> points_of(std::string_view lines, const std::string& path) {
  const std::string name = "table " + path;
  require_text(lines, name);
  PointTable table = points_in(lines, '\n', name);
  if (table.arguments.size() == 1) {
    throw UserError(name + " has one point; give two at least, or a number in place of the table");
  }
  return std::make_shared<const PointTable>(std::move(table));
}

std::shared_ptr<const PointTable> points_of(std::vector<double> arguments,
                                            std::vector<double> values, const std::string& name) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_finite = std::isfinite(arguments[i]) && std::isfinite(values[i]);
    if (!is_finite || (i > 0 && arguments[i] <= arguments[i - 1])) {
      throw UserError(fmt::format(
          "{}: row {}: {}", name, i + 1,
          is_finite ? fmt::format("argument {} does not follow {}; arguments must increase",
                                  to_text(arguments[i]), to_text(arguments[i - 1]))
                    : "what is not finite; give finite numbers"));
    }
  }
  if (arguments.size() < 2) {
    throw UserError(name + " has fewer than two points; give two at least");
  }
  return std::make_shared<const PointTable>(PointTable{std::move(arguments), std::move(values)});
}

Function::Function(Expression expression)
    : expression_(std::make_shared<const Expression>(std::move(expression))) {}

Function::Function(std::string_view text, char variable, const Names& constants,
                   const Names& tables) {
  const std::string_view formula = trimmed(text);
  *this = formula.starts_with(points_prefix)
              ? Function(std::make_shared<const PointTable>(
                    points_in(formula.substr(points_prefix.size()), ';', "points:")))
              : Function(Expression(std::string(formula), variable, constants, tables));
}

Function::Function(const std::shared_ptr<const PointTable>& points)
    : Function(Expression(text_of(*points), std::vector{Operation{.instruction = Instruction::table,
                                                                  .table = points}})) {}

Function::Function() {
  static const Function zero("0", 't');
  *this = zero;
}

Function Function::bound(const Constants& constants, const Tables& tables) const {
  const bool is_bound = this->constants().empty() && this->tables().empty();
  return is_bound ? *this : Function(expression_->bound(constants, tables));
}

std::vector<double> Function::kinks() const {
  std::vector<double> all;
  for (const Operation& operation : operations()) {
    if (operation.table) {
      const std::vector<double> before = std::exchange(all, {});
      std::ranges::set_union(before, operation.table->arguments, std::back_inserter(all));
    }
  }
  return all;
}

double Function::operator()(double argument) const {
  return or_limit(*expression_, argument, (*expression_)(argument));
}

void Function::evaluate(std::span<const double> arguments, std::span<double> values) const {
  evaluate_operations(operations(), arguments, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = or_limit(*expression_, arguments[i], values[i]);
  }
}

Bounds Function::bounds(double first, double last) const {
  return bounds_of(operations(), first, last);
}

Function Function::plus(double factor, const Function& other) const {
  std::vector<Operation> sum(operations().begin(), operations().end());
  sum.push_back({.number = factor});
  std::ranges::copy(other.operations(), std::back_inserter(sum));
  for (const char* sign : {"*", "+"}) {
    sum.push_back(operation_named(sign));
  }
  return Function(Expression("", std::move(sum)));
}

}  // namespace masing::base
