#include "scan/steady.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "slab/steady/branch.hpp"
#include "slab/steady/transient.hpp"

namespace masing::scan {

namespace {

/// Whether F(t + τ/2) = -F(t), at a number of times.
bool is_odd(const base::Function& force, double period) {
  constexpr int looks = 32;
  double largest = 0.0;
  double difference = 0.0;
  for (int i = 0; i < looks; ++i) {
    const double t = period * (i + 0.37) / looks;
    largest = std::max(largest, std::abs(force(t)));
    difference = std::max(difference, std::abs(force(t) + force(t + period / 2)));
  }
  return difference <= 1e-12 * largest;
}

slab::PeriodicForce force_of(const ScanProblem& problem) {
  const base::Function& drive = problem.run.drive;
  return {.value = [drive](double t) { return drive(t); },
          .bounds = [drive](double first, double last) { return drive.bounds(first, last); },
          .breaks = problem.force_breaks,
          .period = *problem.period,
          .is_odd = is_odd(drive, *problem.period)};
}

slab::Oscillator loaded(const ScanProblem& problem, double preload) {
  slab::Oscillator oscillator = std::get<engine::Masing>(problem.run.model).oscillator;
  oscillator.preload = preload;
  return oscillator;
}

bool is_symmetric_start(const engine::Masing& model) {
  const base::Function& u0 = model.slab.initial_u;
  return !model.slab.is_shifted() && u0.is_constant() && u0(0.5) == 0.0 &&
         model.oscillator.x0 == 0.0;
}

/// What is known of a cycle of a force of period `period`.
PointNumbers described(const slab::Cycle& cycle, double period) {
  PointNumbers numbers = numbers_of({.least_x = cycle.least_x,
                                     .most_x = cycle.most_x,
                                     .least_restoring = cycle.least_restoring,
                                     .most_restoring = cycle.most_restoring,
                                     .loss = cycle.loss,
                                     .phase = cycle.phase,
                                     .period = period,
                                     .multiple = static_cast<double>(cycle.multiple)});
  constexpr double rounding = 1e-6;  // of multipliers
  numbers.residual = cycle.residual;
  numbers.stable = std::abs(cycle.multipliers[0]) <= 1 + rounding ? 1.0 : 0.0;
  numbers.larger_re = cycle.multipliers[0].real();
  numbers.larger_im = cycle.multipliers[0].imag();
  numbers.smaller_re = cycle.multipliers[1].real();
  numbers.smaller_im = cycle.multipliers[1].imag();
  numbers.drift = cycle.drift;
  if (std::abs(cycle.drift) > 1e-9 * (cycle.most_x - cycle.least_x)) {
    numbers.centre = PointNumbers::unknown;
  }
  numbers.frozen = cycle.frozen;
  numbers.fold = 0.0;
  return numbers;
}

/// The cycle of fewer periods than `multiple`, as few as there are, whose extreme is within `share`
/// of the cycle's range of `start`; nothing where there is none.
template <class Measure>
std::optional<slab::Cycle> cycle_of_fewer(const slab::Shooting<Measure>& shooting,
                                          const slab::Extreme& start, int multiple, double share) {
  for (int fewer = 1; fewer < multiple; ++fewer) {
    if (multiple % fewer != 0) {
      continue;
    }
    try {
      slab::Cycle cycle = shooting.near(start, fewer);
      if (std::abs(cycle.extreme.x - start.x) < share * (cycle.most_x - cycle.least_x)) {
        return cycle;
      }
    } catch (const base::UserError&) {
      continue;  // there is none of so many
    }
  }
  return std::nullopt;
}

/// The cycle near an extreme of a motion that has settled to a change from one repetition to the
/// next. Where it seems to repeat itself after several periods, it may be on a spiral to a cycle of
/// fewer; and what is found may close after fewer, where the way to it was too far to tell.
template <class Measure>
slab::Cycle cycle_near(const slab::Shooting<Measure>& shooting, const slab::Extreme& start,
                       const slab::Settled& settled) {
  const int multiple = settled.multiple;
  if (auto cycle = cycle_of_fewer(shooting, start, multiple, 1000 * settled.change + 1e-6)) {
    return std::move(*cycle);
  }
  slab::Cycle cycle = shooting.near(start, multiple);
  auto same = cycle_of_fewer(shooting, cycle.extreme, multiple, 1e-9);
  return same ? std::move(*same) : cycle;
}

/// The limit cycles of one problem, whatever its measure.
class LimitCycles {
 public:
  LimitCycles() = default;
  virtual ~LimitCycles() = default;
  LimitCycles(const LimitCycles&) = delete;
  LimitCycles& operator=(const LimitCycles&) = delete;

