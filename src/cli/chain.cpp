#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "cli/spec.hpp"
#include "engine/chain.hpp"

namespace masing::cli {

namespace {

/// The largest number of elements that may have functions of s of their own.
constexpr std::int64_t most_shapes = 1000;

/// The largest number of watched nodes. /field is for more.
constexpr std::size_t most_watched = 200;

/// Returns the slab of element `i`, for κ = θ = 1; i and n have values in its functions.
slab::Slab shape_at(const Configuration& c, std::int64_t i) {
  const Constants place{{"i", static_cast<double>(i)},
                        {"n", static_cast<double>(c.elements->parameters.elements)}};
  slab::Slab shape{{.stiffness = c.stiffness.bound(place),
                    .threshold = c.threshold.bound(place),
                    .initial_u = c.initial_u.bound(place)},
                   c.space,
                   c.rule};
  if (c.threshold_down) {
    shape.set_threshold_down(c.threshold_down->bound(place));
  }
  return shape;
}

/// Returns the slab of all elements or, if i occurs in a function of s, that of each element.
/// Throws UserError if there are too many of them.
std::vector<slab::Slab> shapes_of(const Configuration& c) {
  const std::int64_t elements = c.elements->parameters.elements;
  bool differs = false;
  for (const auto& [key, function] :
       {std::pair("stiffness", &c.stiffness), std::pair("threshold", &c.threshold),
        std::pair("initial-u", &c.initial_u),
        std::pair("threshold-down", c.threshold_down ? &*c.threshold_down : &c.threshold)}) {
    if (function->constants().contains("i")) {
      differs = true;
      require(elements <= most_shapes, key,
              fmt::format("with i in it each element has a slab of its own, which {} elements may "
                          "have at most, not {}; give factors by --set k and --set eta",
                          most_shapes, elements));
    }
  }
  std::vector<slab::Slab> shapes;
  for (std::int64_t i = 1; i <= (differs ? elements : 1); ++i) {
    shapes.push_back(shape_at(c, i));
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

/// Returns the chain of a configuration.
engine::MasingChain chain_of(const Configuration& c) {
  engine::MasingChain chain{.shapes = shapes_of(c),
                            .parameters = *c.elements,
                            .scheme = c.scheme,
                            .force_node = c.force_node.value_or(c.elements->parameters.elements),
                            .keeps_works = c.energy};
  check_parameters(chain);
  const slab::ChainPart part = engine::chain_part(chain, {0, 1});
  const bool has_impedance = part.ground[0] > 0.0;
  chain.absorbs = has_impedance;
  const bool base_moves = !c.base_acceleration.is_constant() || c.base_acceleration(0.0) != 0.0;
  require(has_impedance == (part.mass[0] > 0.0), has_impedance ? "base_mass" : "base_impedance",
          "0; a base that absorbs needs both base_impedance > 0 and base_mass > 0");
  require(!c.incoming_velocity || has_impedance, "incoming-velocity",
          "the base does not absorb; give --set base_impedance and --set base_mass, or "
          "--base-acceleration");
  require(!base_moves || !has_impedance, "base-acceleration",
          "the base absorbs, and moves by itself; give --incoming-velocity, or no base_impedance");
  require(chain.force_node <= chain.elements(), "force-node",
          fmt::format("{}; must be a node from 1 to n = {}", chain.force_node, chain.elements()));
  require(c.watch.size() <= most_watched, "watch",
          fmt::format("{} nodes; give at most {}, or --field-every for all", c.watch.size(),
                      most_watched));
  for (const double node : c.watch) {
    require(node == std::round(node) && node <= static_cast<double>(chain.elements()), "watch",
            fmt::format("{:g}; must be nodes from 0, the base, to n = {}", node, chain.elements()));
    chain.watch.push_back(static_cast<std::int64_t>(node));
  }
  return chain;
}

}  // namespace

void check_chain(Command command, const Configuration& c) {
  require(c.method == engine::Method::memory, "engine",
          "not an engine of masing-chain; give memory, or nothing");
  require(c.refine != study::Refine::both, "refine",
          "both is not there for masing-chain; give steps, cells or elements");
  if (command == Command::converge && c.refine == study::Refine::elements) {
    require(!c.force_node, "force-node",
            "the levels differ in n, and the force acts on the last node; leave it out");
  }
}

engine::RunSpec chain_run(const Configuration& c, const std::shared_ptr<const Request>& request) {
  engine::MasingChain chain = chain_of(c);
  if (request->command == Command::converge) {
    chain.with_elements = [c, request](std::int64_t elements) {
      Configuration other = c;
      other.elements = model_spec(*request->parameters, c.constants,
                                  {{rheology::element_count, static_cast<double>(elements)}});
      return chain_of(other);
    };
  }
  const engine::Drive base =
      chain.absorbs ? engine::Drive{c.incoming_velocity.value_or(base::Function()),
                                    {"incoming-velocity", "v_in(t)"}}
                    : engine::Drive{c.base_acceleration, {"base-acceleration", "a_g(t)"}};
  return {
      engine::make_model(std::move(chain)), {{*c.force}, base}, {c.final_time, c.steps}, *c.method};
}

}  // namespace masing::cli
