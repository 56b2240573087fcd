#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "cli/problem.hpp"
#include "engine/chain.hpp"

namespace masing::cli {

namespace {

/// The largest number of elements that may have functions of s of their own.
constexpr std::int64_t most_shapes = 1000;

/// The largest number of watched nodes. /field is for more.
constexpr std::size_t most_watched = 200;

/// Returns the slab of element `i`, for κ = θ = 1; i and n have values in its functions.
slab::Slab shape_at(const Values& values, std::int64_t i, std::int64_t elements) {
  const Constants place{{"i", static_cast<double>(i)}, {"n", static_cast<double>(elements)}};
  const auto at = [&](const char* key) { return values.function(key).bound(place); };
  slab::Slab shape{
      {.stiffness = at("stiffness"), .threshold = at("threshold"), .initial_u = at("initial-u")},
      space_of(values),
      values.choice<slab::Rule>("rule")};
  if (values.has("threshold-down")) {
    shape.set_threshold_down(at("threshold-down"));
  }
  return shape;
}

/// Returns the slab of all elements or, if i occurs in a function of s, that of each element.
/// Throws UserError if there are too many of them.
std::vector<slab::Slab> shapes_of(const Values& values, std::int64_t elements) {
  bool differs = false;
  for (const char* key : {"stiffness", "threshold", "initial-u", "threshold-down"}) {
    if (values.function(key).constants().contains("i")) {
      differs = true;
      require(elements <= most_shapes, key,
              fmt::format("with i in it each element has a slab of its own, which {} elements may "
                          "have at most, not {}; give factors by --set k and --set eta",
                          most_shapes, elements));
    }
  }
  std::vector<slab::Slab> shapes;
  for (std::int64_t i = 1; i <= (differs ? elements : 1); ++i) {
    shapes.push_back(shape_at(values, i, elements));
  }
  return shapes;
}

/// Evaluates all parameters in blocks, and throws UserError for the first value that is not
/// allowed.
void check_parameters(const engine::MasingChain& chain) {
  constexpr std::int64_t most = std::int64_t{1} << 16;
  for (std::int64_t first = 0; first < chain.elements(); first += most) {
    (void)engine::chain_part(chain, {first, std::min(most, chain.elements() - first)});
  }
}

/// Adds the watched nodes to a chain. Throws UserError if there are too many, or if one is no node.
void add_watched(const std::vector<double>& nodes, engine::MasingChain& chain) {
  require(nodes.size() <= most_watched, "watch",
          fmt::format("{} nodes; give at most {}, or --field-every for all", nodes.size(),
                      most_watched));
  for (const double node : nodes) {
    require(node == std::round(node) && node <= static_cast<double>(chain.elements()), "watch",
            fmt::format("{:g}; must be nodes from 0, the base, to n = {}", node, chain.elements()));
    chain.watch.push_back(static_cast<std::int64_t>(node));
  }
}

/// Returns the chain of values whose defaults are resolved.
engine::MasingChain chain_of(const Values& values) {
  const std::int64_t elements = elements_of(values);
  const base::Function base = values.function("base-acceleration");
  engine::MasingChain chain{
      .shapes = shapes_of(values, elements),
      .parameters = model_spec(values),
      .scheme = values.choice<slab::Scheme>("scheme"),
      .force_node = values.has("force-node") ? values.count("force-node") : elements,
      .keeps_works = values.flag("energy")};
  check_parameters(chain);
  const slab::ChainPart part = engine::chain_part(chain, {0, 1});
  const bool has_impedance = part.ground[0] > 0.0;
  chain.absorbs = has_impedance;
  const bool base_moves = !base.is_constant() || base(0.0) != 0.0;
  require(has_impedance == (part.mass[0] > 0.0), has_impedance ? "base_mass" : "base_impedance",
          "0; a base that absorbs needs both base_impedance > 0 and base_mass > 0");
  require(!values.has("incoming-velocity") || has_impedance, "incoming-velocity",
          "the base does not absorb; give --set base_impedance and --set base_mass, or "
          "--base-acceleration");
  require(!base_moves || !has_impedance, "base-acceleration",
          "the base absorbs, and moves by itself; give --incoming-velocity, or no base_impedance");
  require(chain.force_node <= elements, "force-node",
          fmt::format("{}; must be a node from 1 to n = {}", chain.force_node, elements));
  add_watched(values.list("watch"), chain);
  return chain;
}

}  // namespace

void check_chain(const Values& values) {
  require(method_of(values) == engine::Method::memory, "engine",
          "not an engine of masing-chain; give memory, or nothing");
  const auto refine = values.choice<study::Refine>("refine");
  require(refine != study::Refine::both, "refine",
          "both is not there for masing-chain; give steps, cells or elements");
  require(refine != study::Refine::elements || !values.has("force-node"), "force-node",
          "the levels differ in n, and the force acts on the last node; leave it out");
}

engine::RunSpec chain_run(const Values& values) {
  engine::MasingChain chain = chain_of(values);
  if (values.command() == Command::converge) {
    chain.with_elements = [values](std::int64_t elements) {
      return chain_of(values.with({{"model.n", base::to_text(elements), ""}}));
    };
  }
  const engine::Drive base =
      chain.absorbs
          ? engine::Drive{values.function("incoming-velocity"), {"incoming-velocity", "v_in(t)"}}
          : engine::Drive{values.function("base-acceleration"), {"base-acceleration", "a_g(t)"}};
  return {engine::make_model(std::move(chain)),
          {{values.function("force")}, base},
          time_of(values),
          *method_of(values)};
}

}  // namespace masing::cli