  /// The one that the motion from an extreme comes to, or from x0, y0, u0, and by how much the
  /// motion still changed before.
  struct Found {
    slab::Cycle cycle;
    double settled = 0.0;
  };
  [[nodiscard]] virtual Found after(const std::optional<slab::Extreme>& start) const = 0;
  /// The one near an extreme.
  [[nodiscard]] virtual slab::Cycle near(const slab::Extreme& start, int multiple) const = 0;
  /// The motion to the extreme one cycle later.
  [[nodiscard]] virtual std::optional<slab::Passage> passage(const slab::Extreme& at,
                                                             int multiple) const = 0;
  /// The samples of a cycle: rows of t, x, y, force and restoring force, from t = 0 on, where a
  /// period of the force begins, to its end; so many a period of the force.
  [[nodiscard]] virtual std::vector<double> series(const slab::Cycle& cycle) const = 0;
  static constexpr int samples = 400;
  [[nodiscard]] virtual double period() const = 0;
};

template <class Measure>
class CyclesOf final : public LimitCycles {
 public:
  CyclesOf(std::shared_ptr<const Measure> measure, double preload, const ScanProblem& problem)
      : measure_(std::move(measure)),
        map_(*measure_, loaded(problem, preload), force_of(problem)),
        shooting_(map_, is_symmetric_start(std::get<engine::Masing>(problem.run.model))) {}

  [[nodiscard]] Found after(const std::optional<slab::Extreme>& from) const override {
    const auto begin = from ? map_.end_of_period(*from) : std::nullopt;
    const slab::Settled settled = slab::settle(map_, 1e-6, 3000, begin);
    // Where the motion has not settled, a single period may be without an extreme.
    constexpr int several = 4;
    auto start = map_.outer_extreme(settled.state, settled.multiple);
    start = start ? start : map_.outer_extreme(settled.state, several);
    if (!start) {
      throw base::UserError(fmt::format(
          "after {} periods the motion has no extreme of x any more: it is at rest or runs away",
          settled.periods));
    }
    try {
      return {cycle_near(shooting_, *start, settled), settled.change};
    } catch (const base::UserError& error) {
      throw base::UserError(fmt::format(
          "no cycle found: {}; after {} periods from the start the motion changes by {:.2g} of its "
          "size a period",
          error.what(), settled.periods, settled.change));
    }
  }

  [[nodiscard]] slab::Cycle near(const slab::Extreme& start, int multiple) const override {
    return shooting_.near(start, multiple);
  }
  [[nodiscard]] std::optional<slab::Passage> passage(const slab::Extreme& at,
                                                     int multiple) const override {
    return map_.passage(at, multiple * period(), at.side);
  }
  [[nodiscard]] std::vector<double> series(const slab::Cycle& cycle) const override {
    auto solution = map_.from(map_.end_of_period(cycle.extreme).value());
    std::vector<double> rows;
    for (int i = 0; i <= samples * cycle.multiple; ++i) {
      const double t = period() * i / samples;
      const slab::MassState now = solution.at(t);
      rows.insert(rows.end(), {t, now.x, now.y, map_.force().value(t),
                               slab::restoring_force(map_.oscillator(), now)});
    }
    return rows;
  }
  [[nodiscard]] double period() const override { return map_.force().period; }

