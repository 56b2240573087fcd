#include "engine/setup.hpp"

#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/force_breaks.hpp"
#include "cli/model.hpp"
#include "cli/validate.hpp"
#include "engine/distributed_measure.hpp"
#include "engine/exact.hpp"
#include "engine/inclusion.hpp"
#include "engine/state_columns.hpp"
#include "engine/sweep.hpp"
#include "engine/turning_points.hpp"
#include "parallel/available_memory.hpp"
#include "slab/turning_points/continuous_measure.hpp"

namespace masing::engine {

namespace {

/// Of the root, on every rank.
slab::ProfileForm shared_candidate(const parallel::Communicator& comm,
                                   const slab::Problem& problem) {
  slab::ProfileForm form = slab::candidate_form(problem);
  double numbers[] = {form.affine_threshold->first, form.affine_threshold->slope,
                      *form.constant_stiffness, *form.constant_initial_u};
  parallel::broadcast(comm, numbers);
  form.affine_threshold = {numbers[0], numbers[1]};
  form.constant_stiffness = numbers[2];
  form.constant_initial_u = numbers[3];
  return form;
}

/// Keep what no rank's cells contradict.
template <typename Value>
void agree(const parallel::Communicator& comm, std::optional<Value>& confirmed) {
  if (parallel::min_over_ranks(comm, confirmed ? 1 : 0) == 0) {
    confirmed.reset();
  }
}

/// Throws UserError alike on all ranks where a run does not fit.
void require_memory(const MemoryNeed& need, double available) {
  const std::string shortage = memory_shortage(need, available);
  if (!shortage.empty()) {
    throw base::UserError(shortage);
  }
}

/// Bytes a rank. Collective.
double available_to(const parallel::Communicator& comm, const Holding& holding) {
  return holding.available ? *holding.available : parallel::available_memory(comm);
}

}  // namespace

slab::ProfileForm checked_form(const parallel::Communicator& comm, const slab::Problem& problem) {
  slab::ProfileCheck check =
      slab::check_profile(problem, base::slab_of(problem.field_cells(), comm.rank(), comm.size()),
                          shared_candidate(comm, problem));
  const std::string fault = parallel::first_text(comm, check.fault);
  if (!fault.empty()) {
    throw base::UserError(fault);
  }
  agree(comm, check.form.affine_threshold);
  agree(comm, check.form.constant_stiffness);
  agree(comm, check.form.constant_initial_u);
  return check.form;
}

void require_state_memory(const parallel::Communicator& comm,
                          const cli::Configuration& configuration, const Holding& holding) {
  require_memory(need_of_state(configuration, comm.size(), holding), available_to(comm, holding));
}

slab::Profile checked_profile(const parallel::Communicator& comm, const slab::Problem& problem,
                              const Holding& holding) {
  const double available = available_to(comm, holding);
  MemoryNeed need = need_of(problem, comm.size(), holding);
  require_memory(need, available);  // the least need, before a look at every cell
  const slab::ProfileForm form = checked_form(comm, problem);
  need.arrays = form.arrays();
  need.moved = form.constant_initial_u != 0.0;
  require_memory(need, available);
  return slab::lean_profile(problem, base::slab_of(problem.field_cells(), comm.rank(), comm.size()),
                            form);
}

namespace {

/// Throws alike on all ranks where the initial state cannot be remembered by turning points.
void require_memorable(const parallel::Communicator& comm, const slab::Problem& problem,
                       const slab::Profile& profile, cli::Family family) {
  std::string fault =
      problem.continuum()
          ? parallel::from_root(comm, [&] { return slab::continuous_fault(problem); })
          : turning_point_fault(comm, profile);
  const std::string cell_by_cell = "--engine sweep";
  const auto advice = fault.find(cell_by_cell);
  if (advice != std::string::npos && family == cli::Family::quasistatic_slab) {
    fault.insert(advice, "--model masing ");  // the only model that has it
  }
  if (!fault.empty()) {
    throw base::UserError(fault);
  }
}

std::shared_ptr<const slab::ContinuousMeasure> continuous_measure(const slab::Problem& problem) {
  return std::make_shared<const slab::ContinuousMeasure>(slab::make_continuous_measure(problem));
}

/// Calls `make` with the measure of a problem and the ranks that step with it.
template <class Make>
std::unique_ptr<Engine> with_measure(const parallel::Communicator& comm,
                                     const slab::Problem& problem, const slab::Profile& profile,
                                     const Make& make) {
  if (problem.continuum()) {
    return make(continuous_measure(problem), Steppers::root);
  }
  if (fits_every_rank(comm.size(), problem.cells)) {
    return make(std::make_shared<const slab::CellMeasure>(replicated_measure(comm, profile)),
                Steppers::all);
  }
  return make(
      std::make_shared<const DistributedMeasure>(distributed_measure(comm, profile, problem.cells)),
      Steppers::all);
}

std::unique_ptr<Engine> make_memory(const parallel::Communicator& comm,
                                    const slab::Problem& problem, const slab::Profile& profile) {
  return with_measure(comm, problem, profile,
                      [&]<class Measure>(std::shared_ptr<const Measure> measure,
                                         Steppers steppers) -> std::unique_ptr<Engine> {
                        return std::make_unique<Memory<Measure>>(comm, problem, profile,
                                                                 std::move(measure), steppers);
                      });
}

std::unique_ptr<Engine> make_quasistatic(const parallel::Communicator& comm,
                                         const cli::Configuration& configuration,
                                         const slab::Problem& problem,
                                         const slab::Profile& profile) {
  const Driving driving = configuration.position.empty() ? Driving::force : Driving::position;
  double start = cli::driving_function(configuration)(0.0);
  parallel::broadcast(comm, std::span(&start, 1));
  return with_measure(comm, problem, profile,
                      [&]<class Measure>(std::shared_ptr<const Measure> measure,
                                         Steppers steppers) -> std::unique_ptr<Engine> {
                        return std::make_unique<Quasistatic<Measure>>(
                            comm, problem, profile, std::move(measure), steppers, driving, start);
                      });
}

std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm,
                                   const cli::Configuration& configuration,
                                   const slab::Problem& problem, const slab::Profile& profile) {
  std::vector<double> breaks =
      cli::force_breaks(problem.force.text(), problem.time.final_time, configuration.breaks);
  if (problem.continuum()) {
    return std::make_unique<Exact<slab::ContinuousMeasure>>(
        comm, problem, profile, continuous_measure(problem), std::move(breaks));
  }
  return std::make_unique<Exact<slab::CellMeasure>>(
      comm, problem, profile,
      std::make_shared<const slab::CellMeasure>(replicated_measure(comm, profile)),
      std::move(breaks));
}

}  // namespace

