#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/aligned.hpp"
#include "base/partition.hpp"
#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "parallel/vector.hpp"
#include "slab/problem.hpp"

/// Refinement studies: levels, references, error norms, observed orders, verdict.
namespace masing::study {

/// u of any cell at one time, of a run by turning points: a mean of functions with weights that add
/// up to 1.
class ContinuousField {
 public:
  void add(double weight, slab::RememberedElongation elongation);
  /// All of it as numbers behind `numbers`, and back from `numbers` at `place`, which moves on.
  /// Local.
  void append_to(std::vector<double>& numbers) const;
  void read_from(const std::vector<double>& numbers, std::size_t& place);
  /// u of a cell. Local.
  [[nodiscard]] double operator()(const slab::Element& cell) const;

  struct Part {
    double weight = 0.0;
    slab::RememberedElongation elongation;
  };
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }

 private:
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

/// u of all cells, or of the columns of a state, [P] split over the ranks; for P = ∞ and for many
/// cells as a function.
using Field = std::variant<parallel::Vector, ContinuousField>;

/// Entries of a run's field; none of a run at P = ∞, whose field is a function. Local.
std::optional<std::int64_t> field_columns(const engine::RunSpec& run);

/// The largest |u| on this rank; 0 of a function. Local.
double largest_entry(const Field& field);

/// The times at which x and y are kept: t_i = i·T/intervals, i = 0..intervals, or given ones.
class SampleTimes {
 public:
  /// Uniform. Local.
  explicit SampleTimes(std::int64_t intervals) : intervals_(intervals) {}
  /// Increasing times. Local.
  explicit SampleTimes(std::shared_ptr<const std::vector<double>> given)
      : intervals_(std::ssize(*given) - 1), given_(std::move(given)) {}

  [[nodiscard]] std::int64_t count() const { return intervals_ + 1; }
  [[nodiscard]] std::int64_t intervals() const { return intervals_; }
  [[nodiscard]] bool are_given() const { return given_ != nullptr; }
  /// Whether all times of `others` are among these.
  [[nodiscard]] bool contain(const SampleTimes& others) const;
  /// Time i among the steps of a run; uniform times are exact. Local.
  [[nodiscard]] FieldTime place(std::int64_t i, const slab::TimeGrid& time) const;
  /// The times that a rank keeps: those from T·rank/ranks on, before the next rank's. Of two
  /// uniform ones that share a time the same rank keeps it. Local.
  [[nodiscard]] base::CellRange share(int rank, int ranks) const;
  /// How many of the times, from the first on, a run has passed after `step`. Local.
  [[nodiscard]] std::int64_t passed(std::int64_t step, const slab::TimeGrid& time) const;

 private:
  std::int64_t intervals_;
  std::shared_ptr<const std::vector<double>> given_;
};

/// Position and velocity.
struct Motion {
  double x = 0.0;
  double y = 0.0;
};

/// What a study keeps of one trajectory, for comparison with others: x and y at some times, each
/// rank those of its share of [0, T], and u at some times. Between steps all three are linear in t,
/// as Proposition 4.1 of continuous-masing-2001 has them.
class Recording final : public engine::Observer {
 public:
  /// `columns`: entries of the field, [columns] over the ranks; none where it is kept as functions.
  /// `motion`: times of x and y. `comm` must outlive the recording. Collective.
  Recording(const parallel::Communicator& comm, const slab::TimeGrid& time,
            std::optional<std::int64_t> columns, std::vector<SampleTimes> motion,
            const std::vector<FieldTime>& field_times);

  /// A trajectory that the root has read: x and y at `times`, given ones, and fields. Collective.
  Recording(const parallel::Communicator& comm, const SampleTimes& times, std::span<const double> x,
            std::span<const double> y, std::vector<parallel::Vector> fields);

  [[nodiscard]] std::int64_t next_field_step(std::int64_t step) const override;
  void observe(const engine::Samples& samples, engine::Engine& engine) override;
  void exchange(std::int64_t step, engine::Archive& archive) override;

  [[nodiscard]] const slab::TimeGrid& time() const { return time_; }
  /// Whether u is kept as functions of η and u0.
  [[nodiscard]] bool keeps_functions() const { return !columns_; }
  /// The times of x and y.
  [[nodiscard]] const SampleTimes& times(std::size_t i = 0) const { return tracks_[i].times; }

  /// Take over what the ranks first..first+count-1 of the recording's communicator recorded: `mine`
  /// on those, which is of no use afterwards, null on the others. This recording is of the same
  /// problem, and empty. Collective.
  void take(Recording* mine, int first, int count);

  /// The largest |x| and |y| over all steps.
  [[nodiscard]] Motion largest() const { return largest_; }
  /// x and y after the last step observed.
  [[nodiscard]] Motion end() const { return last_; }
  /// engine::self_check at the end of the run.
  [[nodiscard]] double self_check() const { return self_check_; }

  /// x and y at some times that are kept, those of this rank's share.
  class View {
   public:
    /// Indices of the times asked for.
    base::CellRange range;
    /// x and y at time i of the range.
    [[nodiscard]] Motion operator()(std::int64_t i) const {
      const auto at = static_cast<std::size_t>(i * stride_ - first_);
      return {x_[at], y_[at]};
    }

   private:
    friend Recording;
    std::span<const double> x_;
    std::span<const double> y_;
    std::int64_t stride_ = 1;
    std::int64_t first_ = 0;  // of the track
  };
  /// x and y at `times`, which must be among those kept. Local.
  [[nodiscard]] View at(const SampleTimes& times) const;

  /// How many fields there are in all.
  [[nodiscard]] std::size_t fields() const { return fields_.size(); }
  /// u at field time j; it must be whole.
  [[nodiscard]] Field& field(std::size_t j) { return *fields_[j]; }
  [[nodiscard]] const Field& field(std::size_t j) const { return *fields_[j]; }
  /// How many fields are whole after `step`.
  [[nodiscard]] std::size_t whole_fields(std::int64_t step) const;
  /// Forget field j, for good. Local.
  void forget_field(std::size_t j);

 private:
  /// x and y at one list of times, this rank's share.
  struct Track {
    SampleTimes times;
    base::CellRange share;
    base::AlignedVector x;
    base::AlignedVector y;
  };

  /// At step `step` the field enters sample `sample` with weight `weight`.
  struct Contribution {
    std::int64_t step;
    std::size_t sample;
    double weight;
  };

  void add_track(SampleTimes times);
  /// What the same numbers say on every rank, and back.
  [[nodiscard]] std::vector<double> summary() const;
  void set_summary(const std::vector<double>& numbers);
  void record(const engine::Samples& samples, Track& track) const;
  [[nodiscard]] Field empty_field() const;
  /// The step at which field j is whole.
  [[nodiscard]] std::int64_t last_step(std::size_t j) const;

  const parallel::Communicator* comm_;
  slab::TimeGrid time_;
  std::optional<std::int64_t> columns_;
  double self_check_ = 0.0;
  Motion largest_;
  Motion last_;
  std::vector<Track> tracks_;
  std::vector<FieldTime> field_times_;
  std::vector<Contribution> contributions_;   // by step
  std::vector<std::optional<Field>> fields_;  // none before it begins, and where it is forgotten
  std::size_t forgotten_ = 0;                 // fields before this one
};

}  // namespace masing::study
