#include "base/function.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/expression.hpp"
#include "base/text.hpp"
#include "base/text_table.hpp"

namespace masing::base {

namespace {

constexpr std::string_view points_prefix = "points:";

/// Returns the points with these arguments and values. Throws UserError if a number is not finite
/// or if the arguments do not increase; `what(i)` names point i in messages.
PointTable checked(std::vector<double> arguments, std::vector<double> values, const auto& what) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!std::isfinite(arguments[i]) || !std::isfinite(values[i])) {
      throw UserError(what(i) + " is not two finite numbers 'argument, value'");
    }
    if (i > 0 && arguments[i] <= arguments[i - 1]) {
      throw UserError(fmt::format("{}: argument {} does not follow {}; arguments must increase",
                                  what(i), to_text(arguments[i]), to_text(arguments[i - 1])));
    }
  }
  return {std::move(arguments), std::move(values)};
}

/// Returns the points in the rows of a table, which `name` names in messages.
PointTable points_in(std::string_view lines, const std::string& name) {
  const TextTable text = text_table(lines, name, 2);
  if (text.lines.empty()) {
    throw UserError(name + " has no points; give at least one 'argument, value'");
  }
  return checked(text.numbers(0), text.numbers(1), [&](std::size_t i) {
    return fmt::format("{} line {}: '{} {}'", name, text.lines[i], shortened(text.cell(i, 0), 30),
                       shortened(text.cell(i, 1), 30));
  });
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
  if (lines.find('\0') != std::string_view::npos) {
    throw UserError(name + " is no text in UTF-8 or ASCII; give columns of numbers");
  }
}

std::shared_ptr<const PointTable> points_of(std::string_view lines, const std::string& path) {
  const std::string name = "table " + path;
  require_text(lines, name);
  PointTable table = points_in(lines, name);
  if (table.arguments.size() == 1) {
    throw UserError(name + " has one point; give two at least, or a number in place of the table");
  }
  return std::make_shared<const PointTable>(std::move(table));
}

std::shared_ptr<const PointTable> points_of(std::vector<double> arguments,
                                            std::vector<double> values, const std::string& name) {
  if (arguments.size() < 2) {
    throw UserError(name + " has fewer than two points; give two at least");
  }
  return std::make_shared<const PointTable>(
      checked(std::move(arguments), std::move(values),
              [&](std::size_t i) { return fmt::format("{}: row {}", name, i + 1); }));
}

Function::Function(Expression expression)
    : expression_(std::make_shared<const Expression>(std::move(expression))) {}

Function::Function(std::string_view text, char variable) {
  std::string formula(trimmed(text));
  if (!formula.starts_with(points_prefix)) {
    *this = Function(Expression(formula, variable));
    return;
  }
  std::ranges::replace(formula, ';', '\n');
  *this = Function(std::make_shared<const PointTable>(
      points_in(formula.substr(points_prefix.size()), "points:")));
}

Function::Function(const std::shared_ptr<const PointTable>& points)
    : Function(Expression(text_of(*points), std::vector{Operation{.instruction = Instruction::table,
                                                                  .table = points}})) {}

Function::Function() {
  static const Function zero("0", 't');
  *this = zero;
}

Function Function::bound(const Constants& constants, const Tables& tables,
                         const Names& open) const {
  const bool is_bound = this->constants().empty() && this->tables().empty();
  return is_bound ? *this : Function(expression_->bound(constants, tables, open));
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
