#pragma once

#include <string>

#include "engine/run_spec.hpp"
#include "study/study_spec.hpp"

namespace masing::study {

/// Why the orders that scheme and rule promise do not follow for a run of the continuous model, in
/// one line "eta' is unbounded near s = 0"; empty where the hypotheses hold or none are stated.
/// Where δs is refined: k, η, u0 and c Lipschitz, η ≥ γ > 0 on [0, 1]; where δt is refined by a
/// scheme of second order: F Lipschitz on [0, T]. What base::regularity sees. Local. Source:
/// Propositions 2.1, 3.1 and 4.1, continuous-masing-2001.
std::string unmet_hypotheses(const engine::RunSpec& run, Refine refine);

}  // namespace masing::study
