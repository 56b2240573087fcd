#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace masing::base {

struct ElementaryFunction;

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

/// A step of the evaluation on a stack.
struct Operation {
  Instruction instruction = Instruction::number;
  double number = 0.0;  ///< a constant
  const ElementaryFunction* function = nullptr;
};

/// The number of operands that an operation takes from the stack.
std::size_t operands_of(const Operation& operation);

/// Whether it compares two values.
bool compares(Instruction instruction);

/// What an operator makes of two values. Local.
double result_of(Instruction instruction, double a, double b);

/// Evaluates operations, many times: an operator with a number beside it holds the number itself.
class Evaluator {
 public:
  explicit Evaluator(std::span<const Operation> operations);

  /// The value at `argument`. Local; for concurrent use.
  double operator()(double argument) const;
  /// values[i] = value at arguments[i], of one size, faster than one by one. Local; for concurrent
  /// use.
  void operator()(std::span<const double> arguments, std::span<double> values) const;

 private:
  /// Which operand of an operator is its number.
  enum class Fixed { none, left, right };
  struct Step {
    Operation operation;
    Fixed fixed = Fixed::none;
  };

  template <class Values>
  void carry_out(Values& values) const;
  template <class Values, class Operator>
  static void combine(const Step& step, Values& values, const Operator& f);

  std::vector<Step> steps_;
  std::size_t depth_ = 1;  // of the stack
};

}  // namespace masing::base
