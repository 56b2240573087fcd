#include "study/fit.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "study/least_squares.hpp"

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

namespace {

constexpr std::size_t fewest = 3;      // levels that can contradict a straight line
constexpr double significance = 0.02;  // of a term of the expansion
constexpr double most_curved = 0.5;    // the next term's part of the error, in the asymptotic range
constexpr double least_curved = 1e-3;  // of a trend: one that is less changes no order
constexpr double barely_curved = 0.1;  // of a trend in so few levels that no fit could have it
constexpr double least_width = 0.005;  // of half an interval: digits beyond mean nothing

/// Student's distribution; degrees of freedom need not be whole.
boost::math::students_t students(double degrees_of_freedom) {
  return boost::math::students_t(std::max(1.0, degrees_of_freedom));
}

/// The factor of a standard error for a 95 % confidence interval.
double students_factor(double degrees_of_freedom) {
  return boost::math::quantile(students(degrees_of_freedom), 0.975);
}

double sum_of_squares(const std::vector<double>& values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

/// By how much the variance of a fit is larger than its residuals say, (1 + ρ)/(1 - ρ), because
/// neighbours are correlated, ρ; 1 where there are too few to tell.
double inflation(const std::vector<double>& residuals) {
  constexpr std::size_t enough = 8;
  constexpr double most = 0.95;
  const double sum = sum_of_squares(residuals);
  if (residuals.size() < enough || sum == 0) {
    return 1.0;
  }
  const double shifted =
      std::inner_product(residuals.begin() + 1, residuals.end(), residuals.begin(), 0.0);
  // A fit makes neighbours look less correlated, by about 1/n.
  const double bias = 1.0 / static_cast<double>(residuals.size());
  const double correlation = std::clamp(shifted / sum + bias, 0.0, most);
  return (1 + correlation) / (1 - correlation);
}

/// One fit to some neighbouring levels.
struct TailFit {
  double order = 0.0;
  std::vector<double> constants;
  std::vector<double> terms;  // the coefficients of z, z², …
  double scatter = 0.0;
  double freedom = 0.0;          // effective degrees of freedom
  double order_error = 0.0;      // standard error of the order
  double order_leverage = 0.0;   // the same for errors of standard deviation 1
  double last_term_error = 0.0;  // of the last of the terms

  /// The probability that chance makes the last of the terms so large.
  [[nodiscard]] double chance_of_last_term() const {
    if (!(last_term_error > 0)) {
      return 0.0;
    }
    const double ratio = std::abs(terms.back()) / last_term_error;
    return 2 * boost::math::cdf(boost::math::complement(students(freedom), ratio));
  }
};

/// Fits orders to the levels first..last-1 of a ladder.
class TailFitter {
 public:
  explicit TailFitter(const ErrorLadder& ladder) : ladder_(ladder) {
    for (std::size_t l = 0; l < ladder.errors.size(); ++l) {
      double sum = 0.0;
      for (const StepLadder& step : ladder.steps) {
        sum += step.levels[l];
      }
      steps_.push_back(sum);
    }
  }

  /// With `terms` further terms; none where the levels do not determine all. `exact`: the
  /// reference is taken for exact.
  [[nodiscard]] std::optional<TailFit> fit(std::size_t first, std::size_t last, std::size_t terms,
                                           bool exact = false) const {
    Search search(*this, first, last, terms, exact);
    return search.run();
  }

  /// Σ Cⱼ (hⱼᵖ - rⱼᵖ) of a level, times the terms' factor; `coarsest`: where z = 1.
  [[nodiscard]] double predicted(const TailFit& fit, std::size_t level,
                                 std::size_t coarsest) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < fit.constants.size(); ++j) {
      const StepLadder& step = ladder_.steps[j];
      const double reference = step.references[level];
      sum += fit.constants[j] * (std::pow(step.levels[level], fit.order) -
                                 (reference == 0 ? 0.0 : std::pow(reference, fit.order)));
    }
    const double z = steps_[level] / steps_[coarsest];
    double power = 1.0;
    double exponent = 0.0;
    for (const double term : fit.terms) {
      exponent += term * (power *= z);
    }
    return sum * std::exp(exponent);
  }

