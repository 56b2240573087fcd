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

/// A real function of one variable that a user gives as an expression ("0.45*cos(0.5*t)"), as
/// points ("points:0 1; 0.5 2") or as a table of points; or a sum of such functions. A function
/// given by points is linear between the points and constant beyond them. Copies of a Function
/// share the parsed operations.
class Function {
 public:
  /// Constructs the function that is 0 everywhere.
  Function();
  /// Parses an expression or points. `variable` is the one letter that the expression may use
  /// besides the names of `constants`. If the text is not valid, throws UserError with a message
  /// that gives the position of the error and says what is allowed; for an unknown name throws
  /// UnknownName. Local.
  Function(std::string_view text, char variable, const Names& constants = {});
  /// Returns the function whose points are in the lines "argument, value" of a table; `path` names
  /// the table in messages. Throws UserError if `lines` are not text, if a line after the heading
  /// does not contain two finite numbers, if the arguments do not increase, or if there are fewer
  /// than two points. Local.
  static Function of_table(std::string_view lines, const std::string& path);

  /// Returns this function with the values of `constants` inserted. Local.
  [[nodiscard]] Function bound(const Constants& constants) const;
  /// Returns the names of the constants that the function uses and that have no value yet.
  [[nodiscard]] Names constants() const { return expression_->constants(); }

  /// Returns the value at `argument`; it may be infinite or NaN. Where only a part of the
  /// expression overflows, as in exp(t)/exp(t), the value is the limit if the limit can be enclosed
  /// in a narrow interval. Local.
  double operator()(double argument) const;
  /// Sets values[i] to the value at arguments[i]. Both arrays must have the same size and must not
  /// overlap. Local.
  void evaluate(std::span<const double> arguments, std::span<double> values) const;

  /// Returns whether the function evidently is constant: neither its variable nor a table of more
  /// than one point occurs in it. Local.
  [[nodiscard]] bool is_constant() const { return expression_->is_constant(); }
  /// Returns, in increasing order, the arguments of all points of tables in the function. The slope
  /// of the function may jump there.
  [[nodiscard]] std::vector<double> kinks() const;
  [[nodiscard]] std::span<const Operation> operations() const { return expression_->operations(); }
  /// Returns whether both functions consist of equal operations in the same order. Local.
  bool operator==(const Function& other) const {
    return std::ranges::equal(operations(), other.operations());
  }

  /// Returns enclosures of the function and of its derivatives on [first, last] (bounds.hpp). For a
  /// table they are exact within rounding errors, and the function counts as not smooth if a point
  /// of the table lies inside the interval. Local.
  [[nodiscard]] Bounds bounds(double first, double last) const;
  /// Returns an interval that contains the values of the function on [first, last]. It serves to
  /// check results that were derived from bounds(). The interval is computed by plain_range() or,
  /// if the result of plain_range() is not finite, by bounds(). Local.
  [[nodiscard]] Enclosure range(double first, double last) const;

  /// Returns the sum of this function and `factor`·`other`.
  [[nodiscard]] Function plus(double factor, const Function& other) const;

  /// Returns a text from which this function can be constructed without any file: a table is
  /// replaced by its points, and a constant that has a value by this value. The text is empty for a
  /// function that plus() returned.
  [[nodiscard]] const std::string& text() const { return expression_->text(); }

 private:
  explicit Function(Expression expression);
  /// Returns the function given by points in lines "argument separator value", each of which ends
  /// with `line_end`; `name` names the text in messages. In a file, where `line_end` is a newline,
  /// the lines before the first one that begins with a number are the heading, which is skipped.
  static Function of_points(std::string_view text, char line_end, const std::string& name);

  std::shared_ptr<const Expression> expression_;
};

}  // namespace masing::base
