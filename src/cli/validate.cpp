#include "cli/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/periodicity.hpp"
#include "base/text.hpp"

namespace masing::cli {

using base::UserError;
using engine::Method;
using study::Refine;

namespace {

// A table that ends this much before T, relatively, ends at T.
constexpr double same_time = 1e-9;

void require(bool holds, const std::string& key, const std::string& wrong,
             const std::string& right) {
  if (!holds) {
    throw UserError(key, wrong + "; " + right);
  }
}

/// Whether two names, of files that may not be there yet, are of one file.
bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code unknown;
  const auto name = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, unknown), unknown);
  };
  return name(one) == name(other);
}

/// What no option can know by itself.
void check(const Configuration& c) {
  const bool is_continuum = std::holds_alternative<slab::Continuum>(c.space);
  require(!is_continuum || *c.field_points > 0, "field-points", "0",
          "must be a whole number from 1 to 2^53");
  const std::string within = "must lie in [0, T] = [0, " + base::to_text(c.final_time) + "]";
  require(*c.from >= 0 && *c.from <= c.final_time, "from", base::to_text(*c.from), within);
  require(*c.to >= 0 && *c.to <= c.final_time, "to", base::to_text(*c.to), within);
  require(*c.from <= *c.to, "from",
          base::to_text(*c.from) + " is after --to " + base::to_text(*c.to),
          "give a window from < to");
  require(!c.output.empty(), "output", "empty", "give a file name");
  for (const std::string& file : io::files_of_result(c.output)) {
    require(c.checkpoint.empty() || !is_same_file(c.checkpoint, file), "checkpoint", c.checkpoint,
            "the run writes this file itself; give another");
  }
}

/// P = ∞ has no cells to sweep, other models than slabs none to refine, and the exact solution no
/// steps to refine.
void check_engine(Command command, const Configuration& c) {
  const bool refines_steps = command == Command::converge && c.refine != Refine::cells;
  if (c.finite) {
    require(!c.method || c.method == Method::exact, "engine", "not an engine of " + c.model,
            "give exact, or nothing for the scheme");
    require(command != Command::converge || !c.method, "engine", "exact has no time step to refine",
            "leave it out, and give --reference exact");
    require(c.refine == Refine::steps, "refine", c.model + " has no cells", "give steps");
    return;
  }
  require(std::holds_alternative<slab::Cells>(c.space) || c.method != Method::sweep, "engine",
          "sweep goes cell by cell and cannot have --cells inf",
          "give --engine memory or exact, or a number of cells");
  require(!refines_steps || c.method != Method::exact, "engine", "exact has no time step to refine",
          "give sweep or memory, and --reference exact");
}

/// With more numbers than this, /state/values has not a row for every sample by default, and
/// /field/u not every cell but so many.
constexpr double most_state_values = 1e7;
constexpr std::int64_t thinned_field_points = 10000;

/// Whether the fields of a trajectory, all cells of them, are more than a default may write.
bool has_huge_fields(const Configuration& c) {
  const auto* cells = std::get_if<slab::Cells>(&c.space);
  const std::int64_t more_rows = *c.field_every > 0 ? c.steps / *c.field_every : 0;
  return cells != nullptr && !c.finite && cells->count > thinned_field_points &&
         (1.0 + static_cast<double>(more_rows)) * static_cast<double>(cells->count) >
             most_state_values;
}

/// Steps from one state to the next: as of samples, unless they are huge.
std::int64_t state_every(const Configuration& c) {
  const double samples = (*c.to - *c.from) / c.final_time * static_cast<double>(c.steps) /
                         static_cast<double>(*c.sample_every);
  const bool huge = samples * static_cast<double>(c.finite->layout().size()) > most_state_values;
  return huge ? 0 : *c.sample_every;
}

void resolve_defaults(Command command, Configuration& c, std::vector<std::string>& warnings) {
  const bool is_continuum = std::holds_alternative<slab::Continuum>(c.space);
  if (!c.method && !c.finite) {
    const bool is_quasistatic = kind_of(c.model) == ModelKind::quasistatic_slab;
    c.method = c.steady || !c.backbone.empty()  ? Method::exact
               : is_quasistatic || is_continuum ? Method::turning_points
                                                : Method::sweep;
  }
  c.sample_every = c.sample_every.value_or(std::max<std::int64_t>(1, c.steps / 10000));
  c.from = c.from.value_or(0.0);
  c.to = c.to.value_or(c.final_time);
  if (!c.field_every) {
    c.field_every = c.finite ? state_every(c) : 0;
  }
  const bool thins = !c.field_points && command == Command::simulate && has_huge_fields(c);
  if (!c.field_points) {
    c.field_points = is_continuum ? slab::Continuum().field_points
                     : thins      ? thinned_field_points
                                  : 0;
  }
  if (thins) {
    warnings.push_back(fmt::format(
        "--field-points: of {} cells the file keeps {}, as all of them would be more than {:g} "
        "numbers; give --field-points 0 for all",
        std::get<slab::Cells>(c.space).count, *c.field_points, most_state_values));
  }
}

