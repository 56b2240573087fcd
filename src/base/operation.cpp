#include "base/operation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/elementary_functions.hpp"

namespace masing::base {

namespace {

/// The stack of the values at one argument, the last in a register.
class OneByOne {
 public:
  OneByOne(double argument, double* stack) : argument_(argument), last_(argument), next_(stack) {}

  void push(double number) {
    *next_++ = last_;
    last_ = number;
  }
  void push_argument() { push(argument_); }
  template <class Function>
  void each(const Function& f) {
    last_ = f(last_);
  }
  template <class Operator>
  void pairs(const Operator& f) {
    last_ = f(*--next_, last_);
  }
  void choose() {
    next_ -= 2;
    last_ = next_[0] != 0.0 ? next_[1] : last_;
  }
  [[nodiscard]] double last() const { return last_; }

 private:
  double argument_;
  double last_;
  double* next_;
};

/// The stack of the values at some arguments, each value a column.
class InColumns {
 public:
  static constexpr std::size_t most = 256;  // arguments

  InColumns(std::span<const double> arguments, double* stack) : arguments_(arguments) {
    last_ = std::ranges::copy(arguments, stack).out - arguments.size();
  }

  void push(double number) {
    last_ += most;
    std::fill_n(last_, arguments_.size(), number);
  }
  void push_argument() {
    last_ += most;
    std::ranges::copy(arguments_, last_);
  }
  template <class Function>
  void each(const Function& f) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      last_[i] = f(last_[i]);
    }
  }
  template <class Operator>
  void pairs(const Operator& f) {
    last_ -= most;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      last_[i] = f(last_[i], last_[i + most]);
    }
  }
  void choose() {
    last_ -= 2 * most;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      last_[i] = last_[i] != 0.0 ? last_[i + most] : last_[i + 2 * most];
    }
  }
  [[nodiscard]] const double* last() const { return last_; }

 private:
  std::span<const double> arguments_;
  double* last_;
};

}  // namespace

std::size_t operands_of(const Operation& operation) {
  switch (operation.instruction) {
    case Instruction::number:
    case Instruction::variable:
      return 0;
    case Instruction::negate:
      return 1;
    case Instruction::function:
      return operation.function->value != nullptr ? 1 : 2;
    case Instruction::choose:
      return 3;
    default:
      return 2;
  }
}

bool compares(Instruction instruction) {
  return instruction >= Instruction::less && instruction <= Instruction::not_equal;
}

double result_of(Instruction instruction, double a, double b) {
  const auto is = [](bool condition) { return condition ? 1.0 : 0.0; };
  switch (instruction) {
    case Instruction::add:
      return a + b;
    case Instruction::subtract:
      return a - b;
    case Instruction::multiply:
      return a * b;
    case Instruction::divide:
      return a / b;
    case Instruction::less:
      return is(a < b);
    case Instruction::greater:
      return is(a > b);
    case Instruction::less_equal:
      return is(a <= b);
    case Instruction::greater_equal:
      return is(a >= b);
    case Instruction::equal:
      return is(a == b);
    case Instruction::not_equal:
      return is(a != b);
    case Instruction::both:
      return is(a != 0.0 && b != 0.0);
    case Instruction::any:
      return is(a != 0.0 || b != 0.0);
    default:
      return b == 2.0 ? a * a : b == 3.0 ? a * a * a : b == 4.0 ? a * a * a * a : std::pow(a, b);
  }
}

Evaluator::Evaluator(std::span<const Operation> operations) {
  std::vector<std::size_t> begins;  // of the steps of each value on the stack
  const auto is_number = [this](std::size_t begin, std::size_t end) {
    return end - begin == 1 && steps_[begin].operation.instruction == Instruction::number;
  };
  for (const Operation& operation : operations) {
    Step step{operation};
    const std::size_t operands = operands_of(operation);
    if (operands == 2 && operation.instruction != Instruction::function) {
      const std::size_t left = begins[begins.size() - 2];
      const std::size_t right = begins.back();
      const bool is_right = is_number(right, steps_.size());
      if (is_right || is_number(left, right)) {
        const auto number = steps_.begin() + static_cast<std::ptrdiff_t>(is_right ? right : left);
        step.fixed = is_right ? Fixed::right : Fixed::left;
        step.operation.number = number->operation.number;
        steps_.erase(number);
      }
    }
    if (operands == 0) {
      begins.push_back(steps_.size());
    } else {
      begins.resize(begins.size() + 1 - operands);
    }
    depth_ = std::max(depth_, begins.size() + 1);
    steps_.push_back(step);
  }
  // The argument is on the stack from the beginning.
  if (steps_.front().operation.instruction == Instruction::variable) {
    steps_.erase(steps_.begin());
  }
}

double Evaluator::operator()(double argument) const {
  constexpr std::size_t usual = 64;
  std::array<double, usual> stack;  // NOLINT(*-member-init): written before it is read
  if (depth_ > usual) {
    double value = 0.0;
    (*this)(std::span(&argument, 1), std::span(&value, 1));
    return value;
  }
  OneByOne values(argument, stack.data());
  carry_out(values);
  return values.last();
}

void Evaluator::operator()(std::span<const double> arguments, std::span<double> results) const {
  std::vector<double> stack(depth_ * InColumns::most);
  while (!arguments.empty()) {
    const std::size_t size = std::min(arguments.size(), InColumns::most);
    InColumns values(arguments.first(size), stack.data());
    carry_out(values);
    std::copy_n(values.last(), size, results.begin());
    arguments = arguments.subspan(size);
    results = results.subspan(size);
  }
}

template <class Values>
void Evaluator::carry_out(Values& values) const {
  for (const Step& step : steps_) {
    const Instruction instruction = step.operation.instruction;
    const ElementaryFunction* const function = step.operation.function;
    switch (instruction) {
      case Instruction::number:
        values.push(step.operation.number);
        break;
      case Instruction::variable:
        values.push_argument();
        break;
      case Instruction::negate:
        values.each([](double a) { return -a; });
        break;
      case Instruction::function:
        if (function->value != nullptr) {
          values.each(function->value);
        } else {
          values.pairs(function->value_of_two);
        }
        break;
      case Instruction::add:
        combine(step, values, [](double a, double b) { return a + b; });
        break;
      case Instruction::subtract:
        combine(step, values, [](double a, double b) { return a - b; });
        break;
      case Instruction::multiply:
        combine(step, values, [](double a, double b) { return a * b; });
        break;
      case Instruction::divide:
        combine(step, values, [](double a, double b) { return a / b; });
        break;
      case Instruction::choose:
        values.choose();
        break;
      default:
        combine(step, values,
                [instruction](double a, double b) { return result_of(instruction, a, b); });
    }
  }
}

template <class Values, class Operator>
void Evaluator::combine(const Step& step, Values& values, const Operator& f) {
  const double number = step.operation.number;
  switch (step.fixed) {
    case Fixed::none:
      values.pairs(f);
      break;
    case Fixed::left:
      values.each([&](double b) { return f(number, b); });
      break;
    case Fixed::right:
      values.each([&](double a) { return f(a, number); });
  }
}

}  // namespace masing::base
