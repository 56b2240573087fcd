#include "study/in_step.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

namespace masing::study {

InStep::InStep(const parallel::Communicator& comm, const engine::RunSpec& run, Recording& level,
               const engine::RunSpec& reference, engine::Setup setup,
               const std::vector<FieldTime>& field_times)
    : level_(&level) {
  engine::Engine& engine = *setup.engine;
  running_.reset(
      new Running{comm, std::move(setup), engine::Stepper(comm, engine, reference),
                  Recording(comm, reference.time, field_columns(reference), {}, field_times),
                  FieldErrors(run), reference.time.steps / run.time.steps});
}

void InStep::observe(const engine::Samples& samples, engine::Engine& /*engine*/) {
  const auto begin = std::chrono::steady_clock::now();
  Running& r = *running_;
  if (r.reached < 0) {
    const engine::Samples start = r.stepper.start();
    r.recording.observe(start, *r.setup.engine);
    compare(samples, start);
    r.reached = 0;
  }
  const std::int64_t last = r.stride * samples.last_step();
  while (r.reached < last) {
    const std::int64_t end = std::min(
        {last, r.recording.next_field_step(r.reached), r.reached + engine::Pace::longest_chunk});
    const engine::Samples there = r.stepper.advance(r.reached, end - r.reached);
    r.recording.observe(there, *r.setup.engine);
    compare(samples, there);
    r.reached = end;
  }
  compare_fields(samples.last_step());
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void InStep::compare(const engine::Samples& level, const engine::Samples& reference) {
  const std::int64_t stride = running_->stride;
  Errors& errors = found_.errors;
  const std::int64_t first = (reference.first_step + stride - 1) / stride;
  for (std::int64_t step = first; step * stride <= reference.last_step(); ++step) {
    const auto here = static_cast<std::size_t>(step - level.first_step);
    const auto there = static_cast<std::size_t>(step * stride - reference.first_step);
    errors.x = std::max(errors.x, std::abs(level.x[here] - reference.x[there]));
    errors.y = std::max(errors.y, std::abs(level.y[here] - reference.y[there]));
  }
}

void InStep::compare_fields(std::int64_t step) {
  for (; compared_ < level_->whole_fields(step); ++compared_) {
    Field& mine = level_->field(compared_);
    running_->field_errors.raise(found_.errors, mine, running_->recording.field(compared_));
    found_.largest_u = std::max(found_.largest_u, largest_entry(mine));
    level_->forget_field(compared_);
    running_->recording.forget_field(compared_);
  }
}

InStep::Found InStep::of_all_ranks() const {
  Found all{joined(running_->comm, found_.errors), found_.largest_u,
            running_->recording.self_check()};
  parallel::max_over_ranks(running_->comm, std::span(&all.largest_u, 1));
  return all;
}

void InStep::exchange(std::int64_t step, engine::Archive& archive) {
  if (running_ != nullptr && !archive.restores()) {
    found_ = of_all_ranks();
  }
  const Errors& e = found_.errors;
  std::vector<double> numbers{e.x,
                              e.y,
                              e.u,
                              e.u_cells,
                              found_.largest_u,
                              found_.self_check,
                              static_cast<double>(compared_)};
  archive.numbers("found", numbers);
  found_ = {{numbers[0], numbers[1], numbers[2], numbers[3]}, numbers[4], numbers[5]};
  compared_ = static_cast<std::size_t>(numbers[6]);
  if (step == level_->time().steps) {
    return;  // nothing of the reference is needed any more
  }
  Running& r = *running_;
  r.reached = r.stride * step;
  r.recording.exchange(r.reached, archive);
  r.setup.engine->exchange(r.reached, archive);
}

void InStep::finish() {
  if (running_ != nullptr) {
    const bool has_run = running_->reached > 0;
    const double self_check = found_.self_check;
    found_ = of_all_ranks();
    // Where a run was done already its reference has not run again.
    found_.self_check = has_run ? found_.self_check : self_check;
    running_.reset();
  }
}

void InStep::share(const parallel::Communicator& comm, int root) {
  std::array numbers{found_.errors.x,       found_.errors.y,  found_.errors.u,
                     found_.errors.u_cells, found_.largest_u, found_.self_check};
  parallel::broadcast(comm, numbers, root);
  found_ = {{numbers[0], numbers[1], numbers[2], numbers[3]}, numbers[4], numbers[5]};
}

}  // namespace masing::study
