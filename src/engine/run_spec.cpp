#include "engine/run_spec.hpp"

#include <limits>
#include <utility>

#include "base/text.hpp"
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

std::string drive_name(const RunSpec& run) {
  const auto* masing = std::get_if<Masing>(&run.model);
  if (masing != nullptr && masing->base_moves) {
    return "--base-acceleration: F(t) - m a_g(t)";
  }
  const auto* quasistatic = std::get_if<QuasistaticMasing>(&run.model);
  const bool is_position = quasistatic != nullptr && quasistatic->driving == Driving::position;
  return is_position ? "--position: x(t)" : "--force: F(t)";
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
  return is_swept ? static_cast<double>(masing->slab.field_cells())
                  : std::numeric_limits<double>::quiet_NaN();
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

}  // namespace masing::engine
