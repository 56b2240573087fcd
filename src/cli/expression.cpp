#include "cli/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/periodicity.hpp"
#include "base/text.hpp"
#include "slab/steady/periodic_force.hpp"

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
    values_[let.parameter] = placed(let.origin + ": ", [&] { return number(let.text, values_); });
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

namespace {

constexpr std::string_view points_prefix = "points:";
constexpr std::array<std::string_view, 8> not_smooth{"abs",  "min", "max",  "sign",
                                                     "rint", "tan", "asin", "acos"};
constexpr std::string_view not_smooth_operators = "<>=!?&|";
// More than any run could honour; also keeps a·T from overflowing a count.
constexpr double most_breaks = 1e7;

/// A wave of period 1 is not smooth at the phases first + j·spacing.
struct Wave {
  std::string_view name;
  double first;
  double spacing;
};
constexpr std::array<Wave, 3> waves{
    {{"triangle", 0.25, 0.5}, {"square", 0.0, 0.5}, {"sawtooth", 0.5, 1.0}}};

[[noreturn]] void refuse(const std::string& key, const std::string& what) {
  throw UserError(key + ": " + what +
                  ", which is not smooth everywhere; give the times where it is not with "
                  "--breaks \"t,t,...\"");
}

/// a·t + b.
struct Affine {
  double slope;
  double offset;
};

/// The affine function that an expression is, to rounding, on [0, T].
std::optional<Affine> affine(const std::string& text, double final_time) {
  const base::Function value(text, 't', [](const std::string&) { return std::string(); });
  const Affine line{(value(final_time) - value(0.0)) / final_time, value(0.0)};
  const double size = std::abs(line.slope) * final_time + std::abs(line.offset);
  for (const double share : {0.137, 0.291, 0.5, 0.618, 0.853}) {
    const double t = share * final_time;
    if (!(std::abs(value(t) - (line.slope * t + line.offset)) <= 1e-13 * size)) {
      return std::nullopt;
    }
  }
  return line;
}

/// The text between the bracket at `open` and its partner.
std::string argument_of(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    depth += static_cast<int>(text[i] == '(') - static_cast<int>(text[i] == ')');
    if (depth == 0) {
      return text.substr(open + 1, i - open - 1);
    }
  }
  return {};
}

void add_wave_breaks(const std::string& key, const Wave& wave, const Affine& phase,
                     double final_time, std::vector<double>& breaks) {
  const double end = phase.offset + phase.slope * final_time;
  const double least = std::min(phase.offset, end);
  const double most = std::max(phase.offset, end);
  if (!((most - least) / wave.spacing + static_cast<double>(breaks.size()) <= most_breaks)) {
    throw UserError(key + ": with " + std::string(wave.name) +
                    "() it has more than 10^7 corners in [0, T]; this needs a slower force");
  }
  for (double j = std::ceil((least - wave.first) / wave.spacing);
       wave.first + j * wave.spacing <= most && phase.slope != 0.0; ++j) {
    breaks.push_back((wave.first + j * wave.spacing - phase.offset) / phase.slope);
  }
}

/// Adds the breaks of a wave; false if its argument is not affine.
bool add_wave(const std::string& key, const Wave& wave, const std::string& text,
              std::size_t position, double final_time, std::vector<double>& breaks) {
  const std::size_t open = text.find('(', position);
  const auto phase = affine(argument_of(text, open), final_time);
  if (phase) {
    add_wave_breaks(key, wave, *phase, final_time, breaks);
  }
  return phase.has_value();
}

void add_expression_breaks(const std::string& key, const std::string& text, double final_time,
                           bool trusted, std::vector<double>& breaks) {
  const std::size_t sign = text.find_first_of(not_smooth_operators);
  if (!trusted && sign != std::string::npos) {
    refuse(key, "it uses '" + text.substr(sign, 1) + "'");
  }
  for (const Word& word : words(text)) {
    if (!trusted && std::ranges::find(not_smooth, word.name) != not_smooth.end()) {
      refuse(key, "it uses " + word.name + "()");
    }
    const auto* const wave = std::ranges::find(waves, word.name, &Wave::name);
    if (wave != waves.end() && !add_wave(key, *wave, text, word.position, final_time, breaks) &&
        !trusted) {
      refuse(key, "it uses " + word.name + "() of what is not a*t+b");
    }
  }
}

void add_points(const std::string& text, std::vector<double>& breaks) {
  for (const std::string& point : base::split(text.substr(points_prefix.size()), ';')) {
    const std::string begin{base::trimmed(point)};
    if (const auto t = base::to_number(begin.substr(0, begin.find_first_of(" ,\t")))) {
      breaks.push_back(*t);
    }
  }
}

}  // namespace

std::vector<double> force_breaks(const std::string& text, double final_time,
                                 std::span<const double> given, const std::string& key) {
  std::vector<double> breaks(given.begin(), given.end());
  if (text.starts_with(points_prefix)) {
    add_points(text, breaks);
  } else {
    add_expression_breaks(key, text, final_time, !given.empty(), breaks);
  }
  std::erase_if(breaks, [&](double t) { return !(t > 0.0 && t < final_time); });
  std::ranges::sort(breaks);
  // Two terms may have the same corner, computed with different rounding.
  const double same = 1e-13 * final_time;
  const auto twins = [&](double a, double b) { return b - a <= same; };
  breaks.erase(std::unique(breaks.begin(), breaks.end(), twins), breaks.end());
  return breaks;
}

namespace {

/// Whether a table repeats itself: it does if it does so at its points and a period before them.
bool has_period(const base::Function& table, double period, double final_time) {
  constexpr double rounding = 1e-9;
  const double last = std::min(final_time, slab::PeriodicForce::horizon * period) - period;
  std::vector<double> looks{0.0, last};
  for (const double kink : table.kinks()) {
    looks.insert(looks.end(), {kink, kink - period});
  }
  double largest = 0.0;
  double difference = 0.0;
  for (const double t : looks) {
    if (t >= 0.0 && t <= last) {
      largest = std::max(largest, std::abs(table(t)));
      difference = std::max(difference, std::abs(table(t + period) - table(t)));
    }
  }
  return difference <= rounding * largest;
}

}  // namespace

bool has_period(const std::vector<std::string>& texts, double period, double final_time) {
  return std::ranges::all_of(texts, [&](const std::string& text) {
    if (text.starts_with(points_prefix)) {
      return has_period(base::Function(text, 't', no_tables), period, final_time);
    }
    const auto frequencies = base::frequencies(text);
    return frequencies && std::ranges::all_of(*frequencies, [&](double frequency) {
             constexpr double rounding = 1e-10;  // of a turn
             const double turns = frequency * period;
             return std::abs(turns - std::max(1.0, std::round(turns))) <= rounding;
           });
  });
}

std::optional<double> force_period(const std::vector<std::string>& texts, double final_time) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const std::string& text : texts) {
    if (!text.starts_with(points_prefix)) {
      for (const double frequency : base::frequencies(text).value_or(std::vector<double>())) {
        lowest = std::min(lowest, frequency);
      }
    }
  }
  constexpr int most = 60;
  for (int periods = 1; std::isfinite(lowest) && periods <= most; ++periods) {
    if (has_period(texts, periods / lowest, final_time)) {
      return periods / lowest;
    }
  }
  return std::nullopt;
}

}  // namespace masing::cli
