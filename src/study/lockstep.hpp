#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "study/errors.hpp"
#include "study/file_reference.hpp"
#include "study/plan.hpp"
#include "study/trajectory.hpp"

namespace masing::study {

/// Comparisons that go along together over windows of time on the same ranks: each run once,
/// however many it is compared with. Nothing of a run is kept but its last window. The windows end
/// at times of u, or, between these, at steps of the finest run; the errors do not depend on where.
class Lockstep {
 public:
  /// The comparisons of a plan with these indices. `comm` and `plan` must outlive it. Throws as
  /// engine::make_setup. Collective.
  Lockstep(const parallel::Communicator& comm, const StudyPlan& plan, Batch comparisons);
  ~Lockstep();
  Lockstep(const Lockstep&) = delete;
  Lockstep& operator=(const Lockstep&) = delete;

  /// Whether it goes on these ranks.
  [[nodiscard]] bool is_on(const parallel::Communicator& comm) const { return &comm == &comm_; }
  [[nodiscard]] const Batch& comparisons() const { return comparisons_; }
  /// The step of the finest run, and how many it has.
  [[nodiscard]] std::int64_t step() const { return step_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] bool is_done() const;

  /// Go on by one window that ends at step `last` of the finest run at the latest. Collective.
  void advance(std::int64_t last);
  /// Save or restore all that goes along. Collective.
  void serialize(engine::Archive& archive);
  /// What was found, of comparisons that are done. Collective.
  void add_to(Outcomes& outcomes);

 private:
  struct Pair;
  struct Window;

  [[nodiscard]] Window next_window(std::int64_t last) const;
  Trajectory& run(std::size_t index) { return *runs_[index]; }
  void go_to_times(std::size_t reference, const Window& window);
  void compare_motion(Pair& pair);
  void compare_fields();

  const parallel::Communicator& comm_;
  parallel::Communicator own_;  // of this rank alone, for runs that are not split
  const StudyPlan& plan_;
  Batch comparisons_;
  std::optional<FileReference> file_;
  std::vector<std::unique_ptr<Trajectory>> runs_;  // by index of the plan; null: not among these
  std::vector<Pair> pairs_;
  std::int64_t steps_ = 0;       // of the finest run
  std::int64_t step_ = 0;        // its own
  std::int64_t next_field_ = 0;  // time of u
};

}  // namespace masing::study
