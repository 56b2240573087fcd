#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace masing::base {

struct Series;

/// How an operation is carried out: the most frequent ones in line, others by their function.
enum class Instruction { number, variable, table, negate, add, multiply, choose, function };

/// A function or an operator of the language, of one operand or of two; or the choice ?:, of three,
/// without pointers: its value, and the series that enclose it (bounds.hpp).
struct ElementaryFunction {
  using SeriesOf = Series(const Series&);
  using SeriesOfTwo = Series(const Series&, const Series&);

  constexpr ElementaryFunction(std::string_view n, double (*v)(double), SeriesOf* s,
                               Instruction i = Instruction::function)
      : name(n), operands(1), instruction(i), value(v), series(s) {}
  constexpr ElementaryFunction(std::string_view n, double (*v)(double, double), SeriesOfTwo* s,
                               Instruction i = Instruction::function)
      : name(n), operands(2), instruction(i), value_of_two(v), series_of_two(s) {}
  constexpr explicit ElementaryFunction(std::string_view n)
      : name(n), operands(3), instruction(Instruction::choose) {}

  std::string_view name;  ///< "sin", "+", "?"; "(-)" is the sign
  std::size_t operands;
  Instruction instruction;
  double (*value)(double) = nullptr;
  SeriesOf* series = nullptr;
  double (*value_of_two)(double, double) = nullptr;
  SeriesOfTwo* series_of_two = nullptr;
};

/// That of a name; null without one.
const ElementaryFunction* function_named(std::string_view name);
/// The names of all of them.
std::vector<std::string> function_names();

/// Triangle wave: period 1, amplitude 1, 0 at 0 and rising, 1 at ¼, -1 at ¾.
double triangle(double x);
/// Square wave: period 1, +1 on [0, ½), -1 on [½, 1).
double square(double x);
/// Sawtooth wave: period 1, 2x on [0, ½), 2x - 2 on [½, 1): a jump from 1 to -1 at ½.
double sawtooth(double x);

/// Points of a function that is linear between them and constant beyond.
struct Table {
  std::vector<double> arguments;  ///< increasing, one at least
  std::vector<double> values;     ///< as many

  double operator()(double argument) const;
  bool operator==(const Table&) const = default;
  /// The points with first < argument < last, as a range of indices [begin, end).
  [[nodiscard]] std::pair<std::size_t, std::size_t> within(double first, double last) const;
};

/// A step of the evaluation of an expression on a stack.
struct Operation {
  Instruction instruction = Instruction::number;
  double number = 0.0;                           ///< a constant
  const ElementaryFunction* function = nullptr;  ///< of what has operands
  std::shared_ptr<const Table> table = nullptr;  ///< of the variable

  /// The number of operands that it takes from the stack.
  [[nodiscard]] std::size_t operands() const { return function ? function->operands : 0; }
  /// That of its function; empty without one.
  [[nodiscard]] std::string_view name() const { return function ? function->name : ""; }
  bool operator==(const Operation& other) const {
    const bool same_table = table && other.table ? *table == *other.table : table == other.table;
    return instruction == other.instruction && number == other.number &&
           function == other.function && same_table;
  }
};

/// That of a function or an operator of this name, "sin" or "+".
Operation operation_named(std::string_view name);

/// What operations come to on a stack of values of any kind: `apply` makes one of an operation and
/// its operands. Local if `apply` is.
template <typename Value, typename Apply>
Value carried_out(std::span<const Operation> operations, const Apply& apply) {
  std::vector<Value> stack;
  stack.reserve(operations.size());
  for (const Operation& operation : operations) {
    const auto operands = static_cast<std::ptrdiff_t>(operation.operands());
    Value result = apply(operation, std::span<const Value>(stack.end() - operands, stack.end()));
    stack.erase(stack.end() - operands, stack.end());
    stack.push_back(std::move(result));
  }
  return std::move(stack.back());
}

/// What operations come to where their variable is `argument`. Local; for concurrent use.
double value_of(std::span<const Operation> operations, double argument);
/// values[i] = value at arguments[i], of one size, faster than one by one. Local; for concurrent
/// use.
void values_of(std::span<const Operation> operations, std::span<const double> arguments,
               std::span<double> values);

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
/// the functions of function_named(). Evaluated as written, but that sums, products and powers of
/// numbers are one number, and x², x³ and x⁴ are products.
class Expression {
 public:
  /// `variable` is the one letter that may be used beside the names of `constants`, 0 for none.
  /// Throws UserError that says what is wrong, at which position and what would be right;
  /// UnknownName. Local.
  Expression(const std::string& text, char variable, const Names& constants = {});
  /// What operations do, as they are; `text` is to say the same.
  Expression(std::string text, std::vector<Operation> operations);

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
