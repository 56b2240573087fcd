#include "statistics/fit.hpp"

#include <algorithm>
#include <boost/math/tools/roots.hpp>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>

#include "statistics/least_squares.hpp"
#include "statistics/student.hpp"

namespace masing::statistics {

namespace {

// The fewest levels for a fit with one step. Two levels are too few, because a power law goes
// through any two errors.
constexpr std::size_t fewest_levels = 3;
constexpr std::size_t many = 24;       // from this number of levels on, fit_best() also tries w = 2
constexpr double significance = 0.02;  // D is significant if chance_of_next_term() is at most this
// A tail with a trend is accepted as the asymptotic range only if |D| is at most this.
constexpr double most_curved = 0.5;
// If a tail has one level more than the shortest tail, a trend with |D| below this number is
// ignored.
constexpr double barely_curved = 0.1;

/// Fits a power law with w = 0 in the loss function of fit_power_law. If the range has at least
/// `many` levels, also fits a law with w = 2. Returns the law whose order has the smaller standard
/// error, or nothing if no law can be fitted.
std::optional<PowerLaw> fit_best(const ErrorLadder& ladder, FitRange range) {
  auto squares = fit_power_law(ladder, range);
  if (!squares || range.count() < many) {
    return squares;
  }
  range.weight = 2.0;
  auto other = fit_power_law(ladder, range);
  return other && other->order_error < squares->order_error ? other : squares;
}

/// Chooses the asymptotic range among the tails of the levels first..end-1, as the docstring of
/// fit_order describes, and returns its power law. The shortest tail has `least` levels. Returns
/// nothing if no tail is accepted, because there are too few levels or the shortest tail cannot be
/// fitted.
std::optional<PowerLaw> choose(const ErrorLadder& ladder, std::size_t first, std::size_t end,
                               std::size_t least) {
  std::size_t count = end - first;
  while (count >= least) {
    auto straight = fit_best(ladder, {.first = end - count, .end = end});
    if (straight && count == least) {
      return straight;
    }
    if (straight) {
      FitRange range = straight->range;
      range.has_next_term = true;
      auto curved = fit_power_law(ladder, range);
      const double part = curved ? std::abs(curved->next_term) : 0.0;
      if (!curved || curved->chance_of_next_term() > significance ||
          (count == least + 1 && part < barely_curved)) {
        return straight;
      }
      if (part <= most_curved && count >= least + 2) {
        return curved;
      }
    }
    count -= std::max<std::size_t>(1, count / 8);
  }
  return std::nullopt;
}

/// Returns Fit::structural, the structural part of the uncertainty of the order, for the law
/// `chosen`. `least` is the number of levels of the shortest tail. The variance of the difference
/// between an estimate and a more efficient one is the difference of their variances (Hausman,
/// Econometrica 46, 1978); this gives the change of the order that may be due to chance.
double structural_uncertainty(const ErrorLadder& ladder, const PowerLaw& chosen,
                              std::size_t least) {
  double largest = 0.0;
  const auto compare = [&](const FitRange& range) {
    if (const auto other = fit_power_law(ladder, range)) {
      const double change = other->order - chosen.order;
      const double leverage = other->order_leverage / chosen.order_leverage;
      const double by_chance =
          2 * chosen.order_error * std::sqrt(std::max(0.0, leverage * leverage - 1));
      largest = std::max(largest, change * change - by_chance * by_chance);
    }
  };
  FitRange earlier = chosen.range;
  earlier.end -= std::max<std::size_t>(1, earlier.count() / 4);
  if (earlier.count() + 1 >= least + (earlier.has_next_term ? 1 : 0)) {
    compare(earlier);
  }
  if (!ladder.are_differences) {
    FitRange exact = chosen.range;
    exact.is_exact = true;
    compare(exact);
  }
  return std::sqrt(largest);
}

/// Returns the longest sequence of successive levels whose errors are finite and above `floor`; if
/// several sequences have this length, returns the finest of them. Also sets the `marks` of all
/// levels with finite errors: `before` for errors above the floor, and `on_floor` for the others.
/// Levels finer than the sequence are always marked `on_floor`: their errors are round-off even if
/// they exceed the floor by chance.
FitRange levels_above_floor(double floor, const std::vector<double>& errors,
                            std::vector<Mark>& marks) {
  FitRange longest;
  std::size_t begin = 0;
  for (std::size_t l = 0; l < errors.size(); ++l) {
    const bool is_usable = std::isfinite(errors[l]) && errors[l] > floor;
    if (std::isfinite(errors[l])) {
      marks[l] = is_usable ? Mark::before : Mark::on_floor;
    }
    begin = is_usable ? begin : l + 1;
    if (is_usable && l + 1 - begin >= longest.count()) {
      longest = {.first = begin, .end = l + 1};
    }
  }
  std::replace(marks.begin() + static_cast<std::ptrdiff_t>(longest.end), marks.end(), Mark::before,
               Mark::on_floor);
  return longest;
}

}  // namespace

Fit fit_order(const ErrorLadder& ladder, double floor) {
  const std::size_t count = ladder.errors.size();
  Fit fit{.marks = std::vector<Mark>(count, Mark::undefined),
          .constants = std::vector<double>(ladder.steps.size(), base::undefined),
          .predicted = std::vector<double>(count, base::undefined)};
  FitRange range = levels_above_floor(floor, ladder.errors, fit.marks);
  const std::size_t least = ladder.steps.size() + fewest_levels - 1;
  if (const auto law = choose(ladder, range.first, range.end, least)) {
    range = law->range;
    fit.order = law->order;
    // One degree of freedom is subtracted because the tail was chosen. But if there are only two
    // degrees of freedom, 0.75 is subtracted, and if there is only one, nothing. With fewer degrees
    // of freedom the interval would be too wide to be useful.
    const double freedom = std::max(law->freedom - 1, std::min(law->freedom, 1.25));
    fit.statistical = students_factor(freedom) * law->order_error;
    fit.structural = structural_uncertainty(ladder, *law, least);
    fit.uncertainty = std::hypot(fit.statistical, fit.structural, least_uncertainty);
    fit.constants = law->constants;
    if (law->constants.size() == 1 && !law->constant_errors.empty()) {
      const Column steps(&ladder.steps[0].levels[range.first], range.count());
      const double log_step = std::log(steps).sum() / static_cast<double>(range.count());
      fit.constant_uncertainty =
          std::hypot(students_factor(freedom) * law->constant_errors[0],
                     law->constants[0] * log_step * std::hypot(fit.structural, least_uncertainty));
    }
    fit.next_term = law->next_term;
    fit.scatter = law->scatter;
    for (std::size_t l = 0; l < count; ++l) {
      fit.predicted[l] = law->predicted(ladder, l);
    }
  }
  fit.levels = range.count();
  std::fill(fit.marks.begin() + static_cast<std::ptrdiff_t>(range.first),
            fit.marks.begin() + static_cast<std::ptrdiff_t>(range.end), Mark::fitted);
  return fit;
}

bool on_one_ray(const std::vector<double>& ds, const std::vector<double>& dt) {
  constexpr double alike = 0.01;
  std::vector<double> rays;
  std::ranges::transform(ds, dt, std::back_inserter(rays),
                         [](double width, double step) { return std::log(width / step); });
  const auto [least, largest] = std::ranges::minmax(rays);
  return !(largest - least > alike);
}

JointFit fit_jointly(const std::vector<double>& ds, const std::vector<double>& dt,
                     const std::vector<double>& errors, double power) {
  // Each level with an error e gives the row (δsᵖ/e, δtᵖ/e) of the matrix. The product of this row
  // with (C₁, C₂) is the predicted error divided by e, and has to be fitted to 1.
  std::vector<double> of_space;
  std::vector<double> of_time;
  double least = std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t l = 0; l < errors.size(); ++l) {
    if (errors[l] > 0 && std::isfinite(errors[l])) {
      of_space.push_back(std::pow(ds[l], power) / errors[l]);
      of_time.push_back(std::pow(dt[l], power) / errors[l]);
      least = std::min(least, ds[l] / dt[l]);
      largest = std::max(largest, ds[l] / dt[l]);
    }
  }
  const std::size_t rows = of_space.size();
  const Column space(of_space.data(), rows);
  constexpr std::size_t fewest = 3;
  // The levels do not determine C₁ and C₂ if the two columns are nearly parallel. The least allowed
  // sine of the angle between them is 0.1 %, the square root of the constant `alike`.
  constexpr double alike = 1e-6;
  const auto solution = least_squares({space, Column(of_time.data(), rows)}, Column(1.0, rows));
  if (rows < fewest || !solution || !(solution->variances()[0] * dot(space, space) * alike < 1)) {
    return {.power = power};
  }
  const auto freedom = static_cast<double>(rows - 2);
  const Column widths = students_factor(freedom) * solution->errors(solution->residuals, 0.0);
  return {power,  solution->coefficients[0], widths[0], solution->coefficients[1], widths[1], least,
          largest};
}

