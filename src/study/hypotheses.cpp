#include "study/hypotheses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <vector>

#include "base/regularity.hpp"
#include "base/text.hpp"

namespace masing::study {

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
