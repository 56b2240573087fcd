#include "engine/memory_need.hpp"

#include <fmt/format.h>

#include "base/partition.hpp"
#include "base/text.hpp"
#include "engine/distributed_measure.hpp"
#include "slab/turning_points/interval_sets.hpp"

namespace masing::engine {

namespace {

/// Turning points of no more cells are not split: their tables take some 50 MB.
constexpr std::int64_t unsplit_cells = std::int64_t{1} << 21;

std::string advice(const MemoryNeed& need, double available) {
  if (need.beside > 0) {
    return "use more ranks on more nodes, fewer cells, or a reference that needs less, such as "
           "exact or cells-inf";
  }
  if (need.method == Method::sweep) {
    return "use more ranks on more nodes or the engine memory with cells = inf";
  }
  MemoryNeed without_tables = need;
  without_tables.method = Method::sweep;
  const std::string sweep = bytes_a_rank(without_tables) <= available ? " or the engine sweep" : "";
  // The exact solution is of one rank.
  return (need.method == Method::exact ? "use cells = inf"
                                       : "use more ranks on more nodes or cells = inf") +
         sweep;
}

}  // namespace

std::string gibibytes(double bytes) {
  const double one = 1 << 30;
  return bytes < 0.1 * one ? fmt::format("{:.3g} MiB", bytes / (1 << 20))
                           : fmt::format("{:.1f} GiB", bytes / one);
}

Method method_of(const RunSpec& run) {
  const auto* masing = std::get_if<Masing>(&run.model);
  return masing != nullptr ? masing->method : Method::turning_points;
}

bool is_split(const RunSpec& run, int ranks, double available) {
  if (ranks == 1 || is_exact(run)) {
    return false;
  }
  if (const auto* model = std::get_if<rheology::ModelSpec>(&run.model)) {
    constexpr std::int64_t cells_an_element = 8;  // by the time of a step
    return model->work() == rheology::Work::split &&
           cells_an_element * model->parameters.elements >= run.split_from;
  }
  const slab::Slab& slab = *slab_of(run);
  if (slab.is_continuum() || method_of(run) == Method::sweep) {
    return !slab.is_continuum() && slab.field_cells() >= run.split_from;
  }
  MemoryNeed most = memory_need(run, 1, {});
  most.arrays = 4;
  most.moved = true;
  return slab.field_cells() > unsplit_cells && bytes_a_rank(most) > available;
}

MemoryNeed memory_need(const slab::Slab& slab, int ranks, const Holding& holding) {
  // The continuum's tables do not grow with the places of its field, nor do those of smooth cells.
  const bool is_smooth = holding.method == Method::turning_points && slab::has_smooth_cells(slab);
  return {.cells = is_smooth ? 1 : slab.field_cells(),
          .ranks = ranks,
          .method = slab.is_continuum() || is_smooth ? Method::sweep : holding.method,
          .beside = holding.beside};
}

MemoryNeed memory_need(const RunSpec& run, int ranks, Holding holding) {
  if (const slab::Slab* slab = slab_of(run)) {
    holding.method = method_of(run);
    return memory_need(*slab, ranks, holding);
  }
  const auto& model = std::get<rheology::ModelSpec>(run.model);
  return {.cells = model.layout().size(),
          .ranks = ranks,
          .beside = holding.beside,
          .state = model.work()};
}

double bytes_a_rank(const MemoryNeed& need) {
  const auto own = static_cast<double>(base::local_range(need.cells, 0, need.ranks).size);
  if (need.state) {
    // At most; the total variation of a chain needs the most beside its parameters.
    constexpr double split_numbers = 8;
    constexpr double whole_numbers = 16;
    const bool split = need.state == rheology::Work::split;
    return 8 * (split ? split_numbers : whole_numbers) * own + need.beside;
  }
  const double slab = 8 * (1.0 + need.arrays) * own + need.beside;
  if (need.method == Method::sweep) {
    return slab;
  }
  const double lists = need.moved ? bytes_of_lists : 0.0;
  return slab + ((need.ranks == 1 ? bytes_of_table : bytes_of_own_table) + lists) * own;
}

std::optional<base::UserError> memory_shortage(const MemoryNeed& need, double available) {
  const double bytes = bytes_a_rank(need);
  if (bytes <= available) {
    return std::nullopt;
  }
  const std::string available_text = gibibytes(available) + " available; ";
  if (need.state) {
    return base::UserError(
        "n", "a state of " + base::to_text(need.cells) + " columns needs " + gibibytes(bytes) +
                 " a rank, " + available_text + "use fewer elements" +
                 (need.state == rheology::Work::split ? " or more ranks on more nodes" : ""));
  }
  return base::UserError("cells", "P = " + base::to_text(need.cells) + " needs " +
                                      gibibytes(bytes) + " a rank, " + available_text +
                                      advice(need, available));
}

}  // namespace masing::engine
