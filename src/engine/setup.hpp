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

/// The data that determine how much memory a run needs.
struct MemoryNeed {
  std::int64_t cells = 1;  ///< the number of cells of the field, on all ranks together
  int ranks = 1;
  /// Whether there is a table with sums over the cells (slab::make_cell_measure).
  bool has_table = false;
  /// Whether the slab has many cells and is piecewise smooth, so that the engine `memory`
  /// (Method::turning_points) needs no data per cell.
  bool is_smooth = false;
  int arrays = 0;  ///< the number of arrays of k, η, u0 and c, plus one if u = v + c is stored
  /// Whether u0 is not 0 everywhere, so that a table is accompanied by three lists of cells.
  bool has_initial_u = false;
  /// The bytes of other runs and data that the rank stores at the same time.
  double extra_bytes = 0.0;
  /// How the ranks share a model of finitely many elements; `cells` is then the number of columns
  /// of the state. This member has no value if the model is a slab.
  std::optional<rheology::Work> state = std::nullopt;
};

/// The memory that is available to a run, and the memory that other data of the same rank need.
struct MemoryBudget {
  double extra_bytes = 0.0;  ///< see MemoryNeed::extra_bytes
  /// The available bytes per rank. This number must be given if other ranks, with runs of their
  /// own, use the memory of the same nodes; without it, the memory of the nodes is available to
  /// this run alone.
  std::optional<double> available;
};

/// Returns whether several ranks split a run. They do if the run is a sweep or its model can be
/// split, and if a step costs at least as much as a step of RunSpec::split_from cells. Otherwise
/// one rank computes the run. Local.
bool is_split(const RunSpec& run, int ranks);

/// Returns how many of the ranks that split a run receive no block of cells or elements
/// (base/partition.hpp). Returns 0 if the ranks do not split the run. Local.
std::int64_t idle_ranks(const RunSpec& run, int ranks);

/// Returns a message that says how many ranks have no cells or elements and how many ranks would
/// suffice, or an empty string if idle_ranks() is 0. Local.
std::string idle_advice(const RunSpec& run, int ranks);

/// Returns the memory need of a run that is split over `ranks` ranks. Evaluates the functions of a
/// slab in a few cells to estimate which arrays the profile of the slab needs. The function takes
/// some milliseconds for the engine of turning points with billions of cells. Local.
MemoryNeed memory_need(const RunSpec& run, int ranks, double extra_bytes = 0.0);

/// Returns the bytes that the rank with the most cells needs. Per cell:
///     8 for u and for each array
///     24 for the table with sums over the cells
///     72 for the three lists beside the table if u0 ≠ 0
/// For a model of finitely many elements, the need per column of the state is 8 doubles if the
/// ranks split the model, otherwise 16 doubles: for the parameters, the state and its rate of
/// change. Local.
double bytes_a_rank(const MemoryNeed& need);

/// Returns a number of bytes as text: "1.5 GiB", "12.3 MiB". Local.
std::string gibibytes(double bytes);

/// Returns an error that says in one line why a run does not fit into `available` bytes per rank
/// and what would help. Returns no value if the run fits. Local.
std::optional<base::UserError> memory_shortage(const MemoryNeed& need, double available);

/// Returns the profile of this rank's cells, with arrays for those of k, η, u0 and c that are not
/// given by a formula. Throws UserError on all ranks alike for the first cell of all ranks that has
/// invalid values or, before large arrays are allocated, if the run does not fit into memory.
/// Collective.
slab::Profile checked_profile(const parallel::Communicator& comm, const slab::Slab& slab,
                              Method method = Method::sweep, const MemoryBudget& budget = {});

/// The data of a slab for the exact solution: the measure, that is, the distribution of stiffness
/// over η, and ∫ k c ds (a sum if P is finite).
struct ExactSlab {
  std::shared_ptr<const slab::Measure> measure;
  double preload = 0.0;
};

/// Returns the ExactSlab of a slab. `comm` must have one rank. Throws UserError if the slab is
/// invalid or does not fit into memory, and Stopped if a stop is requested. Local.
ExactSlab exact_slab(const parallel::Communicator& comm, const slab::Slab& slab);

/// An initialised run: its engine at step 0 and, for a slab, the profile of this rank's cells.
struct Setup {
  std::unique_ptr<slab::Profile> profile;  ///< null if the model is not a slab
  std::unique_ptr<Engine> engine;
};

/// Creates the engine of a run whose model is a slab. With several ranks the engine must be a
/// sweep. `comm` and `profile` (returned by checked_profile) must outlive the engine. Throws
/// UserError on all ranks alike if the engine cannot solve the problem. Collective.
std::unique_ptr<Engine> make_engine(const parallel::Communicator& comm, const RunSpec& run,
                                    const slab::Profile& profile);

/// Initialises a run. If `comm` has several ranks, the ranks must split the run (is_split), and
/// each rank stores a part of the field. `comm` must outlive the result. Throws UserError on all
/// ranks alike if the run does not fit into memory or the engine cannot solve the problem, and
/// Stopped if a rank is requested to stop. Collective.
Setup make_setup(const parallel::Communicator& comm, const RunSpec& run,
                 const MemoryBudget& budget = {});

/// Checks the parts of a run that require evaluating functions: k, η and u0 of all cells, the setup
/// of the engine, and whether the function that drives the run is finite at all steps, or at about
/// a million of the steps if a run has more. If the ranks do not split the run, the root checks
/// alone. If `checks_setup` is false, only the driving function is checked; this is for a run whose
/// setup was already checked. Throws UserError on all ranks alike if a check fails. Collective.
void check_run(const parallel::Communicator& comm, const RunSpec& run, bool checks_setup = true);

}  // namespace masing::engine
