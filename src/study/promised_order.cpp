#include "study/promised_order.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <vector>

#include "base/function.hpp"
#include "base/text.hpp"

namespace masing::study {

namespace {

constexpr double rounding = 1e-12;  // relative differences that it makes

/// What is known of a function of s by its values.
struct Values {
  double size = 0.0;        ///< the largest |f|
  double spread = 0.0;      ///< the largest f less the least
  double difference = 0.0;  ///< |f(1) - f(0)|
  bool is_least_at_an_end = false;
};

Values values_of(const base::Function& f) {
  constexpr int samples = 1000;
  const double first = f(0.0);
  const double last = f(1.0);
  double least = std::min(first, last);
  double largest = std::max(first, last);
  for (int i = 0; i < samples; ++i) {
    const double value = f((i + 0.5) / samples);
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  return {std::max(-least, largest), largest - least, std::abs(last - first),
          least == std::min(first, last)};
}

/// How k u varies with s: spreads and differences of the ends of k, of u0, by which u differs for
/// different s until something yields, and of the bounds of u; relative to the sizes of k and η.
struct Variation {
  Values stiffness;
  Values start;
  Values bounds;

  [[nodiscard]] bool is_uniform() const {
    return std::max(start.spread, bounds.spread) <= rounding;
  }
  /// Whether the sums over cells are the integrals until something yields.
  [[nodiscard]] bool starts_exact() const {
    return std::max(stiffness.spread, start.spread) <= rounding;
  }
};

Variation variation_of(const slab::Slab& slab) {
  const auto relative = [](const Values& of, double size) {
    return Values{of.size / size, of.spread / size, of.difference / size, of.is_least_at_an_end};
  };
  const Values stiffness = values_of(slab.stiffness);
  const Values threshold = values_of(slab.threshold);
  const Values shift = values_of(slab.shift);
  const Values start = values_of(slab.initial_u.plus(1.0, slab.shift));
  const Values bounds{threshold.size, std::max(threshold.spread, shift.spread),
                      std::max(threshold.difference, shift.difference),
                      threshold.is_least_at_an_end && shift.spread <= rounding * threshold.size};
  return {relative(stiffness, stiffness.size), relative(start, threshold.size),
          relative(bounds, threshold.size)};
}

ExpectedOrder order_in_space(const slab::Slab& slab, const std::string& quantity) {
  constexpr double close = 0.1;
  const Variation of = variation_of(slab);
  // Of k u at both ends, which make the error of the rule right: until something yields, and at
  // all.
  double elastic = std::max(of.stiffness.difference, of.start.difference);
  double difference = std::max(elastic, of.bounds.difference);
  if (slab.rule == slab::Rule::midpoint) {
    elastic = difference = 0.0;
  }
  if (quantity == "u" && !of.is_uniform()) {
    const bool starts_uniform = of.start.spread <= rounding;
    return {quantity, 1.0, starts_uniform && !of.starts_exact() && elastic <= rounding};
  }
  if (difference <= rounding) {
    return {quantity, 2.0, of.is_uniform()};
  }
  const bool errs_from_yielding = of.starts_exact() && of.bounds.is_least_at_an_end;
  return {quantity, 1.0, difference < close || (elastic <= rounding && !errs_from_yielding)};
}

}  // namespace

bool is_uniform(const slab::Slab& slab) {
  return variation_of(slab).is_uniform();
}

ExpectedOrder promised_order(const engine::Masing& model, Refine refine, const Reference& reference,
                             const std::string& quantity) {
  ExpectedOrder space = order_in_space(model.slab, quantity);
  ExpectedOrder time{quantity, static_cast<double>(slab::info(model.scheme).order)};
  const bool shares_cells = reference.is_exact_in_time && !reference.is_continuum;
  const bool shares_steps = reference.is_continuum && !reference.is_exact_in_time;
  const bool is_of_each_level = !reference.file;
  if (refine == Refine::steps || (is_of_each_level && refine == Refine::both && shares_cells)) {
    return time;
  }
  if (refine == Refine::cells || (is_of_each_level && shares_steps)) {
    return space;
  }
  const double least = std::min(space.order, time.order);
  return {quantity, least, space.order != time.order};
}

namespace {

/// What keeps a function `name` of `variable` from being Lipschitz; empty if it is.
std::string fault_of(const base::Function& function, const char* name, char variable, double last) {
  const base::Regularity found = base::regularity(function, 0.0, last);
  const std::string place = fmt::format("{} = {:.6g}", variable, found.place);
  switch (found.smoothness) {
    case base::Smoothness::not_finite:
      return fmt::format("{} is not finite at {}", name, place);
    case base::Smoothness::jump:
      return fmt::format("{} jumps near {}", name, place);
    case base::Smoothness::unbounded_slope:
      return fmt::format("{}' is unbounded near {} (exponent {:.2f})", name, place, found.exponent);
    default:
      return {};
  }
}

/// Where a yield displacement vanishes on [0, 1]; empty if it is bounded away from 0.
std::string zero_of(const base::Function& threshold) {
  constexpr int pieces = 1000;
  constexpr double negligible = 1e-12;  // of the largest η: what rounding leaves of a zero
  double place = 0.0;
  double least = threshold(place);
  double largest = least;
  for (int i = 1; i <= pieces; ++i) {
    const double s = static_cast<double>(i) / pieces;
    const double value = threshold(s);
    largest = std::max(largest, value);
    if (value < least) {
      place = s;
      least = value;
    }
  }
  if (least > 0) {
    const auto [at, value] = boost::math::tools::brent_find_minima(
        threshold, std::max(0.0, place - 1.0 / pieces), std::min(1.0, place + 1.0 / pieces), 52);
    if (value < least) {
      place = at;
      least = value;
    }
  }
  return least > negligible * largest ? std::string()
                                      : fmt::format("eta({:.6g}) = {} is not positive", place,
                                                    base::to_text(std::max(least, 0.0)));
}

}  // namespace

std::string unmet_hypotheses(const engine::RunSpec& run, Refine refine) {
  const auto* masing = std::get_if<engine::Masing>(&run.model);
  if (masing == nullptr) {
    return {};
  }
  std::vector<std::string> faults;
  const auto add = [&](const std::string& fault) {
    if (!fault.empty()) {
      faults.push_back(fault);
    }
  };
  if (refine != Refine::steps) {
    const slab::Slab& slab = masing->slab;
    add(fault_of(slab.stiffness, "k", 's', 1.0));
    add(fault_of(slab.threshold, "eta", 's', 1.0));
    add(fault_of(slab.initial_u, "u0", 's', 1.0));
    add(fault_of(slab.shift, "eta - eta_down", 's', 1.0));
    add(zero_of(slab.threshold));
  }
  if (refine != Refine::cells && slab::info(masing->scheme).order > 1) {
    add(fault_of(run.drive, masing->base_moves ? "F - m a_g" : "F", 't', run.time.final_time));
  }
  return base::joined(faults, ", ");
}

}  // namespace masing::study
