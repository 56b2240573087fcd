#include "engine/exact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/state_columns.hpp"
#include "engine/turning_points.hpp"
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

/// What an exact engine integrates: two solutions, which the root has, and what every rank knows of
/// them.
class ExactMotion {
 public:
  ExactMotion() = default;
  virtual ~ExactMotion() = default;
  ExactMotion(const ExactMotion&) = delete;
  ExactMotion& operator=(const ExactMotion&) = delete;

  /// The mass at t = 0. On the root.
  [[nodiscard]] virtual Sample start() = 0;
  /// The mass at a later time. On the root.
  [[nodiscard]] virtual Sample at(double t) = 0;
  /// Goes with the second solution to the time of the first, and returns how far the two are apart.
  /// Throws SystemError where that is too much. On the root.
  [[nodiscard]] virtual double compare(double t) = 0;
  /// Goes with the second solution to a time, to be compared later. On the root.
  virtual void check_at(double t) = 0;

  /// As Engine's. Collective.
  virtual const parallel::Vector& field() = 0;
  virtual std::optional<slab::RememberedElongation> elongation() { return std::nullopt; }
  virtual std::optional<double> elastic_energy() { return std::nullopt; }
  /// Whether works are known; they are added up from now on. Local.
  virtual bool follow_works() { return false; }
  /// On the root.
  [[nodiscard]] virtual slab::Works works() const { return {}; }
};

class SlabMotion final : public ExactMotion {
 public:
  SlabMotion(const parallel::Communicator& comm, const RunSpec& run, const Masing& masing,
             const slab::Profile& profile, std::shared_ptr<const slab::Measure> measure,
             const slab::ExactOptions& options)
      : comm_(comm),
        oscillator_(masing.oscillator),
        profile_(profile),
        measure_(std::move(measure)),
        u_(comm, masing.slab.field_cells()) {
    parallel::on_root(comm, [&] {
      solution_.emplace(*measure_, oscillator_, force_of(run, masing.force_breaks), options);
      check_.emplace(*measure_, oscillator_, checking_force_of(run, masing.force_breaks),
                     slab::checking(options));
    });
  }

  [[nodiscard]] Sample start() override {
    const slab::TurningPoints slab(*measure_, oscillator_.x0);
    return shown({oscillator_.x0, oscillator_.y0, slab.internal_force()});
  }
  [[nodiscard]] Sample at(double t) override {
    state_ = solution_->at(t);
    return shown(state_);
  }
  [[nodiscard]] double compare(double t) override {
    const slab::MassState other = check_->at(t);
    const double x_apart = std::abs(other.x - state_.x);
    const double y_apart = std::abs(other.y - state_.y);
    const double most = largest_difference * solution_->speed_scale();
    if (!(y_apart <= most && x_apart * solution_->frequency() <= most)) {
      throw_apart(
          t, fmt::format("methods give x = {} and {}, y = {} and {}", base::to_text(state_.x),
                         base::to_text(other.x), base::to_text(state_.y), base::to_text(other.y)));
    }
    return std::max(x_apart, y_apart);
  }
  void check_at(double t) override { (void)check_->at(t); }

  const parallel::Vector& field() override { return u_.of(*elongation(), profile_); }
  std::optional<slab::RememberedElongation> elongation() override {
    const slab::TurningPointState own =
        solution_ ? solution_->turning_points().state() : slab::TurningPointState{};
    return slab::TurningPoints(*measure_, shared(comm_, own)).elongation();
  }
  std::optional<double> elastic_energy() override {
    return elastic_energy_by(comm_, *measure_, *elongation());
  }
  bool follow_works() override {
    if (solution_) {
      solution_->follow_works();
    }
    return true;
  }
  [[nodiscard]] slab::Works works() const override { return solution_->works(); }

 private:
  [[nodiscard]] Sample shown(const slab::MassState& state) const {
    return {state.x, state.y, slab::restoring_force(oscillator_, state)};
  }

  const parallel::Communicator& comm_;
  slab::Oscillator oscillator_;
  const slab::Profile& profile_;
  std::shared_ptr<const slab::Measure> measure_;
  std::optional<slab::ExactSolution> solution_;  // on the root
  std::optional<slab::ExactSolution> check_;     // on the root
  slab::MassState state_;
  LazyField u_;
};

