#include "masing/continuous_measure.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "masing/cell_measure.hpp"
#include "masing/quadrature.hpp"

namespace masing {

namespace {

constexpr int sample_cells = 4096;

/// The values at s = 0, 1/4096, …, 1 and at the kinks a table names.
std::vector<double> sampled(const options::Function& function) {
  std::vector<double> values;
  for (int i = 0; i <= sample_cells; ++i) {
    values.push_back(function(static_cast<double>(i) / sample_cells));
  }
  for (const double s : function.kinks()) {
    values.push_back(function(s));
  }
  return values;
}

std::vector<double> merged(std::vector<double> some, const std::vector<double>& others) {
  some.insert(some.end(), others.begin(), others.end());
  std::ranges::sort(some);
  const auto same = [](double a, double b) { return b - a < 1e-12; };
  some.erase(std::unique(some.begin(), some.end(), same), some.end());
  return some;
}

/// ∫ f ds over [0, 1], piece by piece between breaks.
double whole_integral(const Density& f, const std::vector<double>& breaks) {
  double sum = 0.0;
  double start = 0.0;
  for (std::size_t i = 0; i <= breaks.size(); ++i) {
    const double end = i < breaks.size() ? breaks[i] : 1.0;
    // Oscillations are resolved by the first few cuts.
    constexpr int cuts = 64;
    for (int j = 0; j < cuts; ++j) {
      sum +=
          integral(f, start + (end - start) * j / cuts, start + (end - start) * (j + 1) / cuts, 6);
    }
    start = end;
  }
  return sum;
}

}  // namespace

ContinuousMeasure make_continuous_measure(const Problem& problem) {
  const Density k = [&](double s) { return problem.stiffness(s); };
  const Density eta = [&](double s) { return problem.threshold(s); };
  const Density u0 = [&](double s) { return problem.initial_u(s); };
  const double scale = std::ranges::max(sampled(problem.threshold));
  const auto profile_kinks =
      merged(kinks(eta, problem.threshold.kinks()), kinks(k, problem.stiffness.kinks()));
  ContinuousTable threshold(eta, k, profile_kinks, scale);
  if (std::ranges::all_of(sampled(problem.initial_u), [](double u) { return u == 0.0; })) {
    return ContinuousMeasure(std::move(threshold));
  }
  const auto all_kinks = merged(profile_kinks, kinks(u0, problem.initial_u.kinks()));
  const auto virgin = [&](int direction) {
    const Density theta = [&](double s) { return eta(s) - direction * u0(s); };
    return ContinuousTable(theta, k, all_kinks, scale);
  };
  const Density initial = [&](double s) { return k(s) * u0(s); };
  return ContinuousMeasure(std::move(threshold), {virgin(1), virgin(-1)},
                           whole_integral(initial, all_kinks));
}

std::string continuous_fault(const Problem& problem) {
  std::vector<double> thresholds;
  std::vector<double> initial;
  for (int i = 0; i <= sample_cells; ++i) {
    const double s = static_cast<double>(i) / sample_cells;
    const double k = problem.stiffness(s);
    const double eta = problem.threshold(s);
    const double u0 = problem.initial_u(s);
    const auto at = [&](double value) {
      return base::to_text(value) + " at s = " + base::to_text(s) + "; ";
    };
    if (!(k > 0) || !std::isfinite(k)) {
      return "--stiffness: k(s) = " + at(k) + "k must be > 0 and finite";
    }
    if (!(eta > 0) || !std::isfinite(eta)) {
      return "--threshold: eta(s) = " + at(eta) + "eta must be > 0 and finite";
    }
    if (!(std::abs(u0) <= eta)) {
      return "--initial-u: u0(s) = " + at(u0) + "|u0| must be <= eta(s) = " + base::to_text(eta);
    }
    thresholds.push_back(eta);
    initial.push_back(u0);
  }
  std::string fault = memory_fault(thresholds, initial);
  if (!fault.empty()) {
    fault += " with a finite --cells";
  }
  return fault;
}

}  // namespace masing
