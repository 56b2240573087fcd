#pragma once

#include <algorithm>
#include <array>
#include <memory>
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
  /// Returns the time t_p of step p. Local.
  [[nodiscard]] double time(std::int64_t step) const { return time_.time(step); }

 private:
  slab::TimeGrid time_;
  std::int64_t every_;
  // the multiples i·every_ < N with first_ ≤ i < end_ are samples
  std::int64_t first_ = 0;
  std::int64_t end_ = 0;
  bool has_last_ = false;  // whether step N is a sample
};

/// Writes datasets [n] or [n, width] that get one row per sample. Rows are first kept in memory;
/// when there are many, all of them are written at once. flush() writes the rows that are still in
/// memory.
class RowBuffer {
 public:
  /// Each dataset will have `rows` rows. `comm` and `file` must outlive the object. Local.
  RowBuffer(const parallel::Communicator& comm, const Handle& file, std::int64_t rows)
      : comm_(comm), file_(file), all_(rows) {}

  /// Adds a dataset; this must happen before the first row is pushed. If `width` is 0, the dataset
  /// has the shape [n] and the axis t; otherwise it has the shape [n, width] and the axes t and
  /// `across` (name_axes). The group of the dataset must already contain a dataset t, unless the
  /// new dataset is t itself. Collective.
  void add(const std::string& path, const Attributes& attributes, std::int64_t width = 0,
           const std::string& across = {});
  /// Appends one row to each dataset. `row` contains the entries for all datasets, in the order in
  /// which they were added; only those of the root are written. Must be called on all ranks;
  /// Collective if the call writes the rows.
  void push(std::span<const double> row);
  /// Writes the rows that are still in memory. Collective.
  void flush();
  /// If the archive saves, writes the rows that are in memory, and saves the number of rows and
  /// their checksums. If the archive restores, the next row is written after the first `rows` rows
  /// of the file. Collective.
  void serialize(std::int64_t rows, engine::Archive& archive);
  /// Returns how many rows each dataset has, including those in memory.
  [[nodiscard]] std::int64_t rows() const { return rows_; }

 private:
  struct Dataset {
    Table table;
    std::int64_t width;
    std::vector<double> pending;  ///< on the root, the entries that are not written yet
  };

  const parallel::Communicator& comm_;
  const Handle& file_;
  std::int64_t all_;
  std::vector<Dataset> datasets_;
  std::int64_t width_ = 0;  // the number of entries that one row has in all datasets together
  std::int64_t rows_ = 0;
  std::int64_t written_ = 0;  // the number of rows that are written to the file
};

/// The arguments of the constructor of a recorder. All objects to which the members refer must
/// outlive the recorder, except `output`.
struct RecorderContext {
  const parallel::Communicator& comm;
  const Handle& file;
  const engine::RunSpec& run;
  const slab::Profile* profile;  ///< profile of this rank's cells; null if the model is not a slab
  const OutputSpec& output;
};

/// Base class of the recorders that append rows for samples.
class RowWriter : public engine::Observer {
 public:
  RowWriter(const parallel::Communicator& comm, const Handle& file, const Sampling& sampling)
      : steps_(sampling), rows_(comm, file, steps_.count()) {}

  void serialize(std::int64_t step, engine::Archive& archive) override {
    rows_.serialize(steps_.count(step), archive);
  }
  void finish(engine::Engine& /*engine*/) override { rows_.flush(); }

 protected:
  SampledSteps steps_;
  RowBuffer rows_;
};

/// Base class of the recorders that append one row per sample. A derived class computes the row in
/// record(); there the engine provides the field at the step of the sample.
class RowRecorder : public RowWriter {
 public:
  RowRecorder(const RecorderContext& context, const Sampling& sampling)
      : RowWriter(context.comm, context.file, sampling), comm_(context.comm) {}

  [[nodiscard]] std::int64_t next_field_step(std::int64_t step) const override {
    return steps_.next(step);
  }
  void observe(const engine::Samples& samples, engine::Engine& engine) override {
    if (steps_.takes(samples.last_step())) {
      record(samples, engine);
    }
  }

