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

constexpr double rounding = 1e-12;  // relative differences that it makes

constexpr int pieces = 2000;  // of [0, 1], at whose ends functions of s are looked at

/// What is known of a function of s by its values.
struct Values {
  double size = 0.0;        ///< the largest |f|
  double spread = 0.0;      ///< the largest f less the least
  double difference = 0.0;  ///< |f(1) - f(0)|
  double least = 0.0;
  double place = 0.0;               ///< the first of the least
  bool is_least_at_an_end = false;  ///< of [0, 1]
};

Values values_of(const base::Function& f) {
  std::vector<double> values;
  for (int i = 0; i <= pieces; ++i) {
    values.push_back(f(static_cast<double>(i) / pieces));
  }
  const auto [least, largest] = std::ranges::minmax_element(values);
  return {.size = std::max(-*least, *largest),
          .spread = *largest - *least,
          .difference = std::abs(values.back() - values.front()),
          .least = *least,
          .place = static_cast<double>(least - values.begin()) / pieces,
          .is_least_at_an_end = *least == std::min(values.front(), values.back())};
}

/// How k u varies with s: k, the bounds of u and u0, by which u differs for different s until
/// something yields. Spreads and differences count relative to the sizes of k and η.
struct Variation {
  explicit Variation(const slab::Slab& slab)
      : stiffness(values_of(slab.stiffness)),
        threshold(values_of(slab.threshold)),
        shift(values_of(slab.shift)),
        start(values_of(slab.initial_u.plus(1.0, slab.shift))) {}

  [[nodiscard]] bool starts_uniform() const { return start.spread / threshold.size <= rounding; }
  [[nodiscard]] bool is_uniform() const {
    return starts_uniform() &&
           std::max(threshold.spread, shift.spread) / threshold.size <= rounding;
  }
  /// Whether the sums over cells are the integrals until something yields.
  [[nodiscard]] bool starts_exact() const {
    return starts_uniform() && stiffness.spread / stiffness.size <= rounding;
  }

  Values stiffness;
  Values threshold;
  Values shift;
  Values start;
};

ExpectedOrder order_in_space(const slab::Slab& slab, const std::string& quantity) {
  constexpr double close = 0.1;
  const Variation of(slab);
  double elastic = 0.0;  // difference of k u at both ends, which makes the error of the rule right
  double difference = 0.0;  // the same where elements yield, too
  if (slab.rule == slab::Rule::right) {
    elastic = std::max(of.stiffness.difference / of.stiffness.size,
                       of.start.difference / of.threshold.size);
    difference = std::max({elastic, of.threshold.difference / of.threshold.size,
                           of.shift.difference / of.threshold.size});
  }
  if (quantity == "u" && !of.is_uniform()) {
    return {quantity, 1.0, of.starts_uniform() && !of.starts_exact() && elastic <= rounding};
  }
  if (difference <= rounding) {
    return {quantity, 2.0, of.is_uniform()};
  }
  const bool errs_from_yielding = of.starts_exact() && of.threshold.is_least_at_an_end &&
                                  of.shift.spread <= rounding * of.threshold.size;
  return {quantity, 1.0, difference < close || (elastic <= rounding && !errs_from_yielding)};
}

}  // namespace

bool is_uniform(const slab::Slab& slab) {
  return Variation(slab).is_uniform();
}

ExpectedOrder promised_order(const engine::Masing& model, Refine refine, const Reference& reference,
                             const std::string& quantity) {
  ExpectedOrder space = order_in_space(model.slab, quantity);
  ExpectedOrder time{quantity, static_cast<double>(slab::info(model.scheme).order)};
  // A file shares neither: it is the same for all levels.
  const bool shares_one = !reference.file && reference.is_exact_in_time != reference.is_continuum;
  if (refine == Refine::both && !shares_one) {
    return {quantity, std::min(space.order, time.order), space.order != time.order};
  }
  const bool is_in_time =
      refine == Refine::both ? reference.is_exact_in_time : refine == Refine::steps;
  return is_in_time ? time : space;
}

namespace {

/// What keeps a function `name` of `variable` from being Lipschitz on [0, last]; empty if nothing
/// does. Parts whose bounds do not show it are halved, where f varies most first, so that corners,
/// however many, do not hide a jump; in those as narrow as rounding the changes
/// |f(s ± h) - f(s ± h/2)| and |f(s + h) - f(s - h)| ~ hᵃ tell a jump, an unbounded slope or a
/// corner.
std::string fault_of(const base::Function& f, const char* name, char variable, double last) {
  constexpr int most_parts = 4000;
  constexpr double narrow = 1e-13;
  constexpr int octaves = 8;                                     // from h = 2^-36 on
  std::priority_queue<std::tuple<double, double, double>> left;  // variation, -begin, end of parts
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
      continue;  // rounding
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

/// Where a function `name` ≥ 0 vanishes on [0, 1]; empty if it is positive.
std::string zero_of(const base::Function& f, const char* name) {
  constexpr double negligible = 1e-9;  // of the values beside it: what rounding leaves of a zero
  constexpr double piece = 1.0 / pieces;
  const Values values = values_of(f);
  std::pair lowest(values.place, values.least);
  const double before = std::max(0.0, values.place - piece);
  const double after = std::min(1.0, values.place + piece);
  if (values.least > 0) {
    const auto found = boost::math::tools::brent_find_minima(f, before, after, 52);
    lowest = found.second < values.least ? found : lowest;
  }
  const auto [place, least] = lowest;
  return std::isfinite(least) && least <= negligible * std::max(f(before), f(after))
             ? fmt::format("{}({:.6g}) = {} is not positive", name, place,
                           base::to_text(std::max(least, 0.0)))
             : "";
}

}  // namespace

std::string unmet_hypotheses(const engine::RunSpec& run, Refine refine) {
  const engine::ModelFacts facts = run.facts();
  if (facts.scheme == nullptr) {
    return {};
  }
  std::vector<std::string> faults;
  if (refine != Refine::steps) {
    const slab::Slab& slab = *facts.slab;
    faults = {fault_of(slab.stiffness, "k", 's', 1.0),
              fault_of(slab.threshold, "eta", 's', 1.0),
              fault_of(slab.initial_u, "u0", 's', 1.0),
              fault_of(slab.shift, "eta - eta_down", 's', 1.0),
              zero_of(slab.stiffness, "k"),
              zero_of(slab.threshold, "eta")};
  }
  if (refine != Refine::cells && facts.scheme->order > 1) {
    faults.push_back(
        fault_of(run.drive, facts.base_moves ? "F - m a_g" : "F", 't', run.time.final_time));
  }
  std::erase(faults, "");
  return base::joined(faults, ", ");
}

}  // namespace masing::study
