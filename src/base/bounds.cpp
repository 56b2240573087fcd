#include "base/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/elementary_functions.hpp"
#include "base/limits.hpp"

namespace masing::base {

namespace {

using taylor::Series;
using taylor::Truth;
using Stack = std::vector<Series>;

Series pop(Stack& stack) {
  Series top = stack.back();
  stack.pop_back();
  return top;
}

/// Whether an operation compares two values.
bool compares(Instruction instruction) {
  return instruction >= Instruction::less && instruction <= Instruction::not_equal;
}

Series combined(Instruction instruction, const Series& a, const Series& b) {
  if (compares(instruction) && (a.nowhere || b.nowhere)) {
    // Of what is not a number only != holds.
    return taylor::number(instruction == Instruction::not_equal ? 1.0 : 0.0);
  }
  switch (instruction) {
    case Instruction::add:
      return add(a, b);
    case Instruction::subtract:
      return add(a, negative(b));
    case Instruction::multiply:
      return multiply(a, b);
    case Instruction::divide:
      return divide(a, b);
    case Instruction::power:
      return power(a, b);
    case Instruction::less:
      return logical(less(a, b), a, b);
    case Instruction::greater:
      return logical(less(b, a), a, b);
    case Instruction::less_equal:
      return logical(negation(less(b, a)), a, b);
    case Instruction::greater_equal:
      return logical(negation(less(a, b)), a, b);
    case Instruction::equal:
      return logical(equal(a, b), a, b);
    case Instruction::not_equal:
      return logical(negation(equal(a, b)), a, b);
    case Instruction::both:
      return logical(std::min(truth(a), truth(b)), a, b);
    default:
      return logical(std::max(truth(a), truth(b)), a, b);
  }
}

Series chosen(const Series& condition, const Series& one, const Series& other) {
  const Truth choice = truth(condition);
  Series f = choice == Truth::maybe ? either(one, other) : choice == Truth::yes ? one : other;
  f.smooth = f.smooth && condition.smooth;
  f.defined = f.defined && condition.defined;
  return f;
}

/// The value of a named function, its arguments taken from the stack.
Series called(const Operation& operation, Stack& stack) {
  const ElementaryFunction& named = *operation.function;
  Series f = pop(stack);
  if (named.one != nullptr) {
    return named.one(f);
  }
  for (int i = 1; i < operation.arguments; ++i) {
    f = named.two(pop(stack), f);
  }
  return f;
}

Series value(const Operation& operation, const Series& variable, Stack& stack) {
  switch (operation.instruction) {
    case Instruction::number:
      return taylor::number(operation.number);
    case Instruction::variable:
      return variable;
    case Instruction::negate:
      return negative(pop(stack));
    case Instruction::choose: {
      const Series other = pop(stack);
      const Series one = pop(stack);
      return chosen(pop(stack), one, other);
    }
    case Instruction::function:
      return called(operation, stack);
    default: {
      const Series last = pop(stack);
      return combined(operation.instruction, pop(stack), last);
    }
  }
}

}  // namespace

Bounds sum(const Bounds& f, double factor, const Bounds& g) {
  return {.value = f.value + factor * g.value,
          .slope = f.slope + factor * g.slope,
          .top = f.top + factor * g.top,
          .smooth = f.smooth && g.smooth};
}

double Bounds::remainder(double width) const {
  const double of_taylor = top.magnitude() * std::pow(0.5 * width, taylor::order);
  const double of_constant = value.is_finite() ? 0.5 * (value.high - value.low) : infinity;
  return smooth && of_taylor < of_constant ? of_taylor : of_constant;
}

taylor::Series series_of(std::span<const Operation> operations, double first, double last) {
  Series variable = taylor::constant({first, last});
  variable.c[1] = {1.0, 1.0};
  variable.terms = 2;
  Stack stack;
  for (const Operation& operation : operations) {
    stack.push_back(value(operation, variable, stack));
  }
  return unscaled(stack.back());
}

Bounds bounds_of(std::span<const Operation> operations, double first, double last) {
  const Series f = series_of(operations, first, last);
  const Enclosure& top = f.c[taylor::order];
  return {f.c[0], f.c[1], top,
          f.smooth && f.c[0].is_finite() && f.c[1].is_finite() && top.is_finite()};
}

}  // namespace masing::base
