#include "engine/run_spec.hpp"

#include <fmt/core.h>

#include <cmath>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/partition.hpp"
#include "base/text.hpp"
#include "engine/chain.hpp"
#include "engine/setup.hpp"
#include "rheology/elastic_growth.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::engine {

namespace {

ModelFacts facts_of(const Masing& masing) {
  return {.name = "masing",
          .slab = &masing.slab,
          .scheme = &slab::info(masing.scheme),
          .oscillator = masing.oscillator,
          .method = masing.method,
          .is_exact = masing.method == Method::exact,
          .base_moves = masing.base_moves};
}

ModelFacts facts_of(const QuasistaticMasing& masing) {
  return {.name = "masing-quasistatic",
          .slab = &masing.slab,
          .oscillator = {.mass = 0.0, .k0 = masing.k0, .x0 = masing.x0},
          .prescribes_position = masing.driving == Driving::position};
}

ModelFacts facts_of(const rheology::ModelSpec& model) {
  return {.name = model.model == nullptr ? "" : std::string_view(model.model->info.name),
          .elements = &model,
          .is_exact = model.solver == rheology::Solver::events};
}

ModelFacts facts_of(const MasingChain& chain) {
  return {.name = "masing-chain", .chain = &chain, .scheme = &slab::info(chain.scheme)};
}

}  // namespace

ModelFacts RunSpec::facts() const {
  return std::visit([](const auto& its) { return facts_of(its); }, model);
}

const slab::Slab* slab_of(const RunSpec& run) {
  return run.facts().slab;
}

slab::Slab* slab_of(RunSpec& run) {
  return const_cast<slab::Slab*>(slab_of(std::as_const(run)));
}

const slab::Space* space_of(const RunSpec& run) {
  const ModelFacts facts = run.facts();
  return facts.chain != nullptr  ? &facts.chain->shapes.front().space
         : facts.slab != nullptr ? &facts.slab->space
                                 : nullptr;
}

void set_space(RunSpec& run, const slab::Space& space) {
  if (slab::Slab* slab = slab_of(run)) {
    slab->space = space;
  } else if (auto* chain = std::get_if<MasingChain>(&run.model)) {
    for (slab::Slab& shape : chain->shapes) {
      shape.space = space;
    }
  }
}

base::NamedQuantity drive_of(const RunSpec& run) {
  const ModelFacts facts = run.facts();
  return facts.base_moves            ? base::NamedQuantity{"base-acceleration", "F(t) - m a_g(t)"}
         : facts.prescribes_position ? base::NamedQuantity{"position", "x(t)"}
                                     : base::NamedQuantity{};
}

bool is_exact(const RunSpec& run) {
  return run.facts().is_exact;
}

std::optional<rheology::StateLayout> state_layout(const RunSpec& run) {
  const ModelFacts facts = run.facts();
  if (facts.elements != nullptr) {
    return facts.elements->layout();
  }
  return facts.scheme != nullptr ? std::nullopt
                                 : std::optional(rheology::StateLayout{.groups = {{"x"}}});
}

std::int64_t field_size(const RunSpec& run) {
  const ModelFacts facts = run.facts();
  return facts.slab != nullptr    ? facts.slab->field_cells()
         : facts.chain != nullptr ? 2 * facts.chain->nodes()
                                  : facts.elements->layout().size();
}

void make_exact(RunSpec& run) {
  std::visit(
      [](auto& model) {
        if constexpr (requires { model.method; }) {
          model.method = Method::exact;
        } else if constexpr (requires { model.solver; }) {
          model.solver = rheology::Solver::events;
        }
      },
      run.model);
}

void set_force_breaks(RunSpec& run, std::vector<double> breaks) {
  std::visit(
      [&](auto& model) {
        if constexpr (requires { model.force_breaks; }) {
          model.force_breaks = std::move(breaks);
        }
      },
      run.model);
}

bool has_smooth_cells(const RunSpec& run) {
  const ModelFacts facts = run.facts();
  return facts.slab != nullptr && facts.method == Method::turning_points &&
         slab::has_smooth_cells(*facts.slab);
}

double swept_cells(const RunSpec& run) {
  const ModelFacts facts = run.facts();
  return facts.method == Method::sweep && !facts.slab->is_continuum()
             ? static_cast<double>(facts.slab->field_cells())
             : base::undefined;
}

namespace {

/// Returns the title of a run, such as "P = 700, N = 8000" for a slab with a mass and "prandtl, N =
/// 8000" for a model of finitely many elements. `to_text` converts counts to text; `infinity` is
/// the text for P = ∞.
template <typename ToText>
std::string titled(const RunSpec& run, const std::string& infinity, const ToText& to_text) {
  const ModelFacts facts = run.facts();
  const std::string steps = ", N = " + to_text(run.time.steps);
  if (facts.chain != nullptr) {
    return fmt::format("masing-chain, n = {}, P = {}{}", to_text(facts.chain->elements()),
                       std::holds_alternative<slab::Continuum>(*space_of(run))
                           ? infinity
                           : to_text(std::get<slab::Cells>(*space_of(run)).count),
                       steps);
  }
  if (facts.slab == nullptr) {
    return std::string(facts.name) + steps;
  }
  return (facts.scheme == nullptr ? std::string(facts.name) + ", P = " : "P = ") +
         (facts.slab->is_continuum() ? infinity : to_text(facts.slab->field_cells())) + steps;
}

}  // namespace

