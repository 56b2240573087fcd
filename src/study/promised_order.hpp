#pragma once

#include <string>

#include "study/study_spec.hpp"

namespace masing::study {

/// Whether u is the same for all s at any time: of 1000 samples and both ends, η, η - η⁻ and u0 are
/// alike. Local.
bool is_uniform(const slab::Slab& slab);

/// The order that the scheme and the rule promise for an error of `quantity` against `reference` as
/// `refine` refines, in the maximum norm:
///     δt                                                     that of the scheme
///     δs, rule midpoint                                      2
///     δs, rule right, k, η and u0 alike at s = 0 and s = 1   2 (it is the trapezoidal rule)
///     δs, rule right, else                                   1, of δs/2 (k u(1) - k u(0)) + O(δs²)
///     δs, u over all s, which is piecewise constant          1
///     both, of which the reference shares one                that of the other
///     both                                                   the lesser
/// It is a lower bound where the values at the ends are close, where u is uniform, where both are
/// refined and differ; and where nothing may yield, or not the cells at the ends, and this would
/// make it 2, as u differs from u0 by the same for all s until a cell yields: not where u0 and k
/// are uniform (then nothing errs until a cell yields) and, for the rule right, η is least at an
/// end. Local. Source: Propositions 3.1 and 4.1, continuous-masing-2001.
ExpectedOrder promised_order(const engine::Masing& model, Refine refine, const Reference& reference,
                             const std::string& quantity);

/// Why the orders that scheme and rule promise do not follow for a run of the continuous model, in
/// one line "eta' is unbounded near s = 0"; empty where the hypotheses hold or none are stated.
/// Where δs is refined: k, η, u0 and c Lipschitz, η ≥ γ > 0 on [0, 1]; where δt is refined by a
/// scheme of second order: F Lipschitz on [0, T]. Of many places where a function is not smooth the
/// first are looked at. Local. Source: Propositions 2.1, 3.1 and 4.1, continuous-masing-2001.
std::string unmet_hypotheses(const engine::RunSpec& run, Refine refine);

}  // namespace masing::study
