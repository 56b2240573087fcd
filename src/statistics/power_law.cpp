#include "statistics/power_law.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "statistics/least_squares.hpp"

namespace masing::statistics {

double size_of(const ErrorLadder& ladder, std::size_t level) {
  double sum = 0.0;
  for (const StepLadder& step : ladder.steps) {
    sum += step.levels[level];
  }
  return sum;
}

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::VectorXd;

/// Returns Student's distribution. Fewer degrees of freedom than 1 count as 1.
boost::math::students_t students(double degrees_of_freedom) {
  return boost::math::students_t(std::max(1.0, degrees_of_freedom));
}

/// Returns the correlation of neighbouring residuals. With 16 residuals or more, it is estimated
/// from them and limited to [0, 0.95]. With fewer, which are too few for an estimate, or if all are
/// 0, it is `of_few`.
double correlation(const ArrayXd& residuals, double of_few) {
  constexpr Index enough = 16;
  constexpr double most = 0.95;
  const Index count = residuals.size();
  const double sum = residuals.square().sum();
  if (count < enough || sum == 0) {
    return of_few;
  }
  const double shifted = (residuals.head(count - 1) * residuals.tail(count - 1)).sum();
  return std::clamp(shifted / sum, 0.0, most);
}

/// Fits one power law: minimises the loss function by the Gauss-Newton method with step halving.
class NewtonFit {
 public:
  NewtonFit(const ErrorLadder& ladder, const FitRange& range) : range_(range) {
    const auto rows = static_cast<Index>(range.count());
    const auto columns = static_cast<Index>(ladder.steps.size());
    log_errors_.resize(rows);
    log_sizes_.resize(rows);
    log_steps_.resize(rows, columns);
    rest_sign_.resize(rows, columns);
    log_rests_.resize(rows, columns);
    for (Index i = 0; i < rows; ++i) {
      const std::size_t level = range.first + static_cast<std::size_t>(i);
      log_errors_[i] = std::log(ladder.errors[level]);
      log_sizes_[i] = std::log(size_of(ladder, level) / size_of(ladder, range.first));
      for (Index j = 0; j < columns; ++j) {
        const StepLadder& step = ladder.steps[static_cast<std::size_t>(j)];
        const double rest = range.is_exact ? 0.0 : step.references[level];
        log_steps_(i, j) = std::log(step.levels[level]);
        const bool has_rest = std::abs(rest) > 0;  // neither 0 nor NaN
        rest_sign_(i, j) = has_rest ? std::copysign(1.0, rest) : 0.0;
        log_rests_(i, j) = has_rest ? std::log(std::abs(rest)) : 0.0;
      }
    }
    next_column_.resize(rows, range.has_next_term ? 1 : 0);
    next_column_.colwise() = log_sizes_.exp();
    // An order below 0 describes errors that grow as the steps decrease. Such orders are allowed if
    // the reference is exact, but not if the reference has a step.
    least_order_ = (rest_sign_ != 0).any() ? 1e-3 : least_order;
  }

  /// Returns the fitted law, or nothing if the levels do not determine its parameters.
  std::optional<PowerLaw> run() {
    // If w > 0, the method has to start near the minimum. It therefore starts from the result of
    // the minimisation for w = 0.
    if (!start() || !descend(0.0) || (range_.weight > 0 && !descend(range_.weight))) {
      return std::nullopt;
    }
    return described();
  }

 private:
  /// The parameters of a law (order, constants and next_term), and the values that evaluate()
  /// computes from these parameters.
  struct Point {
    double order = 0.0;
    VectorXd constants;
    VectorXd next_term;  // D, as the only entry; no entry if the law is fitted without D
    ArrayXXd basis;  // gⱼ = hⱼᵖ - sign(rⱼ) |rⱼ|ᵖ with rⱼ = h_refⱼ, [levels][steps]
    ArrayXd sums;    // Σ Cⱼ gⱼ, [levels]
    ArrayXd slopes;  // derivatives of `sums` with respect to the order
    ArrayXd residuals;  // residuals of log e, [levels]
  };

