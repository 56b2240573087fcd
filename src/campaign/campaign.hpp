#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "engine/time_loop.hpp"
#include "io/hdf5.hpp"
#include "io/specs.hpp"
#include "parallel/communicator.hpp"

/// Executes a run, a study or a scan: distributes its work over the ranks, advances it, writes and
/// reads its checkpoints, stops it on request and reports its progress.
namespace masing::campaign {

/// Index of a unit of work: the run of a simulation, a comparison of a study, or a task of a scan
/// (one or more points). It does not depend on the number of ranks.
using Unit = std::int64_t;

/// The results of completed units, packed into one array of doubles that can be sent as one
/// message: for each unit its index, the number of its values, and the values.
class Records {
 public:
  Records() = default;
  explicit Records(std::vector<double> numbers) : numbers_(std::move(numbers)) {}

  void add(Unit unit, std::span<const double> numbers) {
    numbers_.push_back(static_cast<double>(unit));
    numbers_.push_back(static_cast<double>(numbers.size()));
    numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  }
  /// Empties the container and calls `take(unit, numbers)` for each record that it contained.
  template <class Take>
  void take_all(const Take& take) {
    const std::vector<double> all = std::exchange(numbers_, {});
    for (std::size_t at = 0; at < all.size();) {
      const auto size = static_cast<std::size_t>(all.at(at + 1));
      take(static_cast<Unit>(all[at]), std::span(all).subspan(at + 2, size));
      at += 2 + size;
    }
  }
  [[nodiscard]] std::vector<double>& numbers() { return numbers_; }

 private:
  std::vector<double> numbers_;
};

/// An archive of one rank that serializes a state into one array of doubles, which can be sent.
class NumbersArchive final : public engine::Archive {
 public:
  /// For saving; the state is empty at first.
  NumbersArchive() = default;
  /// For restoring from `saved`.
  explicit NumbersArchive(std::vector<double> saved) : restores_(true), state_(std::move(saved)) {}

  [[nodiscard]] bool restores() const override { return restores_; }
  void numbers(const std::string& /*name*/, std::vector<double>& values) override {
    auto size = static_cast<double>(values.size());
    exchange(std::span(&size, 1));
    values.resize(static_cast<std::size_t>(size));
    exchange(values);
  }
  void split(const std::string& /*name*/, parallel::Vector& values) override {
    exchange(values.values());
  }
  [[nodiscard]] const std::vector<double>& state() const { return state_; }

 private:
  void exchange(std::span<double> values) {
    if (!restores_) {
      state_.insert(state_.end(), values.begin(), values.end());
      return;
    }
    for (double& value : values) {
      value = state_.at(place_++);
    }
  }

  bool restores_ = false;
  std::vector<double> state_;
  std::size_t place_ = 0;
};

/// Units that are assigned to one Work together.
using Batch = std::vector<Unit>;

/// Progress: the completed and the total number of units or steps.
struct Count {
  std::int64_t done = 0;
  std::int64_t all = 0;
};

/// The computation of some units on the ranks of one communicator: all ranks, or one. It owns the
/// engines, the observers and the open files.
class Work {
 public:
  Work() = default;
  virtual ~Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  /// Advances by one window of steps that ends at step `last` at the latest; in a scan on one rank,
  /// by points and windows for about 20 ms. Appends the results of completed units to `records`.
  /// `wish` is what this rank requests instead of a window. Returns the answer that the ranks of
  /// the work have agreed on, equal on all of them: if it is not Pause::none, no step has been
  /// computed and the caller has to save the state. Collective on the ranks of the work.
  virtual engine::Pause advance(std::int64_t last, engine::Pause wish, Records& records) = 0;
  [[nodiscard]] virtual bool is_done() const = 0;

  /// The units whose state serialize() saves. Empty if there is no state worth saving: the units in
  /// progress are then computed from their start after a restart. Local.
  [[nodiscard]] virtual Batch units() const = 0;
  /// Completed and total steps of these units, of the run with the most steps; 0 of 0 if units() is
  /// empty. Local.
  [[nodiscard]] virtual Count steps() const = 0;
  /// A remark that the progress line shows after the rate; empty for none. Local.
  [[nodiscard]] virtual std::string remark() const { return ""; }

