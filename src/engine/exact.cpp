#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/engines.hpp"
#include "rheology/catalogue.hpp"
#include "rheology/inclusion_solution.hpp"

namespace masing::engine {

namespace {

// The largest allowed difference of the two solutions, relative to the size of the motion.
constexpr double largest_difference = 1e-6;

/// Throws SystemError because two solutions do not agree at the time `t`. `what` follows the word
/// "two" in the message, and describes the values of both.
[[noreturn]] void throw_apart(double t, const std::string& what) {
  throw base::SystemError(
      fmt::format("the exact solution fails its check: at t = {} two {}; the "
                  "problem is too sensitive to rounding",
                  base::to_text(t), what));
}

/// Returns the force of a run as SmoothPieces between its breaks. The bounds of F, which are needed
/// to detect narrow features, are computed by drive.bounds().
base::SmoothPieces force_of(const RunSpec& run) {
  const auto& [of_t, name] = run.drives.front();
  return {[force = of_t](double t) { return force(t); }, run.breaks, run.time.final_time,
          [force = of_t](double first, double last) { return force.bounds(first, last); }, name};
}

/// Base class of the exact engines: computes the solution at the times of the chunks and compares
/// this solution with a second one.
class ExactEngine : public Engine {
 public:
  explicit ExactEngine(double final_time) : compared_time_(final_time * (1.0 - 0x1p-51)) {}

  [[nodiscard]] Sample start() const override { return start_; }

  void advance(const slab::Chunk& chunk) override {
    for (std::size_t i = 0; i < chunk.x.size(); ++i) {
      time_ = chunk.times[i];
      compare_up_to(time_);
      const Sample now = at(time_);
      chunk.x[i] = now.x;
      chunk.y[i] = now.y;
      chunk.restoring[i] = now.restoring;
    }
  }

  [[nodiscard]] double self_check() const override { return difference_; }

  /// Saves the present time, but not the internal state of the solution. A restored engine
  /// integrates again from t = 0. It obtains the same solution, as the time steps of the solution
  /// do not depend on the samples.
  void serialize(Archive& archive) override {
    archive.scalars("time", difference_, compared_, time_, follows_works_);
    if (archive.restores()) {
      if (follows_works_) {
        (void)works();
      }
      (void)at(time_);
    }
  }

 protected:
  /// Advances the solution to the time t and returns x, y and the restoring force there. t must not
  /// be less than in the last call.
  virtual Sample at(double t) = 0;
  /// Advances the second solution to the time t, to which the first one must have been advanced.
  /// Returns the largest difference between the two solutions at t. Throws SystemError if a
  /// difference exceeds largest_difference times the size of the motion.
  virtual double compare(double t) = 0;

  Sample start_;
  bool follows_works_ = false;  // whether works() was called

 private:
  static constexpr double comparisons = 8192;

  /// Compares the two solutions at those times T k/8192 up to t at which they have not been
  /// compared yet.
  void compare_up_to(double t) {
    for (; compared_ < comparisons; ++compared_) {
      const double next = compared_time_ * ((compared_ + 1) / comparisons);
      if (next > t) {
        return;
      }
      (void)at(next);
      difference_ = std::max(difference_, compare(next));
    }
  }

  // A time slightly less than T, because the last time of the run may be rounded downwards.
  double compared_time_;
  double compared_ = 0;  // the k of the last comparison at T k/8192
  double difference_ = 0.0;
  double time_ = 0.0;  // that of the last step
};

class ExactSlabEngine final : public ExactEngine {
 public:
  ExactSlabEngine(const parallel::Communicator& comm, const RunSpec& run, const Masing& masing,
                  const slab::Profile& profile, std::shared_ptr<const slab::Measure> measure,
                  const slab::StepControl& options)
      : ExactEngine(run.time.final_time),
        oscillator_(masing.oscillator),
        profile_(profile),
        measure_(std::move(measure)),
        solution_(*measure_, oscillator_, force_of(run), options),
        check_(*measure_, oscillator_, force_of(run), slab::checking(options)),
        u_(comm, masing.slab.field_cells()) {
    const slab::TurningPoints start(*measure_, oscillator_.x0);
    start_ = sample_of(oscillator_, {oscillator_.x0, oscillator_.y0, start.internal_force()});
  }

