#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace masing::base {

/// What a step of the evaluation of an expression on a stack does.
enum class Instruction {
  number,
  variable,
  negate,
  function,  ///< of one operand or of two
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  greater,
  less_equal,
  greater_equal,
  equal,
  not_equal,
  both,
  any,
  choose  ///< condition ? one : other
};

struct Series;

/// A function that expressions know, of one argument or of two (the other pointers are null): its
/// value, and the series that enclose it (bounds.hpp).
struct ElementaryFunction {
  constexpr ElementaryFunction(std::string_view its_name, double (*its_value)(double),
                               Series (*its_series)(const Series&))
      : name(its_name), value(its_value), series(its_series) {}
  constexpr ElementaryFunction(std::string_view its_name, double (*its_value)(double, double),
                               Series (*its_series)(const Series&, const Series&))
      : name(its_name), value_of_two(its_value), series_of_two(its_series) {}

  [[nodiscard]] constexpr bool is_of_two() const { return value == nullptr; }

  std::string_view name;
  double (*value)(double) = nullptr;
  Series (*series)(const Series&) = nullptr;
  double (*value_of_two)(double, double) = nullptr;
  Series (*series_of_two)(const Series&, const Series&) = nullptr;
};

/// All of them.
std::span<const ElementaryFunction> elementary_functions();

/// Triangle wave: period 1, amplitude 1, 0 at 0 and rising, 1 at ¼, -1 at ¾.
double triangle(double x);
/// Square wave: period 1, +1 on [0, ½), -1 on [½, 1).
double square(double x);
/// Sawtooth wave: period 1, 2x on [0, ½), 2x - 2 on [½, 1): a jump from 1 to -1 at ½.
double sawtooth(double x);

/// A step of the evaluation on a stack.
struct Operation {
  Instruction instruction = Instruction::number;
  double number = 0.0;  ///< a constant
  const ElementaryFunction* function = nullptr;
};

/// The number of operands that an operation takes from the stack.
std::size_t operands_of(const Operation& operation);
/// What operations come to where their variable is `argument`. Local; for concurrent use.
double value_of(std::span<const Operation> operations, double argument);
/// values[i] = value at arguments[i], of one size, faster than one by one. Local; for concurrent
/// use.
void values_of(std::span<const Operation> operations, std::span<const double> arguments,
               std::span<double> values);
/// What an operator makes of two values. Local.
double result_of(Instruction instruction, double a, double b);

/// Named constants and their values.
using Constants = std::map<std::string, double>;
using Names = std::set<std::string>;

/// An expression uses a name that is no function, constant or variable of it.
class UnknownName : public UserError {
 public:
  using UserError::UserError;
};

/// An expression of one variable, parsed into operations in reverse Polish order, from which all
/// that is known of it comes: values, bounds (bounds.hpp), breaks and periods (periodicity.hpp).
/// The language, by falling precedence: ^ (to the right, before a sign: -2^2 = -4), a sign, * /,
/// + -, < <= > >= == !=, &&, ||, ?:. Any number but 0 is true. It knows pi, e and
/// elementary_functions(). Evaluated as written, but that sums, products and powers of numbers are
/// one number, and x², x³ and x⁴ are products.
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
  [[nodiscard]] double operator()(double argument) const { return value_of(operations_, argument); }

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
};

/// Whether a text is a name as constants have them: letters, digits and _, no digit first. Local.
bool is_name(const std::string& text);
/// Whether no constant may have the name: it has a meaning in some expression (sin, pi, t), or in
/// place of a number (inf, e). Local.
bool is_reserved_name(const std::string& name);

}  // namespace masing::base