 private:
  /// One search for the least squares of log e, by Gauss-Newton with halved steps.
  class Search {
   public:
    Search(const TailFitter& fitter, std::size_t first, std::size_t last, std::size_t terms,
           bool exact)
        : ladder_(fitter.ladder_), first_(first), count_(last - first) {
      for (std::size_t l = first; l < last; ++l) {
        log_errors_.push_back(std::log(ladder_.errors[l]));
        relative_.push_back(fitter.steps_[l] / fitter.steps_[first]);
      }
      std::vector<double> powers(count_, 1.0);
      for (std::size_t k = 0; k < terms; ++k) {
        std::ranges::transform(powers, relative_, powers.begin(), std::multiplies<>());
        term_columns_.push_back(powers);
      }
      for (const StepLadder& step : ladder_.steps) {
        references_.emplace_back(step.references.begin() + static_cast<std::ptrdiff_t>(first),
                                 step.references.begin() + static_cast<std::ptrdiff_t>(last));
        if (exact) {
          std::ranges::fill(references_.back(), 0.0);
        }
      }
      // With a reference of its own step no order below 0 has a meaning; an exact one shows
      // growth, too.
      const bool has_step = std::ranges::any_of(references_, [](const auto& all) {
        return std::ranges::any_of(all, [](double step) { return step > 0; });
      });
      least_order_ = has_step ? 1e-3 : -4.0;
    }

    std::optional<TailFit> run() {
      constexpr int most_rounds = 50;
      constexpr double small = 1e-11;  // a step that ends the search
      if (!start()) {
        return std::nullopt;
      }
      double change = 1.0;
      for (int round = 0; round < most_rounds && change > small; ++round) {
        const auto step = least_squares(columns(), at_.residuals);
        if (!step) {
          return std::nullopt;
        }
        change = improve(step->coefficients);
      }
      return described();
    }

   private:
    struct Point {
      double order = 0.0;
      std::vector<double> constants;
      std::vector<double> terms;
      std::vector<double> sums;                // Σ Cⱼ gⱼ, [count]
      std::vector<double> slopes;              // their derivative by the order, [count]
      std::vector<std::vector<double>> basis;  // gⱼ = hⱼᵖ - rⱼᵖ, [steps][count]
      std::vector<double> residuals;           // [count]
    };

    /// Fills in what follows from order, constants and terms; false where a sum is not positive.
    bool evaluate(Point& at) const {
      at.basis.clear();
      at.sums.assign(count_, 0.0);
      at.slopes.assign(count_, 0.0);
      at.residuals = log_errors_;
      for (std::size_t j = 0; j < at.constants.size(); ++j) {
        std::vector<double> values;
        for (std::size_t l = 0; l < count_; ++l) {
          const double step = ladder_.steps[j].levels[first_ + l];
          const double reference = references_[j][l];
          const double power = std::pow(step, at.order);
          const double rest = reference > 0 ? std::pow(reference, at.order) : 0.0;
          const double slope =
              power * std::log(step) - (reference > 0 ? rest * std::log(reference) : 0.0);
          values.push_back(power - rest);
          at.sums[l] += at.constants[j] * values.back();
          at.slopes[l] += at.constants[j] * slope;
        }
        at.basis.push_back(std::move(values));
      }
      for (std::size_t l = 0; l < count_; ++l) {
        if (!(at.sums[l] > 0)) {
          return false;
        }
        at.residuals[l] -= std::log(at.sums[l]);
        for (std::size_t k = 0; k < at.terms.size(); ++k) {
          at.residuals[l] -= at.terms[k] * term_columns_[k][l];
        }
      }
      return true;
    }

    /// From a straight line through log e over log h, and the constants that fit it relatively.
    bool start() {
      std::vector<double> log_steps;
      for (const double z : relative_) {
        log_steps.push_back(std::log(z));
      }
      const auto line = least_squares({std::vector<double>(count_, 1.0), log_steps}, log_errors_);
      if (!line) {
        return false;
      }
      for (const double order : {line->coefficients[1], 1.0}) {
        at_.order = std::clamp(order, least_order_, most_order);
        at_.constants.assign(ladder_.steps.size(), 1.0);
        at_.terms.assign(term_columns_.size(), 0.0);
        if (!evaluate(at_)) {
          continue;
        }
        std::vector<std::vector<double>> ratios = at_.basis;
        for (auto& column : ratios) {
          for (std::size_t l = 0; l < count_; ++l) {
            column[l] /= std::exp(log_errors_[l]);
          }
        }
        const auto constants = least_squares(ratios, std::vector<double>(count_, 1.0));
        if (!constants) {
          return false;
        }
        at_.constants = constants->coefficients;
        if (evaluate(at_)) {
          return true;
        }
      }
      return false;
    }