  /// Computes the members basis, sums, slopes and residuals of `at` from the parameters in `at`.
  /// Returns false if one of the sums is not positive or a residual is not finite.
  bool evaluate(Point& at) const {
    const ArrayXXd powers = (at.order * log_steps_).exp();
    const ArrayXXd rests = rest_sign_ * (at.order * log_rests_).exp();
    at.basis = powers - rests;
    at.sums = at.basis.matrix() * at.constants;
    at.slopes = (powers * log_steps_ - rests * log_rests_).matrix() * at.constants;
    at.residuals = log_errors_ - at.sums.log() - (next_column_.matrix() * at.next_term).array();
    return (at.sums > 0).all() && at.residuals.allFinite();
  }

  /// Computes the parameters from which the minimisation starts. The order is the slope of the
  /// least-squares line through log e as a function of log z, within the allowed orders. The
  /// constants minimise the squared relative residuals for this order, and D is 0. Returns false if
  /// the levels do not determine these parameters.
  bool start() {
    Eigen::MatrixXd columns(log_sizes_.size(), 2);
    columns << VectorXd::Ones(log_sizes_.size()), log_sizes_.matrix();
    const auto line = least_squares(columns, log_errors_);
    if (!line) {
      return false;
    }
    at_.order = std::clamp(line->coefficients[1], least_order_, most_order);
    at_.constants = VectorXd::Ones(log_steps_.cols());
    at_.next_term = VectorXd::Zero(next_column_.cols());
    if (!evaluate(at_)) {
      return false;
    }
    const auto constants =
        least_squares(at_.basis.colwise() / log_errors_.exp(), VectorXd::Ones(log_errors_.size()));
    if (!constants) {
      return false;
    }
    at_.constants = constants->coefficients;
    return evaluate(at_);
  }

  /// Returns the derivative of the loss function with respect to each residual r, scaled such that
  /// it tends to r for small r.
  static ArrayXd scores(const ArrayXd& residuals, double weight) {
    return weight == 0 ? residuals : ArrayXd((weight * residuals).expm1() / weight);
  }

  /// Returns the loss function, scaled such that it tends to Σ r² for small r.
  static double loss(const ArrayXd& residuals, double weight) {
    return weight == 0 ? residuals.square().sum()
                       : 2 * (scores(residuals, weight) - residuals).sum() / weight;
  }

  /// Returns the derivatives of the logarithm of the law with respect to its constants, its order
  /// and its next term, [levels][parameters].
  [[nodiscard]] Eigen::MatrixXd columns() const {
    Eigen::MatrixXd all(log_errors_.size(), at_.basis.cols() + 1 + next_column_.cols());
    all << at_.basis.colwise() / at_.sums, at_.slopes / at_.sums, next_column_;
    return all;
  }

  /// Changes the present parameters such that they minimise the loss function with w = `weight`.
  /// Returns false if the levels do not determine the parameters.
  bool descend(double weight) {
    constexpr int most_rounds = 50;
    constexpr double small = 1e-11;  // the iteration ends if a step changes less than this
    double change = 1.0;
    for (int round = 0; round < most_rounds && change > small; ++round) {
      const ArrayXd roots = (weight / 2 * at_.residuals).exp();
      const auto step = least_squares(roots.matrix().asDiagonal() * columns(),
                                      scores(at_.residuals, weight) / roots);
      if (!step) {
        return false;
      }
      change = improve(step->coefficients, weight);
    }
    return true;
  }

