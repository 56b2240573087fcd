#include "engine/run_spec.hpp"

#include <fmt/core.h>

#include <utility>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::engine {

namespace {

ModelFacts facts_of(const Masing& masing) {
  return {.name = "masing",
          .slab = &masing.slab,
          .scheme = &slab::info(masing.scheme),
          .oscillator = masing.oscillator,
          .base_moves = masing.base_moves};
}

ModelFacts facts_of(const QuasistaticMasing& masing) {
  return {.name = "masing-quasistatic",
          .slab = &masing.slab,
          .oscillator = {.mass = 0.0, .k0 = masing.k0, .x0 = masing.x0}};
}

ModelFacts facts_of(const rheology::ModelSpec& model) {
  return {.name = model.model == nullptr ? "" : std::string_view(model.model->info.name),
          .elements = &model};
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

bool has_smooth_cells(const RunSpec& run) {
  const ModelFacts facts = run.facts();
  return facts.slab != nullptr && run.method == Method::memory &&
         slab::has_smooth_cells(*facts.slab);
}

double swept_cells(const RunSpec& run) {
  const ModelFacts facts = run.facts();
  return facts.slab != nullptr && run.method == Method::sweep
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

double estimated_cost(const RunSpec& run) {
  // Evaluating F and advancing turning points takes about as much time as this number of cells.
  constexpr double rest = 350.0;
  const ModelFacts facts = run.facts();
  const bool visits_all =
      facts.slab == nullptr || (run.method != Method::memory && !facts.slab->is_continuum());
  return static_cast<double>(run.time.steps) *
         (rest + (visits_all ? static_cast<double>(field_size(run)) : 0.0));
}

}  // namespace masing::engine
