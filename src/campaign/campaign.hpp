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

/// Makes the work of a run, a study or a scan: distributes it over the ranks, advances, saves,
/// stops and resumes it, and reports how far it is.
namespace masing::campaign {

/// A run, a comparison or a point: numbered alike on any number of ranks.
using Unit = std::int64_t;

/// The numbers of units that are done, in one sequence that can be sent: of each its unit, how many
/// numbers it has, and these.
class Records {
 public:
  Records() = default;
  explicit Records(std::vector<double> numbers) : numbers_(std::move(numbers)) {}

  void add(Unit unit, std::span<const double> numbers) {
    numbers_.push_back(static_cast<double>(unit));
    numbers_.push_back(static_cast<double>(numbers.size()));
    numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  }
  /// Calls `take(unit, numbers)` for each record and forgets them.
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

/// Units that are computed side by side in one work.
using Batch = std::vector<Unit>;

/// How far something is.
struct Count {
  std::int64_t done = 0;
  std::int64_t all = 0;
};

/// A part of a campaign on certain ranks. It owns engines, observers and open files.
class Work {
 public:
  Work() = default;
  virtual ~Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  /// Advances by one window of steps, which ends at step `last` at the latest, or by some 20 ms of
  /// points, and adds the records of the units that are done. Ranks that share the work agree on a
  /// pause by their wishes; the return value is what they agreed on, alike on all, and where it is
  /// not Pause::none nothing has been advanced. Collective on the ranks of the work.
  virtual engine::Pause advance(std::int64_t last, engine::Pause wish, Records& records) = 0;
  [[nodiscard]] virtual bool is_done() const = 0;

  /// The units whose state serialize() saves; empty where the units in progress begin anew after a
  /// stop. Local.
  [[nodiscard]] virtual Batch units() const = 0;
  /// The steps of these units, of the finest run. Local.
  [[nodiscard]] virtual Count steps() const = 0;
  /// What the progress line says behind the rate. Local.
  [[nodiscard]] virtual std::string remark() const { return ""; }

  /// Saves or restores the state between two windows. Collective on the ranks of the work.
  virtual void serialize(engine::Archive& archive) = 0;
  /// Writes to an open checkpoint what links it to rows of a result file. Collective.
  virtual void attach(const io::Handle& /*checkpoint*/) const {}
};

/// How the open units of a source are distributed over the ranks.
struct Packing {
  std::vector<Batch> together;     ///< each by all ranks, one after another
  std::vector<Batch> alone;        ///< each by one rank, dealt out in this order
  std::int64_t most_in_share = 1;  ///< batches that one rank gets at a time at most
  double seconds = 0.0;            ///< estimated time until the last unit is done
  std::string text = {};           ///< says on stderr what a long campaign is going to do
  std::string advice = {};         ///< says there what would be better
};

/// Where the units of a campaign come from, and where their records go. It owns the plan and the
/// records.
class Source {
 public:
  Source() = default;
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// What is counted: "points". Local.
  [[nodiscard]] virtual std::string unit_name() const = 0;
  /// The units that are done. On the root. Local.
  [[nodiscard]] virtual Count count() const = 0;
  /// Whether --checkpoint-every counts these units rather than the steps of a work. Local.
  [[nodiscard]] virtual bool schedules_by_units() const { return false; }

  /// Distributes the open units over `ranks` ranks, except `under_way`, whose works are resumed. It
  /// is called again after share(), until nothing is open. Local, alike on all ranks.
  virtual Packing pack(const Batch& under_way, int ranks) = 0;
  /// The work of a batch, or of several consecutive ones, at its start. Throws UserError, Stopped.
  /// Collective on `ranks`, which must outlive the work.
  virtual std::unique_ptr<Work> begin(const parallel::Communicator& ranks, const Batch& units) = 0;
  /// The name of units in lines about their progress; empty where they have no line. Local.
  [[nodiscard]] virtual std::string title(const Batch& units) const = 0;

  /// Keeps the record of a unit, or of a batch by its first unit. On the root. Local.
  virtual void take(Unit unit, std::span<const double> numbers) = 0;
  /// Saves the records of the root, or restores them on all ranks. Collective.
  virtual void serialize(engine::Archive& archive) = 0;
  /// Gives all ranks the records of the root. Collective.
  virtual void share(const parallel::Communicator& comm) = 0;
  /// Decides, when all units are done, whether there are further ones. Collective.
  virtual bool refine(const parallel::Communicator& /*comm*/) { return false; }
};

/// What a campaign is told beside its source.
struct Spec {
  const io::CheckpointSpec& checkpoint;
  const io::ResultSpec& result;
  bool quiet = false;
};

/// Writes the result into an open file. On a communicator of the root alone.
using Write = std::function<void(const parallel::Communicator& root, const io::Handle& file)>;

/// Makes all units of a source and then, if `write` is given, the result file. Goes on with the
/// checkpoint spec.checkpoint.restart; writes checkpoints while it runs, where it is stopped, and
/// where the result file cannot be written; removes the checkpoint at the end unless the run itself
/// writes its file and the checkpoint is scheduled. The numbers do not depend on the ranks, nor on
/// where it was stopped. Throws Stopped alike on all ranks; UserError and SystemError as the works.
/// Collective.
void run(const parallel::Communicator& comm, Source& source, const Spec& spec,
         const Write& write = {});

}  // namespace masing::campaign