 private:
  std::shared_ptr<const Measure> measure_;
  slab::PeriodMap<Measure> map_;
  slab::Shooting<Measure> shooting_;
};

std::unique_ptr<const LimitCycles> cycles_of(const parallel::Communicator& comm,
                                             const ScanProblem& problem, SlabCache& cache) {
  if (cache.slab != problem.slab) {
    cache.exact = engine::exact_slab(comm, *engine::slab_of(problem.run));
    cache.slab = problem.slab;
  }
  return std::visit(
      [&]<class Measure>(
          const std::shared_ptr<const Measure>& measure) -> std::unique_ptr<const LimitCycles> {
        return std::make_unique<CyclesOf<Measure>>(measure, cache.exact.preload, problem);
      },
      cache.exact.measure);
}

/// Records a cycle.
void record(BranchPoint& point, const LimitCycles& cycles, const slab::Cycle& cycle,
            bool keeps_series) {
  point.numbers = described(cycle, cycles.period());
  if (keeps_series) {
    point.series = cycles.series(cycle);
  }
}

/// The history after a cycle, at the extreme opposite to where its passage begins: where the
/// next one comes from.
slab::TurningPointState history_after(const slab::Passage& passage, int side) {
  slab::TurningPointState past = passage.past;
  past.positions.push_back(passage.x);
  past.positions.push_back(side > 0 ? passage.least_x : passage.most_x);
  past.x = past.positions.back();
  return past;
}

/// Follows the cycles of a line of points, each from the one before.
class BranchOfCycles {
 public:
  BranchOfCycles(const parallel::Communicator& comm, const LineProblem& problem, SlabCache& cache,
                 std::span<const double> grid, bool keeps_series)
      : comm_(comm), problem_(problem), cache_(cache), grid_(grid), keeps_series_(keeps_series) {}

  std::vector<BranchPoint> points() {
    begin(std::nullopt);
    while (next_ < grid_.size()) {
      follow();
      if (next_ < grid_.size()) {
        go_on();
      }
    }
    return std::move(found_);
  }

 private:
  /// The cycles at a value of the parameter. Some values come again and again: slopes ask for both
  /// sides.
  std::shared_ptr<const LimitCycles> at(double value) {
    if (const auto known = known_.find(value); known != known_.end()) {
      return known->second;
    }
    constexpr std::size_t most = 8;
    if (known_.size() >= most) {
      known_.clear();
    }
    return known_.emplace(value, cycles_of(comm_, problem_(value), cache_)).first->second;
  }

  /// The next point of the grid, by the motion from an extreme or from x0, y0, u0.
  void begin(const std::optional<slab::Extreme>& start) {
    const double value = grid_[next_];
    const auto cycles = at(value);
    const auto [cycle, settled] = cycles->after(start);
    multiple_ = cycle.multiple;
    scale_ = cycle.most_x - cycle.least_x;
    last_ = cycle.extreme;
    is_free_ = cycle.is_free;
    BranchPoint& first = found_.emplace_back();
    first.value = value;
    record(first, *cycles, cycle, keeps_series_);
    first.numbers.settled = settled;
    ++next_;
  }

  /// The same from the last cycle, where the branch is not smooth enough to be followed.
  void go_on() {
    try {
      begin(last_);
    } catch (const base::UserError& error) {
      found_.push_back({.value = grid_[next_], .message = error.what()});
      ++next_;
    }
  }

  [[nodiscard]] double span() const { return grid_.back() - grid_.front(); }

  [[nodiscard]] slab::Triple scaled(const slab::Extreme& at, double value) {
    return {circular * at.phase / this->at(value)->period(), at.x / scale_,
            value / std::abs(span())};
  }
  [[nodiscard]] slab::Extreme extreme_at(const slab::Triple& z) {
    return {z[0] * at(value_of(z))->period() / circular, z[1] * scale_, last_.past, last_.side};
  }
  [[nodiscard]] double value_of(const slab::Triple& z) const { return z[2] * std::abs(span()); }

  std::optional<slab::Pair> miss(const slab::Triple& z) {
    const slab::Extreme start = extreme_at(z);
    const auto cycles = at(value_of(z));
    const auto passage = cycles->passage(start, multiple_);
    if (!passage) {
      return std::nullopt;
    }
    return slab::Pair{circular * (passage->span / cycles->period() - multiple_),
                      (is_free_ ? start.x - last_.x : passage->x - start.x) / scale_};
  }

