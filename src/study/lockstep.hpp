#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "campaign/campaign.hpp"
#include "engine/time_loop.hpp"
#include "study/errors.hpp"
#include "study/plan.hpp"
#include "study/trajectory.hpp"

namespace masing::study {

/// What is found of a comparison.
struct Outcome {
  Errors errors;               ///< 0 where it has no reference, or none of u
  RunSummary run;              ///< of the level
  double self_check = 0.0;     ///< of a reference that is no level
  std::vector<double> series;  ///< rows of /series of the last level
};

/// The outcome that a Lockstep has packed into a record of the comparison. Local.
Outcome outcome_of(std::span<const double> record);

/// Comparisons that go along together over windows of time on the same ranks: each run once,
/// however many it is compared with. Nothing of a run is kept but its last window. A window ends at
/// the next time at which u is compared, or earlier. Errors do not depend on the windows. Steps are
/// those of the finest run; the records of all comparisons are added at the end.
class Lockstep final : public campaign::Work {
 public:
  /// The comparisons of a plan with these indices. `comm` and `plan` must outlive it. Throws as
  /// engine::make_setup. Collective.
  Lockstep(const parallel::Communicator& comm, const StudyPlan& plan, Batch comparisons);

  engine::Pause advance(std::int64_t last, engine::Pause wish, campaign::Records& records) override;
  [[nodiscard]] bool is_done() const override { return step_ == steps_ && !has_field_left(); }
  [[nodiscard]] Batch units() const override { return comparisons_; }
  [[nodiscard]] campaign::Count steps() const override { return {step_, steps_}; }
  /// The names that follow are those of its last run.
  void serialize(engine::Archive& archive) override;

 private:
  /// A level and what it is measured against.
  struct Pair {
    campaign::Unit index;  // of the comparison
    Comparison of;
    FieldErrors field_errors;
    Errors errors;      // so far, of this rank
    std::int64_t next;  // the first time that x and y have not been compared at
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
  parallel::Communicator own_;  // of this rank alone, for runs that are not split
  const StudyPlan& plan_;
  Batch comparisons_;
  std::map<std::size_t, Trajectory> runs_;  // by index of the plan
  std::vector<Pair> pairs_;
  std::optional<parallel::Vector> file_u_;
  std::int64_t steps_ = 0;  // of the finest run
  std::int64_t step_ = 0;   // its own
  engine::Pace pace_;
  std::int64_t next_field_;
};

}  // namespace masing::study
