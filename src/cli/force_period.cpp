#include "cli/force_period.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/function.hpp"
#include "cli/constants.hpp"
#include "cli/force_breaks.hpp"

namespace masing::cli {

bool has_period(const base::Function& force, double period) {
  constexpr int looks = 41;
  constexpr double rounding = 1e-9;
  double largest = 0.0;
  double difference = 0.0;
  for (int i = 0; i < looks; ++i) {
    const double t = period * (i + 0.3819660112501051) / looks;
    const double value = force(t);
    largest = std::max(largest, std::abs(value));
    difference = std::max(difference, std::abs(force(t + period) - value));
  }
  return difference <= rounding * largest;
}

namespace {

void add_frequencies(const std::string& text, std::vector<double>& frequencies) {
  for (const Word& word : words(text)) {
    const bool is_circular = word.name == "sin" || word.name == "cos";
    if (!is_circular && word.name != "triangle" && word.name != "square" &&
        word.name != "sawtooth") {
      continue;
    }
    const auto line = affine(argument_of(text, text.find('(', word.position)), 1.0);
    if (line && line->slope != 0.0) {
      frequencies.push_back(std::abs(line->slope) / (is_circular ? 2 * std::numbers::pi : 1.0));
    }
  }
}

}  // namespace

std::optional<double> force_period(const base::Function& force,
                                   const std::vector<std::string>& texts) {
  std::vector<double> frequencies;
  for (const std::string& text : texts) {
    if (!text.starts_with("points:")) {
      add_frequencies(text, frequencies);
    }
  }
  if (frequencies.empty()) {
    return std::nullopt;
  }
  constexpr int most = 60;
  const double lowest = *std::ranges::min_element(frequencies);
  for (int periods = 1; periods <= most; ++periods) {
    const bool fits = std::ranges::all_of(frequencies, [&](double frequency) {
      const double times = frequency / lowest * periods;
      return std::abs(times - std::round(times)) <= 1e-9 * times;
    });
    if (fits && has_period(force, periods / lowest)) {
      return periods / lowest;
    }
  }
  return std::nullopt;
}

}  // namespace masing::cli
