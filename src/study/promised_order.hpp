#pragma once

#include <string>

#include "study/study_spec.hpp"

namespace masing::study {

/// Whether u is the same for all s at any time: of 1000 samples and both ends, η, η - η⁻ and u0 are
/// alike. Local.
bool is_uniform(const slab::Slab& slab);

/// The order that the scheme and the rule promise for an error of `quantity` against `reference` as
/// `refine` refines, in the maximum norm. With δt that of the scheme. With δs 2 for the rule
/// midpoint, and where k, η and u0 have the same values at both ends of [0, 1] (the rule right is
/// then the trapezoidal rule), else 1: the error of the rule right is δs/2 (k u(1) - k u(0)) +
/// O(δs²); at least 1 where these values are close. Of u over all s, which is piecewise constant,
/// it is 1, unless u is uniform; then all orders with δs are lower bounds. Until a cell yields, u
/// differs from u0 by the same for all s. Where this would make an order 2, 1 is a lower bound, as
/// nothing may yield, or not the cells at the ends; not where u0 and k are uniform (then nothing
/// errs until a cell yields) and, for the rule right, η is least at an end. For `both` that of the
/// one which the reference does not share, else the lesser, a lower bound where the two differ.
/// Local. Source: Propositions 3.1 and 4.1, continuous-masing-2001.
ExpectedOrder promised_order(const engine::Masing& model, Refine refine, const Reference& reference,
                             const std::string& quantity);

/// Why the orders that scheme and rule promise do not follow for a run of the continuous model, in
/// one line "eta' is unbounded near s = 0"; empty where the hypotheses hold or none are stated.
/// Where δs is refined: k, η, u0 and c Lipschitz, η ≥ γ > 0 on [0, 1]; where δt is refined by a
/// scheme of second order: F Lipschitz on [0, T]. What base::regularity sees. Local. Source:
/// Propositions 2.1, 3.1 and 4.1, continuous-masing-2001.
std::string unmet_hypotheses(const engine::RunSpec& run, Refine refine);

}  // namespace masing::study
