#include "base/expression.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace masing::base {

namespace {

// The largest number of characters and the greatest depth of nesting that are allowed. Formulas
// written by hand are much shorter. The limits keep a damaged file from exhausting the memory or
// the stack.
constexpr std::size_t longest_expression = 10000;
constexpr int deepest_nesting = 200;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Returns the text in the form for messages: a text of more than 200 bytes is shortened to at most
/// 200, followed by "…".
std::string excerpt(std::string_view text) {
  const std::string beginning = shortened(text, 200);
  return beginning + (beginning.size() == text.size() ? "" : "…");
}

std::optional<double> number_named(std::string_view name) {
  return name == "pi" || name == "_pi" ? std::optional(std::numbers::pi)
         : name == "e" || name == "_e" ? std::optional(std::numbers::e)
                                       : std::nullopt;
}

/// Throws the error for what is wrong at a position of an expression.
template <class Mistake = UserError>
[[noreturn]] void refuse_at(std::size_t position, const std::string& text, char variable,
                            const std::string& what) {
  throw Mistake(fmt::format("'{}' is not an expression{}, at position {}: {}", excerpt(text),
                            variable == 0 ? "" : fmt::format(" in {}", variable), position + 1,
                            what));
}

/// Evaluates operations at up to `width` arguments at once. `stack` must have space for as many
/// columns as there are operations; a column is `width` numbers, one for each argument. Returns a
/// pointer to the column that holds the values of the last operation.
template <std::size_t width>
const double* evaluated(std::span<const Operation> operations, std::span<const double> arguments,
                        double* stack) {
  const std::size_t count = width == 1 ? 1 : arguments.size();
  double* next = stack;  // points behind the last column on the stack
  const auto each = [&](const auto& f) {
    double* const a = next - width;
    for (std::size_t i = 0; i < count; ++i) {
      a[i] = f(a[i]);
    }
  };
  const auto pairs = [&](const auto& f) {
    next -= width;
    double* const a = next - width;
    for (std::size_t i = 0; i < count; ++i) {
      a[i] = f(a[i], a[i + width]);
    }
  };
  for (const Operation& operation : operations) {
    switch (operation.instruction) {
      case Instruction::number:
        std::fill_n(next, count, operation.number);
        next += width;
        break;
      case Instruction::variable:
        std::copy_n(arguments.begin(), count, next);
        next += width;
        break;
      case Instruction::table:
        std::transform(arguments.begin(), arguments.end(), next, std::cref(*operation.table));
        next += width;
        break;
      case Instruction::negate:
        each([](double a) { return -a; });
        break;
      case Instruction::add:
        pairs([](double a, double b) { return a + b; });
        break;
      case Instruction::multiply:
        pairs([](double a, double b) { return a * b; });
        break;
      case Instruction::choose:
        next -= 2 * width;
        for (double* a = next - width; a < next - width + count; ++a) {
          *a = *a != 0.0 ? a[width] : a[2 * width];
        }
        break;
      case Instruction::function:
        operation.operands() == 1 ? each(operation.function->value)
                                  : pairs(operation.function->value_of_two);
        break;
    }
  }
  return next - width;
}

}  // namespace

double PointTable::operator()(double argument) const {
  const auto i =
      static_cast<std::size_t>(std::ranges::upper_bound(arguments, argument) - arguments.begin());
  if (i == 0 || i == arguments.size()) {
    return i == 0 ? values.front() : values.back();
  }
  const double share = (argument - arguments[i - 1]) / (arguments[i] - arguments[i - 1]);
  return values[i - 1] + share * (values[i] - values[i - 1]);
}

std::pair<std::size_t, std::size_t> PointTable::within(double first, double last) const {
  const auto begin = std::ranges::upper_bound(arguments, first);
  const auto end = std::lower_bound(begin, arguments.end(), last);
  return {begin - arguments.begin(), end - arguments.begin()};
}

Operation operation_named(std::string_view name) {
  const ElementaryFunction& function = *function_named(name);
  return {.instruction = function.instruction, .function = &function};
}

double value_of(std::span<const Operation> operations, double argument) {
  constexpr std::size_t usual = 64;
  std::array<double, usual> stack;  // NOLINT(*-member-init): written before it is read
  if (operations.size() > usual) {
    double value = 0.0;
    evaluate_operations(operations, {&argument, 1}, {&value, 1});
    return value;
  }
  return *evaluated<1>(operations, {&argument, 1}, stack.data());
}

