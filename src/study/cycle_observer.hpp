#pragma once

#include <optional>
#include <vector>

#include "engine/engine.hpp"
#include "io/recorders.hpp"
#include "study/scan.hpp"

namespace masing::study {

/// Watches a run for what a scan says of it: the extremes of x over the window of the samples, all
/// steps of it, and, where F has a period, what its last period in the window comes to.
class CycleObserver final : public engine::Observer {
 public:
  CycleObserver(const io::Sampling& window, std::optional<double> period);

  void observe(const engine::Samples& samples, engine::Engine& engine) override;

  /// What the run came to, when it is done. Local.
  [[nodiscard]] PointNumbers numbers() const;

 private:
  struct Step {
    double t;
    double x;
    double force;
    double restoring;
  };

  void add_period(PointNumbers& numbers) const;

  io::Sampling window_;
  std::optional<double> period_;
  std::optional<Step> least_;  // of x
  std::optional<Step> most_;
  std::vector<Step> last_;  // the steps of the last period, and the one before
};

}  // namespace masing::study
