#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

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

/// Returns the nodes that are written: `wanted` of all that move, or all if `wanted` is 0. A rank
/// counts them from the lower end of its part of the chain. Collective.
WrittenPlaces written_nodes(const RecorderContext& context, std::int64_t wanted) {
  const engine::MasingChain& chain = *engine::chain_of(*context.run.model);
  const auto held = base::local_range(chain.elements(), context.comm.rank(), context.comm.size());
  return {context.comm, chain.nodes(), wanted, engine::nodes_of(chain, held),
          held.first - (chain.absorbs ? 0 : 1)};
}

/// Writes the numbers 0, 1, …, n of the written nodes as the dataset `path`. Collective.
void write_node_numbers(const RecorderContext& context, const std::string& path,
                        const WrittenPlaces& nodes) {
  const engine::MasingChain& chain = *engine::chain_of(*context.run.model);
  const std::int64_t first =
      base::local_range(chain.elements(), context.comm.rank(), context.comm.size()).first;
  write_distributed(context.file, path, {"number of the node", "i"},
                    nodes.segments([=](std::int64_t i) { return static_cast<double>(first + i); }),
                    nodes.places().kept);
  name_axes(context.file, path, {"node"});
}

/// Writes /watch, whose rows the engine has for every step, so that samples end no chunk.
class WatchRecorder final : public RowWriter {
 public:
  explicit WatchRecorder(const RecorderContext& context)
      : RowWriter(context.comm, context.file, context.output.sampling) {
    const auto& watch = engine::chain_of(*context.run.model)->watch;
    width_ = watch.size();
    const auto width = static_cast<std::int64_t>(width_);
    write_column(context.comm, context.file, "/watch/node", {"watched node", "i"},
                 std::vector<double>(watch.begin(), watch.end()), "node");
    rows_.add("/watch/t", {"time of the sample", "t", "time t"});
    const bool is_absolute = engine::chain_of(*context.run.model)->absorbs;
    const std::string frame = is_absolute ? "" : " relative to the base";
    rows_.add("/watch/x", {"position of the node" + frame, "x_i", "displacement x"}, width, "node");
    rows_.add("/watch/y", {"velocity of the node" + frame, "y_i", "velocity y"}, width, "node");
    rows_.add("/watch/a",
              {"absolute acceleration of the node", is_absolute ? "x_i''" : "x_i'' + a_g",
               "absolute acceleration a"},
              width, "node");
    rows_.add("/watch/elongation",
              {"elongation of the element below the node", "d_i = x_i - x_(i-1)", "elongation d"},
              width, "node");
    rows_.add("/watch/force", {"force of the element below the node", "f_i", "force f"}, width,
              "node");
  }

  void observe(const engine::Samples& samples, engine::Engine& engine) override {
    const auto rows = engine.watched();
    for_each_row(steps_, samples, [&](const SeriesRow& sample, std::size_t i) {
      std::vector<double> row{sample[0]};
      for (const auto member :
           {&engine::WatchedNode::x, &engine::WatchedNode::y, &engine::WatchedNode::a,
            &engine::WatchedNode::elongation, &engine::WatchedNode::force}) {
        for (std::size_t w = 1; w <= width_; ++w) {
          row.push_back(rows[i * (width_ + 1) + w].*member);
        }
      }
      rows_.push(row);
    });
  }

 private:
  std::size_t width_ = 0;
};

/// Writes x and y of the nodes to /field.
class ChainFieldRecorder final : public FieldWriter {
 public:
  explicit ChainFieldRecorder(const RecorderContext& context)
      : FieldWriter(context, {"time of the field", "t", "time t"},
                    written_nodes(context, context.output.field_points)) {
    add("/field/x", {"positions of the nodes, one row a time", "x_i"});
    add("/field/y", {"velocities of the nodes, one row a time", "y_i"});
    write_node_numbers(context, "/field/node", written_);
    name_axes(file_, "/field/x", {"t", "node"});
    name_axes(file_, "/field/y", {"t", "node"});
  }

 private:
  void append(engine::Engine& engine) override {
    const Chain& chain = engine::chain_in(engine);
    const auto append = [&](Table& table, const auto& values) {
      table.append_row(
          written_.segments([&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; }));
    };
    append(tables_[1], chain.x());
    append(tables_[2], chain.y());
  }
};

