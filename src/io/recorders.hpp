#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/partition.hpp"
#include "engine/engine.hpp"
#include "engine/model.hpp"
#include "io/hdf5.hpp"
#include "io/specs.hpp"
#include "parallel/communicator.hpp"
#include "slab/problem.hpp"
#include "slab/profile.hpp"

namespace masing::io {

/// Determines which steps are samples (see Sampling). Recorders write rows at these steps.
class SampledSteps {
 public:
  /// Finds the steps whose times lie in [sampling.from, sampling.to]. Because of rounding errors, a
  /// time also counts if it is outside by at most 1e-6 of a step. Local.
  explicit SampledSteps(const Sampling& sampling);

  /// Returns whether a step is a sample. Local.
  [[nodiscard]] bool takes(std::int64_t step) const;
  /// Returns the first sample after `step`, or engine::never if there is none. Local.
  [[nodiscard]] std::int64_t next(std::int64_t step) const;
  /// Returns the number of samples up to and including `step`. Local.
  [[nodiscard]] std::int64_t count(std::int64_t step) const;
  /// Returns the total number of samples. Local.
  [[nodiscard]] std::int64_t count() const { return count(time_.steps); }
  /// Calls take(i, t) for each step of a chunk that is a sample, with its index in the chunk and
  /// its time t_p. Local if `take` is local.
  template <class Take>
  void each(const engine::Motion& motion, const Take& take) const {
    const std::int64_t first = motion.first_step;
    const std::int64_t end = first + std::ssize(motion.x);
    for (std::int64_t step = takes(first) ? first : next(first); step < end; step = next(step)) {
      take(static_cast<std::size_t>(step - first), time_.time(step));
    }
  }

 private:
  slab::TimeGrid time_;
  std::int64_t every_;
  // the multiples i·every_ < N with first_ ≤ i < end_ are samples
  std::int64_t first_ = 0;
  std::int64_t end_ = 0;
  bool has_last_ = false;  // whether step N is a sample
};

/// The places whose numbers are the entries of a row of a dataset: cells of a slab, nodes,
/// or columns of a state.
class WrittenPlaces {
 public:
  /// Of `count` places, `wanted` are written, or all if `wanted` is 0. This rank has the places in
  /// `held`, and `first` is the place that it counts as 0. That is the first one that it has, or
  /// the one before if it also has a copy of that one, as of the node below its part of a chain;
  /// for the first rank of a chain whose base does not move it is -1, the base. Local.
  WrittenPlaces(std::int64_t count, std::int64_t wanted, const base::CellRange& held,
                std::int64_t first)
      : places_{.cells = count, .kept = wanted > 0 ? std::min(wanted, count) : count},
        first_(first),
        mine_(places_.kept_of(held)) {}

  /// The places are divided over the ranks by base::local_range(). Local.
  WrittenPlaces(const parallel::Communicator& comm, std::int64_t count, std::int64_t wanted)
      : WrittenPlaces(count, wanted, base::local_range(count, comm.rank(), comm.size()),
                      base::local_range(count, comm.rank(), comm.size()).first) {}

  [[nodiscard]] const base::Thinning& places() const { return places_; }
  /// Returns the place that this rank counts as 0. Local.
  [[nodiscard]] std::int64_t first() const { return first_; }
  /// Returns this rank's entries in a row, one for each written place on this rank. Local.
  [[nodiscard]] const base::CellRange& mine() const { return mine_; }
  /// Returns the numbers of these entries. value_of(i) returns that of the place i, as this rank
  /// counts them.
  template <typename ValueOf>
  [[nodiscard]] std::vector<double> row(const ValueOf& value_of) const {
    std::vector<double> row(static_cast<std::size_t>(mine_.size));
    for (std::size_t j = 0; j < row.size(); ++j) {
      row[j] = value_of(places_.cell(mine_.first + static_cast<std::int64_t>(j)) - first_);
    }
    return row;
  }

