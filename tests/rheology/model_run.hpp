#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "rheology/catalogue.hpp"

/// What the tests of models share: a model by its name, stepped without any engine.
namespace masing::model_run {

using Parameters = std::vector<std::pair<std::string, std::string>>;
using State = std::vector<double>;

inline std::vector<cli::Setting> settings(const Parameters& parameters) {
  std::vector<cli::Setting> all;
  for (const auto& [name, text] : parameters) {
    all.push_back({name, text, "--set " + name});
  }
  return all;
}

/// A model with its state and what the last resolvent found.
class Run {
 public:
  Run(const std::string& name, const Parameters& parameters)
      : Run(rheology::catalogue_entry(name, "--model"), parameters) {}

  /// One step of length h with F at both ends.
  void step(double h, double force, double next_force) {
    std::visit(
        [&](auto& model) {
          friction_ = rheology::make_step(model, {h, force, next_force}, state, rate);
          restoring = model.restoring(state, friction_);
        },
        model_);
  }

  State state;
  State rate;  ///< G of the last step
  double restoring = 0.0;
  [[nodiscard]] double friction() const { return friction_; }
  [[nodiscard]] rheology::MotionColumns motion() const { return motion_; }

 private:
  Run(const rheology::CatalogueEntry& entry, const Parameters& parameters)
      : Run(entry, rheology::Values(entry.info.name, rheology::all_parameters(entry.info),
                                    settings(parameters))) {}
  Run(const rheology::CatalogueEntry& entry, const rheology::Values& values)
      : state(rheology::initial_state(entry.info, values)),
        rate(state.size()),
        model_(entry.make(values)),
        motion_(rheology::StateLayout{entry.info.state, values.count()}.motion()) {}

  rheology::AnyModel model_;
  rheology::MotionColumns motion_;
  double friction_ = 0.0;
};

/// Steps of h = T/N under F; calls `look` with p, t_p and the run after every step.
inline void advance(Run& run, const std::function<double(double)>& force, double final_time,
                    int steps, const std::function<void(double)>& look) {
  const auto time = [&](int p) { return p * final_time / steps; };
  for (int p = 0; p < steps; ++p) {
    run.step(final_time / steps, force(time(p)), force(time(p + 1)));
    look(time(p + 1));
  }
}

}  // namespace masing::model_run