/// Writes the largest absolute values of every node to /profile. The engine computes them at every
/// step; they are written when the run ends.
class ProfileRecorder final : public engine::Observer {
 public:
  explicit ProfileRecorder(const RecorderContext& context)
      : file_(context.file), nodes_(written_nodes(context, 0)) {
    write_node_numbers(context, "/profile/node", nodes_);
    const bool is_absolute = engine::chain_of(*context.run.model)->absorbs;
    add("max_x",
        {std::string("largest |x| of the node") + (is_absolute ? "" : ", relative to the base"),
         "max |x_i|"},
        [](const Chain& chain, std::size_t i) { return chain.largest_x()[i]; });
    add("max_a", {"largest absolute acceleration of the node", "max |a_i|"},
        [](const Chain& chain, std::size_t i) { return chain.largest_a()[i]; });
    add("max_elongation", {"largest |elongation| of the element below the node", "max |d_i|"},
        of_elements(&Chain::largest_elongation));
    add("max_force", {"largest |force| of the element below the node", "max |f_i|"},
        of_elements(&Chain::largest_force));
    add("dissipated",
        {"energy that the sliders and the dashpot of the element below the node dissipated", "D_i"},
        of_elements(&Chain::dissipated));
  }

  void observe(const engine::Samples& /*samples*/, engine::Engine& /*engine*/) override {}
  void finish(engine::Engine& engine) override {
    for (const auto& [path, value_of] : columns_) {
      overwrite_distributed(file_, path, nodes_.segments([&, value = value_of](std::int64_t i) {
        return value(engine::chain_in(engine), static_cast<std::size_t>(i));
      }));
    }
  }

 private:
  using ValueOf = std::function<double(const Chain& chain, std::size_t node)>;

  /// Returns the function whose value at a node is that of the element below it, or NaN for the
  /// base, below which there is none.
  static ValueOf of_elements(double (Chain::*value)(std::size_t element) const) {
    return [value](const Chain& chain, std::size_t i) {
      return i == 0 ? base::undefined : (chain.*value)(i - 1);
    };
  }
  void add(const std::string& name, const Attributes& attributes, ValueOf value_of) {
    const std::string path = "/profile/" + name;
    const Table table(file_, path, attributes, nodes_.places().cells, 0);
    name_axes(file_, path, {"node"});
    columns_.emplace_back(path, std::move(value_of));
  }

  const Handle& file_;
  WrittenPlaces nodes_;
  std::vector<std::pair<std::string, ValueOf>> columns_;
};

/// Writes the balance of energy of a chain to /energy, one row per sample:
///     kinetic      Σ ½ m y²
///     elastic      Σ ½ k0 d² + Σ ½ κ ∫ k u² ds
///     dissipated   what the sliders have dissipated since t = 0, see Chain::Energy
///     viscous      ∫ Σ c y² + Σ b w² dt since t = 0
///     input        the work of F and of the base since t = 0
///     base         the part of the base
///     residual     input - dissipated - viscous minus the increase of kinetic + elastic, all since
///                  the first sample; it is of order two in δt
/// The sums over the nodes and elements have the same bits on any number of ranks.
class ChainEnergyRecorder final : public RowRecorder {
 public:
  explicit ChainEnergyRecorder(const RecorderContext& context)
      : RowRecorder(context, context.output.sampling),
        elements_(engine::chain_of(*context.run.model)->elements()) {
    rows_.add("/energy/t", {"time of the sample", "t"});
    rows_.add("/energy/kinetic", {"kinetic energy of the masses", "sum m y^2/2"});
    rows_.add("/energy/elastic",
              {"elastic energy of all springs", "sum k0 d^2/2 + sum k int k u^2/2 ds"});
    rows_.add("/energy/dissipated",
              {"energy dissipated by sliding since t = 0", "sum int S dd - gain of the slabs"});
    rows_.add("/energy/viscous",
              {"energy dissipated by dashpots since t = 0", "int sum c y^2 + sum b d'^2 dt"});
    rows_.add("/energy/input",
              {"work of the force and of the base since t = 0", "int F y dt + base"});
    rows_.add("/energy/base",
              {"work of the base since t = 0", engine::chain_of(*context.run.model)->absorbs
                                                   ? "int 2 c v y_0 - c y_0^2 dt"
                                                   : "-int sum m a_g y dt"});
    rows_.add("/energy/residual",
              {"what the balance lacks: input less dissipated, viscous and the gain of kinetic and "
               "elastic, since the first sample",
               "input - ..."});
  }
  void serialize(std::int64_t step, engine::Archive& archive) override {
    archive.scalars("first", first_);
    RowRecorder::serialize(step, archive);
  }

