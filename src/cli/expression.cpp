#include "cli/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/plain_range.hpp"
#include "base/structure.hpp"
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
  for (const base::Word& word : base::words(text)) {
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
    for (const base::Word& word : base::words(let.text)) {
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
  for (const auto& [name, position] : base::words(text)) {
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

namespace {

// More than any run could honour; also keeps a·T from overflowing a count.
constexpr double most_breaks = 1e7;

/// A wave of period 1 is not smooth at the phases first + j·spacing.
struct Corners {
  std::string_view wave;
  double first;
  double spacing;
};
constexpr std::array<Corners, 3> corners_of_waves{
    {{"triangle", 0.25, 0.5}, {"square", 0.0, 0.5}, {"sawtooth", 0.5, 1.0}}};

[[noreturn]] void refuse(const std::string& key, const std::string& what) {
  throw UserError(key + ": " + what +
                  ", which is not smooth everywhere; give the times where it is not with "
                  "--breaks \"t,t,...\"");
}

void add_breaks(const std::string& key, const base::Wave& wave, double final_time,
                std::vector<double>& breaks) {
  const auto& [name, first, spacing] =
      *std::ranges::find(corners_of_waves, wave.name, &Corners::wave);
  const double end = wave.offset + wave.slope * final_time;
  const double least = std::min(wave.offset, end);
  const double most = std::max(wave.offset, end);
  if (!((most - least) / spacing + static_cast<double>(breaks.size()) <= most_breaks)) {
    throw UserError(key + ": with " + std::string(name) +
                    "() it has more than 10^7 corners in [0, T]; this needs a slower force");
  }
  for (double j = std::ceil((least - first) / spacing);
       first + j * spacing <= most && wave.slope != 0.0; ++j) {
    breaks.push_back((first + j * spacing - wave.offset) / wave.slope);
  }
}

/// Adds the breaks of one term of a force.
void add_breaks(const std::string& key, const base::Function& term, double final_time, bool trusted,
                std::vector<double>& breaks) {
  std::ranges::copy(term.kinks(), std::back_inserter(breaks));
  if (const std::string part = base::not_smooth_part(term.operations());
      !trusted && !part.empty()) {
    refuse(key, "it uses " + part);
  }
  for (const base::Wave& wave : base::waves(term.operations())) {
    if (wave.is_affine) {
      add_breaks(key, wave, final_time, breaks);
    } else if (!trusted) {
      refuse(key, "it uses " + std::string(wave.name) + "() of what is not a*t+b");
    }
  }
}

}  // namespace

std::vector<double> force_breaks(const base::Function& force, double final_time,
                                 std::span<const double> given) {
  std::vector<double> breaks(given.begin(), given.end());
  const char* key = "--force";
  for (const base::Function& term : force.terms()) {
    add_breaks(key, term, final_time, !given.empty(), breaks);
    key = "--base-acceleration";
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

bool has_period(const std::vector<base::Function>& terms, double period, double final_time) {
  return std::ranges::all_of(terms, [&](const base::Function& term) {
    if (!term.kinks().empty()) {
      return has_period(term, period, final_time);
    }
    const auto frequencies = base::frequencies(term.operations());
    return frequencies && std::ranges::all_of(*frequencies, [&](double frequency) {
             constexpr double rounding = 1e-10;  // of a turn
             const double turns = frequency * period;
             return std::abs(turns - std::max(1.0, std::round(turns))) <= rounding;
           });
  });
}

namespace {

/// Whether F(t + span) = F(t) for a sum of functions that have the period `period`: by values, and
/// for what they do not show by plain ranges.
bool repeats_within(const std::vector<base::Function>& terms, double span, double period) {
  return std::ranges::all_of(terms, [&](const base::Function& term) {
    constexpr int looks = 64;
    double largest = 0.0;
    double difference = 0.0;
    for (int i = 0; i < looks; ++i) {
      const double t = period * (i + 0.37) / looks;
      largest = std::max(largest, std::abs(term(t)));
      difference = std::max(difference, std::abs(term(t + span) - term(t)));
    }
    constexpr double rounding = 1e-12;
    constexpr double negligible = 1e-6;  // of ∫ |F| dt
    return difference <= rounding * largest &&
           base::shows_all([&](double t) { return term(t + span) - term(t); },
                           [&](double first, double last) {
                             return term.range(first + span, last + span) +
                                    -term.range(first, last);
                           },
                           0.0, period, negligible * largest * period);
  });
}

}  // namespace

std::optional<double> force_period(const std::vector<base::Function>& terms, double final_time) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const base::Function& term : terms) {
    for (const double frequency :
         base::frequencies(term.operations()).value_or(std::vector<double>())) {
      lowest = std::min(lowest, frequency);
    }
  }
  constexpr int most = 60;
  int periods = 1;
  while (periods <= most && std::isfinite(lowest) &&
         !has_period(terms, periods / lowest, final_time)) {
    ++periods;
  }
  if (periods > most || !std::isfinite(lowest)) {
    return std::nullopt;
  }
  double period = periods / lowest;
  // As of cos(t)^2, whose period is half that of cos(t).
  for (const int parts : {2, 3, 5, 7}) {
    while (repeats_within(terms, period / parts, period)) {
      period /= parts;
    }
  }
  return period;
}

}  // namespace masing::cli
