#include "study/plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "study/reference.hpp"

namespace masing::study {

std::int64_t common_stride(std::int64_t reference_steps, const std::vector<std::int64_t>& steps) {
  std::int64_t stride = 0;
  for (const std::int64_t count : steps) {
    if (reference_steps % count != 0) {
      return 1;
    }
    stride = std::gcd(stride, reference_steps / count);
  }
  return stride;
}

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

namespace {

/// The job of the run a level is measured against.
Job reference_job(const StudySpec& spec, engine::RunSpec run, std::int64_t field_samples) {
  Job job{.run = std::move(run), .field_samples = field_samples, .title = "reference"};
  if (engine::is_exact(job.run)) {
    // Its steps are only where it is looked at: let the field's times be among them, exactly.
    job.stride = field_samples / std::gcd(job.run.time.steps, field_samples);
    job.run.time.steps *= job.stride;
  } else if (spec.reference->finest()) {
    job.stride = common_stride(job.run.time.steps, step_counts(spec.levels));
  }
  return job;
}

/// The job that makes and keeps the same as `job`, which is added if there is none.
std::size_t index_of(const Job& job, std::vector<Job>& jobs) {
  const auto same = std::ranges::find_if(jobs, [&](const Job& other) {
    return other.title == job.title && other.stride == job.stride &&
           engine::title(other.run) == engine::title(job.run);
  });
  if (same != jobs.end()) {
    return static_cast<std::size_t>(same - jobs.begin());
  }
  jobs.push_back(job);
  return jobs.size() - 1;
}

}  // namespace

StudyPlan make_plan(const StudySpec& spec, std::int64_t field_samples,
                    const std::vector<double>& field_times) {
  StudyPlan plan;
  const std::size_t count = spec.levels.size();
  for (std::size_t i = 0; i < count; ++i) {
    const engine::RunSpec level = at_level(spec.run, spec.levels[i]);
    plan.levels.push_back(plan.jobs.size());
    plan.jobs.push_back({.run = level,
                         .field_samples = field_samples,
                         .field_times = field_times,
                         .title = "level " + std::to_string(i + 1) + " of " + std::to_string(count),
                         .keep_series = i + 1 == count});
    plan.references.emplace_back();
    if (auto run = spec.reference->run_for(level)) {
      plan.references.back() =
          index_of(reference_job(spec, std::move(*run), field_samples), plan.jobs);
    }
  }
  return plan;
}

}  // namespace masing::study
