#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ratio.hpp"
#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "io/hdf5.hpp"
#include "parallel/communicator.hpp"
#include "rheology/model_info.hpp"
#include "slab/problem.hpp"
#include "slab/profile.hpp"

namespace masing::io {

/// Datasets [n] that grow by one row a sample. Rows are kept and written some thousands at a time;
/// flush() writes the last ones.
class SampleColumns {
 public:
  /// Both must outlive the object. Local.
  SampleColumns(const parallel::Communicator& comm, const Handle& file)
      : comm_(comm), file_(file) {}

  /// One more column, before the first row. Collective.
  void add(const std::string& path, const Meaning& meaning);
  /// One row, the same on every rank, an entry a column. Collective where it fills the buffer.
  void push(std::span<const double> row);
  /// Collective.
  void flush();
  /// Go on after the first `rows` rows of the file. Collective.
  void resume(std::int64_t rows);
  /// Rows so far.
  [[nodiscard]] std::int64_t rows() const { return rows_; }

 private:
  struct Column {
    Table table;
    std::vector<double> pending;
  };

  const parallel::Communicator& comm_;
  const Handle& file_;
  std::vector<Column> columns_;
  std::int64_t rows_ = 0;
};

/// Which steps are samples: every n-th step, step 0 and step N, within a window of time.
struct Sampling {
  slab::TimeGrid time;
  std::int64_t every = 1;
  double from = 0.0;
  double to = 0.0;

  /// Whether step p is a sample. Local.
  [[nodiscard]] bool takes(std::int64_t step) const;
  /// The first sample after `step`, or engine::never. Local.
  [[nodiscard]] std::int64_t next(std::int64_t step) const;
  /// How many samples there are up to `step`. Local.
  [[nodiscard]] std::int64_t count(std::int64_t step) const;
};

/// What a trajectory's file holds beside /series and, of models that have one, /state.
struct OutputSpec {
  Sampling sampling;
  std::int64_t field_every = 0;   ///< steps from one field, or state, to the next; 0: the last only
  std::int64_t field_points = 0;  ///< of P cells at most so many go to the file; 0: all
  bool energy = false;
  std::vector<double> probe;  ///< s at which u goes with every sample
};

/// What a recorder is made from. All but `output` must outlive it.
struct RecorderContext {
  const parallel::Communicator& comm;
  const Handle& file;
  const engine::RunSpec& run;
  const slab::Profile* profile;  ///< this rank's part; null for models that are no slab
  const OutputSpec& output;
};

/// Every recorder that the output asks for, each made by one function, or resumed where its
/// datasets are there; SeriesRecorder first. Collective.
std::vector<std::unique_ptr<engine::Observer>> make_recorders(const RecorderContext& context);

/// t, x, y, F, F - m x'' of a sample.
using SeriesRow = std::array<double, 5>;

/// Calls `take` with the row of every sample among `samples`. Local.
template <typename Take>
void for_each_row(const Sampling& sampling, const engine::Samples& samples, const Take& take) {
  for (std::size_t i = 0; i < samples.x.size(); ++i) {
    const std::int64_t step = samples.first_step + static_cast<std::int64_t>(i);
    if (sampling.takes(step)) {
      take(SeriesRow{sampling.time.time(step), samples.x[i], samples.y[i], samples.force[i],
                     samples.restoring[i]});
    }
  }
}

/// /series/t, x, y, force, restoring: one row a sample. /series has attributes `steps`, N, and of a
/// slab `cells`, P, 0 for P = ∞.
class SeriesRecorder final : public engine::Observer {
 public:
  /// Collective.
  SeriesRecorder(const parallel::Communicator& comm, const Handle& file, const engine::RunSpec& run,
                 const Sampling& sampling);

  void observe(const engine::Samples& samples, engine::Engine& engine) override;
  void exchange(std::int64_t step, engine::Archive& archive) override;
  /// Append rows kept elsewhere, one after another. Collective.
  void append(std::span<const double> rows);
  void finish() override { columns_.flush(); }
  /// Samples seen so far.
  [[nodiscard]] std::int64_t rows() const { return columns_.rows(); }

 private:
  Sampling sampling_;
  SampleColumns columns_;
};

/// /field/t, s, eta, k and u [n, P]: the slab at every n-th step, or at the last only; where the
/// output asks for fewer field points than cells, these many cells of it, base::Thinning's, and
/// /field has an attribute thinned_from, P.
class FieldRecorder final : public engine::Observer {
 public:
  /// Collective.
  explicit FieldRecorder(const RecorderContext& context);

  [[nodiscard]] std::int64_t next_field_step(std::int64_t step) const override;
  void observe(const engine::Samples& samples, engine::Engine& engine) override;
  void exchange(std::int64_t step, engine::Archive& archive) override;

 private:
  /// The entries that this rank writes; `value_of` gives that of a local cell, `first_cell` is the
  /// first of them.
  template <typename ValueOf>
  [[nodiscard]] Pieces pieces(std::int64_t first_cell, const ValueOf& value_of) const;

  const parallel::Communicator& comm_;
  slab::TimeGrid time_;
  std::int64_t every_;
  base::Thinning places_;
  Table times_;
  Table field_;
  base::CellRange mine_;  // this rank's of the places
  std::int64_t largest_;  // the most places of any rank
};

/// /probe/s and /probe/u [n, places]: u of the cells that hold given s, with every sample.
class ProbeRecorder final : public engine::Observer {
 public:
  /// Collective.
  explicit ProbeRecorder(const RecorderContext& context);

  [[nodiscard]] std::int64_t next_field_step(std::int64_t step) const override;
  void observe(const engine::Samples& samples, engine::Engine& engine) override;
  void exchange(std::int64_t step, engine::Archive& archive) override;

 private:
  const parallel::Communicator& comm_;
  Sampling sampling_;
  std::vector<std::int64_t> cells_;
  Table values_;
};

/// /state/t [rows] and /state/values [rows, columns], with an attribute `columns`, their names: the
/// whole state at every n-th step and at both ends. Rows are written many at a time.
class StateRecorder final : public engine::Observer {
 public:
  /// Collective.
  explicit StateRecorder(const RecorderContext& context);

  [[nodiscard]] std::int64_t next_field_step(std::int64_t step) const override;
  void observe(const engine::Samples& samples, engine::Engine& engine) override;
  void exchange(std::int64_t step, engine::Archive& archive) override;
  void finish() override;

 private:
  const parallel::Communicator& comm_;
  Sampling sampling_;
  bool is_position_;  // the state is x, and not the engine's field
  Table times_;
  Table values_;
  std::int64_t most_rows_;         // kept
  std::int64_t rows_ = 0;          // kept so far
  std::int64_t first_column_ = 0;  // of this rank
  std::vector<double> pending_times_;
  std::vector<double> pending_;  // this rank's columns of the rows kept
};

}  // namespace masing::io
