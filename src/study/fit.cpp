#include "study/fit.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace masing::study {

namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

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
    return undefined;
  }
  return std::log(error_coarse / error_fine) / std::log(step_coarse / step_fine);
}

double successive_order(double difference_coarse, double difference_fine, double step_coarse,
                        double step_middle, double step_fine) {
  if (!comparable(difference_coarse, difference_fine)) {
    return undefined;
  }
  const double log_r = std::log(step_coarse / step_middle);
  const double log_q = std::log(step_middle / step_fine);
  const double target = std::log(difference_coarse / difference_fine);
  const auto excess = [&](double p) { return log_ratio(p, log_r, log_q) - target; };
  constexpr double most = 20.0;  // no scheme here has an order beyond
  if (!(excess(-most) < 0 && excess(most) > 0)) {
    return undefined;
  }
  std::uintmax_t iterations = 100;
  const auto [low, high] = boost::math::tools::toms748_solve(
      excess, -most, most, boost::math::tools::eps_tolerance<double>(50), iterations);
  return 0.5 * (low + high);
}

std::string to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::as_expected:
      return "as expected";
    case Verdict::not_as_expected:
      return "not as expected";
    case Verdict::undefined:
      return "undefined";
    default:
      return "not judged";
  }
}

Verdict judge(const ExpectedOrder& expected, double observed, double tolerance) {
  if (std::isnan(observed)) {
    return Verdict::undefined;
  }
  const double excess = observed - expected.order;
  const bool good = excess >= -tolerance && (expected.at_least || excess <= tolerance);
  return good ? Verdict::as_expected : Verdict::not_as_expected;
}

