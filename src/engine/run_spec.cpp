#include "engine/run_spec.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "rheology/elastic_growth.hpp"
#include "slab/turning_points/smooth_cells.hpp"

namespace masing::engine {

const slab::Slab* slab_of(const RunSpec& run) {
  if (const auto* masing = std::get_if<Masing>(&run.model)) {
    return &masing->slab;
  }
  const auto* quasistatic = std::get_if<QuasistaticMasing>(&run.model);
  return quasistatic == nullptr ? nullptr : &quasistatic->slab;
}

slab::Slab* slab_of(RunSpec& run) {
  return const_cast<slab::Slab*>(slab_of(std::as_const(run)));
}

base::Drive drive_of(const RunSpec& run) {
  const auto* masing = std::get_if<Masing>(&run.model);
  if (masing != nullptr && masing->base_moves) {
    return {"base-acceleration", "F(t) - m a_g(t)"};
  }
  const auto* quasistatic = std::get_if<QuasistaticMasing>(&run.model);
  const bool is_position = quasistatic != nullptr && quasistatic->driving == Driving::position;
  return is_position ? base::Drive{"position", "x(t)"} : base::Drive{};
}

bool is_exact(const RunSpec& run) {
  const auto* masing = std::get_if<Masing>(&run.model);
  const auto* model = std::get_if<rheology::ModelSpec>(&run.model);
  return masing != nullptr  ? masing->method == Method::exact
         : model != nullptr ? model->solver == rheology::Solver::events
                            : false;
}

std::optional<rheology::StateLayout> state_layout(const RunSpec& run) {
  if (const auto* model = std::get_if<rheology::ModelSpec>(&run.model)) {
    return model->layout();
  }
  if (std::holds_alternative<QuasistaticMasing>(run.model)) {
    return rheology::StateLayout{.groups = {{"x"}}};
  }
  return std::nullopt;
}

std::int64_t field_size(const RunSpec& run) {
  const slab::Slab* slab = slab_of(run);
  return slab != nullptr ? slab->field_cells()
                         : std::get<rheology::ModelSpec>(run.model).layout().size();
}

void make_exact(RunSpec& run) {
  if (auto* masing = std::get_if<Masing>(&run.model)) {
    masing->method = Method::exact;
  } else {
    std::get<rheology::ModelSpec>(run.model).solver = rheology::Solver::events;
  }
}

void set_force_breaks(RunSpec& run, std::vector<double> breaks) {
  if (auto* masing = std::get_if<Masing>(&run.model)) {
    masing->force_breaks = std::move(breaks);
  } else {
    std::get<rheology::ModelSpec>(run.model).force_breaks = std::move(breaks);
  }
}

bool has_smooth_cells(const RunSpec& run) {
  const auto* masing = std::get_if<Masing>(&run.model);
  const bool by_turning_points = masing != nullptr
                                     ? masing->method == Method::turning_points
                                     : std::holds_alternative<QuasistaticMasing>(run.model);
  return by_turning_points && slab::has_smooth_cells(*slab_of(run));
}

double swept_cells(const RunSpec& run) {
  const auto* masing = std::get_if<Masing>(&run.model);
  const bool is_swept =
      masing != nullptr && masing->method == Method::sweep && !masing->slab.is_continuum();
  return is_swept ? static_cast<double>(masing->slab.field_cells()) : base::undefined;
}

namespace {

/// Model, P and N with counts as `text_of` writes them.
template <typename TextOf>
std::string titled(const RunSpec& run, const std::string& infinity, const TextOf& text_of) {
  const std::string steps = ", N = " + text_of(run.time.steps);
  const slab::Slab* slab = slab_of(run);
  if (slab == nullptr) {
    return std::get<rheology::ModelSpec>(run.model).model->info.name + steps;
  }
  const bool quasistatic = std::holds_alternative<QuasistaticMasing>(run.model);
  return (quasistatic ? "masing-quasistatic, P = " : "P = ") +
         (slab->is_continuum() ? infinity : text_of(slab->field_cells())) + steps;
}

}  // namespace

std::string figure_title(const RunSpec& run) {
  return titled(run, "∞", base::abbreviated);
}

std::string title(const RunSpec& run) {
  return titled(run, "inf", [](std::int64_t count) { return base::to_text(count); });
}

namespace {

constexpr double warned_growth = 10.0;  // of an elastic motion, until T
constexpr double tolerable_growth = 1.1;

/// The warning of a model of finitely many elements, empty if there is none.
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
  if (is_exact(run)) {
    return {};
  }
  if (const auto* model = std::get_if<rheology::ModelSpec>(&run.model)) {
    return step_advice(*model, run.time);
  }
  const auto* masing = std::get_if<Masing>(&run.model);
  if (masing == nullptr) {
    return {};
  }
  const slab::SchemeInfo& scheme = slab::info(masing->scheme);
  const double frequency = slab::elastic_frequency(masing->slab, masing->oscillator);
  const double decay = masing->oscillator.damping / masing->oscillator.mass;
  const double step = run.time.step();
  if (step * decay > scheme.largest_damped_step) {
    throw base::UserError(
        "steps",
        fmt::format("{} is unstable beyond a step of {} m/c = {}, and this one is {}; give at "
                    "least {} steps",
                    scheme.name, scheme.largest_damped_step,
                    base::to_text(scheme.largest_damped_step / decay), base::to_text(step),
                    slab::least_stable_steps(decay, run.time, scheme.largest_damped_step)));
  }
  if (step * frequency > scheme.largest_step) {
    throw base::UserError(
        "steps",
        fmt::format("{} is unstable beyond a step of {}/omega = {}, omega^2 = (k0 + int k ds)/m, "
                    "and this one is {}; give at least {} steps",
                    scheme.name, scheme.largest_step,
                    base::to_text(scheme.largest_step / frequency), base::to_text(step),
                    slab::least_stable_steps(frequency, run.time, scheme.largest_step)));
  }
  const double growth = slab::elastic_growth(frequency, decay, run.time);
  if (!scheme.amplifies || !(growth > warned_growth)) {
    return {};
  }
  return fmt::format(
      "with a step of {:.4g} {} lets an elastic oscillation grow by exp({} T/2) = {:.3g} "
      "until T; with a step of {:.4g} by {:g}",
      step, scheme.name, decay > 0 ? "(dt omega^2 - c/m)" : "dt omega^2", growth,
      slab::step_for_growth(frequency, decay, run.time, tolerable_growth), tolerable_growth);
}

}  // namespace masing::engine