  /// Saves or restores the state between two windows. Collective on the ranks of the work.
  virtual void serialize(engine::Archive& archive) = 0;
  /// Flushes the rows of the result file, if the work writes one, and stores the name and the id of
  /// that file in the open checkpoint. Collective.
  virtual void attach(const io::Handle& /*checkpoint*/) const {}
};

/// The distribution of the units that are not yet computed over the ranks.
struct Packing {
  std::vector<Batch> together;     ///< each computed by all ranks, in this order
  std::vector<Batch> alone;        ///< each computed by one rank, assigned in this order
  std::int64_t most_in_share = 1;  ///< maximum number of batches of `alone` per assignment
  double seconds = 0.0;            ///< estimated time until the last unit is done
  std::string text = {};           ///< the plan, printed on stderr if the campaign is long
  std::string advice = {};         ///< advice on the number of ranks, printed on stderr
};

/// Supplies a campaign with units and stores their results.
class Source {
 public:
  Source() = default;
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// The plural name of what count() counts, for messages: "points". Local.
  [[nodiscard]] virtual std::string unit_name() const = 0;
  /// The completed and the total number of points, comparisons or steps (unit_name()). Up to date
  /// on the root only. Local.
  [[nodiscard]] virtual Count count() const = 0;
  /// Whether --checkpoint-every counts these units rather than the steps of a work. Local.
  [[nodiscard]] virtual bool schedules_by_units() const { return false; }

  /// Distributes the units that are not yet computed over the ranks, without `under_way`, whose
  /// state was restored from a checkpoint. Called again when these are computed, until it returns
  /// no batches. Local, with the same result on all ranks.
  virtual Packing pack(const Batch& under_way) = 0;
  /// Creates the work of one batch, or of several consecutive ones, in its initial state. Throws
  /// UserError, Stopped. Collective on `ranks`, which must outlive the work.
  virtual std::unique_ptr<Work> begin(const parallel::Communicator& ranks, const Batch& units) = 0;
  /// The name of these units in messages about their setup and progress. Local.
  [[nodiscard]] virtual std::string title(const Batch& units) const = 0;

  /// Stores the record of a unit. If a batch has one record, `unit` is the first unit of the batch.
  /// Called on the root when the unit is completed, and on other ranks with what records() returns
  /// there. Local.
  virtual void take(Unit /*unit*/, std::span<const double> /*numbers*/) {}
  /// Takes all of these records, which are then empty. Local.
  void take_all(Records& records) {
    records.take_all([this](Unit unit, std::span<const double> numbers) { take(unit, numbers); });
  }
  /// What records are for. Only the root writes some of them to the result file; units that failed
  /// are not in a checkpoint, so that they are computed again.
  enum class Use { in_checkpoint, on_all_ranks };
  /// The records that the root has. Local.
  [[nodiscard]] virtual Records records(Use /*use*/) const { return {}; }
  /// Evaluates the results when all units are completed. Returns true if it has added units, which
  /// have to be computed, too. Collective.
  virtual bool refine(const parallel::Communicator& /*comm*/) { return false; }
};

/// Writes the result into an open file. On a communicator of the root alone.
using Write = std::function<void(const parallel::Communicator& root, const io::Handle& file)>;

/// Computes all units of a source and then, if `write` is given, writes the result file. Resumes
/// from the checkpoint files.checkpoint.restart, if there is one. Writes a checkpoint on schedule,
/// when it is stopped, and when the result file cannot be written. Removes the checkpoint at the
/// end, except a scheduled one without `write`: a longer run can be resumed from it. The results
/// depend neither on the number of ranks nor on where the campaign was stopped. Throws Stopped on
/// all ranks alike, UserError and SystemError as the works do. Collective.
void run(const parallel::Communicator& comm, Source& source, const io::FileSpec& files,
         const Write& write = {});

}  // namespace masing::campaign
