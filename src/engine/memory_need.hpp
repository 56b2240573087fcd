#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "engine/run_spec.hpp"
#include "rheology/model_info.hpp"
#include "slab/problem.hpp"

namespace masing::engine {

/// What decides how much RAM a run needs.
struct MemoryNeed {
  std::int64_t cells = 1;  ///< of the field, on all ranks
  int ranks = 1;
  /// sweep for P = ∞ too, whose tables do not grow with the places of the field.
  Method method = Method::sweep;
  int arrays = 0;       ///< how many of k, η, u0 and c are kept, and one more where u = v + c is
  bool moved = false;   ///< u0 is not 0 everywhere: cells in three orders beside the table
  double beside = 0.0;  ///< bytes of what goes along with it on the rank
  /// How ranks share a model that is no slab; `cells` are the columns of its state.
  std::optional<rheology::Work> state = std::nullopt;
};

/// What goes along with a run, and what memory there is for all of it.
struct Holding {
  Method method = Method::sweep;
  double beside = 0.0;  ///< MemoryNeed::beside
  /// Bytes a rank, where runs of other ranks share the nodes; else found out for this run alone.
  std::optional<double> available;
};

/// Method of a run, as its memory depends on it: the turning points of a slab without a mass need
/// what those of one with a mass do. Local.
Method method_of(const RunSpec& run);

/// Whether `ranks` ranks that may allocate `available` bytes each split the work of a run: of a
/// sweep or of a model that can be split, from RunSpec::split_from on; of turning points, where
/// their table is too large for one rank. Else a rank makes the run by itself. Takes some ms for
/// turning points of billions of cells. Local.
bool is_split(const RunSpec& run, int ranks, double available);

/// The need of a slab on a number of ranks before its profile is known: no array. Local.
MemoryNeed memory_need(const slab::Slab& slab, int ranks, const Holding& holding);

/// The least need of a run on a number of ranks that split its work, whatever its model. Local.
MemoryNeed memory_need(const RunSpec& run, int ranks, Holding holding);

/// Bytes that the rank with most cells needs. Of a state: some numbers a column that it holds, its
/// parameters, what made them, the state and its rate. Of slabs: 8 a cell for u, each array and
/// each field; of turning points a table of 24 a cell on one rank, of 17 on each of several, and
/// where u0 is not 0 three lists of 24 beside it. Local.
double bytes_a_rank(const MemoryNeed& need);

/// "1.5 GiB", "12.3 MiB". Local.
std::string gibibytes(double bytes);

/// Why a run does not fit into `available` bytes a rank, and what would help, in one line; empty if
/// it fits. Local.
std::optional<base::UserError> memory_shortage(const MemoryNeed& need, double available);

}  // namespace masing::engine
