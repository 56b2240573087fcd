#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/function.hpp"
#include "base/smooth_pieces.hpp"
#include "rheology/model_info.hpp"
#include "slab/problem.hpp"
#include "slab/scheme.hpp"

namespace masing::engine {

/// How a motion is computed. `sweep` goes through all cells of a slab, or all elements of another
/// model, in every step, and can split the cells of a slab over the ranks. `memory` computes the
/// force of a slab from the turning points of x. `exact` computes the exact solution from one event
/// to the next; the steps of the run are then only times of samples.
enum class Method { sweep, memory, exact };

/// The continuous Masing model with a mass. Source: (7), continuous-masing-2001.
struct Masing {
  slab::Slab slab;
  slab::Oscillator oscillator;
  slab::Scheme scheme = slab::Scheme::euler;
  /// Whether x is relative to a base with the acceleration a_g(t), so that F(t) - m a_g(t) drives
  /// the mass.
  bool base_moves = false;
};

/// The continuous Masing model without a mass: F = k0 x + ∫ k u ds, driven by F(t) or x(t).
struct QuasistaticMasing {
  slab::Slab slab;
  double k0 = 0.0;
  double x0 = 0.0;
};

/// A chain of n masses with the continuous Masing element in each link. Source: (2.30),
/// rheological-models-2000, with slabs for the St-Venant elements.
struct MasingChain {
  /// The slab of all elements, for κ = θ = 1, or that of each element, [1 or n]. All have the same
  /// Slab::space.
  std::vector<slab::Slab> shapes;
  /// n and the parameters of the nodes and elements: m, k (κ), eta (θ), k0, c (b), c_ground (c), x0
  /// and y0 have one value for each, base_impedance and base_mass one value.
  rheology::ModelSpec parameters;
  slab::Scheme scheme = slab::Scheme::leapfrog;
  bool absorbs = false;         ///< whether node 0 is a mass on a dashpot, an elastic half-space
  std::int64_t force_node = 1;  ///< the node that F acts on, 1, …, n
  std::vector<std::int64_t> watch = {};  ///< nodes whose motion is recorded at every sample
  bool keeps_works = false;              ///< whether the works of all forces are integrated
  /// Returns the same chain with another number of elements; empty if it is not needed.
  std::function<MasingChain(std::int64_t elements)> with_elements = {};

  [[nodiscard]] std::int64_t elements() const { return parameters.parameters.elements; }
  /// Returns the number of nodes that move: n, or n + 1 if the base absorbs.
  [[nodiscard]] std::int64_t nodes() const { return elements() + (absorbs ? 1 : 0); }
};

using Model = std::variant<Masing, QuasistaticMasing, rheology::ModelSpec, MasingChain>;

/// Properties that every kind of model has, for code that does not distinguish the kinds.
struct ModelFacts {
  std::string_view name;             ///< the name in the catalogue of models
  const slab::Slab* slab = nullptr;  ///< the slab; null if the model has none
  /// The model of finitely many elements; null if the model is a slab.
  const rheology::ModelSpec* elements = nullptr;
  const MasingChain* chain = nullptr;  ///< the model if it is a chain of slabs
  /// The scheme of a slab with a mass, or of a chain of them; null for other models.
  const slab::SchemeInfo* scheme = nullptr;
  /// The data of the mass on a slab. For a slab without a mass, `mass` is 0, and only k0 and x0 are
  /// set. For a model that is no slab, this member has its default value.
  slab::Oscillator oscillator = {};
  bool base_moves = false;
};

/// A function of time that drives a run, and its name and symbol in messages.
struct Drive {
  base::Function of_t;
  base::NamedQuantity name = {};
};

/// Defines one run: all data on which the results of the run depend. Functions are already parsed.
struct RunSpec {
  Model model;
  /// The function that drives the run: x(t) if `gives_position`, F(t) - m a_g(t) if the base of a
  /// slab moves, and F(t) otherwise. For a chain, also the acceleration a_g(t) of its base or, if
  /// the base absorbs, the velocity v_in(t) of the wave that comes in from below.
  std::vector<Drive> drives;
  slab::TimeGrid time;
  Method method = Method::sweep;
  bool gives_position = false;  ///< whether drives[0] is x(t)
  /// The times in (0, T) at which F may not be smooth, for Method::exact.
  std::vector<double> breaks = {};
  /// A sweep is split over the ranks if it has at least this number of cells, and a chain of slabs
  /// if one of its steps costs at least as much as a step of this number of cells. A step of 32768
  /// cells takes a few µs, and two ranks on idle cores save nearly half of this time. For fewer
  /// cells the gain is smaller than the loss if cores are busy.
  std::int64_t split_from = 32768;

  /// Returns the properties of the model. Local.
  [[nodiscard]] ModelFacts facts() const;
};

/// Returns the slab of a run, or null if the model is not a slab. Local.
const slab::Slab* slab_of(const RunSpec& run);
slab::Slab* slab_of(RunSpec& run);

/// Returns the discretization in s of the slab of a run, or of the slabs of a chain; null for other
/// models. Local.
const slab::Space* space_of(const RunSpec& run);
/// Sets this discretization; does nothing for other models. Local.
void set_space(RunSpec& run, const slab::Space& space);

/// Returns the columns of the state, which result files contain as /state/values; returns no value
/// for the continuous model with a mass. Local.
std::optional<rheology::StateLayout> state_layout(const RunSpec& run);

/// Returns the number of entries of the field of a run. For a slab this is the number of cells or,
/// if P = ∞, of the values of s at which u is recorded. For a chain it is twice the number of
/// nodes: x and y of each. For any other model it is the number of columns of the state. Local.
std::int64_t field_size(const RunSpec& run);

/// Returns whether a run uses the engine of turning points and slab::has_smooth_cells() is true for
/// its slab. Neither the memory nor the time per step of such a run depends on P. For more than
/// slab::most_tabled_cells cells, the function takes some milliseconds. Local.
bool has_smooth_cells(const RunSpec& run);

/// Returns P if a run computes all cells of a slab in every step, or NaN if not. Local.
double swept_cells(const RunSpec& run);

/// Returns the title of figures of a run: "P = 700, N = 10⁶" or "prandtl, N = 8000". Local.
std::string figure_title(const RunSpec& run);

/// Returns the name of a run in messages: "P = 1500, N = 1000000" or "prandtl, N = 1000000". Local.
std::string title(const RunSpec& run);

/// Returns a measure of the time that a run takes, in updates of a cell, by which the runs of a
/// study are compared. No result depends on it. Local.
double estimated_cost(const RunSpec& run);

}  // namespace masing::engine