 protected:
  /// Computes and appends the row of the last step in `samples`. Collective.
  virtual void record(const engine::Samples& samples, engine::Engine& engine) = 0;

  const parallel::Communicator& comm_;
};

/// The places, cells of a slab or nodes, whose values are the entries of a row of a
/// dataset.
class WrittenPlaces {
 public:
  /// Of `count` places, `wanted` are written, or all if `wanted` is 0. This rank has the places in
  /// `held`, and `first` is the place that it counts as 0. Collective.
  WrittenPlaces(const parallel::Communicator& comm, std::int64_t count, std::int64_t wanted,
                const base::CellRange& held, std::int64_t first)
      : places_(thinned(count, wanted)),
        first_(first),
        mine_(places_.kept_of(held)),
        largest_(-parallel::min_over_ranks(comm, -mine_.size)) {}

  /// Returns `wanted` of `count` places, or all if `wanted` is 0 or larger. Local.
  static base::Thinning thinned(std::int64_t count, std::int64_t wanted) {
    return {.cells = count, .kept = wanted > 0 ? std::min(wanted, count) : count};
  }

  [[nodiscard]] const base::Thinning& places() const { return places_; }
  /// Returns the entries that this rank writes to a row. value_of(i) returns the entry of the place
  /// i, as this rank counts them.
  template <typename ValueOf>
  [[nodiscard]] RowSegments segments(const ValueOf& value_of) const {
    return {.range = mine_, .largest = largest_, .make = [=, this](std::int64_t first, auto row) {
              for (std::size_t j = 0; j < row.size(); ++j) {
                row[j] = value_of(places_.cell(first + static_cast<std::int64_t>(j)) - first_);
              }
            }};
  }

 private:
  base::Thinning places_;
  std::int64_t first_;
  base::CellRange mine_;  // this rank's entries in a row, one for each written place on this rank
  std::int64_t largest_;  // the largest number of written places that any rank has
};

/// Base class of the recorders of /field, which append rows of some places to datasets of the shape
/// [n, places].
class FieldWriter : public engine::Observer {
 public:
  /// Creates /field/t; `time` describes it. Collective.
  FieldWriter(const RecorderContext& context, const Attributes& time, const WrittenPlaces& written);

  [[nodiscard]] std::int64_t next_field_step(std::int64_t step) const override {
    return steps_.next(step);
  }
  void observe(const engine::Samples& samples, engine::Engine& engine) override;
  void serialize(std::int64_t step, engine::Archive& archive) override;

 protected:
  /// Creates the dataset `path`, whose rows append() writes. Collective.
  void add(const std::string& path, const Attributes& attributes);
  /// Appends a row to each added dataset. Collective.
  virtual void append(engine::Engine& engine) = 0;

  const parallel::Communicator& comm_;
  const Handle& file_;
  SampledSteps steps_;
  WrittenPlaces written_;
  std::vector<Table> tables_;  // that of /field/t, then the added ones
};

/// Creates all recorders that context.output requests. They write the following datasets, where n
/// stands for the number of rows of a dataset:
///     /series/t, x, y, force and restoring [n] are written for every run (SeriesRecorder).
///     /state/t [n], column [columns] and values [n, columns] contain the whole state of the model,
///         and are written for all models except a slab with a mass. /state/column numbers the
///         columns from 1; their names are in the attribute `columns` of /state/values. For a slab
///         without a mass, every sample has a row. For other models, the steps 0, field_every,
///         2·field_every, … and N have rows, if their times lie in the time interval of the
///         samples; if field_every is 0, only the steps 0 and N.
///     /field/s [P], eta [P], k [P], t [n] and u [n, P] contain the profile and the field of a
///         slab. The steps 0, field_every, 2·field_every, … and N have rows, or only step N if
///         field_every is 0. If the thresholds differ by direction, eta_down [P] is written as
///         well. If 0 < output.field_points < P, only so many cells are written, which
///         base::Thinning selects, and /field has the attribute thinned_from with the value P.
///         For P = ∞, the field is written at Continuum::field_points places s.
///     /energy contains the balance of energy (EnergyRecorder in energy_recorder.cpp).
/// A model with nodes has instead of /field/s, eta, k and u:
///     /field/node [nodes], t [n], x and y [n, nodes]: the motion of all nodes, or of
///         output.field_points of them, at the same steps.
///     /watch/node [watched], t [n], x, y, a, elongation and force [n, watched]: the motion of the
///         watched nodes, and the element below each, at every sample.
///     /profile/node, max_x, max_a, max_elongation, max_force and dissipated [nodes]: the largest
///         absolute values over all steps, and the energy that each element has dissipated.
/// Collective.
std::vector<std::unique_ptr<engine::Observer>> make_recorders(const RecorderContext& context);

