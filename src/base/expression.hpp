#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace masing::base {

struct ElementaryFunction;

/// What a step of the evaluation of an expression on a stack does.
enum class Instruction {
  number,
  variable,
  negate,
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
  choose,  ///< condition ? one : other
  function
};

/// A step of the evaluation on a stack.
struct Operation {
  Instruction instruction = Instruction::number;
  double number = 0.0;  ///< a constant
  const ElementaryFunction* function = nullptr;
  int arguments = 0;  ///< of a function of any number
};

/// The number of operands that an operation takes from the stack.
std::size_t operands_of(const Operation& operation);

/// The value of operations at `argument`. Local.
double value_of(std::span<const Operation> operations, double argument);

/// An expression of one variable, parsed into operations in reverse Polish order. Everything that
/// is known of it comes from these: values here, bounds (bounds.hpp), plain ranges
/// (plain_range.hpp), waves and frequencies (structure.hpp). The language, by falling precedence:
/// ^ (to the right, before a sign: -2^2 = -4), a sign, * /, + -, < <= > >= == !=, &&, ||, ?:. Any
/// number but 0 is true. It knows pi, e and elementary_functions(). Evaluated as written, but that
/// sums, products and powers of numbers are one number, and x², x³ and x⁴ are products.
class Expression {
 public:
  /// `variable` is the one letter that may be used beside named `constants`. Throws UserError that
  /// says what is wrong, at which position and what would be right. Local.
  Expression(const std::string& text, char variable,
             const std::map<std::string, double>& constants);

  /// The value at `argument`; may be infinite or NaN. Local; for concurrent use.
  [[nodiscard]] double operator()(double argument) const;
  /// values[i] = value at arguments[i], of one size, faster than one by one. Local; for concurrent
  /// use.
  void evaluate(std::span<const double> arguments, std::span<double> values) const;

  [[nodiscard]] std::span<const Operation> operations() const { return operations_; }
  /// Whether the variable does not occur.
  [[nodiscard]] bool is_constant() const;

 private:
  std::vector<Operation> operations_;
  std::size_t depth_ = 0;  // of the stack of values
};

/// The names in a text, functions and pi among them, in order. Local.
struct Word {
  std::string name;
  std::size_t position;
};
std::vector<Word> words(const std::string& text);

/// Whether an expression knows the name as a function, or as pi or e. Local.
bool is_function_or_pi(const std::string& name);
/// Whether no constant may have the name: it has a meaning in some expression (sin, pi, t), or in
/// place of a number (inf, e). Local.
bool is_reserved_name(const std::string& name);

}  // namespace masing::base
