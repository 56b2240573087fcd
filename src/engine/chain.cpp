#include "engine/chain.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "engine/setup.hpp"
#include "engine/slab.hpp"
#include "parallel/communicator.hpp"
#include "parallel/vector.hpp"

namespace masing::engine {

slab::ChainPart chain_part(const MasingChain& chain, const base::CellRange& held) {
  const bool has_copy = held.size > 0 && held.first > 0;  // of the last node of the part before
  const rheology::ParameterValues values(
      rheology::all_parameters(chain.parameters.model->info), chain.parameters.parameters,
      has_copy ? base::CellRange{held.first - 1, held.size + 1} : held);
  const auto of_elements = [&](const char* name) {
    std::vector<double> list = values.list(name);
    list.erase(list.begin(), list.begin() + (has_copy ? 1 : 0));
    return list;
  };
  const auto of_nodes = [&](const char* name, double base) {
    std::vector<double> list = values.list(name);
    if (!has_copy) {
      list.insert(list.begin(), base);
    }
    return list;
  };
  return {.holds_base = held.first == 0,
          .mass = of_nodes("m", values.number("base_mass")),
          .ground = of_nodes("c_ground", values.number("base_impedance")),
          .stiffness = of_elements("k"),
          .scale = of_elements("eta"),
          .spring = of_elements("k0"),
          .dashpot = of_elements("c"),
          .x0 = of_nodes("x0", 0.0),
          .y0 = of_nodes("y0", 0.0)};
}

base::CellRange nodes_of(const MasingChain& chain, const base::CellRange& held) {
  const std::int64_t base = chain.absorbs ? 1 : 0;
  return held.first == 0 && held.size > 0 ? base::CellRange{0, held.size + base}
                                          : base::CellRange{held.first + base, held.size};
}

namespace {

/// Returns the slab of all elements or, if i occurs in a function of s, that of each element.
/// Throws UserError if there are too many of them.
std::vector<slab::Slab> shapes_of(const MasingChain& chain) {
  constexpr std::int64_t most = 1000;
  const slab::Slab& shape = chain.shape;
  const base::Function* const functions[] = {&shape.stiffness, &shape.threshold,
                                             &chain.threshold_down, &shape.initial_u};
  const bool differ = std::ranges::any_of(
      functions, [](const auto* function) { return function->constants().contains("i"); });
  const std::int64_t count = differ ? chain.elements() : 1;
  if (count > most) {
    throw base::UserError(
        "n", fmt::format("{}; with i in a function of s each element has a slab of its own, which "
                         "{} elements may have at most; give factors by --set k and --set eta",
                         count, most));
  }
  std::vector<slab::Slab> shapes;
  for (std::int64_t i = 1; i <= count; ++i) {
    const base::Constants place{{"i", static_cast<double>(i)},
                                {"n", static_cast<double>(chain.elements())}};
    slab::Slab& own = shapes.emplace_back(shape);
    own.stiffness = shape.stiffness.bound(place);
    own.threshold = shape.threshold.bound(place);
    own.initial_u = shape.initial_u.bound(place);
    own.set_threshold_down(chain.threshold_down.bound(place));
  }
  return shapes;
}

/// The engine for a chain of slabs. The elements are split over the ranks; in every step a rank
/// exchanges one number with each of its neighbours. Source: (2.30), rheological-models-2000.
class ChainEngine final : public Engine {
 public:
  /// `comm` and `spec` must outlive the object; `slabs` are those of the elements, [1 or n]. Throws
  /// UserError on all ranks alike if the parameters or a slab are not valid. Collective.
  ChainEngine(const parallel::Communicator& comm, const RunSpec& run, const MasingChain& spec,
              std::span<const slab::Slab> slabs)
      : comm_(comm),
        spec_(spec),
        time_(run.time),
        mine_(base::local_range(spec_.elements(), comm.rank(), comm.size())),
        neighbours_(comm, mine_, spec_.elements()),
        watched_(spec_.watch) {
    watched_.insert(watched_.begin(), spec_.force_node);
    const parallel::Communicator own(MPI_COMM_SELF);
    parallel::on_each(comm, [&] {
      std::vector<slab::BuiltSlab> shapes;
      if (slabs.size() > 1) {
        slabs = slabs.subspan(static_cast<std::size_t>(mine_.first),
                              static_cast<std::size_t>(mine_.size));
      }
      for (const slab::Slab& slab : slabs) {
        shapes.push_back(built_slab(own, slab, Method::memory));
      }
      chain_.emplace(chain_part(spec_, mine_), std::move(shapes), spec_.scheme, time_.step(),
                     spec_.force_node - mine_.first, spec_.keeps_works);
    });
    const std::vector<double> start = drives_at_start(comm, run);
    force_ = start[0];
    base_ = start[1];
    chain_->start(exchanged(), load());
    rows_.resize(watched_.size());
    record(0);
    combine(1);
  }

