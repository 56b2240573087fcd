#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/block_sum.hpp"
#include "base/limits.hpp"
#include "base/partition.hpp"
#include "engine/chain.hpp"
#include "io/recorders.hpp"
#include "parallel/rank_sum.hpp"
#include "slab/chain/chain.hpp"

namespace masing::io {

namespace {

using slab::Chain;

/// Returns a group with the numbers of `wanted` of the nodes that move, or of all if `wanted` is 0.
/// A rank counts them from the lower end of its part of the chain. Collective.
Group nodes_in(const std::string& path, const RecorderContext& context, std::int64_t wanted) {
  const engine::MasingChain& chain = *engine::chain_of(*context.run.model);
  const auto held = base::local_range(chain.elements(), context.comm.rank(), context.comm.size());
  const std::int64_t fixed = chain.absorbs ? 0 : 1;  // the number of nodes that do not move
  return {.path = path,
          .axis = "node",
          .places = WrittenPlaces(chain.nodes(), wanted, engine::nodes_of(chain, held),
                                  held.first - fixed),
          .of_places = {numbers_of_places("node", {"number of the node", "i"}, fixed)}};
}

/// Adds a column of numbers of the nodes: value_of(chain, i) is that of this rank's node i.
template <class ValueOf>
void add(Group& group, const char* name, const Attributes& attributes, const ValueOf& value_of) {
  const auto row = [=](const WrittenPlaces& nodes, engine::Engine& engine) {
    const Chain& chain = engine::chain_in(engine);
    return nodes.row([&](std::int64_t i) { return value_of(chain, static_cast<std::size_t>(i)); });
  };
  group.of_places.push_back({name, attributes, group.time.has_value(), row});
}

/// Returns the function whose value at a node is that of the element below it, or NaN for the base,
/// below which there is none.
auto of_elements(double (Chain::*value)(std::size_t element) const) {
  return [value](const Chain& chain, std::size_t i) {
    return i == 0 ? base::undefined : (chain.*value)(i - 1);
  };
}

/// Returns /watch, the motion of the watched nodes at every sample. Collective.
Group watch_group(const RecorderContext& context) {
  const engine::MasingChain& chain = *engine::chain_of(*context.run.model);
  const std::string frame = chain.absorbs ? "" : " relative to the base";
  const std::string a = chain.absorbs ? "x_i''" : "x_i'' + a_g";
  const auto node = [&chain](const WrittenPlaces& nodes, engine::Engine& /*engine*/) {
    return nodes.row([&](std::int64_t i) {
      return static_cast<double>(chain.watch[static_cast<std::size_t>(nodes.first() + i)]);
    });
  };
  Group group{
      .path = "/watch",
      .time = Attributes{"time of the sample", "t", "time t"},
      .sampling = context.output.sampling,
      .columns = {{"x", {"position of the node" + frame, "x_i", "displacement x"}},
                  {"y", {"velocity of the node" + frame, "y_i", "velocity y"}},
                  {"a", {"absolute acceleration of the node", a, "absolute acceleration a"}},
                  {"elongation",
                   {"elongation of the element below the node", "d_i = x_i - x_(i-1)",
                    "elongation d"}},
                  {"force", {"force of the element below the node", "f_i", "force f"}}},
      .axis = "node",
      .places = WrittenPlaces(context.comm, std::ssize(chain.watch), 0),
      .of_places = {{"node", {"watched node", "i"}, false, node}}};
  // The engine has the nodes of every step, so that samples need end no chunk.
  group.fill = [width = chain.watch.size()](const Moment& now, auto& row) {
    const auto nodes = now.engine.watched().subspan(now.i * (width + 1), width + 1);
    for (const auto member :
         {&engine::WatchedNode::x, &engine::WatchedNode::y, &engine::WatchedNode::a,
          &engine::WatchedNode::elongation, &engine::WatchedNode::force}) {
      for (const engine::WatchedNode& each : nodes.subspan(1)) {
        row.push_back(each.*member);
      }
    }
  };
  return group;
}

}  // namespace

std::vector<Group> node_groups(const RecorderContext& context) {
  const engine::MasingChain& chain = *engine::chain_of(*context.run.model);
  std::vector<Group> groups;
  if (!chain.watch.empty()) {
    groups.push_back(watch_group(context));
  }
  Group field = nodes_in("/field", context, context.output.field_points);
  field.time = {"time of the field", "t", "time t"};
  field.sampling = field_sampling(context.run, context.output);
  field.needs_state = true;
  add(field, "x", {"positions of the nodes, one row a time", "x_i"},
      [](const Chain& part, std::size_t i) { return part.x()[i]; });
  add(field, "y", {"velocities of the nodes, one row a time", "y_i"},
      [](const Chain& part, std::size_t i) { return part.y()[i]; });
  groups.push_back(std::move(field));
  Group profile = nodes_in("/profile", context, 0);
  const std::string frame = chain.absorbs ? "" : ", relative to the base";
  add(profile, "max_x", {"largest |x| of the node" + frame, "max |x_i|"},
      [](const Chain& part, std::size_t i) { return part.largest_x()[i]; });
  add(profile, "max_a", {"largest absolute acceleration of the node", "max |a_i|"},
      [](const Chain& part, std::size_t i) { return part.largest_a()[i]; });
  add(profile, "max_elongation",
      {"largest |elongation| of the element below the node", "max |d_i|"},
      of_elements(&Chain::largest_elongation));
  add(profile, "max_force", {"largest |force| of the element below the node", "max |f_i|"},
      of_elements(&Chain::largest_force));
  add(profile, "dissipated",
      {"energy that the sliders and the dashpot of the element below the node dissipated", "D_i"},
      of_elements(&Chain::dissipated));
  groups.push_back(std::move(profile));
  return groups;
}

Energies node_energies(const parallel::Communicator& comm, const engine::RunSpec& run,
                       engine::Engine& engine) {
  const Chain& chain = engine::chain_in(engine);
  const auto elements = static_cast<double>(engine::chain_of(*run.model)->elements());
  // The sum of a term of every element and of the node above it; the first element also counts the
  // base.
  const auto sum = [&](const auto& term) {
    std::vector<double> terms(chain.size());
    for (std::size_t j = 0; j < terms.size(); ++j) {
      terms[j] = term(j);
    }
    const parallel::RankReduction reduction{comm};
    const double most = base::largest_term(
        terms.size(), [&](std::size_t j) { return terms[j]; }, reduction);
    const auto within = [&](double bound, const auto& each) {
      return base::sum_within(
          bound, terms.size(), [&](std::size_t j) { return each(terms[j]); }, reduction);
    };
    // The sum of the absolute values is a close bound, with which few digits are lost.
    const double size = within(most * elements, [](double value) { return std::abs(value); });
    return within(size * (1.0 + 1e-6), std::identity());
  };
  const auto of_nodes = [&](const auto& value) {
    return sum([&](std::size_t j) {
      return value(j + 1) + (j == 0 && chain.holds_base() ? value(std::size_t{0}) : 0.0);
    });
  };
  Energies now;
  now.kinetic =
      of_nodes([&](std::size_t i) { return 0.5 * chain.mass(i) * chain.y()[i] * chain.y()[i]; });
  std::vector<Chain::Energy> energies;
  for (std::size_t j = 0; j < chain.size(); ++j) {
    energies.push_back(chain.energy(j));
  }
  now.elastic = sum([&](std::size_t j) { return energies[j].elastic; });
  now.dissipated = sum([&](std::size_t j) { return energies[j].slid; });
  now.viscous = of_nodes([&](std::size_t i) { return chain.viscous_work()[i]; }) +
                sum([&](std::size_t j) { return chain.dashpot_work(j); });
  now.base = of_nodes([&](std::size_t i) { return chain.base_work()[i]; });
  now.input = of_nodes([&](std::size_t i) { return chain.force_work()[i]; }) + now.base;
  return now;
}

}  // namespace masing::io
