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

/// How an operation is evaluated. `function` calls the C++ function of an ElementaryFunction.
/// Numbers, variables, +, *, and the choice ?: are the most frequent operations; each has its own
/// branch.
enum class Instruction { number, variable, table, negate, add, multiply, choose, function };

/// Describes a function or an operator of the expression language. If it has one or two operands,
/// one C++ function computes its value, and another computes enclosures of its Taylor coefficients
/// (Series in bounds.hpp). The choice ?: has three operands and no C++ functions, because it has an
/// instruction of its own.
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

  std::string_view name;  ///< "sin", "+", "?" or, for the sign in -x, "(-)"
  std::size_t operands;
  Instruction instruction;
  double (*value)(double) = nullptr;
  SeriesOf* series = nullptr;
  double (*value_of_two)(double, double) = nullptr;
  SeriesOfTwo* series_of_two = nullptr;
};

/// Returns the function or operator with this name, or null if there is none.
const ElementaryFunction* function_named(std::string_view name);
/// Returns the names of all functions and operators.
std::vector<std::string> function_names();

/// Returns the triangle wave of period 1 and amplitude 1: it rises from 0 at x = 0 to 1 at ¼, and
/// is -1 at ¾.
double triangle(double x);
/// Returns the square wave of period 1: +1 on [0, ½) and -1 on [½, 1).
double square(double x);
/// Returns the sawtooth wave of period 1: 2x on [0, ½) and 2x - 2 on [½, 1), with a jump from 1 to
/// -1 at ½.
double sawtooth(double x);

/// A function given by points: it is linear between them and constant beyond them.
struct PointTable {
  std::vector<double> arguments;  ///< in increasing order; there is at least one
  std::vector<double> values;     ///< values[i] is the value at arguments[i]

  double operator()(double argument) const;
  bool operator==(const PointTable&) const = default;
  /// Returns the indices [begin, end) of those points whose argument a satisfies first < a < last.
  [[nodiscard]] std::pair<std::size_t, std::size_t> within(double first, double last) const;
};

/// One step of the evaluation of an expression on a stack.
struct Operation {
  Instruction instruction = Instruction::number;
  double number = 0.0;  ///< the number that Instruction::number pushes
  /// The function or operator; null if the operation has no operands.
  const ElementaryFunction* function = nullptr;
  std::shared_ptr<const PointTable> table =
      nullptr;  ///< the table that Instruction::table evaluates

  /// Returns the number of operands that the operation takes from the stack.
  [[nodiscard]] std::size_t operands() const { return function ? function->operands : 0; }
  /// Returns the name of the function or operator, or an empty text if there is none.
  [[nodiscard]] std::string_view name() const { return function ? function->name : ""; }
  bool operator==(const Operation& other) const {
    const bool same_table = table && other.table ? *table == *other.table : table == other.table;
    return instruction == other.instruction && number == other.number &&
           function == other.function && same_table;
  }
};

/// Returns the operation that applies the function or operator with this name, such as "sin" or
/// "+". function_named() must know the name.
Operation operation_named(std::string_view name);

