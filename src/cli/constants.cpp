#include "cli/constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/function.hpp"
#include "base/text.hpp"
#include "cli/keys.hpp"

namespace masing::cli {

using base::UserError;

namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
}

std::string no_tables(const std::string& path) {
  throw UserError("table:" + path + " is for functions; give a number or an expression");
}

/// The value of an expression of constants. Throws UserError.
double value_of(const std::string& text, const Constants& constants) {
  for (const Word& word : words(text)) {
    if (!constants.contains(word.name) && !base::is_function_or_pi(word.name)) {
      throw UserError(
          base::is_reserved_name(word.name)
              ? fmt::format("'{}' in {} varies or is no number", word.name, quoted(text))
              : fmt::format("there is no constant '{0}': give --let \"{0}=VALUE\"",
                            word.name.substr(0, 60)));
    }
  }
  const double value = base::Function(text, 't', no_tables, constants)(0.0);
  if (!std::isfinite(value)) {
    throw UserError(fmt::format("{} is {}", quoted(text), base::to_text(value)));
  }
  return value;
}

bool is_name(const std::string& text) {
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, [](char c) {
    return c != '.' && (is_letter(c) || is_digit(c));
  });
}

/// Resolves constants, each after those that it needs.
class Resolver {
 public:
  explicit Resolver(const std::vector<Setting>& lets) : lets_(lets) {}

  Constants all() {
    for (const Setting& let : lets_) {
      require_name(let);
    }
    for (const Setting& let : lets_) {
      resolve(let);
    }
    return std::move(values_);
  }

 private:
  static void require_name(const Setting& let) {
    if (!is_name(let.parameter)) {
      throw UserError(fmt::format(
          "{}: {} is not a name; give one of letters, digits and _, beginning with a letter",
          let.origin, quoted(let.parameter)));
    }
    if (base::is_reserved_name(let.parameter)) {
      throw UserError(fmt::format("{}: {} has a meaning in expressions; give another name",
                                  let.origin, let.parameter));
    }
  }

  void resolve(const Setting& let) {
    if (values_.contains(let.parameter)) {
      return;
    }
    if (!begun_.insert(let.parameter).second) {
      throw UserError(fmt::format("{}: {} is defined by itself, through {}; give it a number",
                                  let.origin, let.parameter, quoted(let.text)));
    }
    for (const Word& word : words(let.text)) {
      const auto needed = std::ranges::find(lets_, word.name, &Setting::parameter);
      if (needed != lets_.end()) {
        resolve(*needed);
      }
    }
    try {
      values_[let.parameter] = number(let.text, values_);
    } catch (const UserError& mistake) {
      throw UserError(let.origin + ": " + mistake.what());
    }
  }

  const std::vector<Setting>& lets_;
  std::set<std::string> begun_;
  Constants values_;
};

}  // namespace

Constants resolved(const std::vector<Setting>& lets) {
  return Resolver(lets).all();
}

double number(const std::string& text, const Constants& constants) {
  if (const auto value = base::to_number(text)) {
    return *value;
  }
  try {
    return value_of(text, constants);
  } catch (const UserError& why) {
    throw UserError(fmt::format(
        "{} is not a number; give a finite number such as 1.5 or 2e-3, or an expression ({})",
        quoted(text), why.what()));
  }
}

std::int64_t integer(const std::string& text, const Constants& constants) {
  if (const auto value = base::to_integer(text)) {
    return *value;
  }
  std::string why;
  try {
    const double value = value_of(text, constants);
    constexpr double rounding = 1e-12;
    constexpr double largest = 9007199254740992.0;  // 2^53
    const double whole = std::round(value);
    if (std::abs(value - whole) <= rounding * std::abs(whole) && std::abs(whole) <= largest) {
      return static_cast<std::int64_t>(whole);
    }
    why = is_calculated(text) ? " (its value is " + base::to_text(value) + ")" : "";
  } catch (const UserError& mistake) {
    why = std::string(" (") + mistake.what() + ")";
  }
  throw UserError(
      fmt::format("{} is not a whole number; give one such as 1000000 or 1e6, or an expression{}",
                  quoted(text), why));
}

bool is_calculated(const std::string& text) {
  std::string list = text;
  std::ranges::replace(list, ':', ',');
  return std::ranges::any_of(base::split(list, ','), [](const std::string& piece) {
    return !base::to_number(piece) && piece != "inf";
  });
}

std::string without_constants(const std::string& text, const Constants& constants) {
  std::string result;
  std::size_t copied = 0;
  for (const auto& [name, position] : words(text)) {
    const auto constant = constants.find(name);
    if (constant != constants.end()) {
      const std::string value = base::to_text(constant->second);
      result += text.substr(copied, position - copied);
      result += constant->second < 0.0 ? "(" + value + ")" : value;
      copied = position + name.size();
    }
  }
  return result + text.substr(copied);
}

std::vector<Word> words(const std::string& text) {
  std::vector<Word> found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_letter(text[i]) || (i > 0 && is_digit(text[i - 1]))) {  // the e of 1e-3 is no name
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && (is_letter(text[i]) || is_digit(text[i]))) {
      ++i;
    }
    found.push_back({text.substr(begin, i - begin), begin});
  }
  return found;
}

}  // namespace masing::cli
