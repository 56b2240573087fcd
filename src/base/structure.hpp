#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expression.hpp"

// What the operations of an expression show without values.

namespace masing::base {

/// The frequencies 1/period of what makes an expression in t vary, as its structure shows them:
/// every t stands inside sin(), cos(), triangle(), square() or sawtooth() of a·t + b, b a constant
/// or itself such an expression. Every common period is a period of the expression. None for a
/// constant or no operation; nothing where a t stands elsewhere. Local.
std::optional<std::vector<double>> frequencies(std::span<const Operation> operations);

/// A triangle(), square() or sawtooth() in an expression, of slope·t + offset.
struct Wave {
  std::string_view name;
  bool is_affine = true;  ///< whether its argument is that
  double slope = 0.0;
  double offset = 0.0;
};

/// The waves in an expression. Local.
std::vector<Wave> waves(std::span<const Operation> operations);

/// What makes an expression not smooth everywhere other than waves, as its text has it: "abs()",
/// "'<'"; empty if there is nothing. Local.
std::string not_smooth_part(std::span<const Operation> operations);

}  // namespace masing::base