 private:
  /// Returns the sum of a term of every element and of the node above it; the first element also
  /// counts the base. Collective.
  template <class Term>
  [[nodiscard]] double sum(const Chain& chain, const Term& term) const {
    std::vector<double> terms(chain.size());
    for (std::size_t j = 0; j < terms.size(); ++j) {
      terms[j] = term(j);
    }
    const parallel::RankReduction reduction{comm_};
    const double most = base::largest_term(
        terms.size(), [&](std::size_t j) { return terms[j]; }, reduction);
    const auto within = [&](double bound, const auto& each) {
      return base::sum_within(
          bound, terms.size(), [&](std::size_t j) { return each(terms[j]); }, reduction);
    };
    // The sum of the absolute values is a close bound, with which few digits are lost.
    const double size =
        within(most * static_cast<double>(elements_), [](double value) { return std::abs(value); });
    return within(size * (1.0 + 1e-6), std::identity());
  }

  void record(const engine::Samples& samples, engine::Engine& engine) override {
    const Chain& chain = engine::chain_in(engine);
    const auto of_nodes = [&](const auto& value) {
      return sum(chain, [&](std::size_t j) {
        return value(j + 1) + (j == 0 && chain.holds_base() ? value(std::size_t{0}) : 0.0);
      });
    };
    const double kinetic =
        of_nodes([&](std::size_t i) { return 0.5 * chain.mass(i) * chain.y()[i] * chain.y()[i]; });
    std::vector<Chain::Energy> energies;
    for (std::size_t j = 0; j < chain.size(); ++j) {
      energies.push_back(chain.energy(j));
    }
    const double elastic = sum(chain, [&](std::size_t j) { return energies[j].elastic; });
    const double slid = sum(chain, [&](std::size_t j) { return energies[j].slid; });
    const double viscous = of_nodes([&](std::size_t i) { return chain.viscous_work()[i]; }) +
                           sum(chain, [&](std::size_t j) { return chain.dashpot_work(j); });
    const double base = of_nodes([&](std::size_t i) { return chain.base_work()[i]; });
    const double input = of_nodes([&](std::size_t i) { return chain.force_work()[i]; }) + base;
    const double balance = input - slid - viscous - kinetic - elastic;
    if (rows_.rows() == 0) {
      first_ = balance;
    }
    rows_.push(std::array{steps_.time(samples.last_step()), kinetic, elastic, slid, viscous, input,
                          base, balance - first_});
  }

  std::int64_t elements_;
  double first_ = 0.0;
};

}  // namespace

double numbers_of_nodes(const engine::RunSpec& run, const OutputSpec& output) {
  const engine::MasingChain* chain = engine::chain_of(*run.model);
  if (chain == nullptr) {
    return 0.0;
  }
  const auto count = [](const Sampling& sampling) {
    return static_cast<double>(SampledSteps(sampling).count());
  };
  const auto nodes = static_cast<double>(chain->nodes());
  const auto written =
      static_cast<double>(WrittenPlaces::thinned(chain->nodes(), output.field_points).kept);
  const double columns = 1 + 5 * static_cast<double>(chain->watch.size()) + (output.energy ? 8 : 0);
  // x and y at each written time, and the numbers of the nodes; the six columns of /profile
  return (2 * count(field_sampling(run, output)) + 1) * written + 6 * nodes +
         columns * count(output.sampling);
}

std::vector<std::unique_ptr<engine::Observer>> make_chain_recorders(
    const RecorderContext& context) {
  std::vector<std::unique_ptr<engine::Observer>> recorders;
  const engine::MasingChain* chain = engine::chain_of(*context.run.model);
  if (chain == nullptr) {
    return recorders;
  }
  if (!chain->watch.empty()) {
    recorders.push_back(std::make_unique<WatchRecorder>(context));
  }
  recorders.push_back(std::make_unique<ChainFieldRecorder>(context));
  recorders.push_back(std::make_unique<ProfileRecorder>(context));
  if (context.output.energy) {
    recorders.push_back(std::make_unique<ChainEnergyRecorder>(context));
  }
  return recorders;
}

}  // namespace masing::io
