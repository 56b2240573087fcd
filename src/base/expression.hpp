#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/operation.hpp"

namespace masing::base {

/// Named constants and their values.
using Constants = std::map<std::string, double>;
using Names = std::set<std::string>;

/// An expression uses a name that is no function, constant or variable of it.
class UnknownName : public UserError {
 public:
  using UserError::UserError;
};

/// An expression of one variable, parsed into operations in reverse Polish order. Everything that
/// is known of it comes from these: values here, bounds (bounds.hpp), plain ranges
/// (plain_range.hpp), breaks and periods (periodicity.hpp). The language, by falling precedence:
/// ^ (to the right, before a sign: -2^2 = -4), a sign, * /, + -, < <= > >= == !=, &&, ||, ?:. Any
/// number but 0 is true. It knows pi, e and elementary_functions(). Evaluated as written, but that
/// sums, products and powers of numbers are one number, and x², x³ and x⁴ are products.
class Expression {
 public:
  /// `variable` is the one letter that may be used beside the names of `constants`, 0 for none.
  /// Throws UserError that says what is wrong, at which position and what would be right;
  /// UnknownName. Local.
  Expression(const std::string& text, char variable, const Names& constants = {});

  /// The same with the values of `constants` in their places, as if they stood in the text. Local.
  [[nodiscard]] Expression bound(const Constants& constants) const;
  /// The constants that it uses and that have no value yet.
  [[nodiscard]] Names constants() const;

  /// The value at `argument`; may be infinite or NaN, and is NaN of what needs constants without
  /// values. Local; for concurrent use.
  [[nodiscard]] double operator()(double argument) const { return evaluator_(argument); }
  /// values[i] = value at arguments[i], of one size, faster than one by one. Local; for concurrent
  /// use.
  void evaluate(std::span<const double> arguments, std::span<double> values) const {
    evaluator_(arguments, values);
  }

  [[nodiscard]] std::span<const Operation> operations() const { return operations_; }
  /// Whether the variable does not occur.
  [[nodiscard]] bool is_constant() const;
  /// The text, with the values of bound constants in their places: the same function to the bit.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  class Parser;

  /// A constant in the text, and the operation that has its value.
  struct Slot {
    std::string name;
    std::size_t position;
    std::size_t operation;
  };
  struct Parsed {
    std::vector<Slot> slots;
    std::vector<Operation> operations;
  };

  Expression(std::string text, Parsed parsed);

  std::string text_;
  Parsed parsed_;
  std::vector<Operation> operations_;  // numbers alone carried out
  Evaluator evaluator_;
};

/// Whether a text is a name as constants have them: letters, digits and _, no digit first. Local.
bool is_name(const std::string& text);
/// Whether no constant may have the name: it has a meaning in some expression (sin, pi, t), or in
/// place of a number (inf, e). Local.
bool is_reserved_name(const std::string& name);

}  // namespace masing::base
