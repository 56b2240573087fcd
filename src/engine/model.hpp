#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/function.hpp"
#include "base/smooth_pieces.hpp"
#include "parallel/communicator.hpp"
#include "rheology/model_info.hpp"
#include "slab/problem.hpp"
#include "slab/scheme.hpp"

namespace masing::engine {

/// How a motion is computed. `sweep` goes through all cells of a slab, or all elements of another
/// model, in every step, and can split the cells of a slab over the ranks. `memory` computes the
/// force of a slab from the turning points of x. `exact` computes the exact solution from one event
/// to the next; the steps of the run are then only times of samples.
enum class Method { sweep, memory, exact };

/// A function of time that drives a run, and its name and symbol in messages.
struct Drive {
  base::Function of_t;
  base::NamedQuantity name = {};
};

/// A quantity whose error a study measures: its name in files and tables, its symbol in the
/// descriptions of columns, and the part of a motion in which its error is the largest one.
struct Quantity {
  /// x or y of the mass or of all nodes; u at all s; u at the points of the cells, which a model
  /// without cells does not have; the root mean square of x or y over all nodes.
  enum class Part { motion, everywhere, points, mean };
  const char* name = "";
  const char* symbol = "";
  Part part = Part::motion;
};

/// What Engine::state() of a model contains, and what files have of it.
struct Layout {
  /// u of each cell of a slab, the columns of the state, or x and y of each node in turn.
  enum class Of { cells, columns, nodes };
  Of of = Of::columns;
  std::int64_t size = 0;        ///< the number of entries; for P = ∞, of the places s of u
  std::int64_t first_node = 1;  ///< the number of the first node that moves, 0 or 1
  /// The columns of /state/values, or no groups if files have no /state. Of a slab without a mass
  /// this is x.
  rheology::StateLayout state = {};
  std::string force = "F";      ///< the symbol of /series/force
  std::string restoring = "F";  ///< the symbol of /series/restoring
};

/// The parts of a run that its steps go through: cells, elements, or columns of the state.
struct Parts {
  std::int64_t count = 1;
  /// A step of one part takes as much time as a step of this number of cells; 0 if no step goes
  /// through the parts.
  double cells_each = 0.0;
  bool can_be_split = false;  ///< whether the parts can be split over the ranks
};

/// The memory that a run needs.
struct MemoryNeed {
  std::int64_t count = 1;       ///< the number of parts, on all ranks together
  const char* parts = "cells";  ///< what the parts are, for messages
  double bytes_each = 8.0;      ///< the bytes that a part needs
  /// The bytes of other data that the rank stores at the same time.
  double extra_bytes = 0.0;
};

struct RunSpec;
struct Setup;

/// A model with its parameters: a slab with or without a mass, nodes with a slab between each two,
/// or a model of finitely many elements. Objects do not change. All functions except set_up() are
/// Local.
class Model {
 public:
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Returns the description of the model in the catalogue.
  [[nodiscard]] const rheology::ModelInfo& info() const { return info_; }

  /// Returns the model and its sizes, such as "P = 1500" or "prandtl", as messages name them or, if
  /// `of_figure`, as titles of figures do.
  [[nodiscard]] virtual std::string title(bool of_figure) const = 0;
  [[nodiscard]] virtual Layout layout() const = 0;
  /// Returns the four quantities whose errors a study measures, in the order of study::Errors.
  [[nodiscard]] virtual std::span<const Quantity, 4> quantities() const;
  [[nodiscard]] virtual Parts parts(Method method) const = 0;
  /// Returns the memory that a run needs. Evaluates the functions of a slab in at most three cells
  /// to estimate which arrays the profile of the slab needs. If the run is no sweep and has more
  /// than slab::most_tabled_cells cells, the function takes some milliseconds.
  [[nodiscard]] virtual MemoryNeed memory(Method method) const = 0;
  /// Returns the same model with another discretization of its slabs and, if `elements` > 0, with
  /// another number of elements, the force being on the last. Throws UserError if a parameter does
  /// not have as many values.
  [[nodiscard]] virtual std::shared_ptr<const Model> at(const slab::Space& space,
                                                        std::int64_t elements) const = 0;
  /// Creates the engine of a run of this model at t = 0, as make_setup() does. `available` is the
  /// number of bytes that a rank may use. Collective on `comm`.
  [[nodiscard]] virtual Setup set_up(const parallel::Communicator& comm, const RunSpec& run,
                                     double available) const = 0;