void evaluate_operations(std::span<const Operation> operations, std::span<const double> arguments,
                         std::span<double> values) {
  constexpr std::size_t width = 256;
  const auto stack = std::make_unique_for_overwrite<double[]>(operations.size() * width);
  for (std::size_t first = 0; first < arguments.size(); first += width) {
    const auto part = arguments.subspan(first, std::min(width, arguments.size() - first));
    std::copy_n(evaluated<width>(operations, part, stack.get()), part.size(), &values[first]);
  }
}

class Expression::Parser {
 public:
  /// Stores the arguments. The text is parsed by parsed(), which throws UserError if the text is
  /// not valid.
  Parser(const std::string& text, char variable) : text_(text), variable_(variable) {}

  Parsed parsed() {
    if (text_.empty()) {
      throw UserError(variable_ == 0 ? "empty; give a number"
                                     : "empty; give an expression, points:… or table:FILE.csv");
    }
    if (text_.size() > longest_expression) {
      throw UserError(
          fmt::format("an expression of {} characters; at most {}, or use points:… (an option may "
                      "be table:FILE.csv)",
                      text_.size(), longest_expression));
    }
    skip_blanks();
    choice();
    if (at_ != text_.size()) {
      fail_at_rest();
    }
    return std::move(parsed_);
  }

 private:
  [[noreturn]] void fail(std::size_t position, const std::string& what) const {
    refuse_at(position, text_, variable_, what);
  }

  /// Throws the error for the text at the present position, which cannot follow the value before
  /// it.
  [[noreturn]] void fail_at_rest() const {
    const char c = text_[at_];
    fail(at_, c == '='   ? "'=' would assign; compare with =="
              : c == ')' ? "')' has no '('"
              : c == ',' ? "one value is needed, not several (write decimals with a point)"
              : is_of_name(c) || c == '(' || c == '.'
                  ? fmt::format("no operator before '{}'; a product needs its *", excerpt(word()))
                  : fmt::format("'{}' has no meaning here", excerpt(word())));
  }