/// Whether two functions on [0, 1] differ by rounding alone.
bool are_alike(const base::Function& one, const base::Function& other) {
  constexpr int samples = 1000;
  constexpr double rounding = 1e-14;  // relative
  for (int i = 0; i <= samples; ++i) {
    const double s = static_cast<double>(i) / samples;
    if (!(std::abs(one(s) - other(s)) <= rounding * std::abs(one(s)))) {
      return false;
    }
  }
  return true;
}

/// Another threshold downwards: the slab in the variable v = u - c. Source: slab::Slab.
void shift(slab::Slab& slab, const base::Function& down) {
  const base::Function up = slab.threshold;
  if (are_alike(up, down)) {
    return;
  }
  slab.threshold = base::Function().plus(0.5, up).plus(0.5, down);
  slab.shift = base::Function().plus(0.5, up).plus(-0.5, down);
  slab.initial_u = slab.initial_u.plus(-1.0, slab.shift);
}

/// The model of a slab, and what drives it.
engine::RunSpec slab_run(const Configuration& c) {
  slab::Slab slab{{.stiffness = c.stiffness, .threshold = c.threshold, .initial_u = c.initial_u},
                  c.space,
                  c.rule};
  if (c.threshold_down) {
    shift(slab, *c.threshold_down);
  }
  if (auto* continuum = std::get_if<slab::Continuum>(&slab.space)) {
    continuum->field_points = *c.field_points;
  }
  base::Function drive = c.position ? *c.position : *c.force;
  engine::Model model;
  if (kind_of(c.model) == ModelKind::slab) {
    const base::Function& base = c.base_acceleration;
    const bool base_moves = !base.is_constant() || base(0.0) != 0.0;
    if (base_moves) {
      drive = drive.plus(-c.mass, base);
    }
    model = engine::Masing{
        .slab = std::move(slab),
        .oscillator = {.mass = c.mass, .damping = c.damping, .k0 = c.k0, .x0 = c.x0, .y0 = c.y0},
        .scheme = c.scheme,
        .method = *c.method,
        .base_moves = base_moves};
  } else {
    model = engine::QuasistaticMasing{
        .slab = std::move(slab),
        .k0 = c.k0,
        .x0 = c.x0,
        .driving = c.position ? engine::Driving::position : engine::Driving::force};
  }
  return {std::move(model), std::move(drive), {c.final_time, c.steps}};
}

/// The run of a configuration that is resolved.
engine::RunSpec run_of(const Configuration& c) {
  if (!c.finite) {
    return slab_run(c);
  }
  rheology::ModelSpec spec = *c.finite;
  spec.solver = c.method ? rheology::Solver::events : rheology::Solver::steps;
  return {std::move(spec), *c.force, {c.final_time, c.steps}};
}

/// What drives a run as a table that ends before the run does, in words; else empty.
std::string short_table(const Request& request, const Configuration& c,
                        const engine::RunSpec& run) {
  const std::span<const double> points = run.drive.kinks();
  if (points.size() <= 1 || points.back() >= c.final_time * (1.0 - same_time)) {
    return {};
  }
  const char* const key = c.position                 ? "position"
                          : c.force->kinks().empty() ? "base-acceleration"
                                                     : "force";
  return fmt::format("{}the table ends at t = {}, before T = {}, and is constant from there on",
                     where(request, key), base::to_text(points.back()),
                     base::to_text(c.final_time));
}

}  // namespace

Validated resolved(std::shared_ptr<const Request> request, Configuration configuration) {
  Validated made{.request = std::move(request), .configuration = std::move(configuration)};
  located(*made.request, [&] {
    Configuration& c = made.configuration;
    const Command command = made.request->command;
    if (c.finite) {
      check_model(*c.finite);
    }
    if (c.position) {
      require(!made.request->has("force") || !c.force, "position",
              "the position cannot be prescribed beside --force", "give one of the two");
      c.force.reset();
    }
    require(c.position || c.force, "force", "empty", "give a function of t");
    resolve_defaults(command, c, made.warnings);
    check(c);
    check_engine(command, c);
    made.run = run_of(c);
    if (std::string warning = short_table(*made.request, c, made.run); !warning.empty()) {
      made.warnings.push_back(std::move(warning));
    }
  });
  return made;
}

engine::RunSpec run_of(const Validated& request) {
  engine::RunSpec run = request.run;
  const auto reference = study::run_for(request.reference, run);
  if (engine::is_exact(run) || (reference && engine::is_exact(*reference))) {
    const Configuration& c = request.configuration;
    located(*request.request, [&] {
      // It looks at every element at every event.
      constexpr std::int64_t most = 2000;
      const std::int64_t elements = c.finite ? c.finite->parameters.elements : 0;
      const bool is_run = request.request->command == Command::simulate;
      require(elements <= most, is_run ? "engine" : "reference",
              fmt::format("the exact solution takes at most {} elements, not {}", most, elements),
              is_run ? "leave it out" : "give finest");
      engine::set_force_breaks(run, base::breaks(run.drive, c.final_time, c.breaks));
    });
  }
  return run;
}

io::Sampling sampling_of(const Configuration& c) {
  return {.time = {c.final_time, c.steps}, .every = *c.sample_every, .from = *c.from, .to = *c.to};
}

}  // namespace masing::cli