namespace {

constexpr std::size_t fewest = 3;  // levels that can contradict a straight line

/// The factor of a standard error for a 95 % confidence interval.
double students_factor(std::size_t degrees_of_freedom) {
  if (degrees_of_freedom == 0) {
    return undefined;
  }
  const boost::math::students_t distribution(static_cast<double>(degrees_of_freedom));
  return boost::math::quantile(distribution, 0.975);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double sum_of_squares_about_mean(const std::vector<double>& values) {
  const double center = mean(values);
  double sum = 0.0;
  for (const double value : values) {
    sum += (value - center) * (value - center);
  }
  return sum;
}

/// log gₗ(p) of the levels in the range.
class LogModel {
 public:
  LogModel(const std::vector<double>& steps, ErrorModel model, double reference_step,
           std::size_t first, std::size_t count)
      : steps_(steps), model_(model), reference_(reference_step), first_(first), count_(count) {}

  [[nodiscard]] bool has_other_step() const {
    return model_ == ErrorModel::successive || reference_ > 0;
  }

  [[nodiscard]] std::vector<double> at(double p) const {
    std::vector<double> values;
    for (std::size_t l = first_; l < first_ + count_; ++l) {
      const double other = model_ == ErrorModel::successive ? steps_[l + 1] : reference_;
      const double rest = other > 0 ? std::log(-std::expm1(p * std::log(other / steps_[l]))) : 0.0;
      values.push_back(p * std::log(steps_[l]) + rest);
    }
    return values;
  }

 private:
  const std::vector<double>& steps_;
  ErrorModel model_;
  double reference_;
  std::size_t first_;
  std::size_t count_;
};

void fit_range(const LogModel& model, const std::vector<double>& log_errors, Fit& fit) {
  const auto residuals = [&](double p) {
    std::vector<double> values = model.at(p);
    std::ranges::transform(log_errors, values, values.begin(), std::minus<>());
    return values;
  };
  // With a reference of its own step no order below 0 has a meaning; an exact one shows growth,
  // too.
  const double least = model.has_other_step() ? 1e-3 : -4.0;
  constexpr double most = 12.0;
  const auto [order, remainder] = boost::math::tools::brent_find_minima(
      [&](double p) { return sum_of_squares_about_mean(residuals(p)); }, least, most, 50);
  constexpr double nearby = 1e-4;
  std::vector<double> slopes = model.at(order + nearby);
  const std::vector<double> below = model.at(order - nearby);
  std::ranges::transform(slopes, below, slopes.begin(),
                         [](double a, double b) { return (a - b) / (2 * nearby); });
  const std::size_t freedom = log_errors.size() - 2;
  fit.order = order;
  fit.uncertainty = students_factor(freedom) * std::sqrt(remainder / static_cast<double>(freedom) /
                                                         sum_of_squares_about_mean(slopes));
  fit.constant = std::exp(mean(residuals(order)));
}

/// The order of the finest pair; or the median of the last three, where that one is off by the
/// jitter of a maximum norm.
double anchor(const std::vector<double>& orders, double tolerance) {
  const double finest = orders.back();
  if (orders.size() < 4) {  // the first level has none
    return finest;
  }
  std::array<double, 3> last{};
  std::copy(orders.end() - 3, orders.end(), last.begin());
  std::ranges::sort(last);
  return std::abs(finest - last[1]) <= tolerance ? finest : last[1];
}

/// Whether the order into level l is near those of the finest levels; for the last one, itself or
/// its mean with the one before: a jitter there must not end the range where it begins.
bool agrees(const std::vector<double>& orders, std::size_t l, double tolerance) {
  const double expected = anchor(orders, tolerance);
  const auto near = [&](double order) { return std::abs(order - expected) <= tolerance; };
  return near(orders[l]) ||
         (l + 1 == orders.size() && l > 1 && near(0.5 * (orders[l] + orders[l - 1])));
}

}  // namespace

Fit fit_order(const std::vector<double>& steps, const std::vector<double>& errors, ErrorModel model,
              double reference_step, double floor, double tolerance) {
  Fit fit{.marks = std::vector<Mark>(errors.size(), Mark::undefined),
          .order = undefined,
          .uncertainty = undefined,
          .constant = undefined};
  std::size_t end = 0;  // one past the finest level that counts
  for (std::size_t l = 0; l < errors.size(); ++l) {
    if (std::isfinite(errors[l])) {
      fit.marks[l] = errors[l] > floor ? Mark::before : Mark::on_floor;
      end = errors[l] > floor ? l + 1 : end;
    }
  }
  if (end == 0) {
    return fit;
  }
  std::vector<double> orders(end, undefined);  // into level l from the one before
  for (std::size_t l = 1; l < end; ++l) {
    orders[l] =
        model == ErrorModel::successive
            ? successive_order(errors[l - 1], errors[l], steps[l - 1], steps[l], steps[l + 1])
            : observed_order(errors[l - 1], errors[l], steps[l - 1], steps[l]);
  }
  std::size_t first = end - 1;
  while (first > 0 && fit.marks[first - 1] == Mark::before && agrees(orders, first, tolerance)) {
    --first;
  }
  fit.levels = end - first;
  std::fill(fit.marks.begin() + static_cast<std::ptrdiff_t>(first),
            fit.marks.begin() + static_cast<std::ptrdiff_t>(end), Mark::fitted);
  if (fit.levels >= fewest) {
    std::vector<double> log_errors;
    for (std::size_t l = first; l < end; ++l) {
      log_errors.push_back(std::log(errors[l]));
    }
    fit_range(LogModel(steps, model, reference_step, first, fit.levels), log_errors, fit);
  }
  return fit;
}

bool JointFit::is_known() const {
  return std::isfinite(space) && std::isfinite(time);
}

bool JointFit::cancels() const {
  return std::abs(space) > space_uncertainty && std::abs(time) > time_uncertainty &&
         space * time < 0;
}

JointFit fit_jointly(const std::vector<double>& ds, const std::vector<double>& dt,
                     const std::vector<double>& errors, double power) {
  // Rows (δsᵖ/e, δtᵖ/e) against 1.
  double ss = 0.0;
  double st = 0.0;
  double tt = 0.0;
  double s1 = 0.0;
  double t1 = 0.0;
  std::size_t rows = 0;
  for (std::size_t l = 0; l < errors.size(); ++l) {
    if (!(errors[l] > 0) || !std::isfinite(errors[l])) {
      continue;
    }
    const double a = std::pow(ds[l], power) / errors[l];
    const double b = std::pow(dt[l], power) / errors[l];
    ss += a * a;
    st += a * b;
    tt += b * b;
    s1 += a;
    t1 += b;
    ++rows;
  }
  const double determinant = ss * tt - st * st;
  constexpr double alike = 1e-6;  // of the squares: ratios δs/δt that differ by less than 0.1 %
  if (rows < fewest || !(determinant > alike * ss * tt)) {
    return {power, undefined, undefined, undefined, undefined};
  }
  JointFit fit{.power = power,
               .space = (tt * s1 - st * t1) / determinant,
               .time = (ss * t1 - st * s1) / determinant};
  const double remainder =
      std::max(0.0, static_cast<double>(rows) - fit.space * s1 - fit.time * t1);
  const double variance = remainder / static_cast<double>(rows - 2);
  const double factor = students_factor(rows - 2);
  fit.space_uncertainty = factor * std::sqrt(variance * tt / determinant);
  fit.time_uncertainty = factor * std::sqrt(variance * ss / determinant);
  return fit;
}

Extrapolation extrapolate(const std::vector<double>& steps, const std::vector<double>& values) {
  const std::size_t n = values.size();
  if (n < 3) {
    return {undefined, undefined, undefined};
  }
  const double coarse = values[n - 2] - values[n - 3];
  const double fine = values[n - 1] - values[n - 2];
  const double order =
      successive_order(std::abs(coarse), std::abs(fine), steps[n - 3], steps[n - 2], steps[n - 1]);
  if (!(order > 0) || coarse * fine <= 0) {  // oscillating or diverging: no such limit
    return {order, undefined, undefined};
  }
  constexpr double safety = 1.25;  // for three grids
  const double shrink = std::expm1(order * std::log(steps[n - 2] / steps[n - 1]));
  return {order, values[n - 1] + fine / shrink, safety * std::abs(fine) / shrink};
}

}  // namespace masing::study