namespace {

/// Returns whether both numbers are positive and finite.
bool comparable(double a, double b) {
  return a > 0 && b > 0 && std::isfinite(a) && std::isfinite(b);
}

/// Returns the logarithm of (h₁ᵖ - h₂ᵖ)/(h₂ᵖ - h₃ᵖ) = (rᵖ - 1)/(1 - q⁻ᵖ), where r = h₁/h₂ and q =
/// h₂/h₃. The result increases with p.
double log_ratio(double p, double log_r, double log_q) {
  if (std::abs(p) < 1e-9) {
    return std::log(log_r / log_q);  // the limit for p → 0
  }
  return std::log(std::expm1(p * log_r) / -std::expm1(-p * log_q));
}

}  // namespace

double rising_zero(const std::function<double(double)>& excess, double most) {
  if (!(excess(-most) < 0 && excess(most) > 0)) {
    return base::undefined;
  }
  std::uintmax_t iterations = 100;
  const auto [low, high] = boost::math::tools::toms748_solve(
      excess, -most, most, boost::math::tools::eps_tolerance<double>(50), iterations);
  return 0.5 * (low + high);
}

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
  constexpr double most = 20.0;  // no scheme of the program has a higher order
  return rising_zero(excess, most);
}

}  // namespace masing::statistics
