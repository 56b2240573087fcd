#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "cli/problem.hpp"
#include "engine/chain.hpp"

namespace masing::cli {

engine::RunSpec chain_run(const Values& values) {
  const bool are_elements = values.choice<study::Refine>("refine") == study::Refine::elements;
  require(!are_elements || !values.has("force-node"), "force-node",
          "the levels differ in n, and the force acts on the last node; leave it out");
  const std::int64_t elements = elements_of(values);
  const base::Function acceleration = values.function("base-acceleration");
  engine::MasingChain chain{
      .shape = shape_of(values),
      .threshold_down =
          values.function(values.has("threshold-down") ? "threshold-down" : "threshold"),
      .parameters = model_spec(values),
      .scheme = values.choice<slab::Scheme>("scheme"),
      .force_node = values.has("force-node") ? values.count("force-node") : elements,
      .keeps_works = values.flag("energy")};
  const slab::ChainPart part = engine::chain_part(chain, {0, 1});
  const bool has_impedance = part.ground[0] > 0.0;
  chain.absorbs = has_impedance;
  require(has_impedance == (part.mass[0] > 0.0), has_impedance ? "base_mass" : "base_impedance",
          "0; a base that absorbs needs both base_impedance > 0 and base_mass > 0");
  require(!values.has("incoming-velocity") || has_impedance, "incoming-velocity",
          "the base does not absorb; give --set base_impedance and --set base_mass, or "
          "--base-acceleration");
  require(!is_not_zero(acceleration) || !has_impedance, "base-acceleration",
          "the base absorbs, and moves by itself; give --incoming-velocity, or no base_impedance");
  require(chain.force_node <= elements, "force-node",
          fmt::format("{}; must be a node from 1 to n = {}", chain.force_node, elements));
  for (const double node : values.list("watch")) {
    require(node == std::round(node) && node <= static_cast<double>(elements), "watch",
            fmt::format("{:g}; must be nodes from 0, the base, to n = {}", node, elements));
    chain.watch.push_back(static_cast<std::int64_t>(node));
  }
  const engine::Drive base =
      chain.absorbs
          ? engine::Drive{values.function("incoming-velocity"), {"incoming-velocity", "v_in(t)"}}
          : engine::Drive{acceleration, {"base-acceleration", "a_g(t)"}};
  return {engine::make_model(std::move(chain)),
          {{values.function("force")}, base},
          time_of(values),
          *method_of(values)};
}

}  // namespace masing::cli
