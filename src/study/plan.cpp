#include "study/plan.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace masing::study {

std::int64_t finest_count(const std::vector<std::int64_t>& counts) {
  const std::int64_t least = finest_factor * counts.back();
  std::int64_t multiple = 1;
  for (const std::int64_t count : counts) {
    const std::int64_t factor = count / std::gcd(multiple, count);
    if (factor > 4 * least / multiple) {
      return least;
    }
    multiple *= factor;
  }
  return (least + multiple - 1) / multiple * multiple;
}

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

std::int64_t common_samples(std::int64_t wanted, const std::vector<std::int64_t>& steps) {
  constexpr std::int64_t too_few = 16;
  std::int64_t common = 0;
  for (const std::int64_t count : steps) {
    common = std::gcd(common, count);
  }
  std::int64_t samples = std::min(wanted, common);
  while (common % samples != 0) {
    --samples;
  }
  return samples < std::min(wanted, too_few) ? wanted : samples;
}

namespace {

std::vector<std::int64_t> counts(const std::vector<cli::Level>& levels,
                                 std::int64_t cli::Level::*member) {
  std::vector<std::int64_t> values;
  std::ranges::transform(levels, std::back_inserter(values), member);
  return values;
}

/// The finest run: finer in what is refined, alike in what is held fixed.
cli::Level finest_level(const cli::Configuration& c) {
  const cli::Level last = c.levels.back();
  const bool refine_cells = c.refine != cli::Refine::steps;
  const bool refine_steps = c.refine != cli::Refine::cells;
  return {refine_cells ? finest_count(counts(c.levels, &cli::Level::cells)) : last.cells,
          refine_steps ? finest_count(counts(c.levels, &cli::Level::steps)) : last.steps};
}

/// The run a level is measured against.
Job reference_job(const cli::Configuration& configuration, const cli::Level& level,
                  const std::optional<cli::Level>& finest, std::int64_t field_samples) {
  Job job{.configuration = at_level(configuration, finest.value_or(level)),
          .field_samples = field_samples,
          .title = "reference"};
  cli::Configuration& c = job.configuration;
  switch (configuration.reference) {
    case cli::Reference::exact:
      c.cells = cli::infinitely_many;
      c.engine = cli::EngineKind::exact;
      break;
    case cli::Reference::exact_time:
      c.engine = cli::EngineKind::exact;
      break;
    case cli::Reference::cells_inf:
      c.cells = cli::infinitely_many;
      c.engine = cli::EngineKind::memory;
      break;
    default:
      job.stride = common_stride(c.steps, counts(configuration.levels, &cli::Level::steps));
      break;
  }
  if (c.engine == cli::EngineKind::exact) {
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

StudyPlan make_plan(const cli::Configuration& configuration, std::int64_t field_samples,
                    const std::vector<double>& field_times) {
  StudyPlan plan;
  if (configuration.reference == cli::Reference::finest) {
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
    if (configuration.reference != cli::Reference::successive &&
        configuration.reference != cli::Reference::file) {
      plan.references.back() =
          index_of(reference_job(configuration, levels[i], plan.finest, field_samples), plan.jobs);
    }
  }
  return plan;
}

}  // namespace masing::study
