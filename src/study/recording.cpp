#include "study/recording.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "base/ratio.hpp"

namespace masing::study {

void ContinuousField::add(double weight, slab::RememberedElongation elongation) {
  parts_.push_back({weight, std::move(elongation)});
}

double ContinuousField::operator()(const slab::Element& cell) const {
  double u = 0.0;
  for (const auto& [weight, elongation] : parts_) {
    u += weight * elongation(cell);
  }
  return u;
}

void ContinuousField::append_to(std::vector<double>& numbers) const {
  numbers.push_back(static_cast<double>(parts_.size()));
  for (const auto& [weight, u] : parts_) {
    numbers.insert(numbers.end(), {weight, u.x0, u.x, static_cast<double>(u.direction), u.highest,
                                   u.lowest, static_cast<double>(u.legs.size())});
    for (const auto& leg : u.legs) {
      numbers.insert(numbers.end(), {leg.position, leg.meeting});
    }
  }
}

void ContinuousField::read_from(const std::vector<double>& numbers, std::size_t& place) {
  const auto next = [&] { return numbers.at(place++); };
  parts_.resize(static_cast<std::size_t>(next()));
  for (auto& [weight, u] : parts_) {
    weight = next();
    u.x0 = next();
    u.x = next();
    u.direction = static_cast<int>(next());
    u.highest = next();
    u.lowest = next();
    u.legs.resize(static_cast<std::size_t>(next()));
    for (auto& leg : u.legs) {
      leg.position = next();
      leg.meeting = next();
    }
  }
}

std::vector<FieldTime> uniform_times(std::int64_t steps, std::int64_t samples) {
  const std::int64_t common = std::gcd(steps, samples);
  const std::int64_t parts = samples / common;
  std::vector<FieldTime> times;
  for (std::int64_t j = 1; j <= samples; ++j) {
    // t = jT/m lies at step jN/m: whole steps and a rest.
    const std::int64_t position = j * (steps / common);
    times.push_back(
        {position / parts, static_cast<double>(position % parts) / static_cast<double>(parts)});
  }
  return times;
}

std::vector<FieldTime> given_times(const slab::TimeGrid& time, const std::vector<double>& given) {
  std::vector<FieldTime> times;
  for (const double t : given) {
    const double position = std::clamp(t / time.step(), 0.0, static_cast<double>(time.steps));
    const double nearest = std::round(position);
    if (std::abs(position - nearest) <= 1e-9 * std::max(1.0, nearest)) {
      times.push_back({static_cast<std::int64_t>(nearest), 0.0});
    } else {
      const double whole = std::floor(position);
      times.push_back({static_cast<std::int64_t>(whole), position - whole});
    }
  }
  return times;
}

std::optional<std::int64_t> field_columns(const engine::RunSpec& run) {
  const slab::Slab* slab = engine::slab_of(run);
  return slab != nullptr && slab->is_continuum() ? std::nullopt
                                                 : std::optional(engine::field_size(run));
}

double largest_entry(const Field& field) {
  double largest = 0.0;
  if (const auto* entries = std::get_if<parallel::Vector>(&field)) {
    for (const double value : parallel::ReadAccess(*entries).values()) {
      largest = std::max(largest, std::abs(value));
    }
  }
  return largest;
}

bool SampleTimes::contain(const SampleTimes& others) const {
  return are_given() || others.are_given() ? given_ == others.given_
                                           : intervals_ % others.intervals_ == 0;
}

FieldTime SampleTimes::place(std::int64_t i, const slab::TimeGrid& time) const {
  if (are_given()) {
    return given_times(time, {(*given_)[static_cast<std::size_t>(i)]}).front();
  }
  // i N = whole·intervals + left; both products may wrap around, their difference is small.
  const std::int64_t whole = base::floor_of_ratio(i, time.steps, intervals_);
  const auto wrapped = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
  };
  const std::uint64_t left = wrapped(i, time.steps) - wrapped(whole, intervals_);
  return {whole, static_cast<double>(left) / static_cast<double>(intervals_)};
}

base::CellRange SampleTimes::share(int rank, int ranks) const {
  const std::int64_t first = base::ceil_of_ratio(rank, intervals_, ranks);
  const std::int64_t end =
      rank + 1 == ranks ? count() : base::ceil_of_ratio(rank + 1, intervals_, ranks);
  return {first, end - first};
}

