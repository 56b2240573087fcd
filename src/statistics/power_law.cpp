#include "statistics/power_law.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "statistics/least_squares.hpp"

namespace masing::statistics {

double size_of(const ErrorLadder& ladder, std::size_t level) {
  double sum = 0.0;
  for (const StepLadder& step : ladder.steps) {
    sum += step.levels[level];
  }
  return sum;
}

StepLadder against_next(std::vector<double> levels) {
  std::vector<double> references(levels.begin() + 1, levels.end());
  references.push_back(base::undefined);
  return {std::move(levels), std::move(references)};
}

namespace {

/// Returns the correlation of neighbouring residuals. With 16 residuals or more, it is estimated
/// from them and limited to [0, 0.95]. With fewer, which are too few for an estimate, or if all are
/// 0, it is `of_few`.
double correlation(const Column& residuals, double of_few) {
  constexpr std::size_t enough = 16;
  constexpr double most = 0.95;
  const double sum = dot(residuals, residuals);
  if (residuals.size() < enough || sum == 0) {
    return of_few;
  }
  // Behind its end, a shifted column has zeros.
  return std::clamp(dot(residuals, residuals.shift(1)) / sum, 0.0, most);
}

/// Fits one power law: minimises the loss function by the Gauss-Newton method with step halving.
class NewtonFit {
 public:
  NewtonFit(const ErrorLadder& ladder, const FitRange& range)
      : range_(range), log_errors_(range.count()), sizes_(range.count()) {
    for (std::size_t i = 0; i < range.count(); ++i) {
      log_errors_[i] = std::log(ladder.errors[range.first + i]);
      sizes_[i] = size_of(ladder, range.first + i) / size_of(ladder, range.first);
    }
    for (const StepLadder& step : ladder.steps) {
      LogStep& logs = steps_.emplace_back(range.count());
      for (std::size_t i = 0; i < range.count(); ++i) {
        const double rest = range.is_exact ? 0.0 : step.references[range.first + i];
        const bool has_rest = std::abs(rest) > 0;  // neither 0 nor NaN
        logs.widths[i] = std::log(step.levels[range.first + i]);
        logs.rests[i] = has_rest ? std::log(std::abs(rest)) : 0.0;
        logs.signs[i] = has_rest ? std::copysign(1.0, rest) : 0.0;
        // An order below 0 describes errors that grow as the steps decrease. Such orders are
        // allowed if the reference is exact, but not if the reference has a step.
        least_order_ = has_rest ? 1e-3 : least_order_;
      }
    }
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
  /// One step of all levels and of their references.
  struct LogStep {
    explicit LogStep(std::size_t count) : widths(count), rests(count), signs(count) {}

    Column widths;  // log h
    Column rests;   // log |h_ref|, or 0 where `signs` is 0
    Column signs;   // sign of h_ref: -1, 0 (also for NaN) or 1
  };

  /// The parameters of a law (order, constants and next_term), and the values that evaluate()
  /// computes from these parameters.
  struct Point {
    double order = 0.0;
    Column constants;
    double next_term = 0.0;  // D; stays 0 if the law is fitted without D
    std::vector<Column> basis;  // gⱼ = hⱼᵖ - sign(rⱼ) |rⱼ|ᵖ with rⱼ = h_refⱼ, [steps][levels]
    Column sums;                // Σ Cⱼ gⱼ, [levels]
    Column slopes;              // derivatives of `sums` with respect to the order
    Column residuals;  // residuals of log e, [levels]
  };

  /// Computes the members basis, sums, slopes and residuals of `at` from the parameters in `at`.
  /// Returns false if one of the sums is not positive or a residual is not finite.
  bool evaluate(Point& at) const {
    at.basis.clear();
    at.sums = at.slopes = Column(sizes_.size());
    for (std::size_t j = 0; j < steps_.size(); ++j) {
      const Column powers = std::exp(at.order * steps_[j].widths);
      const Column rests = steps_[j].signs * std::exp(at.order * steps_[j].rests);
      at.basis.emplace_back(powers - rests);
      at.sums += at.constants[j] * at.basis[j];
      at.slopes += at.constants[j] * (powers * steps_[j].widths - rests * steps_[j].rests);
    }
    at.residuals = log_errors_ - std::log(at.sums) - at.next_term * sizes_;
    return at.sums.min() > 0 && std::isfinite(at.residuals.sum());
  }

  /// Computes the parameters from which the minimisation starts. The order is the slope of the
  /// least-squares line through log e as a function of log z, within the allowed orders. The
  /// constants minimise the squared relative residuals for this order, and D is 0. Returns false if
  /// the levels do not determine these parameters.
  bool start() {
    const Column ones(1.0, sizes_.size());
    const auto line = least_squares({ones, std::log(sizes_)}, log_errors_);
    if (!line) {
      return false;
    }
    at_.order = std::clamp(line->coefficients[1], least_order_, most_order);
    at_.constants.resize(steps_.size(), 1.0);
    if (!evaluate(at_)) {
      return false;
    }
    std::vector<Column> relative = at_.basis;
    for (Column& column : relative) {
      column /= std::exp(log_errors_);
    }
    const auto constants = least_squares(relative, ones);
    if (!constants) {
      return false;
    }
    at_.constants = constants->coefficients;
    return evaluate(at_);
  }

  /// Returns the derivative of the loss function with respect to each residual r, scaled such that
  /// it tends to r for small r.
  static Column scores(const Column& residuals, double weight) {
    const Column powers = weight * residuals;
    return weight == 0 ? residuals : Column(powers.apply(std::expm1) / weight);
  }

  /// Returns the loss function, scaled such that it tends to Σ r² for small r.
  static double loss(const Column& residuals, double weight) {
    return weight == 0 ? dot(residuals, residuals)
                       : 2 * (scores(residuals, weight) - residuals).sum() / weight;
  }

  /// Returns the derivatives of the logarithm of the law with respect to its constants, its order
  /// and its next term, [parameters][levels].
  [[nodiscard]] std::vector<Column> columns() const {
    std::vector<Column> all = at_.basis;
    all.push_back(at_.slopes);
    for (Column& column : all) {
      column /= at_.sums;
    }
    if (range_.has_next_term) {
      all.push_back(sizes_);
    }
    return all;
  }

  /// Changes the present parameters such that they minimise the loss function with w = `weight`.
  /// Returns false if the levels do not determine the parameters.
  bool descend(double weight) {
    constexpr int most_rounds = 50;
    constexpr double small = 1e-11;  // the iteration ends if a step changes less than this
    double change = 1.0;
    for (int round = 0; round < most_rounds && change > small; ++round) {
      const Column roots = std::exp(weight / 2 * at_.residuals);
      std::vector<Column> weighted = columns();
      for (Column& column : weighted) {
        column *= roots;
      }
      const auto step = least_squares(weighted, scores(at_.residuals, weight) / roots);
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
  double improve(const Column& step, double weight) {
    constexpr int most_halvings = 10;
    const double before = loss(at_.residuals, weight);
    const std::size_t constants = at_.constants.size();
    for (int halving = 0; halving < most_halvings; ++halving) {
      const double part = std::ldexp(1.0, -halving);
      Point next = at_;
      next.constants += part * Column(step[std::slice(0, constants, 1)]);
      next.order = std::clamp(next.order + part * step[constants], least_order_, most_order);
      next.next_term += range_.has_next_term ? part * step[constants + 1] : 0.0;
      if (evaluate(next) && loss(next.residuals, weight) <= before) {
        const Column changes = std::abs(next.residuals - at_.residuals);
        const double change = std::max(std::abs(next.order - at_.order), changes.max());
        at_ = std::move(next);
        return change;
      }
    }
    return 0.0;
  }

  /// Returns the law with the present parameters and their standard errors, or nothing if the
  /// levels do not determine the parameters.
  [[nodiscard]] std::optional<PowerLaw> described() const {
    const Column score = scores(at_.residuals, range_.weight);
    const auto solution = least_squares(columns(), score);
    if (!solution) {
      return std::nullopt;
    }
    const std::size_t constants = at_.constants.size();
    PowerLaw law{.range = range_, .order = at_.order, .next_term = at_.next_term};
    law.constants.assign(std::begin(at_.constants), std::end(at_.constants));
    law.order_leverage = std::sqrt(solution->variance(constants));
    const std::size_t unknowns = solution->coefficients.size();
    if (sizes_.size() > unknowns) {
      law.freedom = static_cast<double>(sizes_.size() - unknowns);
      // At the minimum, the derivative of `score` with respect to the residual has the mean 1, so
      // that the standard errors need no further factor. With fewer than 16 levels, the correlation
      // of neighbouring residuals is taken as 1/2 for the standard errors of the order and of the
      // constants, and as 0 for that of the next term.
      constexpr double of_doublings = 0.5;
      law.scatter = std::sqrt(dot(at_.residuals, at_.residuals) / law.freedom);
      const Column errors = solution->errors(score, correlation(score, of_doublings));
      law.constant_errors.assign(std::begin(errors), std::begin(errors) + constants);
      law.order_error = errors[constants];
      if (range_.has_next_term) {
        law.next_term_error = solution->errors(score, correlation(score, 0.0))[unknowns - 1];
      }
    }
    return law;
  }

  FitRange range_;
  Column log_errors_;
  Column sizes_;  // z of the levels, see PowerLaw
  std::vector<LogStep> steps_;
  double least_order_ = least_order;
  Point at_;
};

}  // namespace

bool PowerLaw::has_trend() const {
  constexpr double rounding = 1e-6;  // a smaller D may be due to the rounding of the errors
  return std::abs(next_term) > std::max(rounding, next_term_error * students_factor(freedom, 0.98));
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
  double least = base::infinity;
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
  if (rows < fewest || !solution || !(solution->variance(0) * dot(space, space) * alike < 1)) {
    return {.power = power};
  }
  const auto freedom = static_cast<double>(rows - 2);
  const Column widths = students_factor(freedom) * solution->errors(solution->residuals, 0.0);
  return {power,  solution->coefficients[0], widths[0], solution->coefficients[1], widths[1], least,
          largest};
}

}  // namespace masing::statistics
