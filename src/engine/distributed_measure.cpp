#include "engine/distributed_measure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace masing::engine {

namespace {

using slab::ExactSums;
using slab::Int128;

// Limbs of 42 bits leave room in 64 for two million ranks.
constexpr int limb_bits = 42;
constexpr Int128 limb_mask = (Int128{1} << limb_bits) - 1;

void split(Int128 value, std::int64_t* limbs) {
  limbs[0] = static_cast<std::int64_t>(value & limb_mask);
  limbs[1] = static_cast<std::int64_t>((value >> limb_bits) & limb_mask);
  limbs[2] = static_cast<std::int64_t>(value >> (2 * limb_bits));
}

Int128 join(const std::int64_t* limbs) {
  constexpr Int128 radix = Int128{1} << limb_bits;
  return (limbs[2] * radix + limbs[1]) * radix + limbs[0];
}

}  // namespace

ExactSums sum_over_ranks(parallel::RankSum& sum, const ExactSums& sums) {
  std::array<std::int64_t, 6> limbs{};
  split(sums.stiffness, limbs.data());
  split(sums.force, limbs.data() + 3);
  sum(limbs);
  return {join(limbs.data()), join(limbs.data() + 3)};
}

double sum_bound(const parallel::Communicator& comm, const base::CellRange& range,
                 std::int64_t cells, const std::function<double(std::int64_t)>& term) {
  double largest = 0.0;
  double share = 0.0;  // of the largest sum of this rank, roughly
  for (std::int64_t i = 0; i < range.size; ++i) {
    largest = std::max(largest, term(i));
    share += term(i);
  }
  share /= static_cast<double>(cells);
  std::array most{largest, share};
  parallel::max_over_ranks(comm, most);
  largest = most[0];
  // FixedPoint throws beyond these limits. Within 2⁹ of one rank's share, a bound of the sum from
  // below, the local bound suffices: the exact sum would lead to the same result.
  if (!(largest >= 1e-200 && largest <= 1e200) || largest <= std::ldexp(most[1], 9)) {
    return largest;
  }
  const slab::ExactScale scale(largest, largest, cells);
  ExactSums sums;
  for (std::int64_t i = 0; i < range.size; ++i) {
    sums += scale.term(term(i), 0.0);
  }
  parallel::RankSum sum(comm);
  // A little more than the sum, for the roundings of its parts.
  const double total = scale.value(sum_over_ranks(sum, sums)).stiffness * (1.0 + 1e-6);
  return largest > std::ldexp(total, 10) ? total : largest;
}

namespace {

class RankParts final : public slab::Parts {
 public:
  explicit RankParts(const parallel::Communicator& comm) : comm_(comm), sum_(comm) {}

  [[nodiscard]] ExactSums sum(const ExactSums& own) const override {
    return sum_over_ranks(sum_, own);
  }
  [[nodiscard]] double most(double own) const override {
    parallel::max_over_ranks(comm_, std::span(&own, 1));
    return own;
  }

 private:
  const parallel::Communicator& comm_;
  mutable parallel::RankSum sum_;
};

}  // namespace

std::shared_ptr<const slab::Measure> distributed_measure(const parallel::Communicator& comm,
                                                         const slab::Profile& profile,
                                                         std::int64_t cells) {
  return slab::make_split_measure(profile, cells, std::make_shared<const RankParts>(comm));
}

}  // namespace masing::engine
