#include "study/plan.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/setup.hpp"
#include "parallel/available_memory.hpp"
#include "slab/turning_points/smooth_cells.hpp"
#include "study/reference.hpp"
#include "study/schedule.hpp"

namespace masing::study {

std::int64_t common_samples(std::int64_t wanted, const std::vector<std::int64_t>& steps,
                            std::int64_t fewest) {
  std::int64_t common = 0;
  for (const std::int64_t count : steps) {
    common = std::gcd(common, count);
  }
  std::int64_t samples = std::min(wanted, common);
  while (common % samples != 0) {
    --samples;
  }
  return samples < std::min(wanted, fewest) ? wanted : samples;
}

std::int64_t field_samples(const StudySpec& spec) {
  // Between steps u is known to first order only, which would hide a scheme of second order.
  const auto* masing = std::get_if<engine::Masing>(&spec.run.model);
  const bool is_second_order = masing != nullptr && slab::info(masing->scheme).order > 1;
  return is_second_order ? common_samples(spec.field_samples, step_counts(spec.levels), 1)
                         : common_samples(spec.field_samples, step_counts(spec.levels));
}

namespace {

/// Add times to those at which a run is kept, each once.
void add(std::vector<SampleTimes>& kept, const SampleTimes& times) {
  const auto has = [&](const SampleTimes& each) { return each.contain(times); };
  if (std::ranges::none_of(kept, has)) {
    std::erase_if(kept, [&](const SampleTimes& each) { return times.contain(each); });
    kept.push_back(times);
  }
}

/// The job of the run a level is measured against.
Job reference_job(engine::RunSpec run, std::int64_t samples) {
  if (engine::is_exact(run)) {
    // Its steps are only where it is looked at: let the field's times be among them, exactly.
    run.time.steps *= samples / std::gcd(run.time.steps, samples);
  }
  return {.run = std::move(run), .title = "reference", .field_samples = samples};
}

/// The job that makes the same run as `job`, which is added if there is none.
std::size_t index_of(const Job& job, std::vector<Job>& jobs) {
  const auto same = std::ranges::find_if(jobs, [&](const Job& other) {
    return other.title == job.title && engine::title(other.run) == engine::title(job.run);
  });
  if (same != jobs.end()) {
    return static_cast<std::size_t>(same - jobs.begin());
  }
  jobs.push_back(job);
  return jobs.size() - 1;
}

/// A reference used by one level only runs concurrently with it, in step, where the steps of the
/// level are steps of the reference.
void join_in_step(StudyPlan& plan) {
  std::vector<std::size_t> removed;
  for (std::size_t i = 0; i < plan.levels.size(); ++i) {
    const auto reference = plan.references[i];
    Job& level = plan.jobs[plan.levels[i]];
    if (reference && std::ranges::count(plan.references, reference) == 1 &&
        plan.jobs[*reference].run.time.steps % level.run.time.steps == 0) {
      level.reference = std::move(plan.jobs[*reference].run);
      level.motion.clear();
      removed.push_back(*reference);
      plan.references[i].reset();
    }
  }
  std::ranges::sort(removed, std::greater());
  for (const std::size_t gone : removed) {
    plan.jobs.erase(plan.jobs.begin() + static_cast<std::ptrdiff_t>(gone));
    const auto move_up = [gone](std::size_t& index) { index -= index > gone ? 1 : 0; };
    std::ranges::for_each(plan.levels, move_up);
    for (auto& reference : plan.references) {
      reference = reference ? std::optional(*reference - (*reference > gone ? 1 : 0)) : reference;
    }
  }
}

bool is_continuum(const engine::RunSpec& run) {
  const slab::Slab* slab = engine::slab_of(run);
  return slab != nullptr && slab->is_continuum();
}

/// Whether u of a level is kept as functions: of more cells than a few hundred fields could hold,
/// by turning points, against a reference that knows u at every s.
bool keeps_functions(const engine::RunSpec& level, const engine::RunSpec& reference) {
  constexpr std::int64_t most_cells = std::int64_t{1} << 21;
  const auto* masing = std::get_if<engine::Masing>(&level.model);
  const bool by_turning_points =
      masing == nullptr || masing->method == engine::Method::turning_points;
  return is_continuum(reference) && !is_continuum(level) && by_turning_points &&
         engine::field_size(level) > most_cells &&
         slab::is_smooth_in_pieces(*engine::slab_of(level));
}

/// A run of many more cells than the levels', whose references all are one run at P = ∞.
std::optional<Job> round_off_job(const StudySpec& spec, const StudyPlan& plan) {
  const engine::RunSpec last = at_level(spec.run, spec.levels.back());
  const bool has_one = spec.refine == Refine::cells && plan.references.front() &&
                       is_continuum(plan.jobs[*plan.references.front()].run) &&
                       !engine::is_exact(plan.jobs[*plan.references.front()].run);
  if (!has_one || is_continuum(last) || !engine::has_smooth_cells(last)) {
    return std::nullopt;
  }
  constexpr std::int64_t cells = std::int64_t{1} << 50;
  Job job{.run = at_level(spec.run, {slab::Cells{cells}, last.time.steps}),
          .title = "round-off",
          .field_samples = field_samples(spec),
          .keep_functions = true};
  add(job.motion, SampleTimes(last.time.steps));
  return job;
}

}  // namespace

StudyPlan make_plan(const StudySpec& spec, const FileReference* file) {
  StudyPlan plan;
  const std::size_t count = spec.levels.size();
  const std::int64_t samples = field_samples(spec);
  for (std::size_t i = 0; i < count; ++i) {
    const engine::RunSpec level = at_level(spec.run, spec.levels[i]);
    Job job{.run = level,
            .title = "level " + std::to_string(i + 1) + " of " + std::to_string(count),
            .field_samples = samples};
    if (i + 1 == count) {
      job.series = spec.series;
    }
    if (file != nullptr) {
      add(job.motion, file->recording->times());
      job.field_times = file->field_times;
    } else if (!spec.reference->is_successive()) {
      add(job.motion, SampleTimes(level.time.steps));
    } else {
      // The steps of this level and of the one before it are looked at.
      if (i + 1 < count) {
        add(job.motion, SampleTimes(level.time.steps));
      }
      if (i > 0) {
        add(job.motion, SampleTimes(spec.levels[i - 1].steps));
      }
    }
    plan.levels.push_back(plan.jobs.size());
    plan.jobs.push_back(std::move(job));
    plan.references.emplace_back();
    if (auto run = spec.reference->run_for(level)) {
      plan.jobs.back().keep_functions = keeps_functions(level, *run);
      const std::size_t reference = index_of(reference_job(std::move(*run), samples), plan.jobs);
      add(plan.jobs[reference].motion, SampleTimes(level.time.steps));
      plan.references.back() = reference;
    }
  }
  join_in_step(plan);
  if (auto job = round_off_job(spec, plan)) {
    plan.round_off = plan.jobs.size();
    plan.jobs.push_back(*std::move(job));
  }
  return plan;
}

void check_runs(const parallel::Communicator& comm, const StudySpec& spec) {
  const auto file = read_file_reference(comm, spec);
  const StudyPlan plan = make_plan(spec, file ? &*file : nullptr);
  const Forecast found = forecast(plan.jobs, comm.size(), parallel::available_memory(comm));
  for (const std::size_t level : plan.levels) {
    engine::check_run(comm, plan.jobs[level].run);
  }
  for (const Job& job : plan.jobs) {
    if (std::ranges::find(plan.levels, static_cast<std::size_t>(&job - plan.jobs.data())) ==
        plan.levels.end()) {
      engine::check_run(comm, job.run);
    }
    if (job.reference) {
      engine::check_run(comm, *job.reference);
    }
  }
  if (comm.is_root() && !spec.quiet) {
    std::fputs(plan_text(plan.jobs, *spec.reference, found).c_str(), stderr);
  }
}

}  // namespace masing::study