  [[nodiscard]] Sample start() const override {
    return {rows_.front().x, rows_.front().y, rows_.front().restoring};
  }

  void advance(const slab::Chunk& chunk) override {
    saved_.clear();
    const std::size_t steps = chunk.x.size();
    rows_.resize(steps * watched_.size());
    for (std::size_t i = 0; i < steps; ++i) {
      chain_->move();
      force_ = chunk.force[i + 1];
      base_ = chunk.base[i + 1];
      chain_->accelerate(exchanged(), load());
      record(i);
    }
    combine(steps);
    require_finite(time_.time(chunk.first + static_cast<std::int64_t>(steps)));
    for (std::size_t i = 0; i < steps; ++i) {
      const WatchedNode& node = rows_[i * watched_.size()];
      chunk.x[i] = node.x;
      chunk.y[i] = node.y;
      chunk.restoring[i] = node.restoring;
    }
  }

  /// Returns x and y of all nodes in turn, [2 nodes].
  const parallel::Vector& state() override {
    const base::CellRange nodes = nodes_of(spec_, mine_);
    if (!field_) {
      field_.emplace(comm_, 2 * spec_.nodes(), base::CellRange{2 * nodes.first, 2 * nodes.size});
    }
    for (std::int64_t i = 0; i < nodes.size; ++i) {
      const std::size_t node = first_own_node() + static_cast<std::size_t>(i);
      field_->values()[static_cast<std::size_t>(2 * i)] = chain_->x()[node];
      field_->values()[static_cast<std::size_t>(2 * i + 1)] = chain_->y()[node];
    }
    return *field_;
  }

  [[nodiscard]] const slab::Chain& chain() const { return *chain_; }
  std::span<const WatchedNode> watched() override { return rows_; }

  std::string warning() override {
    const std::int64_t weak = first_at_strength();
    return weak == never ? ""
                         : fmt::format(
                               "element {} has reached its strength: from there on the deformation "
                               "localizes in one element, and the result depends on n; k0 > 0 "
                               "prevents this",
                               weak);
  }

  void serialize(Archive& archive) override;

 private:
  /// Returns the number of the first element that has reached its strength so far, or `never`.
  /// Collective.
  [[nodiscard]] std::int64_t first_at_strength() const {
    const std::size_t j = chain_->first_at_strength();
    const std::int64_t mine =
        j < chain_->size() ? mine_.first + static_cast<std::int64_t>(j) + 1 : never;
    return std::min(weak_, parallel::min_over_ranks(comm_, mine));
  }
  [[nodiscard]] std::size_t first_own_node() const {
    return spec_.absorbs && mine_.first == 0 ? 0 : 1;
  }

  /// Throws UserError on all ranks alike if the motion of a node is not finite. Collective.
  void require_finite(double time) const {
    std::int64_t bad = never;
    for (std::size_t i = chain_->x().size(); i-- > 0;) {
      if (!std::isfinite(chain_->x()[i]) || !std::isfinite(chain_->a()[i])) {
        bad = mine_.first + static_cast<std::int64_t>(i);
      }
    }
    bad = parallel::min_over_ranks(comm_, bad);
    if (bad != never) {
      throw base::UserError("steps", fmt::format("the motion of node {} is not finite at t = {}; "
                                                 "the step is too large: give more",
                                                 bad, base::to_text(time)));
    }
  }

  /// Returns what acts on the chain at the last step.
  [[nodiscard]] slab::ChainLoad load() const {
    const double impedance = mine_.first == 0 ? chain_->ground(0) : 0.0;
    return spec_.absorbs ? slab::ChainLoad{force_, 0.0, 2 * impedance * base_}
                         : slab::ChainLoad{force_, base_, 0.0};
  }