std::string figure_title(const RunSpec& run) {
  return titled(run, "∞", base::abbreviated);
}

std::string title(const RunSpec& run) {
  return titled(run, "inf", [](std::int64_t count) { return base::to_text(count); });
}

namespace {

/// Returns a warning about the step of a model of finitely many elements, or an empty string if the
/// step needs no warning.
std::string step_advice(const rheology::ModelSpec& model, const slab::TimeGrid& time) {
  const auto eigenvalues = rheology::elastic_eigenvalues(model);
  const double growth = rheology::log_elastic_growth(eigenvalues, time.step(), time.steps);
  if (!(growth > std::log(warned_growth))) {
    return {};
  }
  const std::int64_t steps = rheology::steps_for_growth(eigenvalues, time.final_time, time.steps,
                                                        std::log(tolerable_growth));
  return fmt::format(
      "with a step of {:.4g} the scheme lets an elastic motion of {} grow by a factor of "
      "10^{:.3g} until T; with {} steps by at most {:g}",
      time.step(), model.model->info.name, growth / std::log(10.0), base::to_text(steps),
      tolerable_growth);
}

}  // namespace

std::string step_advice(const RunSpec& run) {
  const ModelFacts facts = run.facts();
  if (facts.elements != nullptr && !facts.is_exact) {
    return step_advice(*facts.elements, run.time);
  }
  if (facts.scheme == nullptr || facts.is_exact) {
    return {};
  }
  const slab::SchemeInfo& scheme = *facts.scheme;
  if (facts.chain != nullptr) {
    return chain_advice(*facts.chain, run.time);
  }
  const double frequency = slab::elastic_frequency(*facts.slab, facts.oscillator);
  const double decay = facts.oscillator.damping / facts.oscillator.mass;
  const double step = run.time.step();
  for (const auto& [rate, largest, unit, meaning] :
       {std::tuple(decay, scheme.largest_damped_step, " m/c", ""),
        std::tuple(frequency, scheme.largest_step, "/omega", ", omega^2 = (k0 + int k ds)/m")}) {
    if (step * rate > largest) {
      throw base::UserError(
          "steps",
          fmt::format("{} is unstable beyond a step of {}{} = {}{}, and this one is {}; give at "
                      "least {} steps",
                      scheme.name, largest, unit, base::to_text(largest / rate), meaning,
                      base::to_text(step), slab::least_stable_steps(rate, run.time, largest)));
    }
  }
  const double growth = slab::elastic_growth(frequency, decay, run.time);
  if (!scheme.amplifies || !(growth > warned_growth)) {
    return {};
  }
  return fmt::format(
      "with a step of {:.4g} {} lets an elastic oscillation grow by exp({} T/2) = {:.3g} "
      "until T; with a step of {:.4g} by {:g}{}",
      step, scheme.name, decay > 0 ? "(dt omega^2 - c/m)" : "dt omega^2", growth,
      slab::step_for_growth(frequency, decay, run.time, tolerable_growth), tolerable_growth,
      step * frequency < slab::info(slab::Scheme::leapfrog).largest_step
          ? ", with scheme leapfrog not at all"
          : "");
}

double estimated_seconds(const RunSpec& run, int ranks) {
  // Durations in seconds on a present-day machine. An error by a factor of two hardly changes any
  // schedule.
  constexpr double per_update = 0.2e-9;
  constexpr double per_column = 2e-9;
  constexpr double per_allreduce = 1e-6;
  constexpr double per_smooth_step = 1e-6;
  constexpr double per_event = 3e-6;
  const ModelFacts facts = run.facts();
  const bool is_split = facts.elements != nullptr ? facts.elements->work() == rheology::Work::split
                        : facts.chain != nullptr  ? engine::is_split(run, ranks)
                                                  : facts.method == Method::sweep;
  const auto columns = static_cast<double>(
      base::local_range(field_size(run), 0, is_split && !facts.is_exact ? ranks : 1).size);
  const double hops = is_split ? std::log2(static_cast<double>(ranks)) : 0.0;
  double step = 0.07e-6;  // the time to evaluate F and advance turning points
  double events = 0.0;
  if (facts.is_exact && facts.slab != nullptr) {
    constexpr double per_cell_and_time = 0.16;
    step += per_smooth_step;
    events = facts.slab->is_continuum() ? 0.0 : per_cell_and_time * columns * run.time.final_time;
  } else if (facts.chain != nullptr) {
    constexpr double per_element = 20e-9;
    step += 0.5 * columns * per_element + hops * per_allreduce;
  } else if (facts.elements != nullptr) {
    // The exact solution evaluates all columns about this many times per step.
    constexpr double in_a_step = 15.0;
    constexpr double reductions = 6.0;
    step += (facts.is_exact ? in_a_step : 1.0) * columns * per_column +
            (facts.is_exact ? 0.0 : reductions * hops * per_allreduce);
  } else if (facts.method == Method::sweep) {
    step += columns * per_update + hops * per_allreduce / facts.scheme->steps_per_pass;
  } else if (has_smooth_cells(run)) {
    step += per_smooth_step;
  }
  return static_cast<double>(run.time.steps) * step + events * per_event;
}

}  // namespace masing::engine
