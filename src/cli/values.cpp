#include "cli/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/error.hpp"
#include "base/text.hpp"
#include "rheology/catalogue.hpp"

namespace masing::cli {

using base::UserError;

namespace {

/// The section of an .ini with the constants.
const std::string let = "let.";

/// Returns a number. Throws UserError if it is not in the range of the option.
double in_range(double number, const Option& option) {
  const bool is_positive = option.range == rheology::Range::positive;
  if (is_positive ? number <= 0 : option.range != rheology::Range::any && number < 0) {
    throw UserError(base::to_text(number) + "; must be >" + (is_positive ? " 0" : "= 0"));
  }
  return number;
}

/// Returns a count. Throws UserError if it is not in the range of the option.
std::int64_t in_range(std::int64_t count, const Option& option) {
  const std::int64_t least = option.range == rheology::Range::positive ? 1 : 0;
  if (count < least || count > largest_count) {
    throw UserError(fmt::format("{}; must be a whole number from {} to 2^53{}", count, least,
                                option.kind == Kind::cells ? ", or inf" : ""));
  }
  return count;
}

/// Returns the variable of the functions that a text of this kind may be. Kind::real stands for the
/// numbers of all kinds, which have no variable; for these returns 0.
char variable_of(Kind kind) {
  return kind == Kind::of_t ? 't' : kind == Kind::pair ? 'i' : kind == Kind::real ? '\0' : 's';
}

/// Parses a function. Throws UserError if the text is none; the message says so if it is the name
/// of a file.
base::Function function_of(const std::string& text, Kind kind) {
  const bool is_result = text.ends_with(".h5");
  require(!is_result || kind == Kind::field,
          "names a result file; only initial-u takes one; give an expression or table:FILE.csv");
  require(!is_result && !text.ends_with(".csv") && !text.ends_with(".txt"),
          std::string("names a file; give ") + (is_result ? "file:" : "table:") + text);
  return {text, variable_of(kind)};
}

}  // namespace

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

Values::Values(Given given)
    : given_(std::make_shared<const Given>(std::move(given))), family_(family_of(given_->model)) {
  for (const Entry& entry : given_->entries) {
    if (entry.key.starts_with("table.")) {
      tables_[entry.name()] = entry.points;
    } else if (entry.points) {
      const char variable = variable_of(option(entry.key).kind);
      parsed_->emplace(std::pair(variable, entry.text), base::Function(entry.points));
    }
  }
}

const Option& Values::option(const std::string& key) const {
  return *find_option(key, command());
}

const Entry* Values::entry(const std::string& key) const {
  const auto own = own_.find(key);
  return own != own_.end() ? &own->second : given_->find(key);
}

bool Values::given(const std::string& key) const {
  const Entry* entry = this->entry(key);
  return entry != nullptr && (!entry->place.empty() || given_->find(key) != nullptr);
}

bool Values::is_derived(const std::string& key) const {
  return own_.contains(key) && !given(key);
}

std::string Values::place(const std::string& quantity) const {
  for (const std::string& key : {"model." + quantity, quantity}) {
    for (const Entry* one : {entry(key), given_->find(key)}) {
      if (one != nullptr && !one->place.empty()) {
        return one->place;
      }
    }
  }
  const Option* option = find_option(quantity, command());
  const bool is_parameter =
      has_parameters(family_) && (option == nullptr || !option->is_of(family_));
  return (is_parameter ? "--set " : "--") + quantity;
}

const std::string& Values::text(const std::string& key) const {
  static const std::string none;
  if (const Entry* entry = this->entry(key)) {
    return entry->text;
  }
  const Option* option = find_option(key, command());
  return option == nullptr ? none : option->preset;
}

std::size_t Values::index_of_word(const std::string& key) const {
  const std::vector<std::string> words = option(key).words();
  const std::string& word = text(key);
  const auto match = std::ranges::find(words, word);
  if (match == words.end()) {
    throw UserError(place(key) + ": " + in_quotes(word) + " is not known here; give " +
                    base::joined(words, "|") + base::meant(word, words));
  }
  return static_cast<std::size_t>(match - words.begin());
}

double Values::number(const std::string& text, const Constants& known) const {
  if (const auto literal = base::to_number(text)) {
    return *literal;
  }
  std::string why;
  try {
    const double value = parsed(text, Kind::real).bound(known)(0.0);
    if (std::isfinite(value)) {
      return value;
    }
    why = "it is " + base::to_text(value);
  } catch (const UserError& error) {
    why = message_of(error);
  }
  throw UserError(fmt::format(
      "{} is not a number; give a finite number such as 1.5 or 2e-3, or an expression ({})",
      in_quotes(text), why));
}

std::int64_t Values::whole(const std::string& text, const Constants& known) const {
  if (const auto literal = base::to_integer(text)) {
    return *literal;
  }
  constexpr double rounding = 1e-12;
  constexpr auto largest = static_cast<double>(largest_count);
  const double value = number(text, known);
  const double nearest = std::round(value);
  if (std::abs(value) > largest || std::abs(value - nearest) > rounding * std::abs(nearest)) {
    throw UserError(
        fmt::format("{} is {}, not a whole number up to 2^53; give one such as 1000000 or 1e6, or "
                    "an expression",
                    in_quotes(text), base::to_text(value)));
  }
  return static_cast<std::int64_t>(nearest);
}

Constants Values::names_for(const std::string& key) const {
  Constants names = constants();
  if (key == "final-time" || key == "steps") {
    for (const auto& [name, table] : tables_) {
      const std::vector<double>& t = table->arguments;
      const double width = (t.back() - t.front()) / static_cast<double>(t.size() - 1);
      names[name] = key == "steps" ? std::round(t.back() / width) : t.back();
    }
  }
  return names;
}

double Values::real(const std::string& key) const {
  return at(key, [&] { return in_range(number(text(key), names_for(key)), option(key)); });
}

std::int64_t Values::count(const std::string& key) const {
  return at(key, [&] { return in_range(whole(text(key), names_for(key)), option(key)); });
}

std::vector<double> Values::list(const std::string& key) const {
  return at(key, [&] {
    std::vector<double> numbers;
    for (const std::string& piece : split_list(text(key))) {
      numbers.push_back(in_range(number(piece, constants()), option(key)));
    }
    return numbers;
  });
}

std::vector<std::vector<std::int64_t>> Values::levels(const std::string& key) const {
  return at(key, [&] {
    std::vector<std::vector<std::int64_t>> levels;
    for (const std::string& piece : split_list(text(key))) {
      std::ranges::transform(base::split(piece, ':'), std::back_inserter(levels.emplace_back()),
                             [&](const std::string& each) { return whole(each, constants()); });
    }
    return levels;
  });
}

double Values::seconds(const std::string& key) const {
  const std::string& text = this->text(key);
  const std::vector<std::string> pieces = base::split(text, ':');
  double seconds = 0.0;
  bool is_time = !pieces.empty() && pieces.size() <= 3;
  for (const std::string& piece : pieces) {
    const double part = base::to_number(piece).value_or(-1.0);
    is_time = is_time && part >= 0 && (&piece == &pieces.front() || part < 60);
    seconds = 60 * seconds + part;
  }
  require(is_time,
          place(key) + ": " + in_quotes(text) + " is not a time; give seconds, m:s or h:m:s");
  return seconds;
}

const base::Function& Values::parsed(const std::string& text, Kind kind) const {
  const std::pair key(variable_of(kind), text);
  auto match = parsed_->find(key);
  if (match == parsed_->end()) {
    match = parsed_->emplace(key, function_of(text, kind)).first;
  }
  return match->second;
}

base::Function Values::function(const std::string& key) const {
  const std::string& text = this->text(key);
  const Option& option = this->option(key);
  if (text.empty() && option.preset.empty()) {
    return {};
  }
  const bool is_of_elements = option.kind != Kind::of_t && has_parameters(family_);
  return at(key, [&] {
    return parsed(text, option.kind)
        .bound(constants(), tables_, is_of_elements ? Names{"i", "n"} : Names());
  });
}

std::string Values::value(const Option& option) const {
  const std::string key = option.name;
  const std::string& text = this->text(key);
  // An empty text means that there is no function, or no number that follows from other keys. A
  // number that the user gives must have a text.
  const bool may_be_empty =
      option.kind == Kind::word || (option.is_function() && option.preset.empty()) || !given(key);
  if (text.empty() && may_be_empty) {
    return text;
  }
  switch (option.kind) {
    case Kind::flag:
    case Kind::choice:
      (void)index_of_word(key);
      return text;
    case Kind::real:
      return base::to_text(real(key));
    case Kind::cells:
    case Kind::count:
      return text == "inf" && option.kind == Kind::cells ? text : base::to_text(count(key));
    case Kind::list:
      (void)list(key);
      return text;
    case Kind::levels:
      (void)levels(key);
      return text;
    case Kind::of_s:
    case Kind::of_t:
    case Kind::field:
      return function(key).text();
    case Kind::time:
      return base::to_text(seconds(key));
    default:
      return text;
  }
}

void Values::derive(const std::string& key, std::string text) {
  own_[key] = {key, std::move(text), ""};
}

void Values::set(const std::string& key, std::string text, std::string place) {
  own_[key] = {key, std::move(text), std::move(place)};
}

Values Values::with(const std::vector<Entry>& row) const {
  Values point = *this;
  for (const Entry& one : row) {
    if (one.points != nullptr) {
      point.tables_[one.name()] = one.points;
    } else {
      point.own_[one.key] = one;
    }
    if (one.key.starts_with(let)) {
      point.constants_.reset();
    }
  }
  return point;
}

const Constants& Values::constants() const {
  if (constants_) {
    return *constants_;
  }
  std::map<std::string, std::string> open;  // the texts of the constants that have no value yet
  const auto add = [&](const std::string& key) {
    if (key.starts_with(let)) {
      open.emplace(key, text(key));
    }
  };
  for (const Entry& entry : given_->entries) {
    add(entry.key);
  }
  for (const auto& [key, own] : own_) {
    add(key);
  }
  const auto is_next = [&](const auto& one) {
    const Names used = base::to_number(one.second) ? Names() : at(one.first, [&] {
      return parsed(one.second, Kind::real).constants();
    });
    return std::ranges::none_of(used, [&](const auto& name) { return open.contains(let + name); });
  };
  Constants known;
  while (!open.empty()) {
    const auto next = std::ranges::find_if(open, is_next);
    require(next != open.end(), place(open.begin()->first) +
                                    ": it is defined by itself, through other constants; give one "
                                    "of them a number");
    known[next->first.substr(let.size())] =
        at(next->first, [&] { return number(next->second, known); });
    open.erase(next);
  }
  constants_ = std::move(known);
  return *constants_;
}

Names Values::used() const {
  Names names;
  for (const auto& [key, function] : *parsed_) {
    names.merge(function.constants());
    names.merge(function.tables());
  }
  return names;
}

void Values::check() const {
  for (const Option& option : options()) {
    if (option.is_of(command()) && given(option.name)) {
      (void)value(option);
    }
  }
}

}  // namespace masing::cli
