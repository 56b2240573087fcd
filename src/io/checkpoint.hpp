#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cli/configuration.hpp"
#include "engine/engine.hpp"
#include "io/hdf5.hpp"

namespace masing::io {

/// Who has a state to save: an engine and the observers of its run, always in the same order.
struct Actors {
  engine::Engine* engine = nullptr;  ///< none where the run is done: it will not step again
  std::vector<engine::Observer*> observers;
};

/// When checkpoints are due, beside where the run is asked to stop.
struct Rhythm {
  std::int64_t every = engine::never;                        ///< steps, and at `last`
  double seconds = std::numeric_limits<double>::infinity();  ///< of the clock
  std::int64_t last = engine::never;
};

/// The rhythm that a configuration asks for: none without --checkpoint; every --checkpoint-every
/// steps, or where that is 0 every ten minutes, and at step N. Local.
Rhythm rhythm_of(const cli::Configuration& configuration);

/// Makes the checkpoints of a run, each to the same FILE: written as FILE.draft, sealed
/// (io/sealed_file), on the disk, then renamed, so that FILE is always a whole one. A checkpoint is
/// an HDF5 file, all the run has written so far, with a group /checkpoint: its attributes `format`
/// and `step`, the numbers of engine and observers, and the arrays split over the ranks.
class Checkpoints final : public engine::Checkpointer {
 public:
  /// `begin` makes the HDF5 file of that name without /checkpoint, when the actors have written
  /// what they had to. All must outlive the object.
  Checkpoints(const parallel::Communicator& comm, std::string path, const Rhythm& rhythm,
              Actors actors, std::function<void(const std::string& draft)> begin);

  [[nodiscard]] std::int64_t next_step(std::int64_t step) const override;
  [[nodiscard]] bool is_due() const override;
  void write(std::int64_t step) override;

 private:
  const parallel::Communicator& comm_;
  std::string path_;
  Rhythm rhythm_;
  Actors actors_;
  std::function<void(const std::string&)> begin_;
  std::chrono::steady_clock::time_point last_;
};

/// The step of the checkpoint in an open file, of a run of `steps`. Throws UserError, naming
/// `path`, where there is none, or one of another format. Local.
std::int64_t checkpoint_step(const Handle& file, const std::string& path, std::int64_t steps);

/// Bring the actors to the state in an open file, a checkpoint of that step. Throws UserError,
/// naming `path`, where it is another run's. Collective on the file's ranks.
void restore(const Handle& file, const std::string& path, std::int64_t step, const Actors& actors);

}  // namespace masing::io
