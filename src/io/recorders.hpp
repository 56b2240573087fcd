#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "io/hdf5.hpp"
#include "io/specs.hpp"
#include "parallel/communicator.hpp"
#include "slab/problem.hpp"
#include "slab/profile.hpp"

namespace masing::io {

/// The steps that are samples.
class SampledSteps {
 public:
  /// Finds where the window begins and ends among the multiples of `every`. Local.
  explicit SampledSteps(const Sampling& sampling);

  /// Whether step p is a sample. Local.
  [[nodiscard]] bool takes(std::int64_t step) const;
  /// The first sample after `step`, or engine::never. Local.
  [[nodiscard]] std::int64_t next(std::int64_t step) const;
  /// How many samples there are up to `step`. Local.
  [[nodiscard]] std::int64_t count(std::int64_t step) const;
  /// How many there are in all. Local.
  [[nodiscard]] std::int64_t count() const { return count(time_.steps); }
  /// t_p. Local.
  [[nodiscard]] double time(std::int64_t step) const { return time_.time(step); }

 private:
  slab::TimeGrid time_;
  std::int64_t every_;
  std::int64_t first_ = 0;  // of the multiples 0, 1, … below N/every, those in the window
  std::int64_t end_ = 0;
  bool has_last_ = false;  // step N
};

/// Datasets [n], or [n, width], that are filled by one row a sample. Rows are kept and written some
/// thousands at a time; flush() writes the last ones.
class RowBuffer {
 public:
  /// This rank's entries of a dataset that is split over the ranks, from `first` on.
  struct Part {
    std::span<const double> values;
    std::int64_t first = 0;
  };

  /// Of `rows` rows in all. `comm` and `file` must outlive the object. Local.
  RowBuffer(const parallel::Communicator& comm, const Handle& file, std::int64_t rows)
      : comm_(comm), file_(file), all_(rows) {}

  /// One more dataset, before the first row: [n], its axis named t, or [n, width], the second axis
  /// named `across`. Of the group's t there must be a dataset, or it is this one. Collective.
  void add(const std::string& path, const Attributes& attributes, std::int64_t width = 0,
           const std::string& across = {});
  /// Append one row: the entries of all datasets in order, the same on every rank. If `split` is
  /// given, it holds the last dataset's entries of this rank, and `row` has none of them.
  /// Collective where it fills the buffer.
  void push(std::span<const double> row, const std::optional<Part>& split = {});
  /// Collective.
  void flush();
  /// Go on after the first `rows` rows where the archive restores a state, else flush and save what
  /// they are. Collective.
  void serialize(std::int64_t rows, engine::Archive& archive);
  /// Rows so far.
  [[nodiscard]] std::int64_t rows() const { return rows_; }

 private:
  struct Dataset {
    Table table;
    std::int64_t width;
    std::int64_t first;           ///< entry of this rank
    std::vector<double> pending;  ///< what this rank writes
    bool is_split;
  };

  const parallel::Communicator& comm_;
  const Handle& file_;
  std::int64_t all_;
  std::vector<Dataset> datasets_;
  std::int64_t width_ = 0;  // of a row
  std::int64_t rows_ = 0;
  std::int64_t written_ = 0;  // of them
};

/// What a recorder is made from. All but `output` must outlive it.
struct RecorderContext {
  const parallel::Communicator& comm;
  const Handle& file;
  const engine::RunSpec& run;
  const slab::Profile* profile;  ///< this rank's part; null for models that are no slab
  const OutputSpec& output;
};

/// A recorder that makes a row of columns at every sample, from the engine's field.
class RowRecorder : public engine::Observer {
 public:
  RowRecorder(const RecorderContext& context, const Sampling& sampling)
      : comm_(context.comm), steps_(sampling), rows_(comm_, context.file, steps_.count()) {}

  [[nodiscard]] std::int64_t next_field_step(std::int64_t step) const override {
    return steps_.next(step);
  }
  void observe(const engine::Samples& samples, engine::Engine& engine) override {
    if (steps_.takes(samples.last_step())) {
      record(samples, engine);
    }
  }
  void serialize(std::int64_t step, engine::Archive& archive) override {
    rows_.serialize(steps_.count(step), archive);
  }
  void finish() override { rows_.flush(); }

 protected:
  /// Push the row of the last of `samples`. Collective.
  virtual void record(const engine::Samples& samples, engine::Engine& engine) = 0;

  const parallel::Communicator& comm_;
  SampledSteps steps_;
  RowBuffer rows_;
};

/// Every recorder that the output asks for, with its datasets:
///     /series, of every run: see SeriesRecorder;
///     /state/t [rows], /state/values [rows, columns], with an attribute `columns`, their names:
///         the whole state at every n-th step and at both ends, of a slab without a mass every
///         sample;
///     /field/t, s, eta, k and u [n, P], with eta_down where thresholds differ by direction:
///         the slab at every n-th step, or at the last only; where the output asks for fewer field
///         points than cells, base::Thinning's cells of it, and /field has an attribute
///         thinned_from, P;
///     /probe/s, /probe/u [n, places]: u of the cells that hold given s, with every sample;
///     /energy: see EnergyRecorder in energy_recorder.cpp.
/// Collective.
std::vector<std::unique_ptr<engine::Observer>> make_recorders(const RecorderContext& context);

/// What their datasets take at least. Local.
double bytes_of_result(const engine::RunSpec& run, const OutputSpec& output);

/// The recorder of /energy, where the output asks for it; else null. Collective.
std::unique_ptr<engine::Observer> make_energy_recorder(const RecorderContext& context);

/// t, x, y, F and the restoring force of a sample, of the slab k0 x + S = F - c y - m x''.
using SeriesRow = std::array<double, 5>;

/// Calls `take` with the row of every sample among `samples`. Local.
template <typename Take>
void for_each_row(const SampledSteps& steps, const engine::Samples& samples, const Take& take) {
  for (std::size_t i = 0; i < samples.x.size(); ++i) {
    const std::int64_t step = samples.first_step + static_cast<std::int64_t>(i);
    if (steps.takes(step)) {
      take(SeriesRow{steps.time(step), samples.x[i], samples.y[i], samples.force[i],
                     samples.restoring[i]});
    }
  }
}

/// Numbers of the rows of /series that a run keeps. Local.
std::size_t series_numbers(const Sampling& sampling);

/// Keeps the rows of /series, which can only be written by all ranks together.
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

/// /series/t, x, y, force, restoring: one row a sample. /series has attributes `steps`, N, and of a
/// slab `cells`, P, 0 for P = ∞.
class SeriesRecorder final : public engine::Observer {
 public:
  /// Collective.
  SeriesRecorder(const parallel::Communicator& comm, const Handle& file, const engine::RunSpec& run,
                 const Sampling& sampling);

  void observe(const engine::Samples& samples, engine::Engine& engine) override;
  void serialize(std::int64_t step, engine::Archive& archive) override;
  /// Append rows kept elsewhere, one after another. Collective.
  void append(std::span<const double> rows);
  void finish() override { rows_.flush(); }

 private:
  SampledSteps steps_;
  RowBuffer rows_;
};

}  // namespace masing::io