    /// The derivatives of log of the model by constants, order and terms.
    [[nodiscard]] std::vector<std::vector<double>> columns() const {
      std::vector<std::vector<double>> all = at_.basis;
      all.push_back(at_.slopes);
      for (auto& column : all) {
        std::ranges::transform(column, at_.sums, column.begin(), std::divides<>());
      }
      all.insert(all.end(), term_columns_.begin(), term_columns_.end());
      return all;
    }

    /// Goes a part of a step that does not make the sum of squares larger; returns how far the
    /// order and the residuals moved, 0 where no part does.
    double improve(const std::vector<double>& step) {
      constexpr int most_halvings = 10;
      const double before = sum_of_squares(at_.residuals);
      double part = 2.0;
      for (int halving = 0; halving < most_halvings; ++halving) {
        part /= 2;
        Point next = at_;
        std::size_t i = 0;
        for (double& constant : next.constants) {
          constant += part * step[i++];
        }
        next.order = std::clamp(next.order + part * step[i++], least_order_, most_order);
        for (double& term : next.terms) {
          term += part * step[i++];
        }
        if (evaluate(next) && sum_of_squares(next.residuals) <= before) {
          double change = std::abs(next.order - at_.order);
          for (std::size_t l = 0; l < count_; ++l) {
            change = std::max(change, std::abs(next.residuals[l] - at_.residuals[l]));
          }
          at_ = std::move(next);
          return change;
        }
      }
      return 0.0;
    }

    [[nodiscard]] std::optional<TailFit> described() const {
      const auto solution = least_squares(columns(), at_.residuals);
      if (!solution) {
        return std::nullopt;
      }
      TailFit found{.order = at_.order, .constants = at_.constants, .terms = at_.terms};
      found.order_leverage = std::sqrt(solution->variances[at_.constants.size()]);
      const std::size_t unknowns = solution->coefficients.size();
      if (count_ > unknowns) {
        const auto freedom = static_cast<double>(count_ - unknowns);
        const double variance = sum_of_squares(at_.residuals) / freedom;
        const double inflated = inflation(at_.residuals);
        const auto error = [&](std::size_t i) {
          return std::sqrt(variance * inflated * solution->variances[i]);
        };
        found.scatter = std::sqrt(variance);
        found.freedom = freedom / inflated;
        found.order_error = error(at_.constants.size());
        found.last_term_error = at_.terms.empty() ? 0.0 : error(unknowns - 1);
      }
      return found;
    }

    static constexpr double most_order = 12.0;

    const ErrorLadder& ladder_;
    std::size_t first_;
    std::size_t count_;
    std::vector<double> log_errors_;
    std::vector<double> relative_;  // z
    std::vector<std::vector<double>> term_columns_;
    std::vector<std::vector<double>> references_;
    double least_order_ = -4.0;
    Point at_;
  };

  const ErrorLadder& ladder_;
  std::vector<double> steps_;  // h, or δs + δt
};

/// The chosen fit: to the levels from `first` on.
struct Chosen {
  std::size_t first = 0;
  TailFit fit;
};

/// The longest tail of first..end-1 whose residuals show no trend.
std::optional<Chosen> choose(const TailFitter& fitter, std::size_t first, std::size_t end,
                             std::size_t least) {
  std::size_t count = end - first;
  while (count >= least) {
    const std::size_t begin = end - count;
    const auto straight = fitter.fit(begin, end, 0);
    if (straight && count == least) {
      return Chosen{begin, *straight};
    }
    if (straight) {
      const auto curved = fitter.fit(begin, end, 1);
      const double part = curved ? std::abs(curved->terms.front()) : 0.0;
      if (part < least_curved || curved->chance_of_last_term() > significance ||
          (count == least + 1 && part < barely_curved)) {
        return Chosen{begin, *straight};
      }
      if (part <= most_curved && count >= least + 2) {
        const auto further = fitter.fit(begin, end, 2);
        if (!further || std::abs(further->terms.back()) < least_curved ||
            further->chance_of_last_term() > significance) {
          return Chosen{begin, *curved};
        }
      }
    }
    count -= std::max<std::size_t>(1, count / 8);
  }
  return std::nullopt;
}

