#pragma once

#include <cstdint>
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

/// A time in steps of a run: t = (step + fraction) δt, 0 ≤ fraction < 1.
struct StepTime {
  std::int64_t step = 0;
  double fraction = 0.0;

  /// Returns the first step at or after this time.
  [[nodiscard]] std::int64_t end() const { return step + (fraction > 0 ? 1 : 0); }
};

/// Position x and velocity y of the mass at one time, or the largest |x| and |y|.
struct Point {
  double x = 0.0;
  double y = 0.0;
};

/// The times t_i = i·T/intervals, i = 0..intervals, at which runs are compared.
class SampleTimes {
 public:
  explicit SampleTimes(std::int64_t intervals) : intervals_(intervals) {}

  [[nodiscard]] std::int64_t count() const { return intervals_ + 1; }
  /// Returns the time t_i, which is in [0, final_time]. Local.
  [[nodiscard]] double time(std::int64_t i, double final_time) const {
    return slab::TimeGrid{final_time, intervals_}.time(i);
  }
  /// Returns the time t_i in steps of `grid`, computed from integers. Local.
  [[nodiscard]] StepTime at(std::int64_t i, const slab::TimeGrid& grid) const;

 private:
  std::int64_t intervals_;
};

/// u at one time as a function of an element, in a run whose engine remembers turning points. It is
/// u at a step, or u interpolated linearly between two steps.
struct ContinuousField {
  slab::RememberedElongation after;   ///< u at the step, or at the later of both steps
  slab::RememberedElongation before;  ///< u at the earlier step, if fraction < 1
  double fraction = 1.0;              ///< weight of `after` in the interpolation

  /// Returns u of the element `cell`. Local.
  [[nodiscard]] double operator()(const slab::Element& cell) const {
    return fraction < 1 ? (1.0 - fraction) * before(cell) + fraction * after(cell) : after(cell);
  }
};

/// u of all cells of a slab at one time, or the state of another model. `entries` is the vector of
/// the cells, [P], or of the columns of the state; it is split over the ranks. For P = ∞ and for
/// very many cells, `entries` is null, and u is given by `function`.
struct Field {
  const parallel::Vector* entries = nullptr;
  ContinuousField function = {};
};

/// The results of a run, completed or in progress, that a study uses.
struct RunSummary {
  /// largest |x| and largest |y| over all steps or, for an exact solution, all requested times
  Point largest;

  /// largest |u| at the times at which u is compared; 0 if u is a function
  double largest_u = 0.0;
  Point end;             ///< x(T), y(T)
  double seconds = 0.0;  ///< wall time of this run alone
};

/// Options of a run of a study.
struct RunOptions {
  std::string title;                ///< the name of the run in messages: "level 2 of 4"
  bool has_function_field = false;  ///< whether u is a function of an element, not a vector

  /// whether the run is an exact solution, evaluated at requested times
  bool goes_to_times = false;
  /// selects the rows of /series that are kept; empty if none are
  std::optional<io::Sampling> series;
};

/// A run that is advanced together with other runs, one window after another, so that the runs can
/// be compared. A run in steps keeps x and y at the steps of the present window and at the last two
/// steps before it, and a copy of u at one step; between two steps they are interpolated linearly
/// in t. An exact solution (goes_to_times()) keeps x and y at the times of the latest go_to().
/// Source: Proposition 4.1, continuous-masing-2001.
class Trajectory {
 public:
  /// Sets the run up at t = 0. `comm`, `run` and `options` must outlive the object. `available`:
  /// the bytes per rank that the run may use. Throws the exceptions of engine::make_setup if the
  /// run cannot be set up. Collective on comm.
  Trajectory(const parallel::Communicator& comm, const engine::RunSpec& run,
             const RunOptions& options, double available);

  [[nodiscard]] const engine::RunSpec& run() const { return run_; }
  [[nodiscard]] bool goes_to_times() const { return options_.goes_to_times; }

  /// Advances to the first step at or after `end`, the end of the window. `field`: the next time at
  /// which u is compared, at `end` or later; StepTime{} if u is not compared any more. If `field`
  /// is between two steps, u at the earlier step is stored when the run passes this step. Throws
  /// UserError on all ranks alike if a value is not finite. Collective on comm.
  void go_to(const StepTime& end, const StepTime& field);
  /// Advances an exact solution through the increasing `times`, and discards the samples of the
  /// previous call. Collective on comm.
  void go_to(std::span<const double> times);

  /// Returns the step that the run has reached or, with goes_to_times(), how many of the requested
  /// times have been computed so far. Local.
  [[nodiscard]] std::int64_t reached() const { return reached_; }
  /// Returns x and y at a time of the present window, or nothing if the run has not reached this
  /// time. Local.
  [[nodiscard]] std::optional<Point> at(const StepTime& time) const;
  /// Returns x and y at `time`, one of the times of the latest go_to(times), or nothing if `time`
  /// is later than all of them. Local.
  [[nodiscard]] std::optional<Point> at_time(double time) const;
  /// Returns u at `time`, which must be the argument `field` of the latest go_to() and lie at the
  /// end of the window. An exact solution returns u at the time that it has reached. The result is
  /// valid until the next call of go_to() or field_at(). Collective on comm.
  Field field_at(const StepTime& time);

  /// Saves or restores the state of the run between two windows. Collective on comm.
  void serialize(engine::Archive& archive);
  /// Returns the results so far; RunSummary::largest_u is the maximum over the cells on this rank.
  /// Local.
  [[nodiscard]] const RunSummary& summary() const { return summary_; }
  /// Returns engine::Engine::self_check(), the largest difference so far between an exact solution
  /// and a second solution. Returns 0 for other engines. Collective on comm.
  [[nodiscard]] double self_check() const { return setup_.engine->self_check(); }
  /// Returns the rows of /series so far, or an empty vector if RunOptions::series is empty. Local.
  [[nodiscard]] std::vector<double> series() &&;

 private:
  void keep(const engine::Motion& motion);
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
  std::int64_t first_ = 0;  // step of samples_[0]
  std::vector<Point> samples_;
  std::vector<double> times_;    // the times of samples_, used only with goes_to_times()
  std::int64_t kept_step_ = -1;  // the step whose u is kept; -1 if there is none
  std::optional<parallel::Vector> kept_entries_;
  slab::RememberedElongation kept_function_;
  std::optional<parallel::Vector> between_;  // u interpolated between two steps
};

}  // namespace masing::study
