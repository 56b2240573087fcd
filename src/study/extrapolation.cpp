#include "study/extrapolation.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "study/least_squares.hpp"

namespace masing::study {

namespace {

using Numbers = std::vector<double>;

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

Numbers powers(const Numbers& steps, double power) {
  Numbers all;
  for (const double step : steps) {
    all.push_back(std::pow(step, power));
  }
  return all;
}

/// 1, h₁^q, … of all levels.
std::vector<Numbers> columns_of(const std::vector<Numbers>& steps, double power) {
  std::vector<Numbers> columns{Numbers(steps.front().size(), 1.0)};
  for (const Numbers& step : steps) {
    columns.push_back(powers(step, power));
  }
  return columns;
}

/// One fit to the values.
struct ValueFit {
  double deviation = 0.0;  // σ
  double limit = 0.0;      // φ₀
  double error = 0.0;      // ε
  double residual = 0.0;   // of the last level
};

/// Of columns of which the first is 1, with weights that have the mean 1.
std::optional<ValueFit> fit_values(const std::vector<Numbers>& columns, const Numbers& values,
                                   const Numbers& weights) {
  if (values.size() <= columns.size()) {
    return std::nullopt;
  }
  const auto weighted = [&](Numbers numbers) {
    for (std::size_t l = 0; l < numbers.size(); ++l) {
      numbers[l] *= std::sqrt(weights[l]);
    }
    return numbers;
  };
  std::vector<Numbers> scaled;
  std::ranges::transform(columns, std::back_inserter(scaled), weighted);
  const auto found = least_squares(scaled, weighted(values));
  if (!found) {
    return std::nullopt;
  }
  ValueFit fit{.limit = found->coefficients.front(),
               .residual = found->residuals.back() / std::sqrt(weights.back())};
  double sum = 0.0;
  for (const double residual : found->residuals) {
    sum += residual * residual;
  }
  fit.deviation = std::sqrt(sum / static_cast<double>(values.size() - columns.size()));
  for (std::size_t j = 1; j < columns.size(); ++j) {
    fit.error += std::abs(found->coefficients[j]) * columns[j].back();
  }
  return fit;
}

/// Weights like 1/h, of the mean 1.
Numbers inverse(const Numbers& steps) {
  Numbers weights = powers(steps, -1.0);
  double sum = 0.0;
  for (const double weight : weights) {
    sum += weight;
  }
  for (double& weight : weights) {
    weight *= static_cast<double>(weights.size()) / sum;
  }
  return weights;
}

/// The order with which a power fits the values best.
double observed_power(const std::vector<Numbers>& steps, const Numbers& values) {
  constexpr double least = 0.1;
  constexpr double most = 4.0;
  constexpr int bits = 30;
  const auto remainder = [&](double power) {
    const auto found = least_squares(columns_of(steps, power), values);
    double sum = found ? 0.0 : std::numeric_limits<double>::infinity();
    if (found) {
      for (const double residual : found->residuals) {
        sum += residual * residual;
      }
    }
    return sum;
  };
  return boost::math::tools::brent_find_minima(remainder, least, most, bits).first;
}

}  // namespace

Extrapolation extrapolate(const std::vector<std::vector<double>>& steps,
                          const std::vector<double>& values, double promised) {
  constexpr double near = 0.5;  // of the promised order
  const Extrapolation none{undefined, undefined, undefined, undefined};
  const std::size_t count = values.size();
  if (count < 2 || !std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) {
    return none;
  }
  Numbers together(count, 0.0);
  for (const Numbers& step : steps) {
    std::ranges::transform(together, step, together.begin(), std::plus<>());
  }
  const std::vector<Numbers> first = columns_of(steps, promised);
  std::vector<Numbers> second = first;
  second.push_back(powers(together, promised + 1));
  std::optional<ValueFit> best;
  for (const auto& columns : {first, second}) {
    for (const Numbers& weights : {Numbers(count, 1.0), inverse(together)}) {
      const auto fit = fit_values(columns, values, weights);
      if (fit && (!best || fit->deviation < best->deviation)) {
        best = fit;
      }
    }
  }
  if (!best) {
    return none;
  }
  const auto [least, most] = std::ranges::minmax(values);
  const double spread = (most - least) / static_cast<double>(count - 1);
  if (spread == 0) {
    return none;
  }
  Extrapolation found{.order = observed_power(steps, values), .value = best->limit};
  const double error = steps.size() == 1 ? std::abs(values.back() - best->limit) : best->error;
  const double rest = best->deviation + std::abs(best->residual);
  const double safety = std::abs(found.order - promised) <= near ? 1.25 : 3.0;
  found.index = best->deviation < spread ? safety * error + rest
                                         : 3 * best->deviation / spread * (error + rest);
  found.relative = found.index / std::abs(values.back());
  return found;
}

}  // namespace masing::study