class ModelMotion final : public ExactMotion {
 public:
  ModelMotion(const parallel::Communicator& comm, const RunSpec& run,
              const rheology::ModelSpec& spec)
      : comm_(comm),
        motion_(spec.layout().motion()),
        columns_(comm, spec.layout(), spec.all(), rheology::Work::replicated),
        state_(static_cast<std::size_t>(spec.layout().size())) {
    const auto make = [&](std::optional<rheology::ExactSolution>& solution,
                          const base::SmoothPieces& force, const rheology::ExactOptions& options) {
      rheology::BuiltModel built = rheology::build(spec, spec.all());
      solution.emplace(std::move(built.model), spec.layout(), std::move(built.start), force,
                       options);
    };
    parallel::on_root(comm, [&] {
      make(solution_, force_of(run, spec.force_breaks), {});
      make(check_, checking_force_of(run, spec.force_breaks), rheology::checking_options);
    });
  }

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
    check_at(t);
    double greatest = 0.0;
    for (std::size_t c = 0; c < state_.size(); ++c) {
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
  void check_at(double t) override { check_->go_to(t); }

  const parallel::Vector& field() override {
    if (solution_) {
      std::ranges::copy(solution_->state(), state_.begin());
    }
    parallel::broadcast(comm_, std::span(state_));
    return columns_.gather(state_);
  }

 private:
  const parallel::Communicator& comm_;
  rheology::MotionColumns motion_;
  StateColumns columns_;
  std::optional<rheology::ExactSolution> solution_;  // on the root
  std::optional<rheology::ExactSolution> check_;     // on the root
  std::vector<double> state_;
};

class Exact final : public Engine {
 public:
  Exact(const parallel::Communicator& comm, double final_time, std::unique_ptr<ExactMotion> motion)
      : comm_(comm),
        final_time_(final_time),
        next_comparison_(final_time / comparisons),
        motion_(std::move(motion)) {
    parallel::on_root(comm, [&] { sample_ = motion_->start(); });
    std::array numbers{sample_.x, sample_.y, sample_.restoring};
    parallel::broadcast(comm, numbers);
    sample_ = {numbers[0], numbers[1], numbers[2]};
  }

  [[nodiscard]] Sample sample() const override { return sample_; }

  void advance(const slab::Chunk& chunk) override {
    fill_on_root(comm_, chunk, [&] {
      for (std::size_t i = 0; i < chunk.x.size(); ++i) {
        const double t = chunk.times[i];
        const Sample now = motion_->at(t);
        chunk.x[i] = now.x;
        chunk.y[i] = now.y;
        chunk.restoring[i] = now.restoring;
        if (compares_at(t)) {
          difference_ = std::max(difference_, motion_->compare(t));
        }
      }
    });
    sample_ = {chunk.x.back(), chunk.y.back(), chunk.restoring.back()};
    time_ = chunk.times.back();
  }

  const parallel::Vector& field() override { return motion_->field(); }
  std::optional<slab::RememberedElongation> elongation() override { return motion_->elongation(); }
  std::optional<double> elastic_energy() override { return motion_->elastic_energy(); }

  std::optional<slab::Works> works() override {
    follows_works_ = motion_->follow_works();
    if (!follows_works_) {
      return std::nullopt;
    }
    const slab::Works own = comm_.is_root() ? motion_->works() : slab::Works{};
    std::array works{own.input, own.slab, own.viscous};
    parallel::broadcast(comm_, works);
    return slab::Works{works[0], works[1], works[2]};
  }

  [[nodiscard]] double self_check() const override {
    double difference = difference_;
    parallel::broadcast(comm_, std::span(&difference, 1));
    return difference;
  }

  /// The solution is integrated again from the start: its own steps do not depend on the samples.
  void exchange(std::int64_t /*step*/, Archive& archive) override {
    std::vector<double> numbers{sample_.x,        sample_.y, sample_.restoring,         difference_,
                                next_comparison_, time_,     follows_works_ ? 1.0 : 0.0};
    archive.numbers("mass", numbers);
    if (archive.restores()) {
      sample_ = {numbers[0], numbers[1], numbers[2]};
      difference_ = numbers[3];
      next_comparison_ = numbers[4];
      time_ = numbers[5];
      follows_works_ = numbers[6] != 0.0 && motion_->follow_works();
      parallel::on_root(comm_, [&] {
        (void)motion_->at(time_);
        motion_->check_at(time_);
      });
    }
  }

 private:
  static constexpr double comparisons = 8192;

  /// Whether the two are compared at a time that is looked at: at some 8192 of them and the last,
  /// not at the ends of chunks, whose lengths depend on the clock.
  [[nodiscard]] bool compares_at(double t) {
    const double distance = final_time_ / comparisons;
    if (t < final_time_ && t < next_comparison_ - 1e-6 * distance) {
      return false;
    }
    next_comparison_ = t + distance;
    return true;
  }

  const parallel::Communicator& comm_;
  double final_time_;           // T
  double next_comparison_;      // the first time at which the two are compared again; on the root
  double difference_ = 0.0;     // on the root
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
      comm, run.time.final_time,
      std::make_unique<SlabMotion>(comm, run, masing, profile, std::move(measure), options));
}

std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm, const RunSpec& run,
                                   const rheology::ModelSpec& spec) {
  return std::make_unique<Exact>(comm, run.time.final_time,
                                 std::make_unique<ModelMotion>(comm, run, spec));
}

}  // namespace masing::engine
