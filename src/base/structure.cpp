#include "base/structure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <string_view>
#include <utility>

#include "base/elementary_functions.hpp"

namespace masing::base {

namespace {

/// A part of an expression: slope·t + what is constant or of these frequencies.
struct Part {
  std::size_t first = 0;  ///< its first operation
  bool is_known = true;   ///< false where a t stands elsewhere
  double slope = 0.0;
  std::vector<double> frequencies{};

  [[nodiscard]] bool is_level() const { return is_known && slope == 0.0; }
  [[nodiscard]] bool is_constant() const { return is_level() && frequencies.empty(); }
};

/// The period of a function of x that repeats itself; 0 for others.
double period_of(const Operation& operation) {
  if (operation.instruction != Instruction::function) {
    return 0.0;
  }
  const std::string_view name = operation.function->name;
  if (name == "sin" || name == "cos") {
    return 2 * std::numbers::pi;
  }
  return name == "triangle" || name == "square" || name == "sawtooth" ? 1.0 : 0.0;
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
  if (std::ranges::all_of(operands, &Part::is_level) ||
      (period_of(operation) > 0.0 && operands[0].is_known)) {
    return 0.0;
  }
  const bool is_quotient = operation.instruction == Instruction::divide;
  if ((is_product || is_quotient) && operands[1].is_constant()) {
    const double factor = value_of(operations.subspan(operands[1].first), 0.0);
    return is_product ? operands[0].slope * factor : operands[0].slope / factor;
  }
  if (is_product && operands[0].is_constant()) {
    const auto of_factor = operations.first(operands[1].first).subspan(operands[0].first);
    return value_of(of_factor, 0.0) * operands[1].slope;
  }
  return std::nullopt;
}

/// Follows the parts of an expression; `seen(i, operands)` is called before operation i. False
/// where a t stands outside what repeats itself.
template <class Seen>
bool follow(std::span<const Operation> operations, std::vector<Part>& parts, const Seen& seen) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation& operation = operations[i];
    const auto operands = std::span(parts).last(operands_of(operation));
    seen(i, operands);
    const auto slope = slope_after(std::span(operations).first(i), operation, operands);
    Part whole{.first = operands.empty() ? i : operands[0].first,
               .is_known = slope && std::ranges::all_of(operands, &Part::is_known),
               .slope = slope.value_or(0.0)};
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
  return parts[0].is_known;
}

}  // namespace

std::optional<std::vector<double>> frequencies(std::span<const Operation> operations) {
  if (operations.empty()) {
    return std::vector<double>();
  }
  std::vector<Part> parts;
  const bool is_periodic = follow(operations, parts, [](std::size_t, std::span<const Part>) {});
  return is_periodic && parts[0].is_level() ? std::optional(std::move(parts[0].frequencies))
                                            : std::nullopt;
}

std::vector<Wave> waves(std::span<const Operation> operations) {
  std::vector<Wave> found;
  std::vector<Part> parts;
  follow(operations, parts, [&](std::size_t i, std::span<const Part> operands) {
    const Operation& operation = operations[i];
    if (period_of(operation) == 1.0) {
      const Part& argument = operands[0];
      const bool is_affine = argument.is_known && argument.frequencies.empty();
      const auto of_argument = operations.first(i).subspan(argument.first);
      found.push_back({operation.function->name, is_affine, argument.slope,
                       is_affine ? value_of(of_argument, 0.0) : 0.0});
    }
  });
  return found;
}

std::string not_smooth_part(std::span<const Operation> operations) {
  constexpr std::array<std::string_view, 8> functions{"abs",  "min", "max",  "sign",
                                                      "rint", "tan", "asin", "acos"};
  for (const Operation& operation : operations) {
    if (operation.instruction == Instruction::function) {
      const std::string_view name = operation.function->name;
      if (std::ranges::find(functions, name) != functions.end()) {
        return std::string(name) + "()";
      }
    } else if (operation.instruction >= Instruction::less) {
      constexpr std::array signs{"<", ">", "<=", ">=", "==", "!=", "&&", "||", "?"};
      return "'" +
             std::string(signs.at(static_cast<std::size_t>(operation.instruction) -
                                  static_cast<std::size_t>(Instruction::less))) +
             "'";
    }
  }
  return {};
}

}  // namespace masing::base
