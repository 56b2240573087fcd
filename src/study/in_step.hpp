#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "study/errors.hpp"
#include "study/recording.hpp"

namespace masing::study {

/// The reference of one level, run in step with it: watches the level, advances the reference as
/// far, and keeps the largest differences alone.
class InStep final : public engine::Observer {
 public:
  /// `level`: the level's recording, an observer before this one, of `run`; `reference`: a run
  /// whose steps are a multiple of the level's, made ready as `setup`; `field_times`: its own.
  /// `comm` and the specs must outlive the object until it has finished, `level` longer.
  /// Collective.
  InStep(const parallel::Communicator& comm, const engine::RunSpec& run, Recording& level,
         const engine::RunSpec& reference, engine::Setup setup,
         const std::vector<FieldTime>& field_times);

  void observe(const engine::Samples& samples, engine::Engine& engine) override;
  void exchange(std::int64_t step, engine::Archive& archive) override;
  /// The maxima of all ranks; the reference is done with.
  void finish() override;

  /// Of the steps so far; all ranks' once it has finished.
  [[nodiscard]] const Errors& errors() const { return found_.errors; }
  /// The level's largest |u| at the times of fields; all ranks' once it has finished.
  [[nodiscard]] double largest_u() const { return found_.largest_u; }
  /// engine::self_check of the reference, once it has finished.
  [[nodiscard]] double self_check() const { return found_.self_check; }
  /// Seconds that the reference and the comparison have taken.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// Share what the rank `root` of `comm` found, on ranks that have run and on others. Collective.
  void share(const parallel::Communicator& comm, int root);

  /// One that has found nothing yet, to share what others found.
  InStep() = default;

 private:
  struct Found {
    Errors errors;
    double largest_u = 0.0;
    double self_check = 0.0;
  };

  /// The reference while it runs.
  struct Running {
    const parallel::Communicator& comm;
    engine::Setup setup;
    engine::Stepper stepper;
    Recording recording;
    FieldErrors field_errors;
    std::int64_t stride;        ///< its steps to one of the level
    std::int64_t reached = -1;  ///< its step; -1 before its start
  };

  void compare(const engine::Samples& level, const engine::Samples& reference);
  void compare_fields(std::int64_t step);
  [[nodiscard]] Found of_all_ranks() const;

  Recording* level_ = nullptr;
  std::unique_ptr<Running> running_;
  std::size_t compared_ = 0;  // fields
  Found found_;
  double seconds_ = 0.0;
};

}  // namespace masing::study