  const parallel::Vector& state() override { return u_.of(*elongation(), profile_); }
  std::optional<slab::RememberedElongation> elongation() override {
    return solution_.turning_points().elongation();
  }
  std::optional<double> elastic_energy() override {
    const auto known = measure_->sums(*elongation());
    return known ? std::optional(known->energy) : std::nullopt;
  }
  std::optional<slab::Works> works() override {
    follows_works_ = true;
    solution_.follow_works();
    return solution_.works();
  }

 private:
  Sample at(double t) override {
    state_ = solution_.at(t);
    return sample_of(oscillator_, state_);
  }
  double compare(double t) override {
    const slab::MassState other = check_.at(t);
    const double x_apart = std::abs(other.x - state_.x);
    const double y_apart = std::abs(other.y - state_.y);
    const double most = largest_difference * solution_.speed_scale();
    if (!(y_apart <= most && x_apart * solution_.frequency() <= most)) {
      throw_apart(
          t, fmt::format("methods give x = {} and {}, y = {} and {}", base::to_text(state_.x),
                         base::to_text(other.x), base::to_text(state_.y), base::to_text(other.y)));
    }
    return std::max(x_apart, y_apart);
  }

  slab::Oscillator oscillator_;
  const slab::Profile& profile_;
  std::shared_ptr<const slab::Measure> measure_;
  slab::OscillatorSolution solution_;
  slab::OscillatorSolution check_;
  slab::MassState state_;
  LazyField u_;
};

class ExactModelEngine final : public ExactEngine {
 public:
  ExactModelEngine(const parallel::Communicator& comm, const RunSpec& run,
                   const rheology::ModelSpec& spec)
      : ExactEngine(run.time.final_time),
        mass_(spec.layout().mass_columns()),
        columns_(comm, spec.layout().size()),
        solution_(solution_of(spec, force_of(run), {})),
        check_(solution_of(spec, force_of(run), rheology::checking_options)) {
    start_ = at(0.0);
  }

  const parallel::Vector& state() override {
    std::ranges::copy(solution_->state(), columns_.values().begin());
    return columns_;
  }

 private:
  /// Returns x, y and the restoring force of the mass on which F acts. If the model has no mass, y
  /// is the derivative x'.
  Sample at(double t) override {
    solution_->go_to(t);
    const auto x = static_cast<std::size_t>(mass_.x);
    return {solution_->state()[x],
            mass_.y ? solution_->state()[static_cast<std::size_t>(*mass_.y)] : solution_->rate()[x],
            solution_->restoring()};
  }
  /// Compares all columns of the state. Each difference is judged relative to
  /// InclusionSolution::scale().
  double compare(double t) override {
    check_->go_to(t);
    double greatest = 0.0;
    for (std::size_t c = 0; c < solution_->state().size(); ++c) {
      const double one = solution_->state()[c];
      const double other = check_->state()[c];
      if (!(std::abs(one - other) <= largest_difference * solution_->scale(c))) {
        throw_apart(t, fmt::format("ways give {} and {} for column {} of the state",
                                   base::to_text(one), base::to_text(other), c + 1));
      }
      greatest = std::max(greatest, std::abs(one - other));
    }
    return greatest;
  }

  static std::unique_ptr<rheology::InclusionSolution> solution_of(
      const rheology::ModelSpec& spec, const base::SmoothPieces& force,
      const rheology::TaylorOptions& options) {
    rheology::BuiltModel built = rheology::build(spec, spec.all());
    return rheology::make_inclusion_solution(std::move(built.model), spec.layout(),
                                             std::move(built.start), force, options);
  }

  rheology::MassColumns mass_;
  parallel::Vector columns_;  // a copy of the state
  std::unique_ptr<rheology::InclusionSolution> solution_;
  std::unique_ptr<rheology::InclusionSolution> check_;
};

}  // namespace

std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm, const RunSpec& run,
                                   const Masing& masing, const slab::Profile& profile,
                                   std::shared_ptr<const slab::Measure> measure,
                                   const slab::StepControl& options) {
  return std::make_unique<ExactSlabEngine>(comm, run, masing, profile, std::move(measure), options);
}

std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm, const RunSpec& run,
                                   const rheology::ModelSpec& spec) {
  return std::make_unique<ExactModelEngine>(comm, run, spec);
}

}  // namespace masing::engine
