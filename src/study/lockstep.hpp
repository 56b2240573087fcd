#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "campaign/campaign.hpp"
#include "engine/time_loop.hpp"
#include "study/errors.hpp"
#include "study/plan.hpp"
#include "study/trajectory.hpp"

namespace masing::study {

/// The result of a comparison: the errors of a level against its reference, and results of the
/// level's run.
struct Outcome {
  Errors errors;   ///< the errors of the level; an error that is not computed is 0
  RunSummary run;  ///< the results of the run of the level

  /// Trajectory::self_check() of the reference; 0 if the reference is another level
  double self_check = 0.0;
  /// the rows of /series if the level is the last one; otherwise empty
  std::vector<double> series;

  /// Saves or restores all members. Local.
  void fields(engine::Archive& archive) {
    archive.scalars("numbers", errors[Errors::x], errors[Errors::y], errors[Errors::u],
                    errors[Errors::u_cells], run.largest.x, run.largest.y, run.largest_u, run.end.x,
                    run.end.y, run.seconds, self_check);
    archive.numbers("series", series);
  }
};

/// Computes some comparisons of a study at the same time on the same ranks. All runs of these
/// comparisons are advanced together, one window after another, and compared after each window, so
/// that not all samples of a run have to be stored. A run that several comparisons need is computed
/// only once. A window ends at the next time at which u is compared, or earlier; the errors do not
/// depend on the lengths of the windows. steps() counts the steps of the finest run: the run with
/// the most steps, apart from exact solutions, which have no steps of their own. When all windows
/// are done, the outcomes of all comparisons are appended as records (campaign::packed).
class Lockstep final : public campaign::Work {
 public:
  /// Sets up the runs of `comparisons`, which are indices in StudyPlan::comparisons, and compares x
  /// and y of the levels with those of their references at t = 0. `comm` and `plan` must outlive
  /// the object. Throws the exceptions of engine::make_setup if a run cannot be set up. Collective
  /// on comm.
  Lockstep(const parallel::Communicator& comm, const StudyPlan& plan, Batch comparisons);

  engine::Pause advance(std::int64_t last, engine::Pause wish, campaign::Records& records) override;
  [[nodiscard]] bool is_done() const override { return step_ == steps_ && !has_field_left(); }
  [[nodiscard]] Batch units() const override { return comparisons_; }
  [[nodiscard]] campaign::Count steps() const override { return {step_, steps_}; }
  /// Saves or restores the states of all runs and the errors so far. Calls Archive::begin for each
  /// run; variables that the caller passes to `archive` afterwards would belong to the last run.
  /// Collective on comm.
  void serialize(engine::Archive& archive) override;

 private:
  /// A comparison in progress: a level with its reference.
  struct Pair {
    campaign::Unit index;  // index of the comparison in StudyPlan::comparisons
    Comparison of;
    FieldErrors field_errors;
    Errors errors;  // the errors so far, over the cells on this rank

    std::int64_t next;  // the level's step at which x and y are compared next
  };

  [[nodiscard]] bool has_field_left() const { return next_field_ < plan_.field_times.count(); }
  void make_run(std::size_t index, double bytes);
  void go_to_times(std::size_t reference, const SampleTimes& times, std::int64_t last,
                   bool has_field);
  void compare_motion(Pair& pair) const;
  void compare_fields();
  void go_on(std::int64_t last);
  void add_to(campaign::Records& records);

  const parallel::Communicator& comm_;
  parallel::Communicator own_;  // a communicator of this rank alone, for runs that are not split
  const StudyPlan& plan_;
  Batch comparisons_;
  std::map<std::size_t, Trajectory> runs_;  // index in StudyPlan::runs → run
  std::vector<Pair> pairs_;
  std::int64_t steps_ = 0;  // number of steps of the finest run
  std::int64_t step_ = 0;   // the step that the finest run has reached
  engine::Pace pace_;
  std::int64_t next_field_ = 1;
};

}  // namespace masing::study
