#include <algorithm>
#include <utility>
#include <vector>

#include "engine/engines.hpp"
#include "engine/setup.hpp"
#include "rheology/catalogue.hpp"
#include "rheology/inclusion.hpp"

namespace masing::engine {

namespace {

/// The engine for a model of finitely many elements. It computes the steps X⁺ = resolvent(X + h
/// G(t_p, X)). Source: (4.2), rheological-models-2000.
class InclusionEngine final : public Engine {
 public:
  /// `built` is the model and its state at t = 0, with the columns `layout`, and `force` is F(0).
  /// `comm` must have one rank. Local.
  InclusionEngine(const parallel::Communicator& comm, rheology::BuiltModel built,
                  const rheology::StateLayout& layout, double step, double force)
      : model_(std::move(built.model)),
        mass_(layout.mass_columns()),
        step_(step),
        state_(comm, layout.size()),
        rate_(built.start.size()) {
    std::ranges::copy(built.start, state_.values().begin());
    model_->complete_start(force, state_.values());
    friction_ = friction_at_start(force);
  }

  [[nodiscard]] Sample start() const override { return sample(); }

  void advance(const slab::Chunk& chunk) override {
    for (std::size_t i = 0; i < chunk.x.size(); ++i) {
      const double before = state_.values()[static_cast<std::size_t>(mass_.x)];
      friction_ = rheology::make_step(
          *model_, {.step = step_, .force = chunk.force[i], .next_force = chunk.force[i + 1]},
          state_.values(), rate_);
      const Sample now = sample();
      chunk.x[i] = now.x;
      chunk.y[i] = mass_.y ? now.y : (now.x - before) / step_;
      chunk.restoring[i] = now.restoring;
    }
  }

  /// Returns the columns of the state in the order of /state/values in result files.
  const parallel::Vector& state() override { return state_; }

  void serialize(Archive& archive) override { archive.split("state", state_); }

 private:
  /// Returns x, y and the restoring force of the mass on which F acts; y is 0 if the model has no
  /// mass.
  [[nodiscard]] Sample sample() const {
    const std::span<const double> state = state_.values();
    return {state[static_cast<std::size_t>(mass_.x)],
            mass_.y ? state[static_cast<std::size_t>(*mass_.y)] : 0.0,
            model_->restoring(state) + friction_};
  }

  /// Returns the dry friction force at t = 0 on the mass on which F acts, computed as the friction
  /// force of a very short first step. It is α sign(v) if the velocity v at the contact is not
  /// nearly 0, and the static friction if v = 0.
  [[nodiscard]] double friction_at_start(double force) {
    constexpr double short_share = 1e-6;
    std::vector<double> trial(state_.values().begin(), state_.values().end());
    return rheology::make_step(
        *model_, {.step = short_share * step_, .force = force, .next_force = force}, trial, rate_);
  }

  std::unique_ptr<rheology::Inclusion> model_;
  rheology::MassColumns mass_;
  double step_;  // h
  parallel::Vector state_;
  std::vector<double> rate_;
  double friction_ = 0.0;
};

/// A model of finitely many elements.
class FiniteModel final : public Model {
 public:
  explicit FiniteModel(rheology::ModelSpec spec)
      : Model(spec.model->info), spec_(std::move(spec)) {}

  [[nodiscard]] std::string title(bool /*of_figure*/) const override { return info().name; }
  [[nodiscard]] Layout layout() const override {
    const rheology::StateLayout state = spec_.layout();
    return {.size = state.size(),
            .state = state,
            .restoring = state.mass_columns().y ? "F − m x″" : "F"};
  }
  [[nodiscard]] Parts parts(Method /*method*/) const override {
    return {.count = spec_.layout().size(), .cells_each = 1.0};
  }
  [[nodiscard]] MemoryNeed memory(Method /*method*/) const override {
    // An upper bound of the bytes per column of the state, including the parameters. P-elements
    // in series need the most, because of their total variation.
    return {spec_.layout().size(), "columns", 128.0};
  }
  [[nodiscard]] std::shared_ptr<const Model> at(const slab::Space& /*space*/,
                                                std::int64_t /*elements*/) const override {
    return std::make_shared<FiniteModel>(spec_);
  }
  [[nodiscard]] Setup set_up(const parallel::Communicator& comm, const RunSpec& run,
                             double available) const override {
    require_memory(memory(run.method), 1, available);
    Setup setup;
    if (run.method == Method::exact) {
      setup.engine = make_exact(comm, run, spec_);
    } else {
      setup.engine = std::make_unique<InclusionEngine>(comm, rheology::build(spec_, spec_.all()),
                                                       spec_.layout(), run.time.step(),
                                                       drives_at_start(comm, run).front());
    }
    return setup;
  }

 private:
  rheology::ModelSpec spec_;
};

}  // namespace

std::shared_ptr<const Model> make_model(rheology::ModelSpec spec) {
  return std::make_shared<FiniteModel>(std::move(spec));
}

}  // namespace masing::engine
