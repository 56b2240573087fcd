#include "cli/values.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "rheology/catalogue.hpp"

namespace masing::cli {

using base::UserError;

namespace {

/// The section of an .ini with the constants.
const std::string let = "let.";

// Up to this limit every integer is exact as a double. Therefore p·T/N and i/P are computed from
// exact operands.
constexpr std::int64_t largest_count = std::int64_t{1} << 53;

/// Returns the numbers of a list or of levels as texts: those of "100:200, 50" are 100 and 200, and
/// 50. Throws UserError if blanks separate numbers.
std::vector<std::vector<std::string>> pieces_of(const std::string& text, Kind kind) {
  std::vector<std::vector<std::string>> pieces;
  for (const std::string& piece : split_list(text)) {
    pieces.push_back(kind == Kind::levels ? base::split(piece, ':') : std::vector{piece});
    for (const std::string& each : pieces.back()) {
      if (each.find(' ') != std::string::npos &&
          each.find_first_not_of("0123456789.e ") == std::string::npos) {
        throw UserError(in_quotes(piece) + " are several numbers; part them with commas");
      }
    }
  }
  return pieces;
}

/// Returns numbers as text, with `separator` between them.
template <typename Numbers>
std::string joined_numbers(const Numbers& numbers, const char* separator) {
  std::vector<std::string> texts;
  std::ranges::transform(numbers, std::back_inserter(texts),
                         [](auto number) { return base::to_text(number); });
  return base::joined(texts, separator);
}

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
  if (option.kind == Kind::cells && count < least) {
    throw UserError(base::to_text(count) + " cells; give at least 1, or inf");
  }
  if (count < least || count > largest_count) {
    throw UserError(fmt::format("{}; must be a whole number from {} to 2^53", count, least));
  }
  return count;
}

/// Returns the variable of the functions that an option of this kind takes.
char variable_of(Kind kind) {
  return kind == Kind::of_t ? 't' : kind == Kind::pair ? 'i' : 's';
}

/// Parses a function. Throws UserError if the text is none; the message says so if it is the name
/// of a file.
base::Function function_of(const std::string& text, Kind kind) {
  try {
    return {text, variable_of(kind)};
  } catch (const UserError&) {
    for (const char* ending : {".csv", ".txt", ".dat", ".h5"}) {
      if (text.ends_with(ending)) {
        const bool is_run = kind == Kind::field && text.ends_with(".h5");
        throw UserError("names a file; give " + std::string(is_run ? "file:" : "table:") + text);
      }
    }
    throw;
  }
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
      tables_[entry.key.substr(entry.key.find('.') + 1)] = entry.points;
    } else if (entry.points) {
      const char variable = variable_of(option(entry.key).kind);
      parsed_->functions.emplace(std::pair(variable, entry.text), base::Function(entry.points));
    }
  }
}

const Option& Values::option(const std::string& key) const {
  return *find_option(key, command());
}

bool Values::given(const std::string& key) const {
  const auto own = own_.find(key);
  return (own != own_.end() && !own->second.is_derived) || given_->find(key) != nullptr;
}

bool Values::is_derived(const std::string& key) const {
  return own_.contains(key) && !given(key);
}

std::string Values::place(const std::string& quantity) const {
  for (const std::string& key : {"model." + quantity, quantity}) {
    if (const auto own = own_.find(key); own != own_.end() && !own->second.place.empty()) {
      return own->second.place;
    }
    if (const Entry* entry = given_->find(key)) {
      return entry->place;
    }
  }
  if (has_parameters(family_)) {
    const auto parameters = all_parameters(rheology::catalogue_entry(given_->model).info);
    if (std::ranges::count(parameters, quantity, &rheology::Parameter::name) > 0) {
      return "--set " + quantity;
    }
  }
  return "--" + quantity;
}

