#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/recorders.hpp"
#include "slab/turning_points/turning_points.hpp"
#include "study/sample_times.hpp"

/// Refinement studies: levels, references, error norms, observed orders, verdict.
namespace masing::study {

/// u of any cell at one time, of a run by turning points: a mean of functions with weights that add
/// up to 1.
class ContinuousField {
 public:
  void add(double weight, slab::RememberedElongation elongation);
  /// u of a cell. Local.
  [[nodiscard]] double operator()(const slab::Element& cell) const;

  struct Part {
    double weight = 0.0;
    slab::RememberedElongation elongation;
  };
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }

 private:
  std::vector<Part> parts_;
};

/// u of all cells, or the columns of a state, at one time: [P] split over the ranks, or, where
/// `entries` is null, for P = ∞ and for many cells, a function.
struct Field {
  const parallel::Vector* entries = nullptr;
  ContinuousField function;
};

/// What remains of a run that is done.
struct RunSummary {
  PhasePoint largest;      ///< |x|, |y| over all steps
  double largest_u = 0.0;  ///< |u| at the times of fields; 0 of functions
  PhasePoint end;          ///< x(T), y(T)
  double self_check = 0.0;
  double seconds = 0.0;  ///< that it took, without what went along
};

/// How a run of a study goes.
struct RunForm {
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
  /// `comm`, `run` and `form` must outlive it. Throws as engine::make_setup. Collective.
  Trajectory(const parallel::Communicator& comm, const engine::RunSpec& run, const RunForm& form,
             const engine::MemoryBudget& budget);

  [[nodiscard]] const engine::RunSpec& run() const { return run_; }
  [[nodiscard]] bool goes_to_times() const { return form_.goes_to_times; }

  /// Go on until `end` has passed. `field`: where u is asked for next, at `end` or later. Throws as
  /// engine::Stepper. Collective.
  void go_to(const Moment& end, const Moment& field);
  /// Go on to increasing times, where those of the last call are forgotten. Collective.
  void go_to(std::span<const double> times);

  /// The last step so far; with goes_to_times() the number of times.
  [[nodiscard]] std::int64_t reached() const { return reached_; }
  /// x and y at a moment of the last window. Local.
  [[nodiscard]] PhasePoint at(const Moment& moment) const;
  /// x and y at a step of the last window. Local.
  [[nodiscard]] PhasePoint at(std::int64_t step) const {
    const auto i = static_cast<std::size_t>(step - first_);
    return {x_[i], y_[i]};
  }
  /// The times of the last window of one that goes_to_times(), from index reached() - n + 1 on.
  [[nodiscard]] std::span<const double> times() const { return times_; }
  /// u at the end of the last window, as go_to's `field` said; valid until the next. Collective.
  Field field_at(const Moment& moment);

  /// Save or restore all of it. Collective.
  void serialize(engine::Archive& archive);
  /// What is known of it now; `largest_u` of this rank. Collective.
  [[nodiscard]] RunSummary summary() const;
  void raise_largest_u(double u) { summary_.largest_u = std::max(summary_.largest_u, u); }
  /// The rows of /series so far, where they are kept.
  [[nodiscard]] std::vector<double> series() &&;

 private:
  void keep(const engine::Samples& samples);
  void forget_window();
  void advance_to(std::int64_t step);
  void make_entries();
  void keep_field();

  const parallel::Communicator& comm_;
  const engine::RunSpec& run_;
  const RunForm& form_;
  RunSummary summary_;
  engine::Setup setup_;
  engine::Stepper stepper_;
  std::optional<io::SeriesBuffer> series_;
  std::int64_t reached_ = 0;
  std::int64_t first_ = 0;     // the step of x_[0]
  std::vector<double> times_;  // of one that goes_to_times()
  std::vector<double> x_;
  std::vector<double> y_;
  std::int64_t kept_step_ = -1;  // of u that is kept; -1: none
  std::optional<parallel::Vector> kept_entries_;
  slab::RememberedElongation kept_function_;
  std::optional<parallel::Vector> between_;  // u between two steps
};

}  // namespace masing::study
