#include "base/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "base/elementary_functions.hpp"
#include "base/error.hpp"

namespace masing::base {

namespace {

// Longer than any formula written by hand; a damaged file cannot exhaust the parser.
constexpr std::size_t longest_expression = 10000;
constexpr int deepest_nesting = 200;

struct NamedNumber {
  std::string_view name;
  double value;
};
constexpr std::array named_numbers{
    NamedNumber{"pi", std::numbers::pi}, NamedNumber{"_pi", std::numbers::pi},
    NamedNumber{"e", std::numbers::e}, NamedNumber{"_e", std::numbers::e}};

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// A text in a message: of a long one the beginning.
std::string shown(std::string_view text) {
  constexpr std::size_t longest = 200;
  return std::string(text.substr(0, longest)) + (text.size() <= longest ? "" : "…");
}

double arithmetic(Instruction instruction, double a, double b) {
  switch (instruction) {
    case Instruction::add:
      return a + b;
    case Instruction::subtract:
      return a - b;
    case Instruction::multiply:
      return a * b;
    case Instruction::divide:
      return a / b;
    default:
      break;
  }
  return b == 2.0 ? a * a : b == 3.0 ? a * a * a : b == 4.0 ? a * a * a * a : std::pow(a, b);
}

/// Of an operation of two operands.
double result(Instruction instruction, double a, double b) {
  switch (instruction) {
    case Instruction::less:
      return a < b ? 1.0 : 0.0;
    case Instruction::greater:
      return a > b ? 1.0 : 0.0;
    case Instruction::less_equal:
      return a <= b ? 1.0 : 0.0;
    case Instruction::greater_equal:
      return a >= b ? 1.0 : 0.0;
    case Instruction::equal:
      return a == b ? 1.0 : 0.0;
    case Instruction::not_equal:
      return a != b ? 1.0 : 0.0;
    case Instruction::both:
      return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
    case Instruction::any:
      return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
    default:
      return arithmetic(instruction, a, b);
  }
}

/// Whether two words differ by one letter that is wrong, missing or too many, or by two in turn.
bool are_near(std::string_view one, std::string_view other) {
  if (one.size() < other.size()) {
    std::swap(one, other);
  }
  const auto [first, second] = std::ranges::mismatch(one, other);
  const std::string_view rest(first, one.end());
  const std::string_view other_rest(second, other.end());
  if (one.size() == other.size()) {
    const bool turned = rest.size() > 1 && rest[0] == other_rest[1] && rest[1] == other_rest[0] &&
                        rest.substr(2) == other_rest.substr(2);
    return turned || (!rest.empty() && rest.substr(1) == other_rest.substr(1));
  }
  return one.size() == other.size() + 1 && rest.substr(1) == other_rest;
}

class Parser {
 public:
  Parser(const std::string& text, char variable, const std::map<std::string, double>& constants,
         std::vector<Operation>& operations)
      : text_(text), variable_(variable), constants_(constants), operations_(operations) {
    skip_blanks();
  }

  void parse() {
    choice();
    if (at_ != text_.size()) {
      fail_at_rest();
    }
  }

 private:
  struct Operator {
    std::string_view sign;
    Instruction instruction;
  };

  [[noreturn]] void fail(std::size_t position, const std::string& what) const {
    throw UserError(fmt::format("'{}' is not an expression in {}, at position {}: {}", shown(text_),
                                variable_, position + 1, what));
  }

  /// Of what stands behind a whole expression.
  [[noreturn]] void fail_at_rest() const {
    const char c = text_[at_];
    if (c == '=') {
      fail(at_, "'=' would assign; compare with ==");
    }
    if (c == ')') {
      fail(at_, "')' has no '('");
    }
    if (c == ',') {
      fail(at_, "one value is needed, not several (write decimals with a point)");
    }
    if (is_of_name(c) || c == '(' || c == '.') {
      fail(at_, fmt::format("no operator before '{}'; a product needs its *", here()));
    }
    fail(at_, fmt::format("'{}' has no meaning here", here()));
  }

