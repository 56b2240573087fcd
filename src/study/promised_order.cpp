#include <fmt/core.h>

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "base/function.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "study/study_spec.hpp"

namespace masing::study {

namespace {

constexpr double rounding = 1e-12;  // relative differences up to this count as rounding errors

// Number of equal intervals of [0, 1]. Functions of s are evaluated at the ends of these intervals.
constexpr int intervals = 2000;

/// Properties of a function f(s) on [0, 1], from its values at equidistant places.
struct SampleStatistics {
  double size = 0.0;                ///< largest |f|
  double spread = 0.0;              ///< largest f minus least f
  double difference = 0.0;          ///< |f(1) - f(0)|
  double least = 0.0;               ///< least f
  double place = 0.0;               ///< first s at which f is least
  bool is_least_at_an_end = false;  ///< whether f is least at s = 0 or s = 1
};

/// Evaluates `f` at the ends of the equal intervals of [0, 1], and returns the properties of the
/// values.
SampleStatistics sample_statistics(const base::Function& f) {
  std::vector<double> values;
  for (int i = 0; i <= intervals; ++i) {
    values.push_back(f(static_cast<double>(i) / intervals));
  }
  const auto [least, largest] = std::ranges::minmax_element(values);
  return {.size = std::max(-*least, *largest),
          .spread = *largest - *least,
          .difference = std::abs(values.back() - values.front()),
          .least = *least,
          .place = static_cast<double>(least - values.begin()) / intervals,
          .is_least_at_an_end = *least == std::min(values.front(), values.back())};
}

/// Properties of the functions of s that determine k u: the stiffness k, the threshold η, the shift
/// c and, as `start`, the initial u0. η and c limit u; until a cell yields, u differs between cells
/// only because of u0. The spread and the difference of k are judged relative to the largest k,
/// those of the other functions relative to the largest η.
struct Variation {
  explicit Variation(const slab::Slab& slab)
      : stiffness(sample_statistics(slab.stiffness)),
        threshold(sample_statistics(slab.threshold)),
        shift(sample_statistics(slab.shift)),
        start(sample_statistics(slab.initial_u.plus(1.0, slab.shift))) {}

  /// Returns whether u0 is constant.
  [[nodiscard]] bool starts_uniform() const { return start.spread / threshold.size <= rounding; }
  /// Returns whether u is the same for all s at every time.
  [[nodiscard]] bool is_uniform() const {
    return starts_uniform() &&
           std::max(threshold.spread, shift.spread) / threshold.size <= rounding;
  }
  /// Returns whether the sums over cells equal the integrals over s until a cell yields, because k
  /// and u0 are constant.
  [[nodiscard]] bool starts_exact() const {
    return starts_uniform() && stiffness.spread / stiffness.size <= rounding;
  }

