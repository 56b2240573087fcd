#pragma once

#include <optional>
#include <string>
#include <vector>

namespace masing::base {

/// The frequencies 1/period of what makes an expression in t vary, as its structure shows them:
/// every t stands inside sin(), cos(), triangle(), square() or sawtooth() of a·t + b, b a constant
/// or itself such an expression. Every common period is a period of the expression. None for a
/// constant; nothing where a t stands elsewhere. `text`: an expression without constants that
/// muParser accepts. Throws UserError where it cannot be read. Local.
std::optional<std::vector<double>> frequencies(const std::string& text);

}  // namespace masing::base