  /// As far as the branch is smooth from the last point found.
  void follow() {
    const auto residual = [this](const slab::Triple& z) { return miss(z); };
    const slab::Branch branch(residual);
    const double first = grid_[next_ - 1];
    leave(last_, first);
    auto here = branch.first(scaled(last_, first), {0.0, 0.0, span() > 0.0 ? 1.0 : -1.0});
    constexpr double longest = 0.05;
    constexpr double shortest = 1e-4;
    double length = std::min(longest, 1.0 / static_cast<double>(grid_.size()));
    while (here && next_ < grid_.size() && length > shortest) {
      const auto there = branch.next(*here, length);
      const auto ahead = there ? branch.first(*there, here->tangent) : std::nullopt;
      // The motion is a contraction: no branch turns back, but where it has a kink a tangent may.
      if (!ahead || ahead->tangent[2] * here->tangent[2] <= 0.0) {
        length *= 0.5;
        continue;
      }
      record_between(here->z, *there);
      // The past, the size and with them the slopes are those of the new point.
      const slab::Extreme extreme = extreme_at(*there);
      const double value = value_of(*there);
      leave(extreme, value);
      here = branch.first(scaled(extreme, value), ahead->tangent);
      length = std::min(longest, 1.5 * length);
    }
  }

  /// Makes the past of the points to come what the cycle through an extreme leaves, and their scale
  /// its size, which grows by orders of magnitude towards a resonance.
  void leave(const slab::Extreme& extreme, double value) {
    const auto passage = at(value)->passage(extreme, multiple_);
    if (passage) {
      last_ = {extreme.phase, extreme.x, history_after(*passage, extreme.side), extreme.side};
      scale_ = passage->most_x - passage->least_x;
    }
  }

  /// The points of the grid between two points of the branch.
  void record_between(const slab::Triple& from, const slab::Triple& to) {
    const double first = value_of(from);
    const double last = value_of(to);
    std::vector<double> passed;
    for (const double value : grid_) {
      if ((value - first) * (value - last) <= 0.0 && value != first) {
        passed.push_back(value);
      }
    }
    if (last < first) {
      std::ranges::sort(passed, std::greater<>());
    } else {
      std::ranges::sort(passed);
    }
    for (const double value : passed) {
      const double part = (value - first) / (last - first);
      BranchPoint point{.value = value};
      describe(point, [&](const LimitCycles& cycles) {
        return cycles.near(extreme_at(slab::sum(from, part, slab::sum(to, -1.0, from))), multiple_);
      });
      found_.push_back(point);
      if (next_ < grid_.size() && value == grid_[next_]) {
        ++next_;
      }
    }
  }

  template <class Make>
  void describe(BranchPoint& point, const Make& make) {
    try {
      const auto cycles = at(point.value);
      point.numbers.period = cycles->period();  // known where the cycle is not
      record(point, *cycles, make(*cycles), keeps_series_);
    } catch (const base::UserError& error) {
      point.message = error.what();
    }
  }

  const parallel::Communicator& comm_;
  const LineProblem& problem_;
  SlabCache& cache_;
  std::span<const double> grid_;
  bool keeps_series_;
  std::map<double, std::shared_ptr<const LimitCycles>> known_;
  std::vector<BranchPoint> found_;
  std::size_t next_ = 0;  // the first of the grid that is not found yet
  int multiple_ = 1;
  double scale_ = 1.0;
  static constexpr double circular = 2 * std::numbers::pi;
  bool is_free_ = false;  // nothing holds the mass: x is arbitrary
  slab::Extreme last_;    // with the past of the points to come
};

}  // namespace

BranchPoint steady_point(const parallel::Communicator& comm, const ScanProblem& problem,
                         SlabCache& cache, bool keeps_series) {
  const auto cycles = cycles_of(comm, problem, cache);
  const auto [cycle, settled] = cycles->after(std::nullopt);
  BranchPoint point;
  record(point, *cycles, cycle, keeps_series);
  point.numbers.settled = settled;
  return point;
}

std::vector<BranchPoint> steady_branch(const parallel::Communicator& comm,
                                       const LineProblem& problem, std::span<const double> grid,
                                       SlabCache& cache, bool keeps_series) {
  return BranchOfCycles(comm, problem, cache, grid, keeps_series).points();
}

}  // namespace masing::scan