std::int64_t SampleTimes::passed(std::int64_t step, const slab::TimeGrid& time) const {
  if (!are_given()) {
    return base::floor_of_ratio(step, intervals_, time.steps) + 1;
  }
  const auto first_after = std::ranges::partition_point(*given_, [&](double t) {
    const FieldTime at = given_times(time, {t}).front();
    return at.step + (at.rest > 0 ? 1 : 0) <= step;
  });
  return first_after - given_->begin();
}

Recording::Recording(const parallel::Communicator& comm, const slab::TimeGrid& time,
                     std::optional<std::int64_t> columns, std::vector<SampleTimes> motion,
                     const std::vector<FieldTime>& field_times)
    : comm_(&comm), time_(time), columns_(columns), field_times_(field_times) {
  for (SampleTimes& times : motion) {
    add_track(std::move(times));
  }
  for (std::size_t sample = 0; sample < field_times.size(); ++sample) {
    const auto [step, rest] = field_times[sample];
    contributions_.push_back({step, sample, 1.0 - rest});
    if (rest > 0) {
      contributions_.push_back({step + 1, sample, rest});
    }
  }
  fields_.resize(field_times.size());
  std::ranges::stable_sort(contributions_, {}, &Contribution::step);
}

Recording::Recording(const parallel::Communicator& comm, const SampleTimes& times,
                     std::span<const double> x, std::span<const double> y,
                     std::vector<parallel::Vector> fields)
    : comm_(&comm), columns_(fields.empty() ? 0 : fields.front().size()) {
  add_track(times);
  const base::CellRange all{0, times.count()};
  parallel::scatter_range(comm, 0, all, x, tracks_[0].share, tracks_[0].x);
  parallel::scatter_range(comm, 0, all, y, tracks_[0].share, tracks_[0].y);
  for (parallel::Vector& field : fields) {
    fields_.emplace_back(std::move(field));
  }
}

void Recording::add_track(SampleTimes times) {
  const base::CellRange share = times.share(comm_->rank(), comm_->size());
  Track& track = tracks_.emplace_back(Track{std::move(times), share, {}, {}});
  for (base::AlignedVector* kept : {&track.x, &track.y}) {
    kept->reserve(static_cast<std::size_t>(share.size));
  }
}

std::int64_t Recording::next_field_step(std::int64_t step) const {
  const auto next = std::ranges::upper_bound(contributions_, step, {}, &Contribution::step);
  return next == contributions_.end() ? engine::never : next->step;
}

Field Recording::empty_field() const {
  return columns_ ? Field(parallel::Vector(*comm_, *columns_)) : Field(ContinuousField());
}

std::int64_t Recording::last_step(std::size_t j) const {
  return field_times_[j].step + (field_times_[j].rest > 0 ? 1 : 0);
}

std::size_t Recording::whole_fields(std::int64_t step) const {
  std::size_t whole = 0;
  while (whole < fields_.size() && last_step(whole) <= step) {
    ++whole;
  }
  return whole;
}

void Recording::forget_field(std::size_t j) {
  fields_[j].reset();
  forgotten_ = j + 1;
}

void Recording::record(const engine::Samples& samples, Track& track) const {
  const std::int64_t last = samples.last_step();
  const auto at = [&](std::int64_t step) {
    const auto i = static_cast<std::size_t>(step - samples.first_step);
    return step < samples.first_step ? last_ : Motion{samples.x[i], samples.y[i]};
  };
  for (std::int64_t i = track.share.first + std::ssize(track.x);
       i < track.share.first + track.share.size; ++i) {
    const auto [step, rest] = track.times.place(i, time_);
    if (step + (rest > 0 ? 1 : 0) > last) {
      return;
    }
    Motion motion = at(step);
    if (rest > 0) {
      const Motion after = at(step + 1);
      motion = {std::lerp(motion.x, after.x, rest), std::lerp(motion.y, after.y, rest)};
    }
    track.x.push_back(motion.x);
    track.y.push_back(motion.y);
  }
}

void Recording::observe(const engine::Samples& samples, engine::Engine& engine) {
  for (Track& track : tracks_) {
    record(samples, track);
  }
  for (std::size_t i = 0; i < samples.x.size(); ++i) {
    largest_ = {std::max(largest_.x, std::abs(samples.x[i])),
                std::max(largest_.y, std::abs(samples.y[i]))};
  }
  last_ = {samples.x.back(), samples.y.back()};
  const std::int64_t step = samples.last_step();
  if (step == time_.steps) {
    self_check_ = engine.self_check();
  }
  auto due = std::ranges::lower_bound(contributions_, step, {}, &Contribution::step);
  for (; due != contributions_.end() && due->step == step; ++due) {
    std::optional<Field>& field = fields_[due->sample];
    if (!field) {
      field.emplace(columns_ ? Field(parallel::Vector(*comm_, *columns_, engine.field().range()))
                             : Field(ContinuousField()));
    }
    if (auto* entries = std::get_if<parallel::Vector>(&*field)) {
      parallel::add_scaled(*entries, due->weight, engine.field());
    } else {
      std::get<ContinuousField>(*field).add(due->weight, *engine.elongation());
    }
  }
}