  /// Returns the word at the present position or, if no word begins there, one character.
  [[nodiscard]] std::string word() const {
    const std::string_view rest = std::string_view(text_).substr(at_);
    auto size = static_cast<std::size_t>(std::ranges::find_if_not(rest, is_of_name) - rest.begin());
    while (size == 0 || shortened(rest, size).size() < size) {
      ++size;
    }
    return std::string(rest.substr(0, size));
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      ++at_;
    }
  }

  [[nodiscard]] bool is_next(std::string_view sign) const {
    return std::string_view(text_).substr(at_).starts_with(sign);
  }

  bool take(std::string_view sign) {
    const bool there = is_next(sign);
    if (there) {
      at_ += sign.size();
      skip_blanks();
    }
    return there;
  }

  void emit(Operation operation) { parsed_.operations.push_back(std::move(operation)); }
  void emit(double number) { emit({.number = number}); }
  void emit(std::string_view name) { emit(operation_named(name)); }

  void choice() {
    operands(0);
    if (!take("?")) {
      return;
    }
    enter();
    choice();
    --depth_;
    if (!take(":")) {
      fail(at_, "':' is missing; a choice is written condition ? one : other");
    }
    choice();
    emit("?");
  }

  /// Parses operands that are joined by operators of one precedence. `level` is the index of these
  /// operators in `signs`; the operators of higher levels bind more tightly.
  void operands(std::size_t level) {
    static const std::vector<std::vector<std::string_view>> signs{
        {"||"}, {"&&"}, {"<=", ">=", "!=", "==", "<", ">"}, {"+", "-"}, {"*", "/"}};
    if (level == signs.size()) {
      signed_power();
      return;
    }
    operands(level + 1);
    const auto is_taken = [this](std::string_view sign) { return take(sign); };
    for (;;) {
      const auto sign = std::ranges::find_if(signs[level], is_taken);
      if (sign == signs[level].end()) {
        return;
      }
      operands(level + 1);
      emit(*sign);
    }
  }

  /// Parses a term such as -a^-b^c, which is grouped from the right as -(a^(-(b^c))): a sign is
  /// applied to the whole power that follows it.
  void signed_power() {
    const bool is_negative = take("-");
    if (!is_negative) {
      take("+");
    }
    primary();
    if (take("^")) {
      signed_power();
      emit("^");
    }
    if (is_negative) {
      emit("(-)");
    }
  }

  void enter() {
    if (++depth_ > deepest_nesting) {
      fail(at_, fmt::format("nested deeper than {}", deepest_nesting));
    }
  }

  void primary() {
    if (at_ == text_.size()) {
      fail(at_, "it ends where a value is needed");
    }
    if (take("(")) {
      enter();
      choice();
      close();
    } else if (is_digit(text_[at_]) || text_[at_] == '.') {
      literal();
    } else if (is_of_name(text_[at_])) {
      name();
    } else {
      const bool is_power = is_next("*") && at_ > 0 && text_[at_ - 1] == '*';
      fail(at_, fmt::format("'{}' where a value is needed{}", excerpt(word()),
                            is_power ? "; a power is written ^" : ""));
    }
  }

  void close() {
    if (at_ == text_.size()) {
      fail(at_, "')' is missing");
    }
    if (!take(")")) {
      fail_at_rest();
    }
    --depth_;
  }

  void literal() {
    const char* const begin = text_.data() + at_;
    double value = 0.0;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) {
      // If the number overflows or underflows, from_chars does not set `value`; strtod returns ∞ or
      // nearly 0.
      value = std::strtod(begin, nullptr);
    }
    if (error == std::errc::invalid_argument || value > std::numeric_limits<double>::max()) {
      fail(at_, fmt::format("'{}' is no number that a double holds",
                            text_.substr(at_, static_cast<std::size_t>(end - begin))));
    }
    at_ += static_cast<std::size_t>(end - begin);
    if (at_ < text_.size() && is_of_name(text_[at_])) {
      fail_at_rest();
    }
    emit(value);
    skip_blanks();
  }

  void name() {
    const std::size_t begin = at_;
    const std::string word = this->word();
    at_ += word.size();
    const bool is_variable = word == std::string_view(&variable_, 1);
    const ElementaryFunction* const function = function_named(word);
    const std::optional<double> number = number_named(word);
    if (is_next("(") && !is_variable && !number) {
      function != nullptr ? call(*function) : table(begin);
      return;
    }
    if (is_next("(")) {
      fail_at_rest();
    }
    skip_blanks();
    if (is_variable) {
      emit({.instruction = Instruction::variable});
    } else if (number) {
      emit(*number);
    } else if (function != nullptr) {
      fail(begin, fmt::format("{} is a function: {}(...)", word, word));
    } else if (take(".") && at_ < text_.size()) {
      fail(begin, fmt::format("write {0}, without {1}.", excerpt(this->word()), excerpt(word)));
    } else {
      parsed_.slots.push_back({word, begin, parsed_.operations.size()});
      emit(std::numeric_limits<double>::quiet_NaN());
    }
  }

  /// Parses the argument of a table, whose name begins at `begin`; it must be the variable alone.
  void table(std::size_t begin) {
    const std::string name = text_.substr(begin, at_ - begin);
    const bool may_have_tables = variable_ == 's' || variable_ == 't';
    if (!may_have_tables || !take("(") || !take({&variable_, 1}) || !take(")")) {
      const std::string table = may_have_tables
                                    ? fmt::format("write {}({})", excerpt(name), variable_)
                                    : "it stands in functions of t or s alone";
      fail(begin, fmt::format("there is no function '{}'{}; if it is a table, {}", excerpt(name),
                              meant(name, function_names()), table));
    }
    static const auto unknown = std::make_shared<const PointTable>(
        PointTable{{0.0}, {std::numeric_limits<double>::quiet_NaN()}});
    parsed_.slots.push_back({name, begin, parsed_.operations.size(), true});
    emit({.instruction = Instruction::table, .table = unknown});
  }

  void call(const ElementaryFunction& function) {
    take("(");
    enter();
    int arguments = 0;
    const std::size_t first = at_;
    do {
      if (is_next(")")) {
        fail(at_, fmt::format("{}() needs an argument", function.name));
      }
      choice();
      ++arguments;
    } while (take(","));
    const bool is_of_two = function.name == "atan2";
    const int needed = function.operands == 1 ? 1 : is_of_two ? 2 : arguments;
    if (is_next(")") && arguments != needed) {
      fail(first, fmt::format("{}() takes {}, not {}", function.name,
                              is_of_two ? "two arguments" : "one argument", arguments));
    }
    close();
    for (int i = function.operands == 1 ? 0 : 1; i < arguments; ++i) {
      emit(function.name);  // f(a, b, c) is evaluated as f(a, f(b, c))
    }
    if (function.name == "avg") {
      emit(static_cast<double>(arguments));
      emit("/");
    }
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  char variable_;
  Parsed parsed_;
};

