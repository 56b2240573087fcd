#include "statistics/power_law.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "statistics/least_squares.hpp"

namespace masing::statistics {

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::VectorXd;

boost::math::students_t students(double degrees_of_freedom) {
  return boost::math::students_t(std::max(1.0, degrees_of_freedom));
}

/// The correlation ρ of neighbouring residuals, `of_few` where there are too few to tell.
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

/// δs + δt of a level, or the one step.
double size_of(const ErrorLadder& ladder, std::size_t level) {
  double sum = 0.0;
  for (const StepLadder& step : ladder.steps) {
    sum += step.levels[level];
  }
  return sum;
}

/// One search for the least loss, by Newton's method with halved steps.
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
    // With a reference of its own step no order below 0 has a meaning; an exact one shows
    // growth, too.
    least_order_ = (rest_sign_ != 0).any() ? 1e-3 : -4.0;
  }

  std::optional<PowerLaw> run() {
    // Newton's method for a loss that is no square needs a start near the least.
    if (!start() || !descend(0.0) || (range_.weight > 0 && !descend(range_.weight))) {
      return std::nullopt;
    }
    return described();
  }

 private:
  struct Point {
    double order = 0.0;
    VectorXd constants;
    VectorXd next_term;  // D, or nothing
    ArrayXXd basis;      // gⱼ = hⱼᵖ - sign(rⱼ) |rⱼ|ᵖ, [levels][steps]
    ArrayXd sums;        // Σ Cⱼ gⱼ
    ArrayXd slopes;      // their derivative by the order
    ArrayXd residuals;   // of log e
  };

  /// Fills in what follows from order, constants and next term; false where a sum is not positive.
  bool evaluate(Point& at) const {
    const ArrayXXd powers = (at.order * log_steps_).exp();
    const ArrayXXd rests = rest_sign_ * (at.order * log_rests_).exp();
    at.basis = powers - rests;
    at.sums = at.basis.matrix() * at.constants;
    at.slopes = (powers * log_steps_ - rests * log_rests_).matrix() * at.constants;
    at.residuals = log_errors_ - at.sums.log() - (next_column_.matrix() * at.next_term).array();
    return (at.sums > 0).all() && at.residuals.allFinite();
  }

  /// From a straight line through log e over log h, and the constants that fit it relatively.
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

  /// The derivative of the loss by each residual, divided so that it goes to r for small r.
  static ArrayXd scores(const ArrayXd& residuals, double weight) {
    return weight == 0 ? residuals : ArrayXd((weight * residuals).expm1() / weight);
  }

  static double loss(const ArrayXd& residuals, double weight) {
    return weight == 0 ? residuals.square().sum()
                       : 2 * (scores(residuals, weight) - residuals).sum() / weight;
  }

  /// The derivatives of log of the model by constants, order and next term.
  [[nodiscard]] Eigen::MatrixXd columns() const {
    Eigen::MatrixXd all(log_errors_.size(), at_.basis.cols() + 1 + next_column_.cols());
    all << at_.basis.colwise() / at_.sums, at_.slopes / at_.sums, next_column_;
    return all;
  }

  bool descend(double weight) {
    constexpr int most_rounds = 50;
    constexpr double small = 1e-11;  // a step that ends the search
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

  /// Goes a part of a step that does not make the loss larger; returns how far the order and the
  /// residuals moved, 0 where no part does.
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

  [[nodiscard]] std::optional<PowerLaw> described() const {
    const ArrayXd score = scores(at_.residuals, range_.weight);
    const auto solution = least_squares(columns(), score);
    if (!solution) {
      return std::nullopt;
    }
    PowerLaw found{.range = range_, .order = at_.order};
    found.constants.assign(at_.constants.begin(), at_.constants.end());
    found.next_term = at_.next_term.sum();
    const Index constants = at_.constants.size();
    found.order_leverage = std::sqrt(solution->variances()[constants]);
    const Index unknowns = solution->coefficients.size();
    const Index count = log_errors_.size();
    if (count > unknowns) {
      found.freedom = static_cast<double>(count - unknowns);
      // The mean of the score's derivative is 1 where the loss is least. The next term is tested
      // with uncorrelated noise; the order's error assumes correlation 1/2 for few levels.
      constexpr double of_doublings = 0.5;
      found.scatter = std::sqrt(at_.residuals.square().sum() / found.freedom);
      found.order_error = solution->errors(score, correlation(score, of_doublings))[constants];
      if (range_.has_next_term) {
        found.next_term_error = solution->errors(score, correlation(score, 0.0))[unknowns - 1];
      }
    }
    return found;
  }

  static constexpr double most_order = 12.0;

  FitRange range_;
  ArrayXd log_errors_;
  ArrayXd log_sizes_;  // of z
  ArrayXXd log_steps_;
  ArrayXXd rest_sign_;    // -1, 0 or 1
  ArrayXXd log_rests_;    // 0 where there is none
  ArrayXXd next_column_;  // z, or no column
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
    const double rest = ladder.steps[j].references[level];  // rᵖ of a negative one is -|r|ᵖ
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