std::vector<double> Recording::summary() const {
  return {self_check_, largest_.x, largest_.y, last_.x, last_.y, static_cast<double>(forgotten_)};
}

void Recording::set_summary(const std::vector<double>& numbers) {
  self_check_ = numbers[0];
  largest_ = {numbers[1], numbers[2]};
  last_ = {numbers[3], numbers[4]};
  forgotten_ = static_cast<std::size_t>(numbers[5]);
}

void Recording::exchange(std::int64_t step, engine::Archive& archive) {
  std::vector<double> numbers = summary();
  archive.numbers("motion", numbers);
  set_summary(numbers);
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    auto& [times, share, x, y] = tracks_[i];
    const std::int64_t passed = times.passed(step, time_);
    const auto mine =
        static_cast<std::size_t>(std::clamp<std::int64_t>(passed - share.first, 0, share.size));
    x.resize(mine);
    y.resize(mine);
    archive.part("x " + std::to_string(i), x, std::min(share.first, passed), passed);
    archive.part("y " + std::to_string(i), y, std::min(share.first, passed), passed);
  }
  for (std::size_t j = forgotten_; j < fields_.size() && field_times_[j].step <= step; ++j) {
    if (archive.restores()) {
      fields_[j].emplace(empty_field());
    }
    const std::string name = "field " + std::to_string(j);
    if (auto* entries = std::get_if<parallel::Vector>(&*fields_[j])) {
      archive.split(name, *entries);
    } else {
      auto& function = std::get<ContinuousField>(*fields_[j]);
      std::vector<double> legs;
      if (!archive.restores()) {
        function.append_to(legs);
      }
      archive.numbers(name, legs);
      if (std::size_t place = 0; archive.restores()) {
        function.read_from(legs, place);
      }
    }
  }
}

void Recording::take(Recording* mine, int first, int count) {
  std::vector<double> numbers = (mine != nullptr ? *mine : *this).summary();
  parallel::broadcast(*comm_, numbers, first);
  set_summary(numbers);
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    Track& track = tracks_[i];
    for (int rank = 0; rank < count; ++rank) {
      const base::CellRange theirs = track.times.share(rank, count);
      const Track* const from = mine == nullptr ? nullptr : &mine->tracks_[i];
      const auto values = [&](base::AlignedVector Track::*of) {
        return from == nullptr ? std::span<const double>() : std::span<const double>(from->*of);
      };
      parallel::scatter_range(*comm_, first + rank, theirs, values(&Track::x), track.share,
                              track.x);
      parallel::scatter_range(*comm_, first + rank, theirs, values(&Track::y), track.share,
                              track.y);
    }
    if (mine != nullptr) {
      mine->tracks_[i].x = mine->tracks_[i].y = {};
    }
  }
  for (std::size_t j = forgotten_; j < fields_.size(); ++j) {
    Field& field = fields_[j].emplace(empty_field());
    if (auto* entries = std::get_if<parallel::Vector>(&field)) {
      if (mine != nullptr) {
        const auto& own = std::get<parallel::Vector>(mine->field(j));
        const parallel::ReadAccess access(own);
        parallel::fill_from_ranges(*entries, own.range().first, access.values());
      } else {
        parallel::fill_from_ranges(*entries, 0, {});
      }
    } else {
      std::vector<double> legs;
      if (mine != nullptr) {
        std::get<ContinuousField>(mine->field(j)).append_to(legs);
      }
      parallel::broadcast_all(*comm_, legs, first);
      std::size_t place = 0;
      std::get<ContinuousField>(field).read_from(legs, place);
    }
    if (mine != nullptr) {
      mine->fields_[j].reset();
    }
  }
}

Recording::View Recording::at(const SampleTimes& times) const {
  const auto track =
      std::ranges::find_if(tracks_, [&](const Track& each) { return each.times.contain(times); });
  assert(track != tracks_.end());
  View view;
  view.range = times.share(comm_->rank(), comm_->size());
  view.x_ = track->x;
  view.y_ = track->y;
  view.stride_ = times.are_given() ? 1 : track->times.intervals() / times.intervals();
  view.first_ = track->share.first;
  return view;
}

}  // namespace masing::study