  [[nodiscard]] slab::ChainEnds exchanged() const {
    const auto forces = chain_->forces();
    const auto [from_before, from_after] =
        forces.empty() ? neighbours_.exchange(0.0, 0.0)
                       : neighbours_.exchange(forces.front(), forces.back());
    return {from_before, from_after};
  }

  /// Writes what is recorded of the watched nodes of this rank, in row `row`; of other nodes zeros.
  void record(std::size_t row) {
    for (std::size_t w = 0; w < watched_.size(); ++w) {
      const std::int64_t local = watched_[w] - mine_.first;
      WatchedNode& node = rows_[row * watched_.size() + w] = {};
      const auto i = static_cast<std::size_t>(local);
      // Local node 0 is the base, or the last node of the part before.
      if (local < (mine_.first == 0 ? 0 : 1) || local > mine_.size || mine_.size == 0) {
        continue;
      }
      const bool is_base = i == 0;
      const double below = is_base ? 0.0 : chain_->forces()[i - 1];
      node = {.x = chain_->x()[i],
              .y = chain_->y()[i],
              .a = chain_->a()[i] + (spec_.absorbs ? 0.0 : base_),
              .elongation = is_base ? base::undefined : chain_->elongation(i - 1),
              .force = is_base ? base::undefined : below,
              .restoring = below - chain_->force_above(i)};
    }
  }

  /// Combines the rows of all ranks: only one rank has the numbers of a node, the others zeros.
  void combine(std::size_t rows) {
    static_assert(sizeof(WatchedNode) == 6 * sizeof(std::int64_t));
    // MPI adds the bits of the numbers as integers.
    parallel::sum_over_ranks(comm_, std::span(reinterpret_cast<std::int64_t*>(rows_.data()),
                                              6 * rows * watched_.size()));
  }

  const parallel::Communicator& comm_;
  const MasingChain& spec_;
  slab::TimeGrid time_;
  base::CellRange mine_;
  parallel::Neighbours neighbours_;
  std::optional<slab::Chain> chain_;
  std::vector<std::int64_t> watched_;  // the force node, then the watched nodes
  std::vector<WatchedNode> rows_;      // of the steps of the last chunk, [steps][watched]
  double force_ = 0.0;                 // F at the last step
  double base_ = 0.0;                  // a_g or v_in at the last step
  std::optional<parallel::Vector> field_;
  std::vector<parallel::Vector> saved_;  // what an archive may still read
  std::int64_t weak_ = never;            // first_at_strength() when the run was saved
};

void ChainEngine::serialize(Archive& archive) {
  const std::int64_t first_weak = first_at_strength();
  auto weak = static_cast<double>(first_weak == never ? 0 : first_weak);
  archive.scalars("strength", weak);
  archive.scalars("load", force_, base_);
  weak_ = weak > 0 ? static_cast<std::int64_t>(weak) : never;
  slab::Chain::State state = chain_->state();
  saved_.clear();
  saved_.reserve(3);  // an archive may keep pointers to these vectors
  // Saves or restores this rank's `values`: `numbers` of each of the places `mine` among `size`.
  const auto split = [&](const char* name, std::span<double> values, std::size_t numbers,
                         std::int64_t size, const base::CellRange& mine) {
    const auto each = static_cast<std::int64_t>(numbers);
    parallel::Vector& vector = saved_.emplace_back(
        comm_, each * size, base::CellRange{each * mine.first, each * mine.size});
    std::ranges::copy(values, vector.values().begin());
    archive.split(name, vector);
    std::ranges::copy(vector.values(), values.begin());
  };
  const base::CellRange own = nodes_of(spec_, mine_);
  split("nodes", std::span(state.nodes).subspan(first_own_node() * slab::Chain::node_numbers),
        slab::Chain::node_numbers, spec_.nodes(), own);
  split("elements", state.elements, slab::Chain::element_numbers, spec_.elements(), mine_);
  // The elements remember different numbers of positions.
  std::vector<std::int64_t> counts(static_cast<std::size_t>(comm_.size()), 0);
  const auto mine = counts.begin() + comm_.rank();
  for (std::size_t j = 0; j < chain_->size(); ++j) {
    *mine += std::llround(state.elements[j * slab::Chain::element_numbers]);
  }
  state.positions.resize(static_cast<std::size_t>(*mine));
  parallel::sum_over_ranks(comm_, counts);
  split("positions", state.positions, 1,
        std::accumulate(counts.begin(), counts.end(), std::int64_t{0}),
        {std::accumulate(counts.begin(), mine, std::int64_t{0}), *mine});
  if (!archive.restores()) {
    return;
  }
  // The copy that a rank has of the last node of the rank before it.
  const std::int64_t copies = first_own_node() == 1 && own.size > 0 && own.first > 0 ? 1 : 0;
  constexpr auto numbers = static_cast<std::int64_t>(slab::Chain::node_numbers);
  parallel::RangeGather gather(saved_.front(), {numbers * (own.first - copies), numbers * copies});
  std::ranges::copy(gather(saved_.front()), state.nodes.begin());
  chain_->restore(state);
  chain_->restore_load(exchanged(), load());
  saved_.clear();
}

/// The model of a chain of slabs.
class ChainModel final : public Model {
 public:
  explicit ChainModel(MasingChain chain)
      : Model(chain.parameters.model->info), chain_(std::move(chain)), shapes_(shapes_of(chain_)) {}

