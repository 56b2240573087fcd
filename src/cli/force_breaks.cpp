#include "cli/force_breaks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/function.hpp"
#include "base/text.hpp"
#include "cli/constants.hpp"

namespace masing::cli {

using base::UserError;

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

}  // namespace

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

namespace {

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

}  // namespace masing::cli
