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

/// How the internal force of a slab with a mass is computed: cell by cell over all ranks, by the
/// turning points of x, or by the event-driven solution, exact in time.
enum class Method { sweep, turning_points, exact };

/// The continuous Masing model. Source: (7), continuous-masing-2001.
struct Masing {
  slab::Slab slab;
  slab::Oscillator oscillator;
  slab::Scheme scheme = slab::Scheme::euler;
  Method method = Method::sweep;
  /// Whether x is relative to a base with an acceleration a_g(t), and F(t) - m a_g(t) drives it.
  bool base_moves = false;
  std::vector<double> force_breaks;  ///< times in (0, T) where F may not be smooth; Method::exact
};

/// What is given as a function of time: the force on the mass, or its position.
enum class Driving { force, position };

/// The same without a mass: F = k0 x + ∫ k u ds, driven by F(t) or x(t).
struct QuasistaticMasing {
  slab::Slab slab;
  double k0 = 0.0;
  double x0 = 0.0;
  Driving driving = Driving::force;
};

using Model = std::variant<Masing, QuasistaticMasing, rheology::ModelSpec>;

/// What a model answers of itself, to all who would else ask which one it is.
struct ModelFacts {
  std::string_view name;                          ///< as the catalogue has it
  const slab::Slab* slab = nullptr;               ///< null: none
  const rheology::ModelSpec* elements = nullptr;  ///< null: a slab
  /// The scheme of a slab with a mass; null for others.
  const slab::SchemeInfo* scheme = nullptr;
  slab::Oscillator oscillator = {};  ///< of a slab; without a mass k0 and x0 alone
  Method method = Method::turning_points;
  bool is_exact = false;
  bool base_moves = false;
  bool prescribes_position = false;
};

/// One run: all that its numbers depend on. A value; its functions are parsed once.
struct RunSpec {
  Model model;
  base::Function
      drive;  ///< F(t), F(t) - m a_g(t) on a base that moves, or x(t) where that is given
  slab::TimeGrid time;
  /// Cells from which on a sweep is split over the ranks, as is a model that costs as much: 2 µs a
  /// step, of which two ranks save nearly half on idle cores. With fewer not much is gained by what
  /// is lost where cores are short.
  std::int64_t split_from = 32768;

  /// Local.
  [[nodiscard]] ModelFacts facts() const;
};

/// The slab of a run, null for models that have none. Local.
const slab::Slab* slab_of(const RunSpec& run);
slab::Slab* slab_of(RunSpec& run);

/// What drives a run. Local.
base::NamedQuantity drive_of(const RunSpec& run);

/// Whether a run is by the exact solution, whose steps only say where samples lie. Local.
bool is_exact(const RunSpec& run);
/// Let a run be by the exact solution; not of QuasistaticMasing. Local.
void make_exact(RunSpec& run);
/// The times in (0, T) where F may not be smooth, for the exact solution. Local.
void set_force_breaks(RunSpec& run, std::vector<double> breaks);

/// The columns of /state/values; none for the continuous model with a mass. Local.
std::optional<rheology::StateLayout> state_layout(const RunSpec& run);

/// Entries of the field that a study compares and a run holds: the cells of a slab (for P = ∞ the
/// places at which its field is known), else the columns of the state. Local.
std::int64_t field_size(const RunSpec& run);

/// Whether a run needs nothing that grows with P: turning points of a piecewise smooth slab of more
/// than slab::most_tabled_cells. Takes some ms where there are so many. Local.
bool has_smooth_cells(const RunSpec& run);

/// P where a run goes through the cells at every step, Method::sweep; else NaN. Local.
double swept_cells(const RunSpec& run);

/// The title of a run's figures: "P = 700, N = 10⁶"; "prandtl, N = 8000". Local.
std::string figure_title(const RunSpec& run);

/// What runs, for people: "P = 1500, N = 1000000" or "prandtl, N = 1000000". Local.
std::string title(const RunSpec& run);

/// What the user should know of the step: that an elastic motion grows more than tenfold until T,
/// and with how many steps it would not; empty if there is nothing. Throws UserError where the
/// scheme is unstable. Local.
std::string step_advice(const RunSpec& run);

/// About how long a run takes on a number of ranks, seconds; no result depends on it. Local.
double estimated_seconds(const RunSpec& run, int ranks);

/// What is expected to take longer, seconds, says before it starts what it will do and how it can
/// be stopped.
inline constexpr double long_time = 5.0;

}  // namespace masing::engine
