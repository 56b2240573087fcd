#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/run_spec.hpp"
#include "io/checkpoint.hpp"
#include "io/recorders.hpp"
#include "io/result_file.hpp"
#include "statistics/verdict.hpp"

namespace masing::study {

class Reference;
using statistics::ExpectedOrder;
using statistics::Verdict;

/// What a study refines.
enum class Refine { steps, cells, both };

/// Its name in options and files.
constexpr const char* name_of(Refine refine) {
  return refine == Refine::steps ? "steps" : refine == Refine::cells ? "cells" : "both";
}

/// One level of a study. Models that are no slab are refined in the steps alone.
struct Level {
  slab::Space space;
  std::int64_t steps = 0;
};

/// A refinement study.
struct StudySpec {
  engine::RunSpec run;  ///< what is held fixed; the levels replace space and steps
  Refine refine = Refine::steps;
  std::vector<Level> levels;  ///< coarse to fine
  std::shared_ptr<const Reference> reference;
  std::vector<ExpectedOrder> expected_orders;
  double order_tolerance = 0.1;
  std::string unmet_hypotheses;      ///< study::unmet_hypotheses of the run
  std::int64_t field_samples = 200;  ///< times at which u is compared, at most
  io::Sampling series;               ///< the samples of the last level that go to the file
  io::ResultSpec result;
  io::CheckpointSpec checkpoint;
  bool quiet = false;
};

/// The numbers of steps of some levels. Local.
std::vector<std::int64_t> step_counts(const std::vector<Level>& levels);

/// P as people write it: "400" or "inf". Local.
std::string cells_text(const slab::Space& space);

/// `run` at another level. Local.
engine::RunSpec at_level(engine::RunSpec run, const Level& level);

}  // namespace masing::study
