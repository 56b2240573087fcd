#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/engines.hpp"
#include "engine/state_columns.hpp"
#include "rheology/catalogue.hpp"
#include "rheology/inclusion.hpp"

namespace masing::engine {

namespace {

/// The engine for a model of finitely many elements. It computes the steps X⁺ = resolvent(X + h
/// G(t_p, X)) for the elements of this rank.
/// Source: (4.2), rheological-models-2000.
template <rheology::Inclusion Model>
class InclusionEngine final : public Engine {
 public:
  /// `start` is the state of this rank's elements at t = 0, and `force` is F(0). `comm` must
  /// outlive the object. Collective.
  InclusionEngine(const parallel::Communicator& comm, Model model, std::vector<double> start,
                  StateColumns columns, double step, double force)
      : comm_(comm),
        model_(std::move(model)),
        columns_(std::move(columns)),
        step_(step),
        state_(std::move(start)) {
    if constexpr (rheology::StartsFromForce<Model>) {
      model_.complete_start(force, state_);
    }
    rate_.resize(state_.size());
    friction_ = friction_at_start(force);
    const Sample own = own_sample();
    double numbers[] = {own.x, own.y, own.restoring};
    share(numbers);
    sample_ = {numbers[0], numbers[1], numbers[2]};
  }

  [[nodiscard]] Sample sample() const override { return sample_; }

  void advance(const slab::Chunk& chunk) override {
    for (std::size_t i = 0; i < chunk.x.size(); ++i) {
      const double before = column(columns_.mass_columns().x);
      friction_ = rheology::make_step(
          model_, {.step = step_, .force = chunk.force[i], .next_force = chunk.force[i + 1]},
          state_, rate_);
      const Sample now = own_sample();
      chunk.x[i] = now.x;
      chunk.y[i] = columns_.mass_columns().y ? now.y : (now.x - before) / step_;
      chunk.restoring[i] = now.restoring;
    }
    share(chunk.x);
    share(chunk.y);
    share(chunk.restoring);
    sample_ = {chunk.x.back(), chunk.y.back(), chunk.restoring.back()};
  }

  /// Returns the columns of the state in the order of /state/values in result files.
  const parallel::Vector& field() override { return columns_.gather(state_); }

  void serialize(std::int64_t /*step*/, Archive& archive) override {
    archive.split("state", columns_.gather(state_));
    if (archive.restores()) {
      columns_.spread(state_);
    }
    archive.scalars("sample", sample_.x, sample_.y, sample_.restoring);
  }

 private:
  /// Returns entry `c` of this rank's state, or 0 if the rank has no elements.
  [[nodiscard]] double column(std::int64_t c) const {
    const auto place = static_cast<std::size_t>(c);
    return place < state_.size() ? state_[place] : 0.0;
  }

  /// Returns x, y and the restoring force of the mass on which F acts. The result is correct only
  /// on the rank that stores this mass.
  [[nodiscard]] Sample own_sample() const {
    const auto& [x, y] = columns_.mass_columns();
    return {column(x), y ? column(*y) : 0.0, model_.restoring(state_, friction_)};
  }

  /// Broadcasts values from the rank that stores the mass on which F acts. Does nothing if every
  /// rank stores this mass. Collective.
  void share(std::span<double> values) const {
    if (columns_.owner()) {
      parallel::broadcast(comm_, values, *columns_.owner());
    }
  }

  /// Returns the dry friction force at t = 0 on the mass on which F acts, computed as the friction
  /// force of a very short first step. It is α sign(v) if the velocity v at the contact is not
  /// nearly 0, and the static friction if v = 0. Collective if the elements are split.
  [[nodiscard]] double friction_at_start(double force) {
    constexpr double short_share = 1e-6;
    std::vector<double> trial = state_;
    return rheology::make_step(
        model_, {.step = short_share * step_, .force = force, .next_force = force}, trial, rate_);
  }

  const parallel::Communicator& comm_;
  Model model_;
  StateColumns columns_;
  double step_;  // h
  std::vector<double> state_;
  double friction_ = 0.0;
  std::vector<double> rate_;
  Sample sample_;
};

/// Creates the function SChain::exchange of a chain that is split over the ranks. The function
/// exchanges the values at both ends of this rank's part of the chain with the neighbouring ranks.
/// At the ground, where the whole chain begins, the velocity is 0; at the end of the whole chain,
/// the force is F. `mine` are the elements of this rank, and `elements` is the number of elements
/// on all ranks. Calls of the created function are collective.
auto chain_exchange(const parallel::Communicator& comm, const base::CellRange& mine,
                    std::int64_t elements) {
  const bool is_last = mine.first + mine.size == elements;
  return [neighbours = parallel::Neighbours(comm, mine, elements), is_last](
             double first_force, double last_velocity, double force) {
    const auto received = neighbours.exchange(first_force, last_velocity);
    return rheology::SChain::Ends{received.from_before, is_last ? force : received.from_after};
  };
}

}  // namespace

std::unique_ptr<Engine> make_inclusion(const parallel::Communicator& comm, const RunSpec& run,
                                       const rheology::ModelSpec& spec, double start) {
  const base::CellRange mine =
      base::local_range(spec.parameters.elements, comm.rank(), comm.size());
  rheology::BuiltModel built = rheology::build(spec, mine);
  StateColumns columns(comm, spec.layout(), mine);
  return std::visit(
      [&]<class Model>(Model& model) -> std::unique_ptr<Engine> {
        if constexpr (std::is_same_v<Model, rheology::SChain>) {
          model.exchange = chain_exchange(comm, mine, spec.parameters.elements);
        }
        return std::make_unique<InclusionEngine<Model>>(comm, std::move(model),
                                                        std::move(built.start), std::move(columns),
                                                        run.time.step(), start);
      },
      built.model);
}

}  // namespace masing::engine
