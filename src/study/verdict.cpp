#include "study/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "study/reference.hpp"
#include "study/refinement.hpp"

namespace masing::study {

std::string to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::as_expected:
      return "as expected";
    case Verdict::not_as_expected:
      return "not as expected";
    case Verdict::undecided:
      return "undecided";
    case Verdict::undefined:
      return "undefined";
    case Verdict::exact:
      return "exact";
    default:
      return "not judged";
  }
}

Verdict judge(const ExpectedOrder& expected, double observed, double uncertainty,
              double tolerance) {
  if (std::isnan(observed)) {
    return Verdict::undefined;
  }
  const double low = observed - uncertainty;
  const double high = observed + uncertainty;
  const double lowest = expected.order - tolerance;
  const double highest =
      expected.at_least ? std::numeric_limits<double>::infinity() : expected.order + tolerance;
  if (low >= lowest && high <= highest) {
    return Verdict::as_expected;
  }
  return high < lowest || low > highest ? Verdict::not_as_expected : Verdict::undecided;
}

namespace {

/// A geometric ladder whose ends are so many times coarser and finer than the study's last level.
struct Plan {
  double coarser = std::numeric_limits<double>::infinity();
  double finer = 1.0;
  double count = 0.0;

  void include(const Plan& other) {
    coarser = std::min(coarser, other.coarser);
    finer = std::max(finer, other.finer);
    count = std::max(count, other.count);
  }
};

/// The scatter that is larger than the true one in four of five studies.
double greatest_scatter(const Fit& fit) {
  const double freedom = std::max(1.0, static_cast<double>(fit.levels) - 2);
  const boost::math::chi_squared distribution(freedom);
  return fit.scatter * std::sqrt(freedom / boost::math::quantile(distribution, 0.2));
}

double cells_of(const Level& level) {
  return static_cast<double>(std::get<slab::Cells>(level.space).count);
}

double steps_of(const Level& level) {
  return static_cast<double>(level.steps);
}

double floored_power_of_two(double value) {
  constexpr double nearly = 0.05;  // what rounding of P and N takes away
  return std::exp2(std::floor(std::log2(value) + nearly));
}

/// How much finer the last level may get before errors reach some floors, at most 16 times, and
/// so that a file stays the finer one by finest_factor.
double reach(const StudySpec& spec, const Study& study, std::size_t q) {
  constexpr double above_floor = 10;  // the least error, in floors
  const double most = std::clamp(spec.reference->refinement() / finest_factor, 1.0, 16.0);
  const QuantityResult& found = study.results[q];
  const double floor = above_floor * study.floors.*quantities[q].value;
  for (std::size_t l = study.cases.size(); l-- > 0;) {
    const double error = study.cases[l].errors.*quantities[q].value;
    if (found.fit.marks[l] == Mark::fitted && floor > 0 && found.observed > 0) {
      const double finer = std::pow(error / floor, 1 / found.observed);  // e ∝ hᵖ
      return std::clamp(finer * found.steps.back() / found.steps[l], 1.0, most);
    }
  }
  return most;
}

/// How much coarser than the last level those in the asymptotic range are; for both in P and in N.
double asymptotic_range(const StudySpec& spec, const Fit& fit) {
  std::size_t first = 0;
  while (fit.marks[first] != Mark::fitted) {
    ++first;
  }
  const Level& coarse = spec.levels[first];
  const Level& fine = spec.levels.back();
  const double cells = spec.refine == Refine::steps ? HUGE_VAL : cells_of(fine) / cells_of(coarse);
  const double steps = spec.refine == Refine::cells ? HUGE_VAL : steps_of(fine) / steps_of(coarse);
  return std::min(cells, steps);
}

Plan dense_plan(const StudySpec& spec, const Study& study, std::size_t q) {
  constexpr double wide = 64.0;  // from the first level to the last
  constexpr double fewest = 24.0;
  constexpr double in_turn = 4.0;  // of P and N each is the same at two levels, and errs alike
  const Fit& fit = study.results[q].fit;
  const double range = asymptotic_range(spec, fit);
  // The next term makes an order change like h.
  const bool is_curved = fit.structural > fit.statistical;
  const double curved = is_curved ? std::max(1.0, 4 * fit.structural / spec.order_tolerance) : 1.0;
  Plan plan;
  const double most = reach(spec, study, q);
  while (plan.finer < std::max(curved, wide / range) && 2 * plan.finer <= most) {
    plan.finer *= 2;
  }
  plan.coarser = floored_power_of_two(std::max(range / curved, std::min(range, wide / plan.finer)));
  const double width = std::log(plan.coarser * plan.finer);
  const double root =
      4 * greatest_scatter(fit) * 2 * std::numbers::sqrt3 / (width * spec.order_tolerance);
  plan.count = root * root * (spec.refine == Refine::both ? in_turn : 1.0);
  const auto made = static_cast<double>(spec.levels.size());
  plan.count = std::max({std::ceil(plan.count), fewest, plan.finer > 1 ? 0.0 : 2 * made});
  return plan;
}

/// Of doublings: the variance of the slope falls like the third power of their number.
Plan doubling_plan(const StudySpec& spec, const Study& study, std::size_t q) {
  const Fit& fit = study.results[q].fit;
  const double most = reach(spec, study, q);
  Plan plan;
  plan.coarser = floored_power_of_two(asymptotic_range(spec, fit));
  for (plan.finer = 2.0; plan.finer <= most; plan.finer *= 2) {
    const double doublings = std::log2(plan.coarser * plan.finer);
    const double fewer = static_cast<double>(fit.levels) / doublings;
    if (std::hypot(fit.statistical * std::pow(fewer, 1.5), fit.structural / plan.finer) <=
        spec.order_tolerance / 2) {
      plan.count = 1 + doublings * (spec.refine == Refine::both ? 2 : 1);  // in turn
      return plan;
    }
  }
  plan.count = std::numeric_limits<double>::infinity();
  return plan;
}

}  // namespace

std::string deciding_levels(const StudySpec& spec, const Study& study) {
  constexpr double most = 1000.0;
  if (spec.reference->refinement() < finest_factor) {
    return {};
  }
  Plan plan;
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    if (study.results[q].verdict == Verdict::undecided) {
      plan.include(spec.reference->is_successive() ? doubling_plan(spec, study, q)
                                                   : dense_plan(spec, study, q));
    }
  }
  if (plan.count == 0 || plan.count > most) {
    return {};
  }
  const Level& first = spec.levels.front();
  const Level& last = spec.levels.back();
  // Never coarser than the study, as rounded factors would be: such a step may be unstable.
  const auto scaled = [&](double factor) {
    const auto cells = [&] {
      return fmt::to_string(std::llround(std::max(cells_of(last) * factor, cells_of(first))));
    };
    const auto steps = [&] {
      return fmt::to_string(std::llround(std::max(steps_of(last) * factor, steps_of(first))));
    };
    return spec.refine == Refine::steps   ? steps()
           : spec.refine == Refine::cells ? cells()
                                          : cells() + ":" + steps();
  };
  return fmt::format("{}:{}:{:g}", scaled(1 / plan.coarser), scaled(plan.finer), plan.count);
}

}  // namespace masing::study
