#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/engines.hpp"
#include "engine/state_columns.hpp"
#include "rheology/catalogue.hpp"
#include "rheology/exact_solution.hpp"

namespace masing::engine {

namespace {

constexpr double largest_difference = 1e-6;  // of what is to be compared

/// `what`: the numbers of two solutions that do not agree.
[[noreturn]] void throw_apart(double t, const std::string& what) {
  throw base::SystemError(
      fmt::format("the exact solution fails its check: at t = {} two {}; the "
                  "problem is too sensitive to rounding",
                  base::to_text(t), what));
}

/// F of a run, and as the second solution takes it: with bounds that it finds in another way.
base::SmoothPieces force_of(const RunSpec& run, const std::vector<double>& breaks) {
  return {[drive = run.drive](double t) { return drive(t); }, breaks, run.time.final_time,
          [drive = run.drive](double first, double last) { return drive.bounds(first, last); },
          drive_of(run)};
}

base::SmoothPieces checking_force_of(const RunSpec& run, const std::vector<double>& breaks) {
  return force_of(run, breaks).checked_by([drive = run.drive](double first, double last) {
    return drive.range(first, last);
  });
}

/// What an exact engine integrates: two solutions.
class ExactMotion {
 public:
  ExactMotion() = default;
  virtual ~ExactMotion() = default;
  ExactMotion(const ExactMotion&) = delete;
  ExactMotion& operator=(const ExactMotion&) = delete;

  /// The mass at t = 0.
  [[nodiscard]] virtual Sample start() = 0;
  /// The mass at a time, not before the last one.
  [[nodiscard]] virtual Sample at(double t) = 0;
  /// Goes with the second solution to the time of the first, and returns how far the two are apart.
  /// Throws SystemError where that is too much.
  [[nodiscard]] virtual double compare(double t) = 0;

  /// As Engine's.
  virtual const parallel::Vector& field() = 0;
  [[nodiscard]] virtual std::optional<slab::RememberedElongation> elongation() const {
    return std::nullopt;
  }
  [[nodiscard]] virtual std::optional<double> elastic_energy() const { return std::nullopt; }
  /// Whether works are known; they are added up from now on.
  virtual bool follow_works() { return false; }
  [[nodiscard]] virtual slab::Works works() const { return {}; }
};

class SlabMotion final : public ExactMotion {
 public:
  SlabMotion(const parallel::Communicator& comm, const RunSpec& run, const Masing& masing,
             const slab::Profile& profile, std::shared_ptr<const slab::Measure> measure,
             const slab::ExactOptions& options)
      : oscillator_(masing.oscillator),
        profile_(profile),
        measure_(std::move(measure)),
        solution_(*measure_, oscillator_, force_of(run, masing.force_breaks), options),
        check_(*measure_, oscillator_, checking_force_of(run, masing.force_breaks),
               slab::checking(options)),
        u_(comm, masing.slab.field_cells()) {}

  [[nodiscard]] Sample start() override {
    const slab::TurningPoints slab(*measure_, oscillator_.x0);
    return shown({oscillator_.x0, oscillator_.y0, slab.internal_force()});
  }
  [[nodiscard]] Sample at(double t) override {
    state_ = solution_.at(t);
    return shown(state_);
  }
  [[nodiscard]] double compare(double t) override {
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

  const parallel::Vector& field() override { return u_.of(*elongation(), profile_); }
  [[nodiscard]] std::optional<slab::RememberedElongation> elongation() const override {
    return solution_.turning_points().elongation();
  }
  [[nodiscard]] std::optional<double> elastic_energy() const override {
    return measure_->elastic_energy(*elongation());
  }
  bool follow_works() override {
    solution_.follow_works();
    return true;
  }
  [[nodiscard]] slab::Works works() const override { return solution_.works(); }

 private:
  [[nodiscard]] Sample shown(const slab::MassState& state) const {
    return {state.x, state.y, slab::restoring_force(oscillator_, state)};
  }

  slab::Oscillator oscillator_;
  const slab::Profile& profile_;
  std::shared_ptr<const slab::Measure> measure_;
  slab::ExactSolution solution_;
  slab::ExactSolution check_;
  slab::MassState state_;
  LazyField u_;
};

class ModelMotion final : public ExactMotion {
 public:
  ModelMotion(const parallel::Communicator& comm, const RunSpec& run,
              const rheology::ModelSpec& spec)
      : motion_(spec.layout().motion()),
        columns_(comm, spec.layout(), spec.all()),
        solution_(solution_of(spec, force_of(run, spec.force_breaks), {})),
        check_(solution_of(spec, checking_force_of(run, spec.force_breaks),
                           rheology::checking_options)) {}

