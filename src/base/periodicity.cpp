#include "base/periodicity.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string_view>
#include <utility>

#include "base/bounds.hpp"
#include "base/elementary_functions.hpp"

namespace masing::base {

namespace {

/// A part of an expression: slope·t + what is constant or of these frequencies.
struct Part {
  std::size_t first = 0;  ///< its first operation
  double slope = 0.0;
  std::vector<double> frequencies{};

  [[nodiscard]] bool is_level() const { return slope == 0.0; }
  [[nodiscard]] bool is_constant() const { return is_level() && frequencies.empty(); }
};

std::size_t operands_of(const Operation& operation) {
  switch (operation.instruction) {
    case Instruction::number:
    case Instruction::variable:
      return 0;
    case Instruction::negate:
      return 1;
    case Instruction::choose:
      return 3;
    case Instruction::function:
      return static_cast<std::size_t>(operation.arguments);
    default:
      return 2;
  }
}

/// The period of a function of x that repeats itself; 0 for others.
double period_of(const Operation& operation) {
  if (operation.instruction != Instruction::function) {
    return 0.0;
  }
  const std::string_view name = taylor::functions()[operation.function].name;
  if (name == "sin" || name == "cos") {
    return 2 * std::numbers::pi;
  }
  return name == "triangle" || name == "square" || name == "sawtooth" ? 1.0 : 0.0;
}

/// The value of operations that come to a constant.
double value_of(std::span<const Operation> operations) {
  const Enclosure value =
      ExpressionBounds(std::vector<Operation>(operations.begin(), operations.end()))
          .over(0.0, 0.0)
          .value;
  return value.low + 0.5 * (value.high - value.low);
}

/// The slope of what the operation after `operations` makes of its operands; nothing where t stands
/// outside what repeats itself.
std::optional<double> slope_after(std::span<const Operation> operations, const Operation& operation,
                                  std::span<const Part> operands) {
  const bool is_product = operation.instruction == Instruction::multiply;
  switch (operation.instruction) {
    case Instruction::variable:
      return 1.0;
    case Instruction::negate:
      return -operands[0].slope;
    case Instruction::add:
      return operands[0].slope + operands[1].slope;
    case Instruction::subtract:
      return operands[0].slope - operands[1].slope;
    default:
      break;
  }
  if (period_of(operation) > 0.0 || std::ranges::all_of(operands, &Part::is_level)) {
    return 0.0;
  }
  const bool is_quotient = operation.instruction == Instruction::divide;
  if ((is_product || is_quotient) && operands[1].is_constant()) {
    const double factor = value_of(operations.subspan(operands[1].first));
    return is_product ? operands[0].slope * factor : operands[0].slope / factor;
  }
  if (is_product && operands[0].is_constant()) {
    const auto of_factor = operations.first(operands[1].first).subspan(operands[0].first);
    return value_of(of_factor) * operands[1].slope;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<double>> frequencies(const std::string& text) {
  const std::vector<Operation> operations = read_expression(text, 't', {});
  std::vector<Part> parts;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation& operation = operations[i];
    const auto operands = std::span(parts).last(operands_of(operation));
    const auto slope = slope_after(std::span(operations).first(i), operation, operands);
    if (!slope) {
      return std::nullopt;
    }
    Part whole{.first = operands.empty() ? i : operands[0].first, .slope = *slope};
    for (const Part& operand : operands) {
      whole.frequencies.insert(whole.frequencies.end(), operand.frequencies.begin(),
                               operand.frequencies.end());
      if (const double period = period_of(operation); period > 0.0 && !operand.is_level()) {
        whole.frequencies.push_back(std::abs(operand.slope) / period);
      }
    }
    parts.resize(parts.size() - operands.size());
    parts.push_back(std::move(whole));
  }
  return parts[0].is_level() ? std::optional(std::move(parts[0].frequencies)) : std::nullopt;
}

}  // namespace masing::base