  [[nodiscard]] const MasingChain& chain() const { return chain_; }

  [[nodiscard]] std::string title(bool of_figure) const override {
    return fmt::format("{}, n = {}, P = {}", info().name, chain_.elements(),
                       cells_text(chain_.shape.space, of_figure));
  }
  [[nodiscard]] Layout layout() const override {
    return {.of = Layout::Of::nodes,
            .size = 2 * chain_.nodes(),
            .first_node = chain_.absorbs ? 0 : 1,
            .restoring = "fᵢ − fᵢ₊₁"};
  }
  [[nodiscard]] std::span<const Quantity, 4> quantities() const override {
    static constexpr Quantity of_nodes[] = {
        {"x", "x at the nodes"},
        {"y", "y at the nodes"},
        {"x_rms", "x at the nodes, the largest root mean square", Quantity::Part::mean},
        {"y_rms", "y at the nodes, the largest root mean square", Quantity::Part::mean}};
    return of_nodes;
  }
  [[nodiscard]] Parts parts(Method /*method*/) const override {
    // A step of an element takes as much time as a step of this number of cells.
    constexpr double cells_an_element = 16.0;
    return {.count = chain_.elements(), .cells_each = cells_an_element, .can_be_split = true};
  }
  [[nodiscard]] MemoryNeed memory(Method /*method*/) const override {
    // These bytes suffice for an element that remembers four turning points.
    const double bytes = chain_.keeps_works ? 380.0 : 350.0;
    return {chain_.elements(), "elements", bytes,
            static_cast<double>(shapes_.size()) * bytes_of_built(shapes_.front())};
  }
  [[nodiscard]] std::shared_ptr<const Model> at(const slab::Space& space,
                                                std::int64_t elements) const override {
    MasingChain other = chain_;
    other.shape.space = space;
    if (elements > 0) {
      other.parameters.parameters.elements = other.force_node = elements;
      (void)chain_part(other, {0, 1});  // throws if a parameter has another number of values
    }
    return std::make_shared<ChainModel>(std::move(other));
  }
  [[nodiscard]] Setup set_up(const parallel::Communicator& comm, const RunSpec& run,
                             double available) const override {
    require_memory(memory(run.method), comm.size(), available);
    Setup setup;
    setup.engine = std::make_unique<ChainEngine>(comm, run, chain_, shapes_);
    return setup;
  }
  [[nodiscard]] std::span<const slab::Slab> slabs() const override { return shapes_; }
  [[nodiscard]] const slab::SchemeInfo* scheme() const override {
    return &slab::info(chain_.scheme);
  }
  [[nodiscard]] std::string advice(const slab::TimeGrid& time) const override {
    return slab::step_advice(chain_part(chain_, {0, chain_.elements()}), shapes_,
                             slab::info(chain_.scheme), time);
  }

 private:
  MasingChain chain_;
  std::vector<slab::Slab> shapes_;  // [1 or n]
};

}  // namespace

std::shared_ptr<const Model> make_model(MasingChain chain) {
  return std::make_shared<ChainModel>(std::move(chain));
}

const MasingChain* chain_of(const Model& model) {
  const auto* chain = dynamic_cast<const ChainModel*>(&model);
  return chain == nullptr ? nullptr : &chain->chain();
}

const slab::Chain& chain_in(Engine& engine) {
  return dynamic_cast<ChainEngine&>(engine).chain();
}

}  // namespace masing::engine
