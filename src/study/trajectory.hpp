#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/recorders.hpp"
#include "slab/problem.hpp"
#include "slab/turning_points/turning_points.hpp"

/// Refinement studies: levels, references, error norms, observed orders, verdict.
namespace masing::study {

/// A time among the steps of a run: `fraction` of a step after step `step`, 0 ≤ fraction < 1.
struct StepTime {
  std::int64_t step = 0;
  double fraction = 0.0;

  /// The first step that is not before it.
  [[nodiscard]] std::int64_t end() const { return step + (fraction > 0 ? 1 : 0); }
};

/// Position and velocity of the mass.
struct PhasePoint {
  double x = 0.0;
  double y = 0.0;
};

/// Times at which runs are compared: t_i = i·T/intervals, i = 0..intervals, or given ones.
class SampleTimes {
 public:
  /// Uniform. Local.
  explicit SampleTimes(std::int64_t intervals) : intervals_(intervals) {}
  /// Increasing times. Local.
  explicit SampleTimes(std::shared_ptr<const std::vector<double>> given)
      : intervals_(std::ssize(*given) - 1), given_(std::move(given)) {}

  [[nodiscard]] std::int64_t count() const { return intervals_ + 1; }
  /// t_i on [0, final_time]. Local.
  [[nodiscard]] double time(std::int64_t i, double final_time) const;
  /// Time i among the steps of a run: from integers where the times are uniform; a given one that
  /// misses a step by rounding only is that step. Local.
  [[nodiscard]] StepTime at(std::int64_t i, const slab::TimeGrid& grid) const;

 private:
  std::int64_t intervals_;
  std::shared_ptr<const std::vector<double>> given_;
};

/// u of any cell at one time, of a run by turning points: that of a step, or linear between two.
struct ContinuousField {
  slab::RememberedElongation after;   ///< the step, or the later one
  slab::RememberedElongation before;  ///< the one before, where fraction < 1
  double fraction = 1.0;              ///< of `after` in the mean

  /// u of a cell. Local.
  [[nodiscard]] double operator()(const slab::Element& cell) const {
    return fraction < 1 ? (1.0 - fraction) * before(cell) + fraction * after(cell) : after(cell);
  }
};

/// u of all cells, or the columns of a state, at one time: [P] split over the ranks, or, where
/// `entries` is null, for P = ∞ and for many cells, a function.
struct Field {
  const parallel::Vector* entries = nullptr;
  ContinuousField function = {};
};

/// What remains of a run that is done.
struct RunSummary {
  PhasePoint largest;      ///< |x|, |y| over all steps
  double largest_u = 0.0;  ///< |u| at the times of fields; 0 of functions
  PhasePoint end;          ///< x(T), y(T)
  double seconds = 0.0;    ///< that it took, without what went along
};

/// How a run of a study goes.
struct RunOptions {
  std::string title;                   ///< "level 2 of 4"
  bool has_function_field = false;     ///< u is a function of η and u0, not a vector
  bool goes_to_times = false;          ///< to any times, exactly: the exact solution as a reference
  std::optional<io::Sampling> series;  ///< the rows of /series that are kept
};

/// A run that goes along with others in windows of time. It keeps its samples of the last window
/// and the two before, and u at one step; between steps x, y and u are linear in t. Source:
/// Proposition 4.1, continuous-masing-2001.
class Trajectory {
 public:
  /// `comm`, `run` and `options` must outlive it. Throws as engine::make_setup. Collective.
  Trajectory(const parallel::Communicator& comm, const engine::RunSpec& run,
             const RunOptions& options, const engine::MemoryBudget& budget);

  [[nodiscard]] const engine::RunSpec& run() const { return run_; }
  [[nodiscard]] bool goes_to_times() const { return options_.goes_to_times; }

  /// Go on until `end` has passed. `field`: where u is asked for next, at `end` or later. Throws as
  /// engine::Stepper. Collective.
  void go_to(const StepTime& end, const StepTime& field);
  /// Go on to increasing times, where those of the last call are forgotten. Collective.
  void go_to(std::span<const double> times);

  /// The last step so far; with goes_to_times() the number of times.
  [[nodiscard]] std::int64_t reached() const { return reached_; }
  /// x and y at a time of the last window; nothing where it has not come there. Local.
  [[nodiscard]] std::optional<PhasePoint> at(const StepTime& time) const;
  /// The same at one of the times that it last went to. Local.
  [[nodiscard]] std::optional<PhasePoint> at_time(double time) const;
  /// u at the end of the last window, as go_to's `field` said; valid until the next. Collective.
  Field field_at(const StepTime& time);

  /// Save or restore all of it. Collective.
  void serialize(engine::Archive& archive);
  /// What is known of it now; `largest_u` of this rank.
  [[nodiscard]] const RunSummary& summary() const { return summary_; }
  /// engine::Engine::self_check. Collective.
  [[nodiscard]] double self_check() const { return setup_.engine->self_check(); }
  /// The rows of /series so far, where they are kept.
  [[nodiscard]] std::vector<double> series() &&;

 private:
  void keep(const engine::Samples& samples);
  void forget_window();
  void advance_to(std::int64_t step);
  void make_entries();

  const parallel::Communicator& comm_;
  const engine::RunSpec& run_;
  const RunOptions& options_;
  RunSummary summary_;
  engine::Setup setup_;
  engine::Stepper stepper_;
  std::optional<io::SeriesBuffer> series_;
  std::int64_t reached_ = 0;
  std::int64_t first_ = 0;  // the step of samples_[0]
  std::vector<PhasePoint> samples_;
  std::vector<double> times_;    // of one that goes_to_times()
  std::int64_t kept_step_ = -1;  // of u that is kept; -1: none
  std::optional<parallel::Vector> kept_entries_;
  slab::RememberedElongation kept_function_;
  std::optional<parallel::Vector> between_;  // u between two steps
};

}  // namespace masing::study
