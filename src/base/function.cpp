#include "base/function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/expression.hpp"
#include "base/plain_range.hpp"
#include "base/text.hpp"

namespace masing::base {

namespace {

constexpr std::string_view points_prefix = "points:";

/// A word of a table as a number; its comma is the decimal comma.
std::optional<double> table_number(std::string word) {
  // A comma at an end separates.
  if (word.starts_with(',') || word.ends_with(',')) {
    return std::nullopt;
  }
  std::replace(word.begin(), word.end(), ',', '.');
  return to_number(word);
}

/// The words of a table's line: separated by semicolons or tabs; else by blanks, where that gives
/// numbers, which may have decimal commas; else by commas or blanks.
std::vector<std::string> table_words(const std::string& line) {
  const auto words_between = [](const std::string& text, char separator) {
    std::vector<std::string> words = split(text, separator);
    std::erase(words, "");
    return words;
  };
  for (const char separator : {';', '\t'}) {
    if (line.find(separator) != std::string::npos) {
      std::vector<std::string> words = words_between(line, separator);
      for (std::string& word : words) {
        word.resize(word.find_last_not_of(", ") + 1);  // of a comma beside the separator
      }
      return words;
    }
  }
  std::vector<std::string> words = words_between(line, ' ');
  const auto is_number = [](const std::string& word) { return table_number(word).has_value(); };
  if (words.size() > 1 && std::ranges::all_of(words, is_number)) {
    return words;
  }
  std::string parted = line;
  std::replace(parted.begin(), parted.end(), ',', ' ');
  return words_between(parted, ' ');
}

}  // namespace

void Function::Impl::evaluate(std::span<const double> arguments, std::span<double> values) const {
  std::ranges::transform(arguments, values.begin(), [this](double x) { return value(x); });
}

std::vector<Function> Function::Impl::terms() const {
  return {};
}

class Function::Parsed : public Function::Impl {
 public:
  explicit Parsed(Expression expression) : expression_(std::move(expression)) {}

  [[nodiscard]] double value(double argument) const override {
    const double value = expression_(argument);
    if (value - value == 0.0) [[likely]] {
      return value;
    }
    return limit(argument, value);
  }

  void evaluate(std::span<const double> arguments, std::span<double> values) const override {
    expression_.evaluate(arguments, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!(values[i] - values[i] == 0.0)) [[unlikely]] {
        values[i] = limit(arguments[i], values[i]);
      }
    }
  }

  [[nodiscard]] bool is_constant() const override { return expression_.is_constant(); }

  [[nodiscard]] Bounds bounds(double first, double last) const override {
    return bounds_of(expression_.operations(), first, last);
  }

  [[nodiscard]] Enclosure range(double first, double last) const override {
    const Enclosure range = plain_range(expression_.operations(), first, last);
    return range.is_finite() ? range : Impl::range(first, last);
  }

  [[nodiscard]] const Expression* expression() const override { return &expression_; }

 private:
  /// The value where a part of the expression overflows, as of exp(t)/exp(t) for a large t; else
  /// `value`, ±∞ or NaN.
  [[nodiscard]] double limit(double argument, double value) const {
    const Bounds found = bounds(argument, argument);
    const double width = found.value.high - found.value.low;
    const double allowed = std::max(1e-9 * found.value.magnitude(), 1e-10);
    const bool is_known = found.smooth && width <= allowed;
    return is_known ? std::midpoint(found.value.low, found.value.high) : value;
  }

  Expression expression_;
};

