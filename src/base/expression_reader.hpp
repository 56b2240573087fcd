#pragma once

#include <map>
#include <string>
#include <vector>

namespace masing::base {

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
  double number = 0.0;       ///< a constant
  std::size_t function = 0;  ///< index into taylor::functions()
  int arguments = 0;         ///< of a function of any number
};

/// Reads muParser's language into operations in reverse Polish order; sums, products and powers of
/// numbers are one number, as muParser has them. `text`: an expression that muParser accepts, in
/// `variable` and `constants`. Throws UserError where it cannot be read. Local.
std::vector<Operation> read_expression(const std::string& text, char variable,
                                       const std::map<std::string, double>& constants);

}  // namespace masing::base