  SampleStatistics stiffness;
  SampleStatistics threshold;
  SampleStatistics shift;
  SampleStatistics start;
};

/// Returns the order that promised_order() promises for the error of `quantity` if δs is refined.
ExpectedOrder order_in_space(const slab::Slab& slab, const Quantity& quantity) {
  constexpr double close = 0.1;
  const Variation of(slab);
  // The difference of the elastic k u between s = 0 and s = 1, which counts for the rule right
  // only: the larger of |k(1) - k(0)| / max |k| and |u0(1) - u0(0)| / max η. If it is not 0, k u
  // differs between both ends before any cell yields, which causes an error of first order. The
  // rule midpoint has no such error, and the value stays 0.
  double elastic = 0.0;
  // The largest of `elastic`, |η(1) - η(0)| / max η and |c(1) - c(0)| / max η, also for the rule
  // right only. After cells yield, k u at the ends depends on η and c, too.
  double difference = 0.0;
  if (slab.rule == slab::Rule::right) {
    elastic = std::max(of.stiffness.difference / of.stiffness.size,
                       of.start.difference / of.threshold.size);
    difference = std::max({elastic, of.threshold.difference / of.threshold.size,
                           of.shift.difference / of.threshold.size});
  }
  if (quantity.part == Quantity::Part::everywhere && !of.is_uniform()) {
    return {quantity.name, 1.0, of.starts_uniform() && !of.starts_exact() && elastic <= rounding};
  }
  if (difference <= rounding) {
    return {quantity.name, 2.0, of.is_uniform()};
  }
  const bool errs_from_yielding = of.starts_exact() && of.threshold.is_least_at_an_end &&
                                  of.shift.spread <= rounding * of.threshold.size;
  return {quantity.name, 1.0, difference < close || (elastic <= rounding && !errs_from_yielding)};
}

}  // namespace

bool is_uniform(const slab::Slab& slab) {
  return Variation(slab).is_uniform();
}

ExpectedOrder promised_order(const engine::Model& model, Refine refine, const Reference& reference,
                             const Quantity& quantity) {
  const ExpectedOrder space = order_in_space(model.slabs().front(), quantity);
  const ExpectedOrder time{quantity.name, static_cast<double>(model.scheme()->order)};
  // A reference that is exact only in space has the same error in time as each level, and one that
  // is exact only in time has the same error in space.
  const bool shares_one = reference.is_exact_in_time != reference.is_continuum;
  if (refine == Refine::both && !shares_one) {
    return {quantity.name, std::min(space.order, time.order), space.order != time.order};
  }
  const bool is_in_time =
      refine == Refine::both ? reference.is_exact_in_time : !refines_cells(refine);
  return is_in_time ? time : space;
}

namespace {

/// Returns a text that says why the function f of `variable`, called `name`, is not Lipschitz
/// continuous on [0, last]. Returns an empty string if no reason is found.
///
/// An interval is bisected if the bounds of f on it do not prove that f is smooth there and has a
/// bounded slope. The interval in which f may vary most is bisected first, so that a jump is
/// usually found before most corners. An interval that is not wider than 1e-13 `last` is not
/// bisected but taken as a place z where f may be singular. Near z, the sum of the changes |f(z ±
/// h) - f(z ± h/2)| and |f(z + h) - f(z - h)| is proportional to hᵃ. The exponent a is 0 for a
/// jump, below 1 for an unbounded slope and 1 for a corner.
std::string fault_of(const base::Function& f, const std::string& name, char variable, double last) {
  constexpr int most_parts = 4000;
  constexpr double narrow = 1e-13;
  constexpr int octaves = 8;  // how many times h is doubled, beginning with 2^-36 `last`

  // (variation of f, -begin, end) of intervals
  std::priority_queue<std::tuple<double, double, double>> left;
  const auto add = [&](double begin, double end) {
    const base::Bounds bounds = f.bounds(begin, end);
    if (!bounds.smooth || !std::isfinite(bounds.slope.magnitude())) {
      left.emplace(bounds.value.high - bounds.value.low, -begin, end);
    }
  };
  add(0.0, last);
  for (int part = 0; part < most_parts && !left.empty(); ++part) {
    const auto [variation, minus_begin, end] = left.top();
    const double begin = -minus_begin;
    left.pop();
    if (end - begin > narrow * last) {
      const double middle = begin + 0.5 * (end - begin);
      add(begin, middle);
      add(middle, end);
      continue;
    }
    const auto at = [&](double offset) { return f(std::clamp(begin + offset, 0.0, last)); };
    const auto change = [&](double h) {
      return std::abs(at(h) - at(h / 2)) + std::abs(at(-h) - at(-h / 2)) + std::abs(at(h) - at(-h));
    };
    const double near = change(std::ldexp(last, -36));
    const double far = change(std::ldexp(last, octaves - 36));
    const std::string place = fmt::format("{} = {:.6g}", variable, begin);
    if (!std::isfinite(at(0.0)) || !std::isfinite(near) || !std::isfinite(far)) {
      return fmt::format("{} is not finite at {}", name, place);
    }
    if (near <= 1024 * base::epsilon * std::max(std::abs(at(0.0)), far)) {
      continue;  // the changes of f are rounding errors
    }
    const double exponent = std::log2(far / near) / octaves;
    if (exponent < 0.05) {
      return fmt::format("{} jumps near {}", name, place);
    }
    if (exponent < 0.98) {
      return fmt::format("{}' is unbounded near {} (exponent {:.2f})", name, place, exponent);
    }
  }
  return {};
}

/// Searches for the least value of f on [0, 1]. If it is 0, negative, or negligible beside the
/// values of f nearby, returns where f is least, in the form "k(0.5) = 0 is not positive".
/// Otherwise returns an empty string. `name` is the name of f.
std::string zero_of(const base::Function& f, const char* name) {
  constexpr double negligible = 1e-9;  // up to this fraction of f nearby, f counts as zero
  constexpr double interval = 1.0 / intervals;
  const SampleStatistics values = sample_statistics(f);
  std::pair lowest(values.place, values.least);
  const double before = std::max(0.0, values.place - interval);
  const double after = std::min(1.0, values.place + interval);
  if (values.least > 0) {
    const auto minimum = boost::math::tools::brent_find_minima(f, before, after, 52);
    lowest = minimum.second < values.least ? minimum : lowest;
  }
  const auto [place, least] = lowest;
  return std::isfinite(least) && least <= negligible * std::max(f(before), f(after))
             ? fmt::format("{}({:.6g}) = {} is not positive", name, place,
                           base::to_text(std::max(least, 0.0)))
             : "";
}

}  // namespace

std::string unmet_hypotheses(const engine::RunSpec& run, Refine refine) {
  const slab::SchemeInfo* scheme = run.model->scheme();
  if (scheme == nullptr) {
    return {};
  }
  const auto slabs = run.model->slabs();
  std::vector<std::string> faults;
  if (refines_cells(refine) && slabs.size() > 1) {
    faults.emplace_back("each element has a slab of its own");
  } else if (refines_cells(refine)) {
    const slab::Slab& slab = slabs.front();
    faults = {fault_of(slab.stiffness, "k", 's', 1.0),
              fault_of(slab.threshold, "eta", 's', 1.0),
              fault_of(slab.initial_u, "u0", 's', 1.0),
              fault_of(slab.shift, "eta - eta_down", 's', 1.0),
              zero_of(slab.stiffness, "k"),
              zero_of(slab.threshold, "eta")};
  }
  if (refines_steps(refine) && scheme->order > 1) {
    for (const auto& [of_t, name] : run.drives) {
      std::string symbol = name.symbol;
      for (std::size_t at = 0; (at = symbol.find("(t)")) != std::string::npos;) {
        symbol.erase(at, 3);
      }
      faults.push_back(fault_of(of_t, symbol, 't', run.time.final_time));
    }
  }
  std::erase(faults, "");
  return base::joined(faults, ", ");
}

}  // namespace masing::study
