#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::engine {

/// What decides how much RAM a run needs.
struct MemoryNeed {
  std::int64_t cells = 1;  ///< of the field, on all ranks
  int ranks = 1;
  bool has_table = false;  ///< one that grows with the cells: of turning points of P cells
  bool is_smooth = false;  ///< without that table the engine memory needs nothing for any cells
  int arrays = 0;  ///< how many of k, η, u0 and c are kept, and one more where u = v + c is
  bool has_initial_u = false;  ///< u0 is not 0 everywhere: cells in three orders beside the table
  double extra_bytes = 0.0;    ///< of what goes along with it on the rank
  /// How ranks share a model that is no slab; `cells` are the columns of its state.
  std::optional<rheology::Work> state = std::nullopt;
};

/// What goes along with a run, and what memory there is for all of it.
struct MemoryBudget {
  double extra_bytes = 0.0;  ///< MemoryNeed::extra_bytes
  /// Bytes a rank, where runs of other ranks share the nodes; else found out for this run alone.
  std::optional<double> available;
};

/// Whether several ranks split the work of a run: of a sweep or of a model that can be split, from
/// RunSpec::split_from on. Else a rank makes the run by itself. Local.
bool is_split(const RunSpec& run, int ranks);

/// Returns how many of the ranks that split a run get no block of its cells, or elements
/// (base/partition.hpp); 0 where they do not split it. Local.
std::int64_t idle_ranks(const RunSpec& run, int ranks);

/// Says how many ranks have no cells, and how many would do; empty where all have some. Local.
std::string idle_advice(const RunSpec& run, int ranks);

/// The need of a run on a number of ranks that split its work, by what a few cells of a slab show.
/// Takes some ms for turning points of billions of cells. Local.
MemoryNeed memory_need(const RunSpec& run, int ranks, double extra_bytes = 0.0);

/// Bytes that the rank with most cells needs, for each of them:
///     u, each array and each field   8
///     the table of turning points   24
///     three lists where u0 ≠ 0      72
/// For each column of the state of a model that is no slab: some numbers, for its parameters, what
/// made them, the state and its rate. Local.
double bytes_a_rank(const MemoryNeed& need);

/// "1.5 GiB", "12.3 MiB". Local.
std::string gibibytes(double bytes);

/// Why a run does not fit into `available` bytes a rank, and what would help, in one line; empty if
/// it fits. Local.
std::optional<base::UserError> memory_shortage(const MemoryNeed& need, double available);

/// The profile of this rank's part of the field, with the arrays that no formula gives. Throws
/// UserError alike on all ranks, for the first cell at fault, or, before anything large is
/// allocated, where the run does not fit into memory. Collective.
slab::Profile checked_profile(const parallel::Communicator& comm, const slab::Slab& slab,
                              Method method = Method::sweep, const MemoryBudget& budget = {});

/// What the exact solution needs of a slab: its distribution of stiffness, of P = ∞ or of P cells,
/// and ∫ k c ds.
struct ExactSlab {
  std::shared_ptr<const slab::Measure> measure;
  double preload = 0.0;
};

/// The ExactSlab of a slab, on a `comm` of one rank. Throws UserError where it is not admissible,
/// or does not fit into memory, Stopped. Local.
ExactSlab exact_slab(const parallel::Communicator& comm, const slab::Slab& slab);

/// An initialised run: its engine at the start and, of a slab, the part of the profile on this
/// rank.
struct Setup {
  std::unique_ptr<slab::Profile> profile;  ///< null for models that are no slab
  std::unique_ptr<Engine> engine;
};

/// The engine of a run of a slab; on several ranks by a sweep. `comm` and `profile`
/// (checked_profile's) must outlive it. Throws UserError alike on all ranks where the engine cannot
/// solve the problem. Collective.
std::unique_ptr<Engine> make_engine(const parallel::Communicator& comm, const RunSpec& run,
                                    const slab::Profile& profile);

/// Initialises a run, on several ranks one that they share (is_split), each with its part of the
/// field. `comm` must outlive it. Throws UserError alike on all ranks where it does not fit into
/// memory, or the engine cannot solve it, Stopped where one is asked to stop. Collective.
Setup make_setup(const parallel::Communicator& comm, const RunSpec& run,
                 const MemoryBudget& budget = {});

/// Checks what only a look shows: every cell, what the engine needs, and what drives the run at
/// every step, or at a million of them; by the root where ranks do not share the run. `is_set_up`:
/// whether the first two, of a slab that was not looked at before. Throws UserError alike on all
/// ranks. Collective.
void check_run(const parallel::Communicator& comm, const RunSpec& run, bool is_set_up = true);

}  // namespace masing::engine