/// Evaluates operations on a stack of values of any type, and returns the value of the last
/// operation. `apply(operation, operands)` must return the value of one operation. Local if `apply`
/// is local.
template <typename Value, typename Apply>
Value evaluate_on_stack(std::span<const Operation> operations, const Apply& apply) {
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

/// Returns the value of an expression with these operations at `argument`. Local; threads may call
/// it concurrently.
double value_of(std::span<const Operation> operations, double argument);
/// Sets values[i] to the value of an expression with these operations at arguments[i]. Both arrays
/// must have the same size. One call with many arguments is faster than a call of value_of() for
/// each. Local; threads may call it concurrently.
void evaluate_operations(std::span<const Operation> operations, std::span<const double> arguments,
                         std::span<double> values);

/// The value of each constant, by name.
using Constants = std::map<std::string, double>;
/// Named tables: an expression of t may use the table `record` as record(t).
using Tables = std::map<std::string, std::shared_ptr<const PointTable>>;
using Names = std::set<std::string>;

/// Thrown if an expression is bound while it contains an unknown name that could be the name of a
/// constant. Other unknown names cause a plain UserError: a reserved name, a name before "(" or
/// ".", and x, s or t in place of the variable s or t.
class UnknownName : public UserError {
 public:
  using UserError::UserError;
};

/// An expression of one variable, parsed into operations in reverse Polish order. Its values, its
/// bounds (bounds.hpp), its breaks and its periods (periodicity.hpp) are all computed from these
/// operations. The operators, from the highest to the lowest precedence, are: ^; a sign + or -; *
/// and /; + and -; < <= > >= == and !=; &&; ||; ?:. The operator ^ groups from the right, and a
/// sign applies to the whole power: -2^2 = -4. In a condition every number except 0 is true. An
/// expression may contain pi, e, the functions of function_named() and named tables, whose argument
/// is the variable alone. Arithmetic whose operands are all numbers is computed when an Expression
/// is constructed from a text. x², x³ and x⁴ are computed as products.
class Expression {
 public:
  /// Parses `text`. `variable` is the letter of the variable, or 0 if the expression has no
  /// variable. Every other name may be that of a constant or, as NAME(t) in a function of t or
  /// NAME(s) in a function of s, that of a table; bound() inserts them. Throws UserError if the
  /// text is not valid; the message says what is wrong and where. Local.
  Expression(const std::string& text, char variable);
  /// Constructs an expression that evaluates `operations`; `text` must describe the same function,
  /// or be empty.
  Expression(std::string text, std::vector<Operation> operations);

  /// Returns this expression with the values of `constants` inserted, as if they stood in the text
  /// in place of the names, and with the points of `tables`, whose names remain in the text. Names
  /// in `open` remain without a value. Throws UserError for any other name that is in neither of
  /// them; the message says where it stands, and what may be meant. The error is UnknownName if the
  /// name could be that of a constant. Local.
  [[nodiscard]] Expression bound(const Constants& constants, const Tables& tables = {},
                                 const Names& open = {}) const;
  /// Returns the names of the constants that the expression uses and that have no value yet.
  [[nodiscard]] Names constants() const { return names(false); }
  /// Returns the names of the tables that the expression uses and that have no points yet.
  [[nodiscard]] Names tables() const { return names(true); }

  /// Returns the value at `argument`, which may be infinite or NaN. A constant or a table that has
  /// no value yet counts as NaN. Local; threads may call it concurrently.
  [[nodiscard]] double operator()(double argument) const { return value_of(operations_, argument); }

  [[nodiscard]] std::span<const Operation> operations() const { return operations_; }
  /// Returns whether neither the variable nor a table of more than one point occurs in the
  /// expression.
  [[nodiscard]] bool is_constant() const;
  /// Returns the text of the expression, in which constants that have values are replaced by these
  /// values. If the expression was parsed, an Expression parsed from this text and bound to the
  /// same tables returns the same values to the bit.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  class Parser;

  /// One occurrence of a constant or of a table: its name, its position in the text, and the index
  /// of the operation that holds its value or its points.
  struct Slot {
    std::string name;
    std::size_t position;
    std::size_t operation;
    bool is_table = false;
  };
  struct Parsed {
    std::vector<Slot> slots;
    std::vector<Operation> operations;
  };

  Expression(std::string text, char variable, Parsed parsed);
  /// Returns the names of the tables or of the constants in parsed_.slots.
  [[nodiscard]] Names names(bool are_tables) const;
  /// Throws the error for a name that is neither in `constants` nor in `tables`.
  [[noreturn]] void refuse(const Slot& slot, const Constants& constants,
                           const Tables& tables) const;

  std::string text_;
  char variable_ = 0;
  Parsed parsed_;
  // The operations of parsed_, but with the arithmetic of numbers alone already computed.
  std::vector<Operation> operations_;
};

/// Returns whether a text has the form of a name: one or more letters, digits and _, of which the
/// first is not a digit. Local.
bool is_name(const std::string& text);
/// Returns whether a constant must not have this name, because the name has another meaning: a
/// function (sin), a number (pi, inf), a variable (t) or the beginning of the text of a table
/// (points). Local.
bool is_reserved_name(const std::string& name);

}  // namespace masing::base
