#pragma once

#include <cstdint>
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

/// The methods that compute the motion of a slab with a mass. `sweep` computes the internal force
/// cell by cell, on all ranks; `turning_points` computes it from the turning points of x. `exact`
/// computes the exact solution from one event to the next, independently of the time grid.
enum class Method { sweep, turning_points, exact };

/// The continuous Masing model. Source: (7), continuous-masing-2001.
struct Masing {
  slab::Slab slab;
  slab::Oscillator oscillator;
  slab::Scheme scheme = slab::Scheme::euler;
  Method method = Method::sweep;
  /// Whether x is relative to a base with the acceleration a_g(t), so that F(t) - m a_g(t) drives
  /// the mass.
  bool base_moves = false;
  /// The times in (0, T) at which F may not be smooth; only Method::exact uses them.
  std::vector<double> force_breaks;
};

/// Which function of time is prescribed: the force or the position.
enum class Driving { force, position };

/// The continuous Masing model without a mass: F = k0 x + ∫ k u ds, driven by F(t) or x(t).
struct QuasistaticMasing {
  slab::Slab slab;
  double k0 = 0.0;
  double x0 = 0.0;
  Driving driving = Driving::force;
};

using Model = std::variant<Masing, QuasistaticMasing, rheology::ModelSpec>;

/// Properties that every kind of model has, for code that does not distinguish the kinds.
struct ModelFacts {
  std::string_view name;             ///< the name in the catalogue of models
  const slab::Slab* slab = nullptr;  ///< the slab; null if the model has none
  /// The model of finitely many elements; null if the model is a slab.
  const rheology::ModelSpec* elements = nullptr;
  /// The scheme of a slab with a mass; null for other models.
  const slab::SchemeInfo* scheme = nullptr;
  /// The data of the mass on a slab. For a slab without a mass, `mass` is 0, and only k0 and x0 are
  /// set.
  slab::Oscillator oscillator = {};
  Method method = Method::turning_points;
  bool is_exact = false;
  bool base_moves = false;
  bool prescribes_position = false;
};

/// Defines one run: all data on which the results of the run depend. Functions are already parsed.
struct RunSpec {
  Model model;
  /// The function that drives the run: x(t) if the position is prescribed, F(t) - m a_g(t) if the
  /// base moves, and F(t) otherwise.
  base::Function drive;
  slab::TimeGrid time;
  /// The number of cells from which on a sweep is split over the ranks; a model of finitely many
  /// elements is split if a step of it costs as much as a step of this number of cells. A step of
  /// 32768 cells takes 2 µs, and two ranks on idle cores save nearly half of this time. For fewer
  /// cells the gain is smaller than the loss if cores are busy.
  std::int64_t split_from = 32768;

  /// Returns the properties of the model. Local.
  [[nodiscard]] ModelFacts facts() const;
};

/// Returns the slab of a run, or null if the model is not a slab. Local.
const slab::Slab* slab_of(const RunSpec& run);
slab::Slab* slab_of(RunSpec& run);

/// Returns the name and the symbol, for messages, of the function that drives a run. Local.
base::NamedQuantity drive_of(const RunSpec& run);

/// Returns whether a run is computed by the exact solution. The steps of such a run are only the
/// times of samples. Local.
bool is_exact(const RunSpec& run);
/// Makes a run use the exact solution. The model must not be QuasistaticMasing. Local.
void make_exact(RunSpec& run);
/// Sets the times in (0, T) at which F may not be smooth, for the exact solution. Local.
void set_force_breaks(RunSpec& run, std::vector<double> breaks);

/// Returns the columns of the state, which result files contain as /state/values; returns no value
/// for the continuous model with a mass. Local.
std::optional<rheology::StateLayout> state_layout(const RunSpec& run);

/// Returns the number of entries of the field of a run: the number of cells of a slab (for P = ∞,
/// of values of s at which u is recorded); if the model is not a slab, the number of columns of the
/// state. Local.
std::int64_t field_size(const RunSpec& run);

/// Returns whether a run uses the engine of turning points and its slab is piecewise smooth with
/// more than slab::most_tabled_cells cells, so that neither the memory nor the time of the run
/// depends on P. The function takes some milliseconds for such slabs. Local.
bool has_smooth_cells(const RunSpec& run);

/// Returns P if a run computes all cells in every step (Method::sweep), otherwise NaN. Local.
double swept_cells(const RunSpec& run);

/// Returns the title of figures of a run: "P = 700, N = 10⁶" or "prandtl, N = 8000". Local.
std::string figure_title(const RunSpec& run);

/// Returns the name of a run in messages: "P = 1500, N = 1000000" or "prandtl, N = 1000000". Local.
std::string title(const RunSpec& run);

/// Returns a warning if with the step of the run an elastic motion grows more than tenfold until T;
/// the warning says which step or number of steps avoids this growth. Otherwise returns an empty
/// string. Throws UserError if the scheme is unstable with this step. Local.
std::string step_advice(const RunSpec& run);

/// Returns an estimate of the seconds that a run takes on `ranks` ranks. No result depends on it.
/// Local.
double estimated_seconds(const RunSpec& run, int ranks);

/// If a computation is expected to take more seconds than this number, it prints at the start what
/// it will do and how it can be stopped.
inline constexpr double long_time = 5.0;

}  // namespace masing::engine