  /// Adds `step` to the parameters, halved as often as is needed so that the loss does not
  /// increase. Returns the largest absolute change among the order and the residuals. If even nine
  /// halvings do not suffice, leaves the parameters unchanged and returns 0.
  double improve(const VectorXd& step, double weight) {
    constexpr int most_halvings = 10;
    const double before = loss(at_.residuals, weight);
    const Index constants = at_.constants.size();
    for (int halving = 0; halving < most_halvings; ++halving) {
      const double part = std::ldexp(1.0, -halving);
      Point next = at_;
      next.constants += part * step.head(constants);
      next.order = std::clamp(next.order + part * step[constants], least_order_, most_order);
      next.next_term += part * step.tail(next.next_term.size());
      if (evaluate(next) && loss(next.residuals, weight) <= before) {
        const double change = std::max(std::abs(next.order - at_.order),
                                       (next.residuals - at_.residuals).abs().maxCoeff());
        at_ = std::move(next);
        return change;
      }
    }
    return 0.0;
  }

  /// Returns the law with the present parameters and their standard errors, or nothing if the
  /// levels do not determine the parameters.
  [[nodiscard]] std::optional<PowerLaw> described() const {
    const ArrayXd score = scores(at_.residuals, range_.weight);
    const auto solution = least_squares(columns(), score);
    if (!solution) {
      return std::nullopt;
    }
    PowerLaw law{.range = range_, .order = at_.order};
    law.constants.assign(at_.constants.begin(), at_.constants.end());
    law.next_term = at_.next_term.sum();
    const Index constants = at_.constants.size();
    law.order_leverage = std::sqrt(solution->variances()[constants]);
    const Index unknowns = solution->coefficients.size();
    const Index count = log_errors_.size();
    if (count > unknowns) {
      law.freedom = static_cast<double>(count - unknowns);
      // At the minimum, the derivative of `score` with respect to the residual has the mean 1, so
      // that the standard errors need no further factor. With fewer than 16 levels, the correlation
      // of neighbouring residuals is taken as 1/2 for the standard errors of the order and of the
      // constants, and as 0 for that of the next term.
      constexpr double of_doublings = 0.5;
      law.scatter = std::sqrt(at_.residuals.square().sum() / law.freedom);
      const VectorXd errors = solution->errors(score, correlation(score, of_doublings));
      law.constant_errors.assign(errors.begin(), errors.begin() + constants);
      law.order_error = errors[constants];
      if (range_.has_next_term) {
        law.next_term_error = solution->errors(score, correlation(score, 0.0))[unknowns - 1];
      }
    }
    return law;
  }

  FitRange range_;
  ArrayXd log_errors_;
  ArrayXd log_sizes_;  // log z of the levels, z as in PowerLaw
  ArrayXXd log_steps_;
  ArrayXXd rest_sign_;    // sign of the step of the reference: -1, 0 (also for NaN) or 1
  ArrayXXd log_rests_;    // log |step of the reference|, or 0 where rest_sign_ is 0
  ArrayXXd next_column_;  // the column of z, or no column if the law is fitted without D
  double least_order_ = 0.0;
  Point at_;
};

}  // namespace

double students_factor(double degrees_of_freedom) {
  return boost::math::quantile(students(degrees_of_freedom), 0.975);
}

double PowerLaw::chance_of_next_term() const {
  if (!(next_term_error > 0)) {
    return 0.0;
  }
  const double ratio = std::abs(next_term) / next_term_error;
  return 2 * boost::math::cdf(boost::math::complement(students(freedom), ratio));
}

double PowerLaw::predicted(const ErrorLadder& ladder, std::size_t level) const {
  double sum = 0.0;
  for (std::size_t j = 0; j < constants.size(); ++j) {
    // The step of the reference may be negative, see StepLadder; its power p is then defined as
    // -|step|ᵖ.
    const double rest = ladder.steps[j].references[level];
    const double power = rest == 0 ? 0.0 : std::copysign(std::pow(std::abs(rest), order), rest);
    sum += constants[j] * (std::pow(ladder.steps[j].levels[level], order) - power);
  }
  const double z = size_of(ladder, level) / size_of(ladder, range.first);
  return sum * std::exp(next_term * z);
}

std::optional<PowerLaw> fit_power_law(const ErrorLadder& ladder, const FitRange& range) {
  return NewtonFit(ladder, range).run();
}

}  // namespace masing::statistics
