#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/keys.hpp"
#include "rheology/model_info.hpp"
#include "study/reference.hpp"

// Options of masing converge only: levels, expected orders, the reference.

namespace masing::cli {

/// The levels of a study, coarse to fine, with what is held fixed filled in; a ladder for the
/// papers' case where none is given. Throws UserError.
std::vector<study::Level> study_levels(const Configuration& configuration);

/// The text that study_levels reads back as `levels`.
std::string level_text(study::Refine refine, const std::vector<study::Level>& levels);

/// The orders that "x=1,y=1,u>=0.5", "1" or "none" expects. Throws UserError.
std::vector<study::ExpectedOrder> expected_orders(const std::string& text);

/// Sets the study's defaults of a model whose orders the catalogue gives. Local.
void resolve_study_of(const rheology::ModelInfo& info, const rheology::StateLayout& layout,
                      Configuration& configuration);

/// Resolves what a study adds to a configuration, and returns its reference; one that is a file
/// has yet to be read. Throws UserError. Local.
std::shared_ptr<const study::Reference> resolve_study(const engine::Model& model,
                                                      const std::string& unmet_hypotheses,
                                                      Configuration& configuration);

/// The reference that is the trajectory in the file that --reference names, of the request `file`,
/// for a study of `run`. Throws UserError where it solves another problem (model, profile, force,
/// masses and springs, start, final time), is no finer than the last level in what is refined, or
/// not fine enough to be taken as exact where two levels decide an order. Local.
std::shared_ptr<const study::Reference> file_reference(const Configuration& configuration,
                                                       const engine::RunSpec& run,
                                                       const Configuration& file,
                                                       const engine::RunSpec& file_run);

}  // namespace masing::cli
