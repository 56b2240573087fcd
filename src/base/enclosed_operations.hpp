#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/operation.hpp"

namespace masing::base {

/// What is known of a condition.
enum class Truth { no, maybe, yes };

constexpr Truth negation(Truth a) {
  return a == Truth::maybe ? a : a == Truth::yes ? Truth::no : Truth::yes;
}

/// What one operation makes of enclosures of its operands. The Rules say what their Values are and
/// do: number(x), negative(a), add(a, b), multiply, divide, power, value(function, a) and (…, b);
/// is_nowhere(a): certainly not a number; truth(a) of a ≠ 0, less(a, b), equal(a, b);
/// logical(truth, a, b) of what is said of a and b; chosen(condition, one, other). Local.
template <class Rules, class Value = typename Rules::Value>
Value enclosed_operation(const Operation& operation, const Value& variable,
                         std::span<const Value> operands) {
  const Instruction instruction = operation.instruction;
  switch (instruction) {
    case Instruction::number:
      return Rules::number(operation.number);
    case Instruction::variable:
      return variable;
    case Instruction::negate:
      return Rules::negative(operands[0]);
    case Instruction::choose:
      return Rules::chosen(operands[0], operands[1], operands[2]);
    case Instruction::function:
      return operands.size() == 1 ? Rules::value(*operation.function, operands[0])
                                  : Rules::value(*operation.function, operands[0], operands[1]);
    default:
      break;
  }
  const Value& a = operands[0];
  const Value& b = operands[1];
  if (compares(instruction) && (Rules::is_nowhere(a) || Rules::is_nowhere(b))) {
    // Of what is not a number only != holds.
    return Rules::number(instruction == Instruction::not_equal ? 1.0 : 0.0);
  }
  switch (instruction) {
    case Instruction::add:
      return Rules::add(a, b);
    case Instruction::subtract:
      return Rules::add(a, Rules::negative(b));
    case Instruction::multiply:
      return Rules::multiply(a, b);
    case Instruction::divide:
      return Rules::divide(a, b);
    case Instruction::power:
      return Rules::power(a, b);
    case Instruction::less:
      return Rules::logical(Rules::less(a, b), a, b);
    case Instruction::greater:
      return Rules::logical(Rules::less(b, a), a, b);
    case Instruction::less_equal:
      return Rules::logical(negation(Rules::less(b, a)), a, b);
    case Instruction::greater_equal:
      return Rules::logical(negation(Rules::less(a, b)), a, b);
    case Instruction::equal:
      return Rules::logical(Rules::equal(a, b), a, b);
    case Instruction::not_equal:
      return Rules::logical(negation(Rules::equal(a, b)), a, b);
    case Instruction::both:
      return Rules::logical(std::min(Rules::truth(a), Rules::truth(b)), a, b);
    default:
      return Rules::logical(std::max(Rules::truth(a), Rules::truth(b)), a, b);
  }
}

/// What operations make of an enclosure of the variable. Local.
template <class Rules, class Value = typename Rules::Value>
Value enclosed(std::span<const Operation> operations, const Value& variable) {
  std::vector<Value> stack;
  stack.reserve(operations.size());
  for (const Operation& operation : operations) {
    const std::size_t operands = operands_of(operation);
    const Value value = enclosed_operation<Rules>(operation, variable,
                                                  std::span<const Value>(stack).last(operands));
    stack.resize(stack.size() - operands);
    stack.push_back(value);
  }
  return stack.back();
}

}  // namespace masing::base