  /// The character or word at the present place, for a message.
  [[nodiscard]] std::string here() const {
    std::size_t end = at_;
    while (end < text_.size() && is_of_name(text_[end])) {
      ++end;
    }
    return shown(std::string_view(text_).substr(at_, std::max<std::size_t>(end - at_, 1)));
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

  void emit(Operation operation) { operations_.push_back(operation); }

  /// What numbers alone come to is one number.
  void emit(Instruction instruction) {
    const std::size_t size = operations_.size();
    const auto is_number = [&](std::size_t from_last) {
      return operations_[size - from_last].instruction == Instruction::number;
    };
    if (instruction == Instruction::negate && is_number(1)) {
      operations_.back().number = -operations_.back().number;
    } else if (instruction >= Instruction::add && instruction <= Instruction::power &&
               is_number(1) && is_number(2)) {
      const double last = operations_.back().number;
      operations_.pop_back();
      operations_.back().number = arithmetic(instruction, operations_.back().number, last);
    } else {
      emit(Operation{.instruction = instruction});
    }
  }

  void emit(double number) { emit(Operation{.number = number}); }

  template <std::size_t count>
  void chain(const std::array<Operator, count>& operators, void (Parser::*operand)()) {
    (this->*operand)();
    for (;;) {
      const auto found =
          std::ranges::find_if(operators, [this](const Operator& each) { return take(each.sign); });
      if (found == operators.end()) {
        return;
      }
      (this->*operand)();
      emit(found->instruction);
    }
  }

  void choice() {
    disjunction();
    int choices = 0;
    while (take("?")) {
      enter();
      choice();
      --depth_;
      if (!take(":")) {
        fail(at_, "':' is missing; a choice is written condition ? one : other");
      }
      disjunction();
      ++choices;
    }
    for (; choices > 0; --choices) {
      emit(Instruction::choose);
    }
  }
  void disjunction() { chain(std::array{Operator{"||", Instruction::any}}, &Parser::conjunction); }
  void conjunction() { chain(std::array{Operator{"&&", Instruction::both}}, &Parser::comparison); }
  void comparison() {
    chain(std::array{Operator{"<=", Instruction::less_equal},
                     Operator{">=", Instruction::greater_equal},
                     Operator{"!=", Instruction::not_equal}, Operator{"==", Instruction::equal},
                     Operator{"<", Instruction::less}, Operator{">", Instruction::greater}},
          &Parser::addition);
  }
  void addition() {
    chain(std::array{Operator{"+", Instruction::add}, Operator{"-", Instruction::subtract}},
          &Parser::multiplication);
  }
  void multiplication() {
    chain(std::array{Operator{"*", Instruction::multiply}, Operator{"/", Instruction::divide}},
          &Parser::signed_power);
  }
  /// -a^-b^c, from the right: a sign comes after the power to its right.
  void signed_power() {
    std::vector<bool> minus;
    do {
      minus.push_back(take("-"));
      if (!minus.back()) {
        take("+");
      }
      primary();
    } while (take("^"));
    for (std::size_t i = minus.size(); i-- > 0;) {
      if (minus[i]) {
        emit(Instruction::negate);
      }
      if (i > 0) {
        emit(Instruction::power);
      }
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
      --depth_;
    } else if (is_digit(text_[at_]) || text_[at_] == '.') {
      literal();
    } else if (is_of_name(text_[at_])) {
      name();
    } else {
      fail(at_,
           fmt::format(
               "'{}' where a value is needed{}", here(),
               is_next("*") && at_ > 0 && text_[at_ - 1] == '*' ? "; a power is written ^" : ""));
    }
  }

  void close() {
    if (!take(")")) {
      if (at_ == text_.size()) {
        fail(at_, "')' is missing");
      }
      fail_at_rest();
    }
  }

  void literal() {
    const char* const begin = text_.data() + at_;
    double value = 0.0;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    const bool too_large =
        error == std::errc::result_out_of_range && std::strtod(begin, nullptr) > 1.0;
    if (error == std::errc::invalid_argument || too_large) {
      fail(at_, too_large ? "the number is too large" : fmt::format("'{}' is no number", here()));
    }
    // from_chars leaves what it rounds to 0 as it was.
    emit(error == std::errc() ? value : std::strtod(begin, nullptr));
    const bool has_exponent = std::string_view(begin, end).find_first_of("eE") != std::string::npos;
    if (!has_exponent && end != text_.data() + text_.size() && (*end == 'e' || *end == 'E')) {
      fail(at_, fmt::format("'{}' is no number", std::string(begin, end + 1)));
    }
    at_ += static_cast<std::size_t>(end - begin);
    if (at_ < text_.size() && is_of_name(text_[at_])) {
      fail(at_, fmt::format("no operator before '{}'; a product needs its *", here()));
    }
    skip_blanks();
  }

  void name() {
    const std::size_t begin = at_;
    const std::string word = here();
    at_ += word.size();
    if (is_next("(")) {
      call(begin, word);
      return;
    }
    skip_blanks();
    const auto* const number = std::ranges::find(named_numbers, word, &NamedNumber::name);
    if (word == std::string_view(&variable_, 1)) {
      emit(Instruction::variable);
    } else if (const auto known = constants_.find(word); known != constants_.end()) {
      emit(known->second);
    } else if (number != named_numbers.end()) {
      emit(number->value);
    } else if (is_function(word)) {
      fail(begin, fmt::format("{} is a function: {}(...)", word, word));
    } else {
      fail(begin, fmt::format("there is no '{}'{}; --let NAME=VALUE gives names a value", word,
                              suggestion(word)));
    }
  }

  static bool is_function(std::string_view word) {
    const auto functions = elementary_functions();
    return std::ranges::find(functions, word, &ElementaryFunction::name) != functions.end();
  }

  /// A function whose name is near, as a question.
  [[nodiscard]] static std::string suggestion(std::string_view word) {
    const auto functions = elementary_functions();
    const auto near = std::ranges::find_if(
        functions, [&](const ElementaryFunction& each) { return are_near(each.name, word); });
    return near == functions.end() ? "" : fmt::format(" (did you mean {}?)", near->name);
  }

  void call(std::size_t begin, const std::string& word) {
    const auto functions = elementary_functions();
    const auto found = std::ranges::find(functions, word, &ElementaryFunction::name);
    if (found == functions.end()) {
      const bool is_value =
          constants_.contains(word) || word == std::string_view(&variable_, 1) ||
          std::ranges::find(named_numbers, word, &NamedNumber::name) != named_numbers.end();
      fail(is_value ? at_ : begin,
           is_value ? "no operator before '('; a product needs its *"
                    : fmt::format("there is no function '{}'{}", word, suggestion(word)));
    }
    take("(");
    enter();
    int arguments = 0;
    const std::size_t first = at_;
    do {
      if (is_next(")")) {
        fail(at_, fmt::format("{}() needs an argument", word));
      }
      choice();
      ++arguments;
    } while (take(","));
    if (is_next(")") && arguments != 1 && found->one != nullptr) {
      fail(first, fmt::format("{}() takes one argument, not {}", word, arguments));
    }
    if (is_next(")") && arguments != 2 && word == "atan2") {
      fail(first, fmt::format("atan2() takes two arguments, not {}", arguments));
    }
    close();
    --depth_;
    emit({.instruction = Instruction::function, .function = &*found, .arguments = arguments});
    if (word == "avg") {
      emit(static_cast<double>(arguments));
      emit(Instruction::divide);
    }
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  char variable_;
  const std::map<std::string, double>& constants_;
  std::vector<Operation>& operations_;
};

/// Carries out operations on columns of `width` values: one value, or a part of a span.
class Evaluation {
 public:
  Evaluation(double* stack, std::size_t stride) : stack_(stack), stride_(stride) {}

  void operator()(std::span<const Operation> operations, std::span<const double> arguments,
                  double* values) {
    width_ = arguments.size();
    double* top = stack_ - stride_;  // the last column
    for (const Operation& operation : operations) {
      top = carried_out(operation, arguments, top);
    }
    std::copy_n(top, width_, values);
  }

 private:
  double* carried_out(const Operation& operation, std::span<const double> arguments, double* top) {
    switch (operation.instruction) {
      case Instruction::number:
        std::fill_n(top + stride_, width_, operation.number);
        return top + stride_;
      case Instruction::variable:
        std::copy_n(arguments.data(), width_, top + stride_);
        return top + stride_;
      case Instruction::negate:
        return each(top, [](double a) { return -a; });
      case Instruction::choose: {
        double* const condition = top - 2 * stride_;
        for (std::size_t i = 0; i < width_; ++i) {
          condition[i] = condition[i] != 0.0 ? top[i - stride_] : top[i];
        }
        return condition;
      }
      case Instruction::function: {
        const ElementaryFunction& function = *operation.function;
        if (function.value != nullptr) {
          return each(top, function.value);
        }
        for (int i = 1; i < operation.arguments; ++i) {
          top = pairs(top, function.value_of_two);
        }
        return top;
      }
      case Instruction::add:
        return pairs(top, [](double a, double b) { return a + b; });
      case Instruction::subtract:
        return pairs(top, [](double a, double b) { return a - b; });
      case Instruction::multiply:
        return pairs(top, [](double a, double b) { return a * b; });
      case Instruction::divide:
        return pairs(top, [](double a, double b) { return a / b; });
      default: {
        const Instruction instruction = operation.instruction;
        return pairs(top, [instruction](double a, double b) { return result(instruction, a, b); });
      }
    }
  }

  template <class Function>
  double* each(double* top, const Function& f) const {
    for (std::size_t i = 0; i < width_; ++i) {
      top[i] = f(top[i]);
    }
    return top;
  }

  template <class Function>
  double* pairs(double* top, const Function& f) const {
    double* const first = top - stride_;
    for (std::size_t i = 0; i < width_; ++i) {
      first[i] = f(first[i], top[i]);
    }
    return first;
  }

  double* stack_;
  std::size_t stride_;
  std::size_t width_ = 0;
};

/// The value of operations, on a stack that is large enough. Not to be inlined: the stack would be
/// taken for read before it is written.
[[gnu::noinline]] double value_on(double* stack, std::span<const Operation> operations,
                                  double argument) {
  std::size_t size = 0;
  for (const Operation& operation : operations) {
    switch (operation.instruction) {
      case Instruction::number:
        stack[size++] = operation.number;
        break;
      case Instruction::variable:
        stack[size++] = argument;
        break;
      case Instruction::negate:
        stack[size - 1] = -stack[size - 1];
        break;
      case Instruction::choose:
        size -= 2;
        stack[size - 1] = stack[size - 1] != 0.0 ? stack[size] : stack[size + 1];
        break;
      case Instruction::function: {
        const ElementaryFunction& function = *operation.function;
        if (function.value != nullptr) {
          stack[size - 1] = function.value(stack[size - 1]);
          break;
        }
        for (int i = 1; i < operation.arguments; ++i) {
          --size;
          stack[size - 1] = function.value_of_two(stack[size - 1], stack[size]);
        }
        break;
      }
      default:
        --size;
        stack[size - 1] = result(operation.instruction, stack[size - 1], stack[size]);
    }
  }
  return stack[0];
}

}  // namespace

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

Expression::Expression(const std::string& text, char variable,
                       const std::map<std::string, double>& constants) {
  if (text.empty()) {
    throw UserError("empty; give an expression, table:FILE.csv or points:…");
  }
  if (text.size() > longest_expression) {
    throw UserError(fmt::format("an expression of {} characters; at most {}, or use table:FILE.csv",
                                text.size(), longest_expression));
  }
  Parser(text, variable, constants, operations_).parse();
  std::size_t size = 0;
  for (const Operation& operation : operations_) {
    size = size + 1 - operands_of(operation);
    depth_ = std::max(depth_, size);
  }
}

double Expression::operator()(double argument) const {
  constexpr std::size_t usual = 16;
  if (depth_ > usual) {
    return value_of(operations_, argument);
  }
  std::array<double, usual> stack;  // NOLINT(*-member-init): written before it is read
  return value_on(stack.data(), operations_, argument);
}

double value_of(std::span<const Operation> operations, double argument) {
  std::vector<double> stack(operations.size());
  return value_on(stack.data(), operations, argument);
}

void Expression::evaluate(std::span<const double> arguments, std::span<double> values) const {
  constexpr std::size_t width = 256;
  std::vector<double> stack(depth_ * width);
  Evaluation evaluation(stack.data(), width);
  for (std::size_t first = 0; first < arguments.size(); first += width) {
    evaluation(operations_, arguments.subspan(first, std::min(width, arguments.size() - first)),
               values.data() + first);
  }
}

bool Expression::is_constant() const {
  return std::ranges::find(operations_, Instruction::variable, &Operation::instruction) ==
         operations_.end();
}

std::vector<Word> words(const std::string& text) {
  std::vector<Word> found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    // the e of 1e-3 is no name
    if (!is_of_name(text[i]) || is_digit(text[i]) ||
        (i > 0 && (is_digit(text[i - 1]) || text[i - 1] == '.'))) {
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && (is_of_name(text[i]) || text[i] == '.')) {
      ++i;
    }
    found.push_back({text.substr(begin, i - begin), begin});
  }
  return found;
}

bool is_function_or_pi(const std::string& name) {
  const auto functions = elementary_functions();
  return std::ranges::find(functions, name, &ElementaryFunction::name) != functions.end() ||
         std::ranges::find(named_numbers, name, &NamedNumber::name) != named_numbers.end();
}

bool is_reserved_name(const std::string& name) {
  constexpr std::array others{"s", "t", "i", "n", "inf", "nan", "table", "points"};
  return is_function_or_pi(name) || std::ranges::find(others, name) != others.end();
}

}  // namespace masing::base
