#pragma once

#include <vector>

#include "engine/observer.hpp"
#include "io/hdf5.hpp"
#include "io/recorder.hpp"
#include "rheology/model_info.hpp"

namespace io {

/// /state/t [rows] and /state/values [rows, columns], with an attribute `columns`, their names: the
/// whole state at every n-th step and at both ends. Rows are kept and written many at a time;
/// flush() writes the last ones.
class StateRecorder final : public engine::Observer {
 public:
  /// Collective.
  StateRecorder(const parallel::Communicator& comm, const Handle& file, const Sampling& sampling,
                const rheology::StateLayout& layout);

  [[nodiscard]] std::int64_t next_field_step(std::int64_t step) const override;
  void observe(const engine::Samples& samples, engine::Engine& engine) override;
  void exchange(std::int64_t step, engine::Archive& archive) override;
  /// Collective.
  void flush();

 private:
  const parallel::Communicator& comm_;
  Sampling sampling_;
  Table times_;
  Table values_;
  std::int64_t most_rows_;         // kept
  std::int64_t rows_ = 0;          // kept so far
  std::int64_t first_column_ = 0;  // of this rank
  std::vector<double> pending_times_;
  std::vector<double> pending_;  // this rank's columns of the rows kept
};

}  // namespace io