const std::string& Values::text(const std::string& key) const {
  if (const auto own = own_.find(key); own != own_.end()) {
    return own->second.text;
  }
  if (const Entry* entry = given_->find(key)) {
    return entry->text;
  }
  static const auto presets = [] {
    std::map<const Option*, std::string> texts;
    for (const Option& option : options()) {
      texts.emplace(&option, option.preset);
    }
    return texts;
  }();
  static const std::string none;
  const Option* option = find_option(key, command());
  return option == nullptr ? none : presets.at(option);
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

const base::Expression& Values::expression(const std::string& text) const {
  auto match = parsed_->numbers.find(text);
  if (match == parsed_->numbers.end()) {
    match = parsed_->numbers.emplace(text, base::Expression(text, '\0')).first;
  }
  return match->second;
}

double Values::number(const std::string& text, const Constants& known) const {
  if (const auto literal = base::to_number(text)) {
    return *literal;
  }
  std::string why = "it is empty";
  try {
    const double value = text.empty() ? base::infinity : expression(text).bound(known)(0.0);
    if (std::isfinite(value)) {
      return value;
    }
    why = text.empty() ? why : "it is " + base::to_text(value);
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
  if (value > largest) {
    throw UserError(in_quotes(text) + " is too large; the limit is 2^53");
  }
  const double nearest = std::round(value);
  if (std::abs(value - nearest) > rounding * std::abs(nearest)) {
    throw UserError(
        fmt::format("{} is not a whole number; give one such as 1000000 or 1e6, or an expression{}",
                    in_quotes(text),
                    base::to_number(text) ? "" : " (its value is " + base::to_text(value) + ")"));
  }
  return static_cast<std::int64_t>(std::max(nearest, -largest));
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
  const std::string& text = this->text(key);
  const Constants known = base::to_number(text) ? Constants() : names_for(key);
  return at(key, [&] { return in_range(number(text, known), option(key)); });
}

std::int64_t Values::count(const std::string& key) const {
  const std::string& text = this->text(key);
  const Constants known = base::to_number(text) ? Constants() : names_for(key);
  return at(key, [&] { return in_range(whole(text, known), option(key)); });
}

std::vector<double> Values::list(const std::string& key) const {
  const Constants& known = constants();
  return at(key, [&] {
    std::vector<double> numbers;
    for (const auto& piece : pieces_of(text(key), Kind::list)) {
      numbers.push_back(in_range(number(piece[0], known), option(key)));
    }
    return numbers;
  });
}

std::vector<std::vector<std::int64_t>> Values::levels(const std::string& key) const {
  const Constants& known = constants();
  return at(key, [&] {
    std::vector<std::vector<std::int64_t>> levels;
    for (const auto& piece : pieces_of(text(key), Kind::levels)) {
      std::ranges::transform(piece, std::back_inserter(levels.emplace_back()),
                             [&](const std::string& each) { return whole(each, known); });
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
    const std::optional<double> part = base::to_number(piece);
    is_time = is_time && part && *part >= 0 && (&piece == &pieces.front() || *part < 60);
    seconds = 60 * seconds + part.value_or(0.0);
  }
  if (!is_time) {
    throw UserError(place(key) + ": " + in_quotes(text) +
                    " is not a time; give seconds, m:s or h:m:s");
  }
  return seconds;
}

const base::Function& Values::parsed(const std::string& text, Kind kind) const {
  const std::pair key(variable_of(kind), text);
  auto match = parsed_->functions.find(key);
  if (match == parsed_->functions.end()) {
    match = parsed_->functions.emplace(key, function_of(text, kind)).first;
  }
  return match->second;
}

base::Function Values::function(const std::string& key) const {
  const std::string& text = this->text(key);
  const Option& option = this->option(key);
  if (text.empty() && *option.preset == 0) {
    return {};
  }
  const bool is_of_elements = option.kind != Kind::of_t && has_parameters(family_);
  const Constants& known = constants();
  return at(key, [&] {
    return parsed(text, option.kind)
        .bound(known, tables_, is_of_elements ? Names{"i", "n"} : Names());
  });
}

std::string Values::value(const Option& option) const {
  const std::string key = option.name;
  const std::string& text = this->text(key);
  const bool may_be_empty =
      option.kind == Kind::word || (option.is_function() && *option.preset == 0) || !given(key);
  if (text.empty() && may_be_empty) {
    return text;
  }
  switch (option.kind) {
    case Kind::flag:
    case Kind::choice:
      return option.words()[index_of_word(key)];
    case Kind::real:
      return base::to_text(real(key));
    case Kind::cells:
    case Kind::count:
      return text == "inf" && option.kind == Kind::cells ? text : base::to_text(count(key));
    case Kind::list:
      return joined_numbers(list(key), ",");
    case Kind::levels: {
      std::vector<std::string> texts;
      std::ranges::transform(levels(key), std::back_inserter(texts),
                             [](const auto& level) { return joined_numbers(level, ":"); });
      return base::joined(texts, ",");
    }
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

std::string Values::calculated(const Option& option) const {
  const Entry* entry = given_->find(option.name);
  if (entry == nullptr || entry->text.empty()) {
    return "";
  }
  bool is_calculated = false;
  if (option.is_function()) {
    is_calculated = !parsed(entry->text, option.kind).constants().empty();
  } else if (option.is_numeric()) {
    for (const auto& piece : pieces_of(entry->text, option.kind)) {
      is_calculated = is_calculated || std::ranges::any_of(piece, [](const std::string& each) {
                        return !base::to_number(each);
                      });
    }
  }
  return is_calculated ? entry->text : "";
}

void Values::derive(const std::string& key, std::string text) {
  own_[key] = {std::move(text), "", true};
}

void Values::set(const std::string& key, std::string text, std::string place) {
  own_[key] = {std::move(text), std::move(place), false};
}

Values Values::with(const std::vector<Entry>& row) const {
  Values point = *this;
  for (const auto& [key, text, place, points] : row) {
    if (points != nullptr) {
      point.tables_[key.substr(key.find('.') + 1)] = points;
    } else {
      point.set(key, text, place);
    }
    if (key.starts_with(let)) {
      point.constants_.reset();
    }
  }
  return point;
}

void Values::add_constant(const std::string& name, Constants& known, Names& under_way) const {
  if (known.contains(name)) {
    return;
  }
  const std::string key = let + name;
  const std::string& text = this->text(key);
  if (!under_way.insert(name).second) {
    throw UserError(fmt::format("{}: {} is defined by itself, through {}; give it a number",
                                place(key), name, in_quotes(text)));
  }
  if (!base::to_number(text) && !text.empty()) {
    const Names used = at(key, [&] { return expression(text).constants(); });
    for (const std::string& other : used) {
      if (given(let + other)) {
        add_constant(other, known, under_way);
      }
    }
  }
  known[name] = at(key, [&] { return number(text, known); });
}

const Constants& Values::constants() const {
  if (!constants_) {
    Constants known;
    Names under_way;
    const auto add = [&](const std::string& key) {
      if (key.starts_with(let)) {
        add_constant(key.substr(let.size()), known, under_way);
      }
    };
    for (const Entry& entry : given_->entries) {
      add(entry.key);
    }
    for (const auto& [key, text] : own_) {
      add(key);
    }
    constants_ = std::move(known);
  }
  return *constants_;
}

Names Values::used() const {
  Names names;
  for (const auto& [text, number] : parsed_->numbers) {
    names.merge(number.constants());
  }
  for (const auto& [key, function] : parsed_->functions) {
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
