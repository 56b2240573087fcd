#include "study/recording.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

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

Recording::Recording(const parallel::Communicator& comm, const slab::TimeGrid& time,
                     std::optional<std::int64_t> columns, std::int64_t stride,
                     const std::vector<FieldTime>& times)
    : steps_(time.steps), columns_(columns), stride_(stride) {
  assert(steps_ % stride_ == 0);
  for (base::AlignedVector* kept : {&x_, &y_}) {
    kept->reserve(static_cast<std::size_t>(steps_ / stride_ + 1));
  }
  for (std::size_t sample = 0; sample < times.size(); ++sample) {
    const auto [step, rest] = times[sample];
    contributions_.push_back({step, sample, 1.0 - rest});
    if (rest > 0) {
      contributions_.push_back({step + 1, sample, rest});
    }
    if (is_continuum()) {
      continuous_fields_.emplace_back();
    } else {
      fields_.emplace_back(comm, *columns_);
    }
  }
  std::ranges::stable_sort(contributions_, {}, &Contribution::step);
}

Recording::Recording(std::vector<double> time, base::AlignedVector x, base::AlignedVector y,
                     std::vector<parallel::Vector> fields)
    : columns_(fields.empty() ? 0 : fields.front().size()),
      sample_times_(std::move(time)),
      x_(std::move(x)),
      y_(std::move(y)),
      fields_(std::move(fields)) {}

std::int64_t Recording::next_field_step(std::int64_t step) const {
  const auto next = std::ranges::upper_bound(contributions_, step, {}, &Contribution::step);
  return next == contributions_.end() ? engine::never : next->step;
}

void Recording::observe(const engine::Samples& samples, engine::Engine& engine) {
  for (std::size_t i = 0; i < samples.x.size(); ++i) {
    if ((samples.first_step + static_cast<std::int64_t>(i)) % stride_ == 0) {
      x_.push_back(samples.x[i]);
      y_.push_back(samples.y[i]);
    }
  }
  const std::int64_t step = samples.last_step();
  if (step == steps_) {
    self_check_ = engine::self_check(engine);
  }
  auto due = std::ranges::lower_bound(contributions_, step, {}, &Contribution::step);
  for (; due != contributions_.end() && due->step == step; ++due) {
    if (is_continuum()) {
      continuous_fields_[due->sample].add(due->weight, *engine.elongation());
    } else {
      parallel::add_scaled(fields_[due->sample], due->weight, engine.field());
    }
  }
}

namespace {

void exchange_motion(engine::Archive& archive, const std::string& name,
                     base::AlignedVector& motion) {
  std::vector<double> numbers(motion.begin(), motion.end());
  archive.numbers(name, numbers);
  if (archive.restores()) {
    motion.assign(numbers.begin(), numbers.end());
  }
}

}  // namespace

void Recording::exchange(std::int64_t /*step*/, engine::Archive& archive) {
  std::vector<double> check{self_check_};
  archive.numbers("self-check", check);
  self_check_ = check[0];
  exchange_motion(archive, "x", x_);
  exchange_motion(archive, "y", y_);
  std::vector<double> legs;
  for (const ContinuousField& field : continuous_fields_) {
    if (!archive.restores()) {
      field.append_to(legs);
    }
  }
  archive.numbers("continuous fields", legs);
  for (std::size_t j = 0; j < fields_.size(); ++j) {
    archive.split("field " + std::to_string(j), fields_[j]);
  }
  if (archive.restores()) {
    std::size_t place = 0;
    for (ContinuousField& field : continuous_fields_) {
      field.read_from(legs, place);
    }
  }
}

void Recording::Largest::include(const Largest& other) {
  x = std::max(x, other.x);
  y = std::max(y, other.y);
  u = std::max(u, other.u);
}

Recording::Largest Recording::largest(const parallel::Communicator& comm) const {
  const auto largest_of = [](std::span<const double> values) {
    double largest = 0.0;
    for (const double value : values) {
      largest = std::max(largest, std::abs(value));
    }
    return largest;
  };
  Largest found{largest_of(x_), largest_of(y_)};
  for (const parallel::Vector& field : fields_) {
    found.u = std::max(found.u, largest_of(parallel::ReadAccess(field).values()));
  }
  parallel::max_over_ranks(comm, std::span(&found.u, 1));
  return found;
}

void Recording::take(const parallel::Communicator& comm, Recording* mine, int first) {
  if (mine != nullptr) {
    self_check_ = mine->self_check_;
    x_ = std::move(mine->x_);
    y_ = std::move(mine->y_);
  }
  parallel::broadcast(comm, std::span(&self_check_, 1), first);
  parallel::broadcast_all(comm, x_, first);
  parallel::broadcast_all(comm, y_, first);
  for (std::size_t j = 0; j < fields_.size(); ++j) {
    if (mine != nullptr) {
      const parallel::ReadAccess access(mine->fields_[j]);
      parallel::fill_from_ranges(fields_[j], mine->fields_[j].range().first, access.values());
    } else {
      parallel::fill_from_ranges(fields_[j], 0, {});
    }
  }
  std::vector<double> numbers;
  for (std::size_t j = 0; mine != nullptr && j < continuous_fields_.size(); ++j) {
    mine->continuous_fields_[j].append_to(numbers);
  }
  parallel::broadcast_all(comm, numbers, first);
  std::size_t place = 0;
  for (ContinuousField& field : continuous_fields_) {
    field.read_from(numbers, place);
  }
}

Recording::Motion Recording::at(std::int64_t p, std::int64_t steps) const {
  const std::int64_t stored = steps_ / stride_;
  if (stored % steps == 0) {
    return kept(static_cast<std::size_t>(p * (stored / steps)));
  }
  const std::int64_t common = std::gcd(stored, steps);
  const std::int64_t parts = steps / common;
  assert(parts >= 1);
  const std::int64_t whole = p / parts * (stored / common);
  const std::int64_t position = p % parts * (stored / common);
  const auto i = static_cast<std::size_t>(whole + position / parts);
  const double rest = static_cast<double>(position % parts) / static_cast<double>(parts);
  if (rest == 0) {
    return kept(i);
  }
  return {std::lerp(x_[i], x_[i + 1], rest), std::lerp(y_[i], y_[i + 1], rest)};
}

Recording::Motion Recording::at(const slab::TimeGrid& time, double t) const {
  const auto [step, rest] = given_times(time, {t}).front();
  const Motion before = at(step, time.steps);
  if (rest == 0) {
    return before;
  }
  const Motion after = at(step + 1, time.steps);
  return {std::lerp(before.x, after.x, rest), std::lerp(before.y, after.y, rest)};
}

}  // namespace masing::study