 private:
  base::Thinning places_;
  std::int64_t first_;
  base::CellRange mine_;
};

/// A step whose row is recorded: the step with the index i of a chunk.
struct Moment {
  const engine::Motion& motion;
  std::size_t i;
  engine::Engine& engine;
};

/// A dataset that gets a number, or a number for each of Group::places, at each sample.
struct Column {
  std::string name;
  Attributes attributes;
  std::string names = {};  ///< the names of the places, for the attribute `columns`
};

/// A dataset with numbers of Group::places.
struct PlaceColumn {
  std::string name;
  Attributes attributes;
  bool has_rows = false;  ///< whether it gets a row at each sample; else it is written at the end
  /// Returns this rank's part of the numbers at the engine's step. Collective.
  std::function<std::vector<double>(const WrittenPlaces& places, engine::Engine& engine)> row;
};

/// Returns a column with the numbers of the places, of which the first has the number `begin`.
PlaceColumn numbers_of_places(const char* name, const Attributes& attributes, std::int64_t begin);

/// Datasets of one group of a result file that get rows at the same samples. All that the functions
/// need must outlive the recorder.
struct Group {
  std::string path;  ///< "/series"
  /// The attributes of the dataset t, the times of the rows; empty if no dataset has rows.
  std::optional<Attributes> time = {};
  Sampling sampling = {};
  std::vector<Column> columns = {};
  /// Appends the numbers of all columns to `row`. Collective if needs_state is true.
  std::function<void(const Moment& now, std::vector<double>& row)> fill = {};
  /// whether every sample ends a chunk, so that the state of the engine is that of the sample
  bool needs_state = false;
  std::string axis = {};  ///< the name of the column of `of_places` that numbers the places
  std::optional<WrittenPlaces> places = {};
  std::vector<PlaceColumn> of_places = {};
  /// Integers that describe the rows, for attributes of the group.
  std::vector<std::pair<std::string, std::int64_t>> facts = {};
  /// If given, is called with every chunk, before `fill`. Collective.
  std::function<void(const engine::Motion& motion, engine::Engine& engine)> follow = {};
  /// If given, saves or restores what the functions keep. Collective.
  std::function<void(engine::Archive& archive)> serialize = {};
};

/// A run to be recorded. All objects to which the members refer must outlive the recorders, except
/// `output`.
struct RecorderContext {
  const parallel::Communicator& comm;
  const engine::RunSpec& run;
  const OutputSpec& output;
  /// The profile of this rank's cells; null if the model is no slab.
  const slab::Profile* profile;
};

/// Creates all recorders that context.output requests. They write the following datasets, where n
/// stands for the number of rows of a dataset:
///     /series/t, x, y, force and restoring [n] are written for every run.
///     /state/t [n], column [columns] and values [n, columns] contain the whole state of the model,
///         and are written for models of finitely many elements and slabs without a mass.
///         /state/column numbers the columns from 1; their names are in the attribute `columns` of
///         /state/values. For a slab without a mass, every sample has a row. For other models, the
///         steps 0, field_every, 2·field_every, … and N have rows, if their times lie in the time
///         interval of the samples; if field_every is 0, only the steps 0 and N.
///     /field/s [P], eta [P], k [P], t [n] and u [n, P] contain the profile and the field of a
///         slab. The steps 0, field_every, 2·field_every, … and N have rows, or only step N if
///         field_every is 0. If the thresholds differ by direction, eta_down [P] is written as
///         well. If 0 < output.field_points < P, only so many cells are written, which
///         base::Thinning selects, and /field has the attribute thinned_from with the value P.
///         For P = ∞, the field is written at Continuum::field_points places s.
///     /energy contains the balance of energy (energy_group).
/// A model with nodes has instead of /field/s, eta, k and u:
///     /field/node [nodes], t [n], x and y [n, nodes]: the motion of all nodes, or of
///         output.field_points of them, at the same steps.
///     /watch/node [watched], t [n], x, y, a, elongation and force [n, watched]: the motion of the
///         watched nodes, and the element below each, at every sample.
///     /profile/node, max_x, max_a, max_elongation, max_force and dissipated [nodes]: the largest
///         absolute values over all steps, and the energy that each element has dissipated.
/// Collective.
std::vector<std::unique_ptr<engine::Observer>> make_recorders(const RecorderContext& context,
                                                              const Handle& file);

/// Returns /energy, the balance of energy of a model with a scheme:
///     kinetic      ½ m y² of all masses
///     elastic      the elastic energy of all springs: ½ k0 x² + ½ ∫ k u² ds of a slab
///     dissipated   what the sliders have dissipated since t = 0: ∫ S dx minus the increase of
///                  ½ ∫ k u² ds
///     viscous      what the dashpots have dissipated since t = 0; only if there are any
///     input        the work of F, and of the base of a model with nodes, since t = 0
///     base         the part of this base
///     residual     input - dissipated - viscous minus the increase of kinetic + elastic, all since
///                  the first sample: an error of the scheme, 0 for the exact motion
/// The sums over cells, nodes and elements have the same bits on any number of ranks. Throws
/// UserError if the energies of the cells may be too large. Collective.
Group energy_group(const RecorderContext& context);

/// Returns the groups that a model with nodes has: /watch, /field and /profile. Collective.
std::vector<Group> node_groups(const RecorderContext& context);

/// The energies at one step, see energy_group().
struct Energies {
  double kinetic = 0.0;
  double elastic = 0.0;
  double dissipated = 0.0;
  double viscous = 0.0;
  double input = 0.0;
  double base = 0.0;
  double residual = 0.0;
};

/// Returns the energies of a model with nodes at the engine's step. The sums over the nodes and
/// elements have the same bits on any number of ranks. Collective.
Energies node_energies(const parallel::Communicator& comm, const engine::RunSpec& run,
                       engine::Engine& engine);

/// Returns at which steps the field is written: at the steps 0, field_every, 2·field_every, … and
/// N, or only at step N if output.field_every is 0. Local.
Sampling field_sampling(const engine::RunSpec& run, const OutputSpec& output);

/// Returns the columns of /series beside t: x, y, force and restoring. The restoring force of a
/// slab is k0 x + S; that of another model is F - m x'' of the mass on which F acts, or F if there
/// is no mass. If the base moves, F stands for F - m a_g. Local.
std::vector<Column> series_columns(const engine::RunSpec& run);

/// Returns how many numbers all rows of /series of a run contain together. Local.
std::size_t series_numbers(const Sampling& sampling);
/// How many numbers a row of /series has: t and those of series_columns().
inline constexpr std::size_t series_width = 5;

/// Stores the rows of /series in memory, for runs of a study or a scan. Such a run may be computed
/// by a single rank. It cannot write its rows to the file as it advances, because all ranks would
/// have to take part in writing.
class SeriesBuffer final : public engine::Observer {
 public:
  explicit SeriesBuffer(const Sampling& sampling, std::vector<double> rows = {});

  void observe(const engine::Motion& motion, engine::Engine& engine) override;
  void serialize(std::int64_t /*step*/, engine::Archive& archive) override {
    archive.numbers("rows", rows_);
  }
  std::vector<double> rows() && { return std::move(rows_); }

 private:
  SampledSteps steps_;
  std::vector<double> rows_;
};

/// Writes /series with rows that a SeriesBuffer has stored, one after another. The group has the
/// attributes `steps` (N) and, if the model is a slab, `cells` (P, or 0 for P = ∞). Collective.
void write_series(const parallel::Communicator& comm, const Handle& file,
                  const engine::RunSpec& run, const Sampling& sampling,
                  std::span<const double> rows);

}  // namespace masing::io
