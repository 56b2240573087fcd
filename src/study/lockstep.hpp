#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "study/errors.hpp"
#include "study/plan.hpp"
#include "study/trajectory.hpp"

namespace masing::study {

/// Comparisons that go along together over windows of time on the same ranks: each run once,
/// however many it is compared with. Nothing of a run is kept but its last window. A window ends at
/// the next time at which u is compared, or earlier. Errors do not depend on the windows.
class Lockstep {
 public:
  /// The comparisons of a plan with these indices. `comm` and `plan` must outlive it. Throws as
  /// engine::make_setup. Collective.
  Lockstep(const parallel::Communicator& comm, const StudyPlan& plan, Batch comparisons);

  [[nodiscard]] const Batch& comparisons() const { return comparisons_; }
  /// The step of the finest run, and how many it has.
  [[nodiscard]] std::int64_t step() const { return step_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] bool is_done() const { return step_ == steps_ && !has_field_left(); }

  /// Go on by one window that ends at step `last` of the finest run at the latest. Collective.
  void advance(std::int64_t last);
  /// Save or restore all that goes along; the names that follow are those of its last run.
  /// Collective.
  void serialize(engine::Archive& archive);
  /// What was found, of comparisons that are done. Collective.
  void add_to(Outcomes& outcomes);

 private:
  /// A level and what it is measured against.
  struct Pair {
    std::size_t index;  // of the comparison
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

  const parallel::Communicator& comm_;
  parallel::Communicator own_;  // of this rank alone, for runs that are not split
  const StudyPlan& plan_;
  Batch comparisons_;
  std::map<std::size_t, Trajectory> runs_;  // by index of the plan
  std::vector<Pair> pairs_;
  std::optional<parallel::Vector> file_u_;
  std::int64_t steps_ = 0;  // of the finest run
  std::int64_t step_ = 0;   // its own
  std::int64_t next_field_;
};

}  // namespace masing::study
