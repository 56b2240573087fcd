#include "base/expression_reader.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <numbers>
#include <string_view>

#include "base/elementary_functions.hpp"
#include "base/error.hpp"

namespace masing::base {

namespace {

class Reader {
 public:
  Reader(const std::string& text, char variable, const std::map<std::string, double>& constants,
         std::vector<Operation>& operations)
      : variable_(variable), constants_(constants), operations_(operations) {
    std::ranges::copy_if(text, std::back_inserter(text_),
                         [](unsigned char c) { return std::isspace(c) == 0; });
  }

  void read() {
    choice();
    if (at_ != text_.size()) {
      fail();
    }
  }

 private:
  struct Operator {
    std::string_view sign;
    Instruction instruction;
  };

  [[noreturn]] void fail() const {
    throw UserError("'" + text_ + "' cannot be bounded, from position " + std::to_string(at_ + 1));
  }

  bool take(std::string_view sign) {
    const bool there = std::string_view(text_).substr(at_).starts_with(sign);
    at_ += there ? sign.size() : 0;
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
    } else if (is_arithmetic(instruction) && is_number(1) && is_number(2)) {
      const double last = operations_.back().number;
      operations_.pop_back();
      operations_.back().number = result(instruction, operations_.back().number, last);
    } else {
      emit(Operation{.instruction = instruction});
    }
  }

  void emit(double number) { emit(Operation{.number = number}); }

  static bool is_arithmetic(Instruction instruction) {
    return instruction >= Instruction::add && instruction <= Instruction::power;
  }

  static double result(Instruction instruction, double a, double b) {
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
        return std::pow(a, b);
    }
  }

  template <std::size_t count>
  void chain(const std::array<Operator, count>& operators, void (Reader::*operand)()) {
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
    if (take("?")) {
      choice();
      if (!take(":")) {
        fail();
      }
      choice();
      emit(Instruction::choose);
    }
  }
  void disjunction() { chain(std::array{Operator{"||", Instruction::any}}, &Reader::conjunction); }
  void conjunction() { chain(std::array{Operator{"&&", Instruction::both}}, &Reader::comparison); }
  void comparison() {
    chain(std::array{Operator{"<=", Instruction::less_equal},
                     Operator{">=", Instruction::greater_equal},
                     Operator{"!=", Instruction::not_equal}, Operator{"==", Instruction::equal},
                     Operator{"<", Instruction::less}, Operator{">", Instruction::greater}},
          &Reader::addition);
  }
  void addition() {
    chain(std::array{Operator{"+", Instruction::add}, Operator{"-", Instruction::subtract}},
          &Reader::multiplication);
  }
  void multiplication() {
    chain(std::array{Operator{"*", Instruction::multiply}, Operator{"/", Instruction::divide}},
          &Reader::signed_power);
  }
  void signed_power() {
    const bool minus = take("-");
    if (!minus) {
      take("+");
    }
    primary();
    if (take("^")) {
      signed_power();
      emit(Instruction::power);
    }
    if (minus) {
      emit(Instruction::negate);
    }
  }

  void primary() {
    if (take("(")) {
      choice();
      close();
    } else if (at_ < text_.size() && (std::isdigit(here()) != 0 || text_[at_] == '.')) {
      literal();
    } else {
      name();
    }
  }

  [[nodiscard]] unsigned char here() const { return static_cast<unsigned char>(text_[at_]); }

  void close() {
    if (!take(")")) {
      fail();
    }
  }

  void literal() {
    std::size_t end = at_;
    const auto digits = [&] {
      while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end])) != 0) {
        ++end;
      }
    };
    digits();
    if (end < text_.size() && text_[end] == '.') {
      ++end;
      digits();
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      ++end;
      end += end < text_.size() && (text_[end] == '+' || text_[end] == '-') ? 1 : 0;
      digits();
    }
    emit(std::strtod(text_.substr(at_, end - at_).c_str(), nullptr));
    at_ = end;
  }

  void name() {
    std::size_t end = at_;
    while (end < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_')) {
      ++end;
    }
    const std::string word = text_.substr(at_, end - at_);
    at_ = end;
    if (take("(")) {
      call(word);
    } else if (word == std::string(1, variable_)) {
      emit(Instruction::variable);
    } else if (const auto known = constants_.find(word); known != constants_.end()) {
      emit(known->second);
    } else if (word == "pi" || word == "_pi") {
      emit(std::numbers::pi);
    } else if (word == "_e") {
      emit(std::numbers::e);
    } else {
      fail();
    }
  }

  void call(const std::string& word) {
    const auto functions = taylor::functions();
    const auto found = std::ranges::find(functions, word, &taylor::Named::name);
    if (found == functions.end()) {
      fail();
    }
    int arguments = 0;
    do {
      choice();
      ++arguments;
    } while (take(","));
    close();
    emit({.instruction = Instruction::function,
          .function = static_cast<std::size_t>(found - functions.begin()),
          .arguments = arguments});
    if (word == "avg") {
      emit(static_cast<double>(arguments));
      emit(Instruction::divide);
    }
  }

  std::string text_;
  std::size_t at_ = 0;
  char variable_;
  const std::map<std::string, double>& constants_;
  std::vector<Operation>& operations_;
};

}  // namespace

std::vector<Operation> read_expression(const std::string& text, char variable,
                                       const std::map<std::string, double>& constants) {
  std::vector<Operation> operations;
  Reader(text, variable, constants, operations).read();
  return operations;
}

}  // namespace masing::base
