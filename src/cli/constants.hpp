#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/configuration.hpp"

// Named constants (--let "w=0.8"), and numbers that are given as expressions of them.

namespace masing::cli {

/// The values of constants, each a number or an expression of others, in any order. Throws
/// UserError, with its origin, for a name that is none or has a meaning in expressions (sin, pi,
/// t), a name that is not known, a cycle, and a value that is not finite. Local.
Constants resolved(const std::vector<Setting>& lets);

/// The finite number that a text is, or that an expression of constants has as its value. Throws
/// UserError. Local.
double number(const std::string& text, const Constants& constants);

/// The same of a whole number, which an expression may miss by its rounding. Throws UserError.
/// Local.
std::int64_t integer(const std::string& text, const Constants& constants);

/// Whether a number, or one of a list of them, is given as an expression. Local.
bool is_calculated(const std::string& text);

/// An expression with the value of each constant in its place: the same function to the bit, from a
/// text that needs no constants. Local.
std::string without_constants(const std::string& text, const Constants& constants);

/// A name within an expression.
struct Word {
  std::string name;
  std::size_t position;
};

/// The names in an expression, of variables, functions and constants. Local.
std::vector<Word> words(const std::string& text);

}  // namespace masing::cli
