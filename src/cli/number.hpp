#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/expression.hpp"

// Numbers as given, each a literal or an expression of constants, and the constants themselves
// (--let "w=0.8").

namespace masing::cli {

using base::Constants;
using base::Names;

/// A text that was given for a name: of an option, of a parameter, a constant or an axis.
struct Setting {
  std::string name;
  std::string text;
  std::string origin;  ///< for messages: "--mass", "--let w", "case.ini line 3, mass"
};

/// A number as given.
class Number {
 public:
  /// Text that may use `constants`; where it is no number, value() and whole() throw.
  Number(std::string text, const Names& constants);
  /// A number that is known.
  explicit Number(double value) : value_(value) {}

  /// The number. Throws UserError where there is none or it is not finite. Local.
  [[nodiscard]] double value(const Constants& constants) const;
  /// The number as an integer up to 2^53; an expression may miss one by its rounding. Throws
  /// UserError. Local.
  [[nodiscard]] std::int64_t whole(const Constants& constants) const;
  /// Whether it is no literal.
  [[nodiscard]] bool is_calculated() const { return !value_; }
  /// The constants that it needs.
  [[nodiscard]] Names constants() const;

 private:
  /// The text in quotes, for messages.
  [[nodiscard]] std::string quoted() const;

  std::string text_;
  std::optional<double> value_;  // of a literal
  std::optional<base::Expression> expression_;
  std::string mistake_;  // where there is neither
};

/// A text in a message, in quotes and not longer than a line.
std::string in_quotes(const std::string& text);

/// The trimmed pieces of "0.5, 2/3, max(1,i)" between the commas outside of parentheses; an empty
/// text has none. Local.
std::vector<std::string> split_list(const std::string& text);

/// What `work` returns; where a name in it has no value, the message says how to give one. Throws
/// UserError in place of base::UnknownName. Local if `work` is.
template <typename Work>
auto with_hint(const Work& work) {
  try {
    return work();
  } catch (const base::UnknownName& error) {
    throw base::UserError(error.what() +
                          std::string("; --let \"NAME=VALUE\" gives a name a value"));
  }
}

/// What `work` returns; the message of a UserError in it begins with `origin`. Local if `work` is.
template <typename Work>
auto with_origin(const std::string& origin, const Work& work) {
  try {
    return work();
  } catch (const base::UserError& error) {
    throw base::UserError(origin + ": " +
                          (error.quantity().empty() ? error.what() : error.fault()));
  }
}

/// A named constant and its number.
struct NamedConstant {
  Setting given;
  Number number;
};

/// Throws UserError, with its origin, for a name that is none or has a meaning in expressions (sin,
/// pi, t). Local.
void require_name(const Setting& constant);

/// Constants, each after those that it needs; `known` have values of their own. Throws UserError,
/// with its origin, for a name that cannot be one, and for a cycle. Local.
std::vector<NamedConstant> in_order(const std::vector<Setting>& lets, const Names& known);

/// The values of constants in such an order, beside those of `known`, which win. Throws UserError,
/// with its origin, where a value is not finite. Local.
Constants values_of(const std::vector<NamedConstant>& lets, Constants known);

}  // namespace masing::cli
