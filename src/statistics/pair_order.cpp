#include "statistics/pair_order.hpp"

#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>

#include "base/limits.hpp"

namespace masing::statistics {

namespace {

bool comparable(double a, double b) {
  return a > 0 && b > 0 && std::isfinite(a) && std::isfinite(b);
}

/// log of (h₁ᵖ - h₂ᵖ)/(h₂ᵖ - h₃ᵖ) with r = h₁/h₂, q = h₂/h₃: (rᵖ - 1)/(1 - q⁻ᵖ); increasing in p.
double log_ratio(double p, double log_r, double log_q) {
  if (std::abs(p) < 1e-9) {
    return std::log(log_r / log_q);  // the limit
  }
  return std::log(std::expm1(p * log_r) / -std::expm1(-p * log_q));
}

}  // namespace

double observed_order(double error_coarse, double error_fine, double step_coarse,
                      double step_fine) {
  if (!comparable(error_coarse, error_fine) || step_coarse == step_fine) {
    return base::undefined;
  }
  return std::log(error_coarse / error_fine) / std::log(step_coarse / step_fine);
}

double successive_order(double difference_coarse, double difference_fine, double step_coarse,
                        double step_middle, double step_fine) {
  if (!comparable(difference_coarse, difference_fine)) {
    return base::undefined;
  }
  const double log_r = std::log(step_coarse / step_middle);
  const double log_q = std::log(step_middle / step_fine);
  const double target = std::log(difference_coarse / difference_fine);
  const auto excess = [&](double p) { return log_ratio(p, log_r, log_q) - target; };
  constexpr double most = 20.0;  // no scheme here has an order beyond
  if (!(excess(-most) < 0 && excess(most) > 0)) {
    return base::undefined;
  }
  std::uintmax_t iterations = 100;
  const auto [low, high] = boost::math::tools::toms748_solve(
      excess, -most, most, boost::math::tools::eps_tolerance<double>(50), iterations);
  return 0.5 * (low + high);
}

}  // namespace masing::statistics
