#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bounds.hpp"

namespace masing::base {

/// Reads a whole file; throws UserError where it cannot. Every rank must get the same text.
using FileReader = std::function<std::string(const std::string& path)>;

/// A real function of one variable, as a user gives it: an expression ("0.45*cos(0.5*t)"), a table
/// in a file ("table:FILE.csv"), or the points themselves ("points:0 1; 0.5 2"). Between points it
/// is linear, beyond them constant. Expressions know pi, and triangle(), square(), sawtooth() of
/// period 1 and amplitude 1. A value whose copies share what was parsed.
class Function {
 public:
  /// The function that is 0 everywhere.
  Function() = default;
  /// `variable` is the one letter the expression may use beside named `constants`. Throws UserError
  /// that gives the position of the error and what is allowed. Local if `read` is.
  Function(std::string_view text, char variable, const FileReader& read,
           const std::map<std::string, double>& constants = {});

  /// The value at `argument`; may be infinite or NaN where the expression is. Local.
  double operator()(double argument) const;

  /// Whether the value is evidently constant: an expression without its variable, a table of one
  /// point. Local.
  [[nodiscard]] bool is_constant() const;

  /// The arguments of a table's points, where the slope may jump, increasing; none for an
  /// expression.
  [[nodiscard]] std::span<const double> kinks() const;

  /// What is known of the function on [first, last]; of a table exactly, its points being where it
  /// is not smooth. Local.
  [[nodiscard]] Bounds bounds(double first, double last) const;

  /// Its range on [first, last], to check what follows from bounds() with: of an expression by
  /// plain_range, where a part overflows by bounds(). Local.
  [[nodiscard]] Enclosure range(double first, double last) const;

  /// The values at `arguments`, of one size. Local.
  void evaluate(std::span<const double> arguments, std::span<double> values) const;

  /// The operations of an expression; none of a table or a sum.
  [[nodiscard]] std::span<const Operation> operations() const;

  /// This function + `factor`·`other`.
  [[nodiscard]] Function plus(double factor, const Function& other) const;
  /// The functions of such a sum, without factors; else this one.
  [[nodiscard]] std::vector<Function> terms() const;

  /// A text that gives the same function without any file: a table becomes its points. Empty for
  /// what plus() returns; its terms have theirs.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  class Impl;
  class Parsed;
  class Points;
  class Sum;

  std::string text_ = "0";
  std::shared_ptr<Impl> impl_;  // null: 0
};

}  // namespace masing::base
