#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/engine.hpp"
#include "parallel/communicator.hpp"
#include "parallel/vector.hpp"

namespace masing::engine {

/// A run that is not worth splitting, as an engine of all ranks: the root steps an engine of its
/// own and sends x, y and the restoring force of each chunk to the others, which sleep meanwhile.
/// The root holds the whole field. To the bit what that engine gives on one rank.
class RootEngine final : public Engine {
 public:
  /// `engine`: on the root, made on that rank alone; null on the others. `comm` must outlive it.
  /// Collective.
  RootEngine(const parallel::Communicator& comm, std::unique_ptr<Engine> engine);

  [[nodiscard]] Sample sample() const override { return sample_; }
  void advance(const slab::Chunk& chunk) override;
  const parallel::Vector& field() override;
  std::optional<slab::RememberedElongation> elongation() override;
  std::optional<double> elastic_energy() override;
  std::optional<slab::Works> works() override;
  [[nodiscard]] double self_check() const override;
  void exchange(std::int64_t step, Archive& archive) override;

 private:
  void share_sample();
  parallel::Vector& taken(const parallel::Vector* whole);

  const parallel::Communicator& comm_;
  std::unique_ptr<Engine> engine_;
  Sample sample_;
  std::vector<double> message_;            // of a chunk
  std::optional<parallel::Vector> field_;  // made when it is first asked for
};

}  // namespace masing::engine
