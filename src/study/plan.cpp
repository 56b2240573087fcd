#include "study/plan.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "study/finest.hpp"

namespace study {

namespace {

std::vector<std::int64_t> counts(const std::vector<options::Level>& levels,
                                 std::int64_t options::Level::*member) {
  std::vector<std::int64_t> values;
  std::ranges::transform(levels, std::back_inserter(values), member);
  return values;
}

/// The finest run: finer in what is refined, alike in what is held fixed.
options::Level finest_level(const options::Configuration& c) {
  const options::Level last = c.levels.back();
  const bool refine_cells = c.refine != options::Refine::steps;
  const bool refine_steps = c.refine != options::Refine::cells;
  return {refine_cells ? finest_count(counts(c.levels, &options::Level::cells)) : last.cells,
          refine_steps ? finest_count(counts(c.levels, &options::Level::steps)) : last.steps};
}

/// The run a level is measured against.
Job reference_job(const options::Configuration& configuration, const options::Level& level,
                  const std::optional<options::Level>& finest, std::int64_t field_samples) {
  Job job{.configuration = at_level(configuration, finest.value_or(level)),
          .field_samples = field_samples,
          .title = "reference"};
  options::Configuration& c = job.configuration;
  switch (configuration.reference) {
    case options::Reference::exact:
      c.cells = options::infinitely_many;
      c.engine = options::EngineKind::exact;
      break;
    case options::Reference::exact_time:
      c.engine = options::EngineKind::exact;
      break;
    case options::Reference::cells_inf:
      c.cells = options::infinitely_many;
      c.engine = options::EngineKind::memory;
      break;
    default:
      job.stride = common_stride(c.steps, counts(configuration.levels, &options::Level::steps));
      break;
  }
  if (c.engine == options::EngineKind::exact) {
    // Its steps are only where it is looked at: let the field's times be among them, exactly.
    job.stride = field_samples / std::gcd(c.steps, field_samples);
    c.steps *= job.stride;
  }
  return job;
}

/// The job that makes the same run as `job`, which is added if there is none.
std::size_t index_of(const Job& job, std::vector<Job>& jobs) {
  const auto same = std::ranges::find_if(jobs, [&](const Job& other) {
    return other.configuration.cells == job.configuration.cells &&
           other.configuration.steps == job.configuration.steps && other.title == job.title;
  });
  if (same != jobs.end()) {
    return static_cast<std::size_t>(same - jobs.begin());
  }
  jobs.push_back(job);
  return jobs.size() - 1;
}

}  // namespace

StudyPlan make_plan(const options::Configuration& configuration, std::int64_t field_samples,
                    const std::vector<double>& field_times) {
  StudyPlan plan;
  if (configuration.reference == options::Reference::finest) {
    plan.finest = finest_level(configuration);
  }
  const auto& levels = configuration.levels;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    plan.levels.push_back(plan.jobs.size());
    plan.jobs.push_back(
        {.configuration = at_level(configuration, levels[i]),
         .field_samples = field_samples,
         .field_times = field_times,
         .title = "level " + std::to_string(i + 1) + " of " + std::to_string(levels.size()),
         .keep_series = i + 1 == levels.size()});
    plan.references.emplace_back();
    if (configuration.reference != options::Reference::successive &&
        configuration.reference != options::Reference::file) {
      plan.references.back() =
          index_of(reference_job(configuration, levels[i], plan.finest, field_samples), plan.jobs);
    }
  }
  return plan;
}

}  // namespace study
