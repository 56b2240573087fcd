#pragma once

#include <map>
#include <optional>
#include <utility>

#include "study/run.hpp"

namespace study {

/// What the levels of a study are measured against, run when first needed and kept for the levels
/// that share it. For `successive` there is none.
class ReferenceRuns {
 public:
  /// Both must outlive the object. Local.
  ReferenceRuns(const parallel::Communicator& comm, const options::Configuration& configuration,
                std::int64_t field_samples);

  /// The reference of a level; null for `successive`. Collective.
  const Recording* of(const options::Level& level);

  /// The largest self-check of the references so far; 0 if none checks itself.
  [[nodiscard]] double self_check() const;

  /// The one run that serves all levels (`finest`), or nothing.
  [[nodiscard]] std::optional<options::Level> single() const { return finest_; }

 private:
  [[nodiscard]] options::Configuration configuration_of(const options::Level& level) const;

  const parallel::Communicator& comm_;
  const options::Configuration& configuration_;
  std::int64_t field_samples_;
  std::optional<options::Level> finest_;
  std::map<std::pair<std::int64_t, std::int64_t>, Run> runs_;  // by cells and steps
};

}  // namespace study