/// The largest change of the order by another choice of the levels or the terms, less what chance
/// explains: of an estimate and a more efficient one the difference has the difference of variances
/// (Hausman, Econometrica 46, 1978).
double structural_uncertainty(const TailFitter& fitter, const Chosen& chosen, std::size_t end,
                              std::size_t least, ErrorModel model) {
  const std::size_t count = end - chosen.first;
  const std::size_t part = std::max<std::size_t>(1, count / 4);
  const std::size_t terms = chosen.fit.terms.size();
  double largest = 0.0;
  const auto compare = [&](const std::optional<TailFit>& other, double weight) {
    if (other) {
      const double change = other->order - chosen.fit.order;
      const double leverage = other->order_leverage / chosen.fit.order_leverage;
      const double by_chance =
          std::pow(chosen.fit.order_error, 2) * std::max(0.0, leverage * leverage - 1);
      largest = std::max(largest, weight * std::sqrt(std::max(0.0, change * change - by_chance)));
    }
  };
  if (terms == 0) {
    const auto curved = fitter.fit(chosen.first, end, 1);
    if (curved) {
      // A term that is hardly told from zero says little of the order.
      compare(curved, std::max(0.0, 1.0 - 2 * curved->chance_of_last_term()));
    }
  } else {
    compare(fitter.fit(chosen.first + part, end, 0), 0.5);
  }
  if (count - part + 1 >= least + terms) {
    compare(fitter.fit(chosen.first + part, end, terms), 1.0);
    compare(fitter.fit(chosen.first, end - part, terms), 1.0);
  }
  if (model == ErrorModel::reference) {
    compare(fitter.fit(chosen.first, end, terms, true), 1.0);
  }
  return largest;
}

}  // namespace

Fit fit_order(const ErrorLadder& ladder, double floor) {
  const std::vector<double>& errors = ladder.errors;
  Fit fit{.marks = std::vector<Mark>(errors.size(), Mark::undefined),
          .order = undefined,
          .uncertainty = undefined,
          .statistical = undefined,
          .structural = undefined,
          .constants = std::vector<double>(ladder.steps.size(), undefined),
          .next_term = undefined,
          .scatter = undefined,
          .predicted = std::vector<double>(errors.size(), undefined)};
  // The longest run of levels above the floor, of equal ones the finest; what is above it by chance
  // on finer levels is round-off, too.
  std::size_t first = 0;
  std::size_t end = 0;
  std::size_t begin = 0;
  for (std::size_t l = 0; l < errors.size(); ++l) {
    const bool is_usable = std::isfinite(errors[l]) && errors[l] > floor;
    if (std::isfinite(errors[l])) {
      fit.marks[l] = is_usable ? Mark::before : Mark::on_floor;
    }
    begin = is_usable ? begin : l + 1;
    if (is_usable && l + 1 - begin >= end - first) {
      first = begin;
      end = l + 1;
    }
  }
  std::replace(fit.marks.begin() + static_cast<std::ptrdiff_t>(end), fit.marks.end(), Mark::before,
               Mark::on_floor);
  const TailFitter fitter(ladder);
  const std::size_t least = ladder.steps.size() + fewest - 1;
  const auto chosen = choose(fitter, first, end, least);
  if (chosen) {
    first = chosen->first;
    const TailFit& best = chosen->fit;
    fit.order = best.order;
    // The choice of the tail costs one degree of freedom; of two half of one, or nothing would be
    // said of four levels.
    const double freedom = std::max(best.freedom - 1, std::min(best.freedom, 1.5));
    fit.statistical = students_factor(freedom) * best.order_error;
    fit.structural = structural_uncertainty(fitter, *chosen, end, least, ladder.model);
    fit.uncertainty = std::hypot(fit.statistical, fit.structural, least_width);
    fit.constants = best.constants;
    fit.next_term = best.terms.empty() ? 0.0 : best.terms.front();
    fit.scatter = best.scatter;
    for (std::size_t l = 0; l < errors.size(); ++l) {
      fit.predicted[l] = fitter.predicted(best, l, first);
    }
  }
  fit.levels = end - first;
  std::fill(fit.marks.begin() + static_cast<std::ptrdiff_t>(first),
            fit.marks.begin() + static_cast<std::ptrdiff_t>(end), Mark::fitted);
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
  const double factor = students_factor(static_cast<double>(rows - 2));
  fit.space_uncertainty = factor * std::sqrt(variance * tt / determinant);
  fit.time_uncertainty = factor * std::sqrt(variance * ss / determinant);
  return fit;
}

}  // namespace masing::study