  [[nodiscard]] Sample start() override { return at(0.0); }
  /// The mass that F acts on; of a model without a mass y is x'.
  [[nodiscard]] Sample at(double t) override {
    solution_->go_to(t);
    const auto x = static_cast<std::size_t>(motion_.x);
    return {
        solution_->state()[x],
        motion_.y ? solution_->state()[static_cast<std::size_t>(*motion_.y)] : solution_->rate()[x],
        solution_->restoring()};
  }
  /// Of all columns, each to be compared with the largest value of its group.
  [[nodiscard]] double compare(double t) override {
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

  const parallel::Vector& field() override { return columns_.gather(solution_->state()); }

 private:
  static std::unique_ptr<rheology::ExactSolution> solution_of(
      const rheology::ModelSpec& spec, const base::SmoothPieces& force,
      const rheology::ExactOptions& options) {
    rheology::BuiltModel built = rheology::build(spec, spec.all());
    return rheology::make_exact_solution(std::move(built.model), spec.layout(),
                                         std::move(built.start), force, options);
  }

  rheology::MassColumns motion_;
  StateColumns columns_;
  std::unique_ptr<rheology::ExactSolution> solution_;
  std::unique_ptr<rheology::ExactSolution> check_;
};

class Exact final : public Engine {
 public:
  Exact(double final_time, std::unique_ptr<ExactMotion> motion)
      : compared_time_(final_time * (1.0 - 0x1p-51)),
        motion_(std::move(motion)),
        sample_(motion_->start()) {}

  [[nodiscard]] Sample sample() const override { return sample_; }

  void advance(const slab::Chunk& chunk) override {
    for (std::size_t i = 0; i < chunk.x.size(); ++i) {
      time_ = chunk.times[i];
      compare_up_to(time_);
      sample_ = motion_->at(time_);
      chunk.x[i] = sample_.x;
      chunk.y[i] = sample_.y;
      chunk.restoring[i] = sample_.restoring;
    }
  }

  const parallel::Vector& field() override { return motion_->field(); }
  std::optional<slab::RememberedElongation> elongation() override { return motion_->elongation(); }
  std::optional<double> elastic_energy() override { return motion_->elastic_energy(); }

  std::optional<slab::Works> works() override {
    follows_works_ = motion_->follow_works();
    return follows_works_ ? std::optional(motion_->works()) : std::nullopt;
  }

  [[nodiscard]] double self_check() const override { return difference_; }

  /// The solution is integrated again from the start: its own steps do not depend on the samples.
  void serialize(std::int64_t /*step*/, Archive& archive) override {
    archive.scalars("mass", sample_.x, sample_.y, sample_.restoring, difference_, compared_, time_,
                    follows_works_);
    if (archive.restores()) {
      follows_works_ = follows_works_ && motion_->follow_works();
      (void)motion_->at(time_);
    }
  }

 private:
  static constexpr double comparisons = 8192;

  /// Compares the two at every T k/8192 up to a time.
  void compare_up_to(double t) {
    for (; compared_ < comparisons; ++compared_) {
      const double next = compared_time_ * ((compared_ + 1) / comparisons);
      if (next > t) {
        return;
      }
      (void)motion_->at(next);
      difference_ = std::max(difference_, motion_->compare(next));
    }
  }

  double compared_time_;  // T, less what rounding may make of the last time that is asked for
  double compared_ = 0;   // k of the last comparison
  double difference_ = 0.0;
  double time_ = 0.0;           // of the sample
  bool follows_works_ = false;  // whether works() has been called
  std::unique_ptr<ExactMotion> motion_;
  Sample sample_;
};

}  // namespace

std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm, const RunSpec& run,
                                   const Masing& masing, const slab::Profile& profile,
                                   std::shared_ptr<const slab::Measure> measure,
                                   const slab::ExactOptions& options) {
  return std::make_unique<Exact>(
      run.time.final_time,
      std::make_unique<SlabMotion>(comm, run, masing, profile, std::move(measure), options));
}

std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm, const RunSpec& run,
                                   const rheology::ModelSpec& spec) {
  return std::make_unique<Exact>(run.time.final_time,
                                 std::make_unique<ModelMotion>(comm, run, spec));
}

}  // namespace masing::engine
