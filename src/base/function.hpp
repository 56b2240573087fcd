#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bounds.hpp"
#include "base/expression.hpp"

namespace masing::base {

/// A real function of one variable, as a user gives it: an expression ("0.45*cos(0.5*t)"), points
/// ("points:0 1; 0.5 2") or a table. Between points it is linear, beyond them constant. Expressions
/// know pi, and triangle(), square(), sawtooth() of period 1 and amplitude 1. A value whose copies
/// share what was parsed.
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
  [[nodiscard]] Names constants() const;

  /// The value at `argument`; may be infinite or NaN where the expression is. Local.
  double operator()(double argument) const { return impl_->value(argument); }

  /// Whether the value is evidently constant: an expression without its variable, a table of one
  /// point. Local.
  [[nodiscard]] bool is_constant() const { return impl_->is_constant(); }

  /// The arguments of a table's points, where the slope may jump, increasing; none for an
  /// expression.
  [[nodiscard]] std::span<const double> kinks() const { return impl_->kinks(); }

  /// What is known of the function on [first, last]; of a table exactly, its points being where it
  /// is not smooth. Local.
  [[nodiscard]] Bounds bounds(double first, double last) const {
    return impl_->bounds(first, last);
  }

  /// Its range on [first, last], to check what follows from bounds() with: of an expression by
  /// plain_range, where a part overflows by bounds(). Local.
  [[nodiscard]] Enclosure range(double first, double last) const {
    return impl_->range(first, last);
  }

  /// values[i] = value at arguments[i], of one size; they must not overlap. Local.
  void evaluate(std::span<const double> arguments, std::span<double> values) const {
    impl_->evaluate(arguments, values);
  }

  /// The operations of an expression; none of a table or a sum.
  [[nodiscard]] std::span<const Operation> operations() const;

  /// This function + `factor`·`other`.
  [[nodiscard]] Function plus(double factor, const Function& other) const;
  /// The functions of such a sum, without factors; else this one.
  [[nodiscard]] std::vector<Function> terms() const;

  /// A text that gives the same function without any file or constants: a table becomes its points,
  /// a bound constant its value. Empty for what plus() returns; its terms have theirs.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  class Impl {
   public:
    Impl() = default;
    virtual ~Impl() = default;
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    [[nodiscard]] virtual double value(double argument) const = 0;
    virtual void evaluate(std::span<const double> arguments, std::span<double> values) const;
    [[nodiscard]] virtual bool is_constant() const = 0;
    [[nodiscard]] virtual std::span<const double> kinks() const { return {}; }
    [[nodiscard]] virtual Bounds bounds(double first, double last) const = 0;
    [[nodiscard]] virtual Enclosure range(double first, double last) const {
      return bounds(first, last).value;
    }
    [[nodiscard]] virtual std::vector<Function> terms() const;
    /// The expression that it is; null for others.
    [[nodiscard]] virtual const Expression* expression() const { return nullptr; }
  };
  class Parsed;
  class Points;
  class Sum;

  std::string text_ = "0";
  std::shared_ptr<const Impl> impl_;
};

}  // namespace masing::base
