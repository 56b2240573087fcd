#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rheology/inclusion_solution.hpp"
#include "rheology/model_run.hpp"

/// What the tests of the exact solution of models share.
namespace masing::exact_run {

/// A model by its name from event to event, under F(t) with breaks.
class ExactRun {
 public:
  ExactRun(const std::string& name, const model_run::Parameters& parameters,
           std::function<double(double)> force, double final_time, std::vector<double> breaks = {},
           const rheology::TaylorOptions& options = {})
      : ExactRun(model_run::model(name, parameters),
                 {std::move(force), std::move(breaks), final_time}, options) {}

  /// The state at t; times must not decrease.
  model_run::State at(double t) {
    solution.go_to(t);
    return {solution.state().begin(), solution.state().end()};
  }

 private:
  ExactRun(const rheology::ModelSpec& spec, base::SmoothPieces force,
           const rheology::TaylorOptions& options)
      : ExactRun(rheology::build(spec, spec.all()), spec.layout(), std::move(force), options) {}
  ExactRun(rheology::BuiltModel built, const rheology::StateLayout& layout,
           base::SmoothPieces force, const rheology::TaylorOptions& options)
      : solution_(rheology::make_inclusion_solution(
            std::move(built.model), layout, std::move(built.start), std::move(force), options)) {}

  std::unique_ptr<rheology::InclusionSolution> solution_;

 public:
  rheology::InclusionSolution& solution = *solution_;
};

}  // namespace masing::exact_run