  /// Returns the slab, or that of each element; none for models of finitely many elements. All have
  /// the same Slab::space. A single slab may stand for those of all elements.
  [[nodiscard]] virtual std::span<const slab::Slab> slabs() const { return {}; }
  /// Returns the scheme of a model of slabs with masses; null for other models.
  [[nodiscard]] virtual const slab::SchemeInfo* scheme() const { return nullptr; }
  /// Returns the data of the mass on a slab; its mass is 0 for a slab without one. Returns null for
  /// models that are no slab.
  [[nodiscard]] virtual const slab::Oscillator* oscillator() const { return nullptr; }
  /// Returns a warning that the scheme lets oscillations grow with this step, or an empty string.
  /// Throws UserError if the scheme is unstable.
  [[nodiscard]] virtual std::string advice(const slab::TimeGrid& /*time*/) const { return {}; }

 protected:
  explicit Model(const rheology::ModelInfo& info) : info_(info) {}

 private:
  const rheology::ModelInfo& info_;
};

/// Defines one run: all data on which the results of the run depend. Functions are already parsed.
struct RunSpec {
  std::shared_ptr<const Model> model;
  /// The function that drives the run: x(t) if `gives_position`, F(t) - m a_g(t) if the base of a
  /// slab moves, and F(t) otherwise. For a model with nodes, also the acceleration a_g(t) of its
  /// base or, if the base absorbs, the velocity v_in(t) of the wave that comes in from below.
  std::vector<Drive> drives;
  slab::TimeGrid time;
  Method method = Method::sweep;
  bool gives_position = false;  ///< whether drives[0] is x(t)
  /// The times in (0, T) at which F may not be smooth, for Method::exact.
  std::vector<double> breaks = {};
  /// A run whose parts can be split is split over the ranks if one of its steps costs at least as
  /// much as a step of this number of cells. A step of 32768 cells takes a few µs, and two ranks on
  /// idle cores save nearly half of this time. For fewer cells the gain is smaller than the loss if
  /// cores are busy.
  std::int64_t split_from = 32768;
};

/// Returns a model of finitely many elements. Other headers declare the functions that return the
/// other models. Local.
std::shared_ptr<const Model> make_model(rheology::ModelSpec spec);

/// Returns the slab of a run, or null if the model is not a slab. Local.
const slab::Slab* slab_of(const RunSpec& run);

/// Returns the discretization in s of the slabs of a run; null for models without slabs. Local.
const slab::Space* space_of(const RunSpec& run);

/// Returns whether a run uses the engine of turning points and slab::has_smooth_cells() is true for
/// its slab. Neither the memory nor the time per step of such a run depends on P. For more than
/// slab::most_tabled_cells cells, the function takes some milliseconds. Local.
bool has_smooth_cells(const RunSpec& run);

/// Returns P if a run computes all cells of a slab in every step, or NaN if not. Local.
double swept_cells(const RunSpec& run);

/// Returns the name of a run in messages, "P = 1500, N = 1000000" or "prandtl, N = 8000", or in
/// titles of figures, where P may be "∞". Local.
std::string title(const RunSpec& run, bool of_figure = false);

/// Returns P as text: "400", or "inf" for the continuum, of figures "∞". Local.
std::string cells_text(const slab::Space& space, bool of_figure = false);

/// Returns the cells whose steps take as much time as a step of a run through its parts. Local.
double visited_cells(const RunSpec& run);

/// Returns a measure of the time that a run takes, in updates of a cell, by which the runs of a
/// study are compared. No result depends on it. Local.
double estimated_cost(const RunSpec& run);

/// Returns Model::advice() for the time grid of a run, or an empty string if its solution is exact.
/// Throws UserError if the scheme is unstable. Local.
std::string step_advice(const RunSpec& run);

}  // namespace masing::engine
