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

/// Throws UserError, whose message begins with `name`, if `lines` are not text in UTF-8 or ASCII,
/// but for example in UTF-16. Local.
void require_text(std::string_view lines, const std::string& name);

/// Returns the points in the rows "argument, value" of a table, as text_table() reads it: lines of
/// words may stand above the rows. `path` names the table in messages. Throws UserError if `lines`
/// are not text, if a row is not two finite numbers, if a number may be read in two ways, if the
/// arguments do not increase, or if there are fewer than two points.
/// Local.
std::shared_ptr<const PointTable> points_of(std::string_view lines, const std::string& path);
/// Returns the points with these arguments and values, of which there must be equally many. Throws
/// UserError, whose message begins with `name`, if there are fewer than two, if one is not finite,
/// or if the arguments do not increase. Local.
std::shared_ptr<const PointTable> points_of(std::vector<double> arguments,
                                            std::vector<double> values, const std::string& name);

/// A real function of one variable. A user gives it as an expression ("0.45*cos(0.5*t)"), as points
/// ("points:0 1; 0.5 2") or as a file with a table of points; plus() adds two functions. A function
/// given by points is linear between the points and constant beyond them. Copies of a Function
/// share the parsed operations.
class Function {
 public:
  /// Constructs the function that is 0 everywhere.
  Function();
  /// Parses an expression of the variable with this letter, or points. Other names in it are those
  /// of constants and tables, which bound() inserts. Throws UserError if the text is not valid; the
  /// message says what is wrong and where. Local.
  Function(std::string_view text, char variable);
  /// Constructs the function that is given by these points.
  explicit Function(const std::shared_ptr<const PointTable>& points);

  /// Returns this function with the values of `constants` and the points of `tables` inserted.
  /// Throws UserError for a name that is in neither of them nor in `open`; the error is UnknownName
  /// if the name could be that of a constant. Local.
  [[nodiscard]] Function bound(const Constants& constants, const Tables& tables = {},
                               const Names& open = {}) const;
  /// Returns the names of the constants that the function uses and that have no value yet.
  [[nodiscard]] Names constants() const { return expression_->constants(); }
  /// Returns the names of the tables that the function uses and that have no points yet.
  [[nodiscard]] Names tables() const { return expression_->tables(); }

  /// Returns the value at `argument`, which may be infinite or NaN. Local.
  double operator()(double argument) const { return (*expression_)(argument); }
  /// Sets values[i] to the value at arguments[i]. Both arrays must have the same size and must not
  /// overlap. Local.
  void evaluate(std::span<const double> arguments, std::span<double> values) const {
    evaluate_operations(operations(), arguments, values);
  }

  /// Returns whether neither the variable nor a table of more than one point occurs in the
  /// function, so that it is constant. Local.
  [[nodiscard]] bool is_constant() const { return expression_->is_constant(); }
  /// Returns, in increasing order, the arguments of all points of tables in the function. The slope
  /// of the function may jump there.
  [[nodiscard]] std::vector<double> kinks() const;
  [[nodiscard]] std::span<const Operation> operations() const { return expression_->operations(); }
  /// Returns whether both functions consist of equal operations in the same order. Local.
  bool operator==(const Function& other) const {
    return std::ranges::equal(operations(), other.operations());
  }

  /// Returns enclosures of the function and of its derivatives on [first, last] (bounds.hpp). If a
  /// point of a table lies inside the interval, the function counts as not smooth; if not, value
  /// and slope of the table are exact within rounding errors. Local.
  [[nodiscard]] Bounds bounds(double first, double last) const {
    return bounds_of(operations(), first, last);
  }
  /// Returns the sum of this function and `factor`·`other`. Local.
  [[nodiscard]] Function plus(double factor, const Function& other) const;

  /// Returns a text from which this function can be constructed without a file: a table without a
  /// name is written as its points, and a constant that has a value as this value. A named table
  /// stays a name. The text is empty if plus() returned this function.
  [[nodiscard]] const std::string& text() const { return expression_->text(); }

 private:
  explicit Function(Expression expression);
  std::shared_ptr<const Expression> expression_;
};

}  // namespace masing::base
