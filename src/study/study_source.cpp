#include <algorithm>
#include <memory>
#include <span>

#include "base/seconds.hpp"
#include "parallel/communicator.hpp"
#include "parallel/phase.hpp"
#include "study/lockstep.hpp"
#include "study/refinement.hpp"

namespace masing::study {

namespace {

using campaign::Unit;

/// The comparisons of a study as units of a campaign.
class StudySource final : public campaign::Source {
 public:
  using Announce = std::function<void(const Study& study)>;

  StudySource(const StudyPlan& plan, const Announce& announce)
      : plan_(plan), spec_(*plan.spec), announce_(announce), records_(plan.comparisons.size()) {}

  [[nodiscard]] std::string unit_name() const override { return "comparisons"; }
  [[nodiscard]] campaign::Count count() const override {
    return {std::ssize(records_) - std::ranges::count(records_, std::vector<double>()),
            std::ssize(records_)};
  }

  campaign::Packing pack(const Batch& under_way) override {
    Batch open = plan_.all();
    std::erase_if(
        open, [&](Unit i) { return !records_[i].empty() || std::ranges::count(under_way, i) > 0; });
    return make_schedule(plan_, open);
  }

  std::unique_ptr<campaign::Work> begin(const parallel::Communicator& ranks,
                                        const Batch& units) override {
    return std::make_unique<Lockstep>(ranks, plan_, units);
  }

  void take(Unit i, std::span<const double> numbers) override {
    records_[i].assign(numbers.begin(), numbers.end());
  }
  [[nodiscard]] campaign::Records records(Use /*use*/) const override {
    campaign::Records records;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (!records_[i].empty()) {
        records.add(static_cast<Unit>(i), records_[i]);
      }
    }
    return records;
  }

  /// Computes the errors, orders and verdict of the study from its records, and passes them to the
  /// function `announce` of make_study(). Collective on comm.
  void conclude(const parallel::Communicator& comm) override {
    study_ = study_of(plan_, records_);
    find_results(spec_, study_);
    study_.seconds = base::seconds_now() - begin_;
    parallel::broadcast(comm, std::span(&study_.seconds, 1));
    if (announce_) {
      announce_(study_);
    }
  }
  [[nodiscard]] const Study& study() const { return study_; }

 private:
  const StudyPlan& plan_;
  const StudySpec& spec_;
  const Announce& announce_;
  // the record of each comparison, or empty until it is computed
  std::vector<std::vector<double>> records_;
  Study study_;
  double begin_ = base::seconds_now();
};

}  // namespace

Study make_study(const parallel::Communicator& comm, const StudySpec& spec,
                 const std::function<void(const Study& study)>& announce) {
  const parallel::PhaseTimer timer(parallel::Phase::rest);
  const StudyPlan plan = make_plan(spec, comm.size(), parallel::available_memory(comm));
  StudySource source(plan, announce);
  campaign::run(comm, source, spec.files,
                [&](const parallel::Communicator& root, const io::Handle& file) {
                  write(root, file, spec, source.study());
                });
  return source.study();
}

}  // namespace masing::study