/// Returns an estimate of the size, in bytes, of the result file of a run. A few small datasets are
/// neglected. Local.
double bytes_of_result(const engine::RunSpec& run, const OutputSpec& output);

/// Creates the recorder that writes /energy. Returns null if context.output does not request it, or
/// if the model is not a slab with a mass. Collective.
std::unique_ptr<engine::Observer> make_energy_recorder(const RecorderContext& context);

/// Returns how many numbers the file of a model with nodes has in /field, /watch, /profile and
/// /energy; 0 for other models. Local.
double numbers_of_nodes(const engine::RunSpec& run, const OutputSpec& output);

/// Creates the recorders that a model with nodes has beside that of /series. Collective.
std::vector<std::unique_ptr<engine::Observer>> make_chain_recorders(const RecorderContext& context);

/// Returns at which steps the field is written: at the steps 0, field_every, 2·field_every, … and
/// N, or only at step N if output.field_every is 0. Local.
Sampling field_sampling(const engine::RunSpec& run, const OutputSpec& output);

/// A row of /series: t, x, y, F and the restoring force at a sample. The restoring force of a slab
/// is k0 x + S; that of another model is F - m x'' of the mass on which F acts, or F if there is no
/// mass. If the base moves, F stands for F - m a_g.
using SeriesRow = std::array<double, 5>;

/// Calls `take` with the row of each step in `samples` that is a sample, and with the index of the
/// step in `samples`. Local.
template <typename Take>
void for_each_row(const SampledSteps& steps, const engine::Samples& samples, const Take& take) {
  for (std::size_t i = 0; i < samples.x.size(); ++i) {
    const std::int64_t step = samples.first_step + static_cast<std::int64_t>(i);
    if (steps.takes(step)) {
      take(SeriesRow{steps.time(step), samples.x[i], samples.y[i], samples.force[i],
                     samples.restoring[i]},
           i);
    }
  }
}

/// Returns how many numbers all rows of /series of a run contain together. Local.
std::size_t series_numbers(const Sampling& sampling);

/// Stores the rows of /series in memory, for runs of a study or a scan. Such a run may be computed
/// by a single rank. It cannot write its rows to the file as it advances, because all ranks would
/// have to take part in writing.
class SeriesBuffer final : public engine::Observer {
 public:
  explicit SeriesBuffer(const Sampling& sampling, std::vector<double> rows = {});

  void observe(const engine::Samples& samples, engine::Engine& engine) override;
  void serialize(std::int64_t /*step*/, engine::Archive& archive) override {
    archive.numbers("rows", rows_);
  }
  std::vector<double> rows() && { return std::move(rows_); }

 private:
  SampledSteps steps_;
  std::vector<double> rows_;
};

/// Writes /series/t, x, y, force and restoring, one row per sample. The group /series has the
/// attributes `steps` (N) and, if the model is a slab, `cells` (P, or 0 for P = ∞).
class SeriesRecorder final : public RowWriter {
 public:
  /// Creates the datasets. Collective.
  SeriesRecorder(const parallel::Communicator& comm, const Handle& file, const engine::RunSpec& run,
                 const Sampling& sampling);

  void observe(const engine::Samples& samples, engine::Engine& engine) override;
  /// Appends rows, for example those that a SeriesBuffer has stored, and writes them. `rows`
  /// contains one row after another. Collective.
  void append(std::span<const double> rows);
};

}  // namespace masing::io
