#include "engine/run_spec.hpp"

#include "base/text.hpp"

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

bool is_exact(const RunSpec& run) {
  const auto* masing = std::get_if<Masing>(&run.model);
  return masing != nullptr && masing->method == Method::exact;
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

std::string title(const RunSpec& run) {
  const std::string steps = ", N = " + base::to_text(run.time.steps);
  const slab::Slab* slab = slab_of(run);
  if (slab == nullptr) {
    return std::get<rheology::ModelSpec>(run.model).model->info.name + steps;
  }
  const bool quasistatic = std::holds_alternative<QuasistaticMasing>(run.model);
  return (quasistatic ? "masing-quasistatic, P = " : "P = ") +
         (slab->is_continuum() ? "inf" : base::to_text(slab->field_cells())) + steps;
}

}  // namespace masing::engine
