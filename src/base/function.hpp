#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bounds.hpp"
#include "base/expression.hpp"

namespace masing::base {

/// A real function of one variable, as a user gives it: an expression ("0.45*cos(0.5*t)"), points
/// ("points:0 1; 0.5 2") or a table, linear between its points and constant beyond; or a sum of
/// such. A value whose copies share what was parsed.
class Function {
 public:
  /// The function that is 0 everywhere.
  Function();
  /// `variable` is the one letter the expression may use beside the names of `constants`. Throws
  /// UserError that gives the position of the error and what is allowed; UnknownName. Local.
  Function(std::string_view text, char variable, const Names& constants = {});
  /// The points in the lines of a table, "argument, value", which `path` names in messages. Throws
  /// UserError. Local.
  static Function of_table(std::string_view lines, const std::string& path);

  /// The same with the values of `constants`. Local.
  [[nodiscard]] Function bound(const Constants& constants) const;
  /// The constants that it uses and that have no value yet.
  [[nodiscard]] Names constants() const { return expression_->constants(); }

  /// The value at `argument`; may be infinite or NaN where the expression is. Local.
  double operator()(double argument) const;
  /// values[i] = value at arguments[i], of one size; they must not overlap. Local.
  void evaluate(std::span<const double> arguments, std::span<double> values) const;

  /// Whether the value is evidently constant: without its variable, a table of one point. Local.
  [[nodiscard]] bool is_constant() const { return expression_->is_constant(); }
  /// The arguments of its tables' points, where the slope may jump, increasing.
  [[nodiscard]] std::vector<double> kinks() const;
  [[nodiscard]] std::span<const Operation> operations() const { return expression_->operations(); }
  /// Whether both carry out the same operations. Local.
  bool operator==(const Function& other) const {
    return std::ranges::equal(operations(), other.operations());
  }

  /// What is known of the function on [first, last]; of a table exactly, its points being where it
  /// is not smooth. Local.
  [[nodiscard]] Bounds bounds(double first, double last) const;
  /// Its range on [first, last], to check what follows from bounds() with: by plain_range, where a
  /// part overflows by bounds(). Local.
  [[nodiscard]] Enclosure range(double first, double last) const;

  /// This function + `factor`·`other`.
  [[nodiscard]] Function plus(double factor, const Function& other) const;

  /// A text that gives the same function without any file or constants: a table becomes its points,
  /// a bound constant its value. Empty for what plus() returns.
  [[nodiscard]] const std::string& text() const { return expression_->text(); }

 private:
  explicit Function(Expression expression);
  /// Points in lines "argument separator value" that `name` has; those of a file before the first
  /// that begins with a number are its heading.
  static Function of_points(std::string_view text, char line_end, const std::string& name);

  std::shared_ptr<const Expression> expression_;
};

}  // namespace masing::base