namespace {

/// Returns `operations` with each arithmetic operation on numbers alone replaced by its result.
std::vector<Operation> folded(const std::vector<Operation>& operations) {
  std::vector<Operation> result;
  for (const Operation& operation : operations) {
    const auto is_number = [&](std::size_t from_last) {
      return result[result.size() - from_last].instruction == Instruction::number;
    };
    const bool is_arithmetic =
        operation.operands() == 2 &&
        std::string_view("+-*/^").find(operation.name()) != std::string::npos;
    if (operation.instruction == Instruction::negate && is_number(1)) {
      result.back().number = -result.back().number;
    } else if (is_arithmetic && is_number(1) && is_number(2)) {
      const double last = result.back().number;
      result.pop_back();
      result.back().number = operation.function->value_of_two(result.back().number, last);
    } else {
      result.push_back(operation);
    }
  }
  return result;
}

}  // namespace

Expression::Expression(const std::string& text, char variable)
    : Expression(text, variable, Parser(text, variable).parsed()) {}

Expression::Expression(std::string text, std::vector<Operation> operations)
    : text_(std::move(text)), operations_(std::move(operations)) {}

Expression::Expression(std::string text, char variable, Parsed parsed)
    : text_(std::move(text)),
      variable_(variable),
      parsed_(std::move(parsed)),
      operations_(folded(parsed_.operations)) {}

Expression Expression::bound(const Constants& constants, const Tables& tables,
                             const Names& open) const {
  if (parsed_.slots.empty()) {
    return *this;
  }
  std::string text;
  std::size_t copied = 0;
  Parsed inserted{{}, parsed_.operations};
  for (const Slot& slot : parsed_.slots) {
    const auto& [name, position, operation, is_table] = slot;
    text += text_.substr(copied, position - copied);
    copied = position + name.size();
    const auto table = is_table ? tables.find(name) : tables.end();
    const auto constant = is_table ? constants.end() : constants.find(name);
    if (constant != constants.end()) {
      inserted.operations[operation].number = constant->second;
      const std::string value = to_text(constant->second);
      text += std::signbit(constant->second) ? "(" + value + ")" : value;
      continue;
    }
    if (table != tables.end()) {
      inserted.operations[operation].table = table->second;
    } else if (open.contains(name)) {
      inserted.slots.push_back({name, text.size(), operation, is_table});
    } else {
      refuse(slot, constants, tables);
    }
    text += name;
  }
  return {text + text_.substr(copied), variable_, std::move(inserted)};
}

void Expression::refuse(const Slot& slot, const Constants& constants, const Tables& tables) const {
  const std::string& name = slot.name;
  const auto fail = [&](const std::string& what) {
    refuse_at(slot.position, text_, variable_, what);
  };
  if (slot.is_table) {
    fail(fmt::format("there is no function '{}'{}", excerpt(name), meant(name, function_names())));
  }
  const bool may_have_tables = variable_ == 's' || variable_ == 't';
  if (may_have_tables && tables.contains(name)) {
    fail(fmt::format("{0} is a table; write {0}({1})", name, variable_));
  }
  if (may_have_tables && (name == "x" || name == "s" || name == "t")) {
    fail(fmt::format("there is no '{}'; did you mean {}?", name, variable_));
  }
  if (is_reserved_name(name)) {
    fail(fmt::format("'{}' has no meaning here", name));
  }
  std::vector<std::string> known{{variable_}, "pi", "e"};
  std::ranges::transform(constants, std::back_inserter(known), &Constants::value_type::first);
  refuse_at<UnknownName>(slot.position, text_, variable_,
                         fmt::format("there is no '{}'{}", excerpt(name), meant(name, known)));
}

Names Expression::names(bool are_tables) const {
  Names names;
  for (const Slot& slot : parsed_.slots) {
    if (slot.is_table == are_tables) {
      names.insert(slot.name);
    }
  }
  return names;
}

bool Expression::is_constant() const {
  return std::ranges::none_of(operations_, [](const Operation& operation) {
    return operation.instruction == Instruction::variable ||
           (operation.table && operation.table->arguments.size() > 1);
  });
}

bool is_name(const std::string& text) {
  return !text.empty() && !is_digit(text.front()) && std::ranges::all_of(text, is_of_name);
}

bool is_reserved_name(const std::string& name) {
  constexpr std::array others{"s", "t", "i", "n", "inf", "nan", "table", "points"};
  return function_named(name) != nullptr || number_named(name) ||
         std::ranges::find(others, name) != others.end();
}

}  // namespace masing::base
