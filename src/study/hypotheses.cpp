#include "study/hypotheses.hpp"

#include <fmt/format.h>

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
    if (const double start = slab.threshold(0.0); !(start > 0)) {
      add(fmt::format("eta(0) = {} is not positive", base::to_text(start)));
    }
  }
  if (refine != Refine::cells && slab::info(masing->scheme).order > 1) {
    add(fault_of(run.drive, masing->base_moves ? "F - m a_g" : "F", 't', run.time.final_time));
  }
  return base::joined(faults, ", ");
}

}  // namespace masing::study
