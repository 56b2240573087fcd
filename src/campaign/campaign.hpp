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

/// Executes the computations of a run, a study or a scan. A campaign distributes them over the
/// ranks, advances them, writes and reads checkpoints, stops on request, and reports the progress.
namespace masing::campaign {

/// The index of a unit. A unit is the run of a simulation, a comparison of a study, or a point of a
/// scan. The index does not depend on the number of ranks.
using Unit = std::int64_t;

/// The results of completed units, packed into one array of doubles that can be sent as one
/// message. For each unit the array contains the index of the unit, the number of the unit's
/// values, and these values.
class Records {
 public:
  Records() = default;
  explicit Records(std::vector<double> numbers) : numbers_(std::move(numbers)) {}

  void add(Unit unit, std::span<const double> numbers) {
    numbers_.push_back(static_cast<double>(unit));
    numbers_.push_back(static_cast<double>(numbers.size()));
    numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  }
  /// Removes all records from this object and calls `take(unit, numbers)` for each of them.
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

/// An archive on a single rank. It saves a state in one array of doubles, which can be sent to
/// another rank, or restores a state from such an array.
class NumbersArchive final : public engine::Archive {
 public:
  /// Creates an archive that saves; the array is initially empty.
  NumbersArchive() = default;
  /// Creates an archive that restores from `saved`.
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

/// Returns all that fields(archive) of `value` passes, as one array. Local.
template <class Struct>
std::vector<double> packed(Struct value) {
  NumbersArchive archive;
  value.fields(archive);
  return archive.state();
}

/// Returns the object of which packed() has made `numbers`. Local.
template <class Struct>
Struct unpacked(std::vector<double> numbers) {
  NumbersArchive archive(std::move(numbers));
  Struct value;
  value.fields(archive);
  return value;
}

/// Units that one Work computes together.
using Batch = std::vector<Unit>;

/// How many units or steps are completed, and how many there are.
struct Count {
  std::int64_t done = 0;
  std::int64_t all = 0;
};

/// The computation of some units, either by all ranks together or by a single rank. A work owns the
/// engines, the observers and the open files of its units.
class Work {
 public:
  Work() = default;
  virtual ~Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  /// Advances by one window of steps that ends at step `last` at the latest. If the work belongs to
  /// a scan and to a single rank, it continues with further windows and points until about 20 ms
  /// have passed. Appends the results of completed units to `records`. `wish` is
  /// Pause::none or the pause that is requested; that of the root counts, and is returned on all
  /// ranks of the work. If it is not Pause::none, the window was not computed, and the caller has
  /// to save the state. Collective on the ranks of the work.
  virtual engine::Pause advance(std::int64_t last, engine::Pause wish, Records& records) = 0;
  [[nodiscard]] virtual bool is_done() const = 0;

  /// Returns the units whose state serialize() saves. Returns no units if the work has no state
  /// that is worth saving; after a restart such units begin anew. Local.
  [[nodiscard]] virtual Batch units() const = 0;
  /// Returns the completed and the total number of steps of the units that units() returns. If they
  /// contain several runs, returns the numbers of the run with the most steps. Both numbers are 0
  /// if units() is empty. Local.
  [[nodiscard]] virtual Count steps() const = 0;

  /// Saves or restores the state of the work; called between two windows only. Collective on the
  /// ranks of the work.
  virtual void serialize(engine::Archive& archive) = 0;
  /// If the work writes a result file, flushes the rows of this file, and stores its name and the
  /// id of its run in the open checkpoint. Collective.
  virtual void attach(const io::Handle& /*checkpoint*/) const {}
};

/// The units that are not yet computed, with the ranks that have to compute them.
struct Packing {
  std::vector<Batch> together;  ///< batches for all ranks together, in this order
  std::vector<Batch> alone;     ///< batches each for a single rank, assigned in this order
};

/// Supplies a campaign with units and stores their results.
class Source {
 public:
  Source() = default;
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// Returns the plural name of what count() counts, such as "points", for messages. Local.
  [[nodiscard]] virtual std::string unit_name() const = 0;
  /// Returns how many of the things that unit_name() names are completed, and how many there are.
  /// The numbers are up to date on the root only. Local.
  [[nodiscard]] virtual Count count() const = 0;
  /// Returns whether the line of progress shows count(); if false, it shows the steps of a work.
  /// Local.
  [[nodiscard]] virtual bool shows_count() const { return false; }

  /// Returns the units that are not yet computed, with the ranks that have to compute them. The
  /// units `under_way` are left out, because their states were restored from a checkpoint. After
  /// the returned batches are computed, the campaign calls pack() again, until it returns no batch.
  /// Local, with the same result on all ranks.
  virtual Packing pack(const Batch& under_way) = 0;
  /// Creates the work that computes the batch `units`, in its initial state. Throws UserError if
  /// the units cannot be set up, and Stopped if a stop is requested meanwhile. Collective on
  /// `ranks`, which must outlive the work.
  virtual std::unique_ptr<Work> begin(const parallel::Communicator& ranks, const Batch& units) = 0;

  /// Stores the record of a unit. The root calls this function when a unit is completed or
  /// restored; the other ranks call it with restored records and with those that the root
  /// broadcasts. Local.
  virtual void take(Unit /*unit*/, std::span<const double> /*numbers*/) {}
  /// Calls take() for each of the records and empties `records`. Local.
  void take_all(Records& records) {
    records.take_all([this](Unit unit, std::span<const double> numbers) { take(unit, numbers); });
  }
  /// The purpose for which records() returns records. `in_checkpoint`: the records of failed units
  /// are left out, so that these units are computed again after a restart. `on_all_ranks`: data
  /// that only the root needs, to write the result file, may be left out.
  enum class Use { in_checkpoint, on_all_ranks };
  /// Returns the records for the given purpose; called on the root. Local.
  [[nodiscard]] virtual Records records(Use /*use*/) const { return {}; }
  /// Evaluates the results after all units are completed. Collective.
  virtual void conclude(const parallel::Communicator& /*comm*/) {}
};

/// A function that writes the result into an open file. It is called on the root, with a
/// communicator that contains only the root.
using Write = std::function<void(const parallel::Communicator& root, const io::Handle& file)>;

/// Computes all units of a source and then, if `write` is given, writes the result file. If
/// files.checkpoint.restart is set, resumes from this checkpoint. If files.checkpoint.path is not
/// empty, writes a checkpoint there on schedule (if checkpoints are scheduled), and when the
/// campaign is stopped and there is a state or a result to save. If the result cannot be written,
/// also saves what was computed. At the end the checkpoint is
/// removed, unless checkpoints are scheduled and `write` is not given; then it is kept, because a
/// longer run can be resumed from it. Except for durations, the results are the same on any number
/// of ranks, and also if the campaign was stopped and resumed. Throws Stopped on all ranks alike if
/// a stop is requested. Throws UserError if a file must not be written or a work cannot be
/// computed, and SystemError if a file cannot be written. Collective.
void run(const parallel::Communicator& comm, Source& source, const io::FileSpec& files,
         const Write& write = {});

}  // namespace masing::campaign
