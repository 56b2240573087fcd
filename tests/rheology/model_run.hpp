#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rheology/catalogue.hpp"
#include "rheology/inclusion_solution.hpp"

/// What the tests of models share: a model by its name, without any engine.
namespace masing::model_run {

using State = std::vector<double>;

/// The values of a parameter: one for all elements, one by one, or an expression in i.
struct Values {
  rheology::Sequence sequence;

  Values(double one) : sequence(one) {}
  Values(State all) : sequence(std::move(all)) {}
  Values(const char* of_i) : sequence(std::make_shared<const base::Function>(of_i, 'i')) {}
};

using Parameters = std::vector<std::pair<std::string, Values>>;

/// A model of n elements; where n is not given, as many as the longest list has values.
inline rheology::ModelSpec model(const std::string& name, const Parameters& parameters) {
  rheology::ModelSpec spec{.model = &rheology::catalogue_entry(name), .parameters = {}};
  for (const auto& [parameter, values] : parameters) {
    if (parameter == rheology::element_count) {
      spec.parameters.elements = static_cast<std::int64_t>(std::get<double>(values.sequence));
      continue;
    }
    spec.parameters.sequences.emplace(parameter, values.sequence);
    const auto* const list = std::get_if<State>(&values.sequence);
    const auto declared =
        std::ranges::find(spec.model->info.parameters, parameter, &rheology::Parameter::name);
    if (list != nullptr && declared != spec.model->info.parameters.end()) {
      spec.parameters.elements =
          std::max(spec.parameters.elements, static_cast<std::int64_t>(list->size()));
    }
  }
  return spec;
}

/// A model with its state and what the last resolvent found.
class Run {
 public:
  Run(const std::string& name, const Parameters& parameters) {
    const rheology::ModelSpec spec = model(name, parameters);
    rheology::BuiltModel built = rheology::build(spec, spec.all());
    state = std::move(built.start);
    rate.resize(state.size());
    motion = spec.layout().mass_columns();
    model_ = std::move(built.model);
  }

  /// One step of length h with F at both ends.
  void step(double h, double force, double next_force) {
    friction = rheology::make_step(*model_, {h, force, next_force}, state, rate);
    restoring = model_->restoring(state) + friction;
  }
  [[nodiscard]] std::vector<rheology::StVenant> elements() const { return model_->elements(); }

  State state;
  State rate;  ///< G of the last step
  double restoring = 0.0;
  double friction = 0.0;
  rheology::MassColumns motion;

 private:
  std::unique_ptr<rheology::Inclusion> model_;
};

/// Steps of h = T/N under F; calls `look` with t_p after every step.
inline void advance(Run& run, const std::function<double(double)>& force, double final_time,
                    int steps, const std::function<void(double)>& look) {
  const auto time = [&](int p) { return p * final_time / steps; };
  for (int p = 0; p < steps; ++p) {
    run.step(final_time / steps, force(time(p)), force(time(p + 1)));
    look(time(p + 1));
  }
}

/// A model by its name from event to event, under F(t) with breaks.
struct ExactRun {
  ExactRun(const std::string& name, const Parameters& parameters,
           std::function<double(double)> force, double final_time, std::vector<double> breaks = {},
           const rheology::TaylorOptions& options = {}) {
    const rheology::ModelSpec spec = model(name, parameters);
    rheology::BuiltModel built = rheology::build(spec, spec.all());
    solution = rheology::make_inclusion_solution(
        std::move(built.model), spec.layout(), std::move(built.start),
        base::SmoothPieces(std::move(force), std::move(breaks), final_time), options);
  }

  /// The state at t; times must not decrease.
  [[nodiscard]] State at(double t) const {
    solution->go_to(t);
    return {solution->state().begin(), solution->state().end()};
  }

  std::unique_ptr<rheology::InclusionSolution> solution;
};

}  // namespace masing::model_run
