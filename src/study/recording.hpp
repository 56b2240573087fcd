#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/aligned.hpp"
#include "engine/engine.hpp"
#include "slab/problem.hpp"

/// Refinement studies: levels, references, error norms, observed orders, verdict.
namespace masing::study {

/// u of any cell at one time, for a run at P = ∞: a mean of functions with
/// weights that add up to 1.
class ContinuousField {
 public:
  void add(double weight, slab::RememberedElongation elongation);
  /// All of it as numbers behind `numbers`, and back from `numbers` at `place`, which moves on.
  /// Local.
  void append_to(std::vector<double>& numbers) const;
  void read_from(const std::vector<double>& numbers, std::size_t& place);
  /// u of a cell. Local.
  [[nodiscard]] double operator()(const slab::Element& cell) const;

 private:
  struct Part {
    double weight = 0.0;
    slab::RememberedElongation elongation;
  };
  std::vector<Part> parts_;
};

/// A time at which u is kept: `rest` of a step after step `step`, 0 ≤ rest < 1.
struct FieldTime {
  std::int64_t step = 0;
  double rest = 0.0;
};

/// The times T/m, 2T/m, …, T among N steps, from integers. Local.
std::vector<FieldTime> uniform_times(std::int64_t steps, std::int64_t samples);

/// Given times among the steps of a grid; one that misses a step by rounding only is that step.
/// Local.
std::vector<FieldTime> given_times(const slab::TimeGrid& time, const std::vector<double>& given);

/// What a study keeps of one trajectory: x and y at every `stride`-th step, the same on every rank,
/// and u at some times: vectors split over the ranks for P cells, or the P columns of a state;
/// functions for P = ∞. Between steps all three are linear in t, as Proposition 4.1 of
/// continuous-masing-2001 has them.
class Recording final : public engine::Observer {
 public:
  /// Position and velocity.
  struct Motion {
    double x;
    double y;
  };

  /// `columns`: entries of the field, [columns] over the ranks; none where it is kept as functions.
  /// `stride` divides N. Collective.
  Recording(const parallel::Communicator& comm, const slab::TimeGrid& time,
            std::optional<std::int64_t> columns, std::int64_t stride,
            const std::vector<FieldTime>& times);

  /// A trajectory that was read: x and y at `time`, fields at other times.
  Recording(std::vector<double> time, base::AlignedVector x, base::AlignedVector y,
            std::vector<parallel::Vector> fields);

  [[nodiscard]] std::int64_t next_field_step(std::int64_t step) const override;
  void observe(const engine::Samples& samples, engine::Engine& engine) override;
  void exchange(std::int64_t step, engine::Archive& archive) override;

  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// Whether u is kept as functions of η and u0, of a run at P = ∞.
  [[nodiscard]] bool is_continuum() const { return !columns_; }
  /// The times of x and y of a trajectory that was read; empty for one that was recorded step by
  /// step.
  [[nodiscard]] const std::vector<double>& sample_times() const { return sample_times_; }
  /// x and y of sample i of a trajectory that was read.
  [[nodiscard]] Motion sample(std::size_t i) const { return kept(i); }

  /// Take over what the ranks first.. of `comm` recorded: `mine` on those, which is of no use
  /// afterwards, null on the others. This recording is on `comm`, of the same problem, and empty.
  /// Collective on `comm`.
  void take(const parallel::Communicator& comm, Recording* mine, int first);

  /// The largest |x|, |y| and |u|.
  struct Largest {
    double x = 0.0;
    double y = 0.0;
    double u = 0.0;

    /// The larger of both, one by one.
    void include(const Largest& other);
  };
  /// Over the steps and fields kept; u is 0 for P = ∞. Collective on `comm`, the recording's.
  [[nodiscard]] Largest largest(const parallel::Communicator& comm) const;
  /// engine::self_check at the end of the run.
  [[nodiscard]] double self_check() const { return self_check_; }

  /// x and y at t = p·T/`steps`, p in 0..`steps`. Local.
  [[nodiscard]] Motion at(std::int64_t p, std::int64_t steps) const;
  /// x and y at any time in [0, T], `time` being the grid of the run. Local.
  [[nodiscard]] Motion at(const slab::TimeGrid& time, double t) const;
  /// u at the times asked for, [P] each; empty for P = ∞.
  [[nodiscard]] const std::vector<parallel::Vector>& fields() const { return fields_; }
  /// u at the times asked for, for P = ∞; else empty.
  [[nodiscard]] const std::vector<ContinuousField>& continuous_fields() const {
    return continuous_fields_;
  }

 private:
  [[nodiscard]] Motion kept(std::size_t i) const { return {x_[i], y_[i]}; }

  /// At step `step` the field enters sample `sample` with weight `weight`.
  struct Contribution {
    std::int64_t step;
    std::size_t sample;
    double weight;
  };

  std::int64_t steps_ = 0;
  std::optional<std::int64_t> columns_;
  std::int64_t stride_ = 1;
  std::vector<double> sample_times_;
  double self_check_ = 0.0;
  base::AlignedVector x_;  // of every stride-th step, and y
  base::AlignedVector y_;
  std::vector<Contribution> contributions_;  // by step
  std::vector<parallel::Vector> fields_;
  std::vector<ContinuousField> continuous_fields_;
};

}  // namespace masing::study
