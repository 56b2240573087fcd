#pragma once

#include <optional>

#include "base/block_sum.hpp"
#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "parallel/rank_sum.hpp"
#include "slab/problem.hpp"
#include "slab/profile.hpp"

namespace masing::engine {

/// Cell by cell: each rank projects its slab of the Vec u and sums its internal force in the same
/// pass; one sum of integers over the ranks joins them, for `euler` of two steps. The same bits on
/// any number of ranks. Source: (26), continuous-masing-2001.
class Sweep final : public Engine {
 public:
  /// `comm` and `profile` (checked_profile's) must outlive the engine. Collective.
  Sweep(const parallel::Communicator& comm, const Masing& masing, const slab::TimeGrid& time,
        const slab::Profile& profile);

  [[nodiscard]] Sample sample() const override;
  void advance(const slab::Chunk& chunk) override;
  const parallel::Vector& field() override;
  void serialize(std::int64_t step, Archive& archive) override;

 private:
  const slab::Profile& profile_;
  slab::Scheme scheme_;
  slab::Oscillator oscillator_;
  double step_;  // δt
  base::FixedPoint fixed_point_;
  double scale_;                           // δs in units of the fixed point
  parallel::Vector u_;                     // v = u - c
  std::optional<parallel::Vector> shown_;  // u, where c is not 0
  slab::MassState state_;
  parallel::RankSum sum_;
};

}  // namespace masing::engine