std::unique_ptr<Engine> make_engine(const parallel::Communicator& comm,
                                    const cli::Configuration& configuration,
                                    const slab::Problem& problem, const slab::Profile& profile) {
  if (configuration.engine == cli::EngineKind::sweep) {
    return std::make_unique<Sweep>(comm, problem, profile);
  }
  const cli::Family family = cli::family_of(configuration.model);
  require_memorable(comm, problem, profile, family);
  if (family == cli::Family::quasistatic_slab) {
    return make_quasistatic(comm, configuration, problem, profile);
  }
  return configuration.engine == cli::EngineKind::memory
             ? make_memory(comm, problem, profile)
             : make_exact(comm, configuration, problem, profile);
}

namespace {

using cli::Configuration;

/// F(0) of the root, on every rank.
double force_at_start(const parallel::Communicator& comm, const base::Function& force) {
  double value = force(0.0);
  parallel::broadcast(comm, std::span(&value, 1));
  return value;
}

void add_slab(const parallel::Communicator& comm, const Configuration& configuration,
              const Holding& holding, Setup& setup) {
  slab::Problem problem = slab::make_problem(configuration);
  slab::Profile profile = checked_profile(comm, problem, holding);
  setup.slab = std::make_unique<Slab>(Slab{std::move(problem), std::move(profile)});
  if (cli::family_of(configuration.model) == cli::Family::quasistatic_slab) {
    setup.state = {.groups = {{"x"}}};
  }
  setup.engine = make_engine(comm, configuration, setup.slab->problem, setup.slab->profile);
}

/// What an engine steps of a model: its elements on this rank, coupled to those of other ranks
/// where they are split.
template <class Model>
Model coupled(const parallel::Communicator& /*comm*/, Model model, const base::CellRange& /*mine*/,
              std::int64_t /*elements*/) {
  return model;
}

rheology::SChain<RankLine> coupled(const parallel::Communicator& comm, rheology::SChain<> model,
                                   const base::CellRange& mine, std::int64_t elements) {
  return {std::move(model), RankLine(comm, mine, elements)};
}

rheology::PSeries<RankReduction> coupled(const parallel::Communicator& comm,
                                         rheology::PSeries<> model, const base::CellRange& /*mine*/,
                                         std::int64_t /*elements*/) {
  return {std::move(model), RankReduction(comm)};
}

void add_model(const parallel::Communicator& comm, const Configuration& configuration,
               const Holding& holding, Setup& setup) {
  require_state_memory(comm, configuration, holding);
  const rheology::ModelSpec spec = cli::model_spec(configuration.model, configuration.settings);
  const base::CellRange mine =
      spec.work() == rheology::Work::split
          ? base::slab_of(spec.parameters.elements, comm.rank(), comm.size())
          : spec.all();
  rheology::BuiltModel built = rheology::build(spec, mine);
  setup.state = spec.layout();
  StateColumns columns(comm, spec.layout(), mine, spec.work());
  setup.engine = std::visit(
      [&](auto& model) -> std::unique_ptr<Engine> {
        auto here = coupled(comm, std::move(model), mine, spec.parameters.elements);
        return std::make_unique<Generic<decltype(here)>>(
            comm, std::move(here), std::move(built.start), std::move(columns), setup.time.step(),
            force_at_start(comm, setup.driving));
      },
      built.model);
}

}  // namespace

Setup make_setup(const parallel::Communicator& comm, const Configuration& configuration,
                 Holding holding) {
  Setup setup{.time = {.final_time = configuration.final_time, .steps = configuration.steps},
              .driving = cli::driving_function(configuration)};
  holding.engine = *configuration.engine;
  if (cli::family_of(configuration.model) == cli::Family::finite) {
    add_model(comm, configuration, holding, setup);
  } else {
    add_slab(comm, configuration, holding, setup);
  }
  return setup;
}

std::string title(const Configuration& configuration) {
  const bool finite = cli::family_of(configuration.model) == cli::Family::finite;
  const bool continuum = configuration.cells == cli::infinitely_many;
  const std::string cells = "P = " + (continuum ? "inf" : base::to_text(configuration.cells));
  const bool quasistatic = cli::family_of(configuration.model) == cli::Family::quasistatic_slab;
  return (quasistatic ? configuration.model + ", " : "") + (finite ? configuration.model : cells) +
         ", N = " + base::to_text(configuration.steps);
}

}  // namespace masing::engine