class Function::Points : public Function::Impl {
 public:
  /// Lines "argument separator value"; those of a file before the first that begins with a number
  /// are its heading.
  Points(std::string_view text, char line_end, const std::string& name)
      : heading_allowed_(line_end == '\n') {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) {
      text.remove_prefix(byte_order_mark.size());
    }
    std::int64_t number = 0;
    for (const auto& line : split(text, line_end)) {
      ++number;
      if (line.empty() || line.front() == '#') {
        continue;
      }
      add(line, number, name);
    }
    if (arguments_.empty()) {
      throw UserError(name + " has no points; give at least one 'argument, value'");
    }
  }

  [[nodiscard]] double value(double argument) const override {
    const auto after = std::upper_bound(arguments_.begin(), arguments_.end(), argument);
    const auto i = static_cast<std::size_t>(after - arguments_.begin());
    if (i == 0) {
      return values_.front();
    }
    if (i == arguments_.size()) {
      return values_.back();
    }
    const double share = (argument - arguments_[i - 1]) / (arguments_[i] - arguments_[i - 1]);
    return values_[i - 1] + share * (values_[i] - values_[i - 1]);
  }

  [[nodiscard]] bool is_constant() const override { return arguments_.size() == 1; }

  [[nodiscard]] std::span<const double> kinks() const override { return arguments_; }

  [[nodiscard]] Bounds bounds(double first, double last) const override {
    const double at_first = value(first);
    const double at_last = value(last);
    const double slope = last > first ? (at_last - at_first) / (last - first) : 0.0;
    Bounds bounds{.value = hull({at_first, at_first}, {at_last, at_last}), .slope = {slope, slope}};
    const auto inside = std::ranges::upper_bound(arguments_, first);
    for (auto i = inside - arguments_.begin(); i < std::ssize(arguments_) && arguments_[i] < last;
         ++i) {
      bounds.smooth = false;
      bounds.value = hull(bounds.value, {values_[i], values_[i]});
      bounds.slope = everything();
    }
    return bounds;
  }

  [[nodiscard]] std::string text() const {
    std::string points{points_prefix};
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      points +=
          fmt::format("{}{} {}", i == 0 ? "" : "; ", to_text(arguments_[i]), to_text(values_[i]));
    }
    return points;
  }

 private:
  void add(const std::string& line, std::int64_t number, const std::string& name) {
    const std::vector<std::string> words = table_words(line);
    const auto argument = words.size() == 2 ? table_number(words[0]) : std::nullopt;
    const auto value = words.size() == 2 ? table_number(words[1]) : std::nullopt;
    if (!argument || !value) {
      const bool is_heading =
          heading_allowed_ && arguments_.empty() && !words.empty() && !table_number(words[0]);
      if (is_heading) {
        return;
      }
      throw UserError(fmt::format("{} line {}: '{}' is not two finite numbers 'argument, value'",
                                  name, number, line.substr(0, 60)));
    }
    if (!arguments_.empty() && *argument <= arguments_.back()) {
      throw UserError(
          fmt::format("{} line {}: argument {} does not follow {}; arguments must increase", name,
                      number, to_text(*argument), to_text(arguments_.back())));
    }
    arguments_.push_back(*argument);
    values_.push_back(*value);
  }

  bool heading_allowed_;
  std::vector<double> arguments_;
  std::vector<double> values_;
};

class Function::Sum : public Function::Impl {
 public:
  Sum(Function first, double factor, Function second)
      : first_(std::move(first)), factor_(factor), second_(std::move(second)) {
    std::ranges::set_union(first_.kinks(), second_.kinks(), std::back_inserter(kinks_));
  }

  [[nodiscard]] double value(double argument) const override {
    return first_(argument) + factor_ * second_(argument);
  }

  [[nodiscard]] bool is_constant() const override {
    return first_.is_constant() && second_.is_constant();
  }

  [[nodiscard]] std::span<const double> kinks() const override { return kinks_; }

  [[nodiscard]] Bounds bounds(double first, double last) const override {
    const Bounds f = first_.bounds(first, last);
    const Bounds g = second_.bounds(first, last);
    return {.value = f.value + factor_ * g.value,
            .slope = f.slope + factor_ * g.slope,
            .top = f.top + factor_ * g.top,
            .smooth = f.smooth && g.smooth};
  }

  [[nodiscard]] Enclosure range(double first, double last) const override {
    return first_.range(first, last) + factor_ * second_.range(first, last);
  }

  [[nodiscard]] std::vector<Function> terms() const override {
    std::vector<Function> all = first_.terms();
    std::ranges::copy(second_.terms(), std::back_inserter(all));
    return all;
  }

 private:
  Function first_;
  double factor_;
  Function second_;
  std::vector<double> kinks_;
};

Function::Function(std::string_view text, char variable, const Names& constants)
    : text_(trimmed(text)) {
  if (text_.starts_with(points_prefix)) {
    const auto points =
        std::make_shared<Points>(text_.substr(points_prefix.size()), ';', "points:");
    text_ = points->text();
    impl_ = points;
  } else {
    impl_ = std::make_shared<Parsed>(Expression(text_, variable, constants));
  }
}

Function Function::of_table(std::string_view lines, const std::string& path) {
  const auto points = std::make_shared<Points>(lines, '\n', "table " + path);
  Function table;
  table.text_ = points->text();
  table.impl_ = points;
  return table;
}

Function::Function() {
  static const auto zero = std::make_shared<Parsed>(Expression("0", 't'));
  impl_ = zero;
}

Function Function::bound(const Constants& constants) const {
  Function made = *this;
  if (!this->constants().empty()) {
    const auto bound = std::make_shared<Parsed>(impl_->expression()->bound(constants));
    made.text_ = bound->expression()->text();
    made.impl_ = bound;
  }
  return made;
}

Names Function::constants() const {
  const Expression* const expression = impl_->expression();
  return expression != nullptr ? expression->constants() : Names();
}

Function Function::plus(double factor, const Function& other) const {
  Function result;
  result.text_.clear();
  result.impl_ = std::make_shared<Sum>(*this, factor, other);
  return result;
}

std::span<const Operation> Function::operations() const {
  const Expression* const expression = impl_->expression();
  return expression != nullptr ? expression->operations() : std::span<const Operation>();
}

std::vector<Function> Function::terms() const {
  std::vector<Function> all = impl_->terms();
  return all.empty() ? std::vector{*this} : all;
}

}  // namespace masing::base
