#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/expression.hpp"

// These classes and functions parse the numbers that the user wrote. A number is a literal or an
// expression of named constants, which --let "w=0.8" defines.

namespace masing::cli {

using base::Constants;
using base::Names;

/// A text that the user wrote for a name: the value of an option, a parameter of a model, a
/// constant or an axis of a scan.
struct Setting {
  std::string name;
  std::string text;
  /// where the text was written, for messages: "--mass", "--let w", "case.ini line 3, mass"
  std::string origin;
};

/// A number that the user wrote. If the text is an expression, it is parsed once and can be
/// evaluated with several values of the constants.
class Number {
 public:
  /// Parses `text`, which may use the names in `constants`. Does not throw: if the text is not a
  /// number, value() and whole() throw.
  Number(std::string text, const Names& constants);
  /// Creates a number from its value.
  explicit Number(double value) : value_(value) {}

  /// Returns the number for these values of the constants. Throws UserError if the text is not a
  /// number or its value is not finite. Local.
  [[nodiscard]] double value(const Constants& constants) const;
  /// Returns the number as an integer. A text of digits is returned exactly if it fits into 64
  /// bits. Any other number must not exceed 2^53. It is rounded to the nearest integer if the
  /// relative difference of the two is at most 1e-12. A number below -2^53 is replaced by -2^53.
  /// Throws UserError if the number is not an integer or is too large. Local.
  [[nodiscard]] std::int64_t whole(const Constants& constants) const;
  /// Returns false for a literal, and true for an expression or an invalid text.
  [[nodiscard]] bool is_calculated() const { return !value_; }
  /// Returns the names of the constants that the expression uses.
  [[nodiscard]] Names constants() const;

 private:
  /// Returns the text in quotes, for messages.
  [[nodiscard]] std::string quoted() const;

  std::string text_;
  std::optional<double> value_;  // the value of a literal; empty for an expression
  std::optional<base::Expression> expression_;
  std::string mistake_;  // why the text is neither a literal nor an expression
};

/// Returns a text, shortened to at most 60 bytes, in quotes for a message.
std::string in_quotes(const std::string& text);

/// Splits a list such as "0.5, 2/3, max(1,i)" at the commas outside of parentheses and returns the
/// trimmed parts. Returns no parts if the text is empty. Local.
std::vector<std::string> split_list(const std::string& text);

/// Calls `work` and returns its result. If `work` throws base::UnknownName, throws a UserError with
/// the same message, to which advice on how to define a constant is added. Local if `work` is
/// local.
template <typename Work>
auto with_hint(const Work& work) {
  try {
    return work();
  } catch (const base::UnknownName& error) {
    throw base::UserError(error.what() +
                          std::string("; --let \"NAME=VALUE\" gives a name a value"));
  }
}

/// Calls `work` and returns its result. If `work` throws a UserError, throws a UserError whose
/// message is `origin` followed by the message of that error. If the message of that error begins
/// with the place of a quantity, `origin` replaces this place. Local if `work` is local.
template <typename Work>
auto with_origin(const std::string& origin, const Work& work) {
  try {
    return work();
  } catch (const base::UserError& error) {
    throw base::UserError(origin + ": " +
                          (error.quantity().empty() ? error.what() : error.fault()));
  }
}

/// A named constant: the text that the user wrote, and the number parsed from it.
struct NamedConstant {
  Setting given;
  Number number;
};

/// Throws UserError, whose message begins with the constant's origin, if the constant's name is not
/// an identifier or has a meaning in expressions (sin, pi, t). Local.
void require_name(const Setting& constant);

/// Parses `lets` and sorts them so that each constant comes after the constants that it uses.
/// Leaves out constants whose name is in `known`, because the values of such constants come from
/// elsewhere, for example from an axis of a scan. Throws UserError, whose message begins with the
/// constant's origin, for an invalid name and for constants that depend on themselves. Local.
std::vector<NamedConstant> in_order(const std::vector<Setting>& lets, const Names& known);

/// Evaluates constants that in_order() has sorted and returns their values together with those of
/// `known`. If a constant has a name in `known`, the value in `known` is used. Throws UserError,
/// whose message begins with the constant's origin, if a text is not a number or its value is not
/// finite. Local.
Constants constant_values(const std::vector<NamedConstant>& lets, Constants known);

}  // namespace masing::cli
