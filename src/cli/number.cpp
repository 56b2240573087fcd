#include "cli/number.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"

namespace masing::cli {

using base::UserError;

std::string in_quotes(const std::string& text) {
  return "'" + base::shortened(text, 60) + "'";
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> pieces(base::trimmed(text).empty() ? 0 : 1);
  int depth = 0;  // depth of nested parentheses; a comma inside does not separate parts
  for (const char letter : base::trimmed(text)) {
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    if (letter == ',' && depth == 0) {
      pieces.emplace_back();
    } else {
      pieces.back() += letter;
    }
  }
  for (std::string& piece : pieces) {
    piece = std::string(base::trimmed(piece));
  }
  return pieces;
}

Number::Number(std::string text, const Names& constants)
    : text_(std::move(text)),
      value_(base::to_number(text_)),
      mistake_(text_.empty() ? "it is empty" : "") {
  if (value_ || text_.empty()) {
    return;
  }
  try {
    expression_ = with_hint([&] { return base::Expression(text_, '\0', constants); });
  } catch (const UserError& error) {
    mistake_ = error.what();
  }
}

Names Number::constants() const {
  return expression_ ? expression_->constants() : Names();
}

std::string Number::quoted() const {
  return in_quotes(text_.empty() && value_ ? base::to_text(*value_) : text_);
}

double Number::value(const Constants& constants) const {
  if (value_) {
    return *value_;
  }
  std::string why = mistake_;
  if (expression_) {
    const double value = expression_->bound(constants)(0.0);
    if (std::isfinite(value)) {
      return value;
    }
    why = "it is " + base::to_text(value);
  }
  throw UserError(fmt::format(
      "{} is not a number; give a finite number such as 1.5 or 2e-3, or an expression ({})",
      quoted(), why));
}

std::int64_t Number::whole(const Constants& constants) const {
  if (const auto literal = base::to_integer(text_)) {
    return *literal;
  }
  std::string why = " (" + mistake_ + ")";
  if (value_ || expression_) {
    constexpr double rounding = 1e-12;
    constexpr double largest = 9007199254740992.0;  // 2^53
    const double value = this->value(constants);
    if (value > largest) {
      throw UserError(quoted() + " is too large; the limit is 2^53");
    }
    const double nearest = std::round(value);
    if (std::abs(value - nearest) <= rounding * std::abs(nearest)) {
      return static_cast<std::int64_t>(std::max(nearest, -largest));
    }
    why = value_ ? "" : " (its value is " + base::to_text(value) + ")";
  }
  throw UserError(
      fmt::format("{} is not a whole number; give one such as 1000000 or 1e6, or an expression{}",
                  quoted(), why));
}

void require_name(const Setting& let) {
  with_origin(let.origin, [&] {
    if (!base::is_name(let.name)) {
      throw UserError(in_quotes(let.name) +
                      " is not a name; give one of letters, digits and _, beginning with a letter");
    }
    if (base::is_reserved_name(let.name)) {
      throw UserError(let.name + " has a meaning in expressions; give another name");
    }
  });
}

std::vector<NamedConstant> in_order(const std::vector<Setting>& lets, const Names& known) {
  Names names = known;
  for (const Setting& let : lets) {
    require_name(let);
    names.insert(let.name);
  }
  std::vector<NamedConstant> ordered;
  for (const Setting& let : lets) {
    if (!known.contains(let.name)) {
      ordered.push_back({let, Number(let.text, names)});
    }
  }
  Names done = known;
  for (auto next = ordered.begin(); next != ordered.end(); ++next) {
    const auto ready = std::find_if(next, ordered.end(), [&](const NamedConstant& let) {
      return std::ranges::includes(done, let.number.constants());
    });
    if (ready == ordered.end()) {
      throw UserError(fmt::format("{}: {} is defined by itself, through {}; give it a number",
                                  next->given.origin, next->given.name,
                                  in_quotes(next->given.text)));
    }
    done.insert(ready->given.name);
    std::rotate(next, ready, ready + 1);
  }
  return ordered;
}

Constants constant_values(const std::vector<NamedConstant>& lets, Constants known) {
  for (const NamedConstant& let : lets) {
    known.emplace(let.given.name,
                  with_origin(let.given.origin, [&] { return let.number.value(known); }));
  }
  return known;
}

}  // namespace masing::cli
