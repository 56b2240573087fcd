#include "engine/root_engine.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/partition.hpp"

namespace masing::engine {

namespace {

/// What an engine of one rank saves, by name; or what it gets back.
class Relay final : public Archive {
 public:
  struct Entry {
    std::string name;
    const parallel::Vector* array = nullptr;  ///< of the engine, where it saves one
    std::vector<double> numbers = {};
  };

  Relay(std::vector<Entry>& entries, bool restores) : entries_(entries), restores_(restores) {}

  [[nodiscard]] bool restores() const override { return restores_; }
  void numbers(const std::string& name, std::vector<double>& values) override {
    if (!restores_) {
      entries_.push_back({.name = name, .numbers = values});
      return;
    }
    const std::vector<double>& saved = next();
    if (!values.empty() && saved.size() != values.size()) {
      throw base::UserError(name + " has " + std::to_string(saved.size()) + " numbers for " +
                            std::to_string(values.size()));
    }
    values = saved;
  }
  void split(const std::string& name, parallel::Vector& values) override {
    if (restores_) {
      const parallel::WriteAccess access(values);
      std::ranges::copy(next(), access.values().begin());
    } else {
      entries_.push_back({.name = name, .array = &values});
    }
  }

 private:
  const std::vector<double>& next() { return entries_[next_++].numbers; }

  std::vector<Entry>& entries_;
  bool restores_;
  std::size_t next_ = 0;
};

/// The numbers that `make` gives on the root, on every rank; what it throws there is thrown on
/// every rank. Collective.
template <class Make>
std::vector<double> of_root(const parallel::Communicator& comm, const Make& make) {
  std::vector<double> numbers;
  parallel::on_root(comm, [&] { numbers = make(); });
  parallel::broadcast_all(comm, numbers, 0);
  return numbers;
}

}  // namespace

RootEngine::RootEngine(const parallel::Communicator& comm, std::unique_ptr<Engine> engine)
    : comm_(comm), engine_(std::move(engine)) {
  share_sample();
}

void RootEngine::share_sample() {
  const std::vector<double> numbers = of_root(comm_, [this] {
    const Sample sample = engine_->sample();
    return std::vector{sample.x, sample.y, sample.restoring};
  });
  sample_ = {numbers[0], numbers[1], numbers[2]};
}

void RootEngine::advance(const slab::Chunk& chunk) {
  std::exception_ptr failure;
  const std::array parts{chunk.x, chunk.y, chunk.restoring};
  const std::size_t steps = chunk.x.size();
  message_.resize(1 + parts.size() * steps);  // the first number says whether it has failed
  if (engine_) {
    try {
      engine_->advance(chunk);
    } catch (...) {
      failure = std::current_exception();
    }
    message_[0] = failure ? 1.0 : 0.0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::ranges::copy(parts[i], message_.begin() + static_cast<std::ptrdiff_t>(1 + i * steps));
    }
  }
  parallel::broadcast(comm_, message_);
  if (message_[0] != 0.0) {
    parallel::on_root(comm_, [&] { std::rethrow_exception(failure); });
  }
  for (std::size_t i = 0; i < parts.size() && !engine_; ++i) {
    std::ranges::copy(std::span(message_).subspan(1 + i * steps, steps), parts[i].begin());
  }
  sample_ = {chunk.x.back(), chunk.y.back(), chunk.restoring.back()};
}

const parallel::Vector& RootEngine::field() {
  const parallel::Vector* whole = nullptr;
  parallel::on_root(comm_, [&] { whole = &engine_->field(); });
  return taken(whole);
}

/// The root's vector as one of all ranks. Collective.
parallel::Vector& RootEngine::taken(const parallel::Vector* whole) {
  if (!field_) {
    std::int64_t size = whole != nullptr ? whole->size() : 0;
    parallel::broadcast(comm_, std::span(&size, 1));
    field_.emplace(comm_, size, base::local_range(size, comm_.rank(), 1));
  }
  if (whole != nullptr) {
    const parallel::ReadAccess from(*whole);
    const parallel::WriteAccess to(*field_);
    std::ranges::copy(from.values(), to.values().begin());
  }
  return *field_;
}

std::optional<slab::RememberedElongation> RootEngine::elongation() {
  const std::vector<double> numbers = of_root(comm_, [this] {
    std::vector<double> mine;
    if (const auto u = engine_->elongation()) {
      mine = {u->x0, u->x, static_cast<double>(u->direction), u->highest, u->lowest};
      for (const auto& [position, meeting] : u->legs) {
        mine.insert(mine.end(), {position, meeting});
      }
    }
    return mine;
  });
  if (numbers.empty()) {
    return std::nullopt;
  }
  slab::RememberedElongation u{.x0 = numbers[0],
                               .x = numbers[1],
                               .direction = static_cast<int>(numbers[2]),
                               .highest = numbers[3],
                               .lowest = numbers[4]};
  for (std::size_t i = 5; i < numbers.size(); i += 2) {
    u.legs.push_back({numbers[i], numbers[i + 1]});
  }
  return u;
}

std::optional<double> RootEngine::elastic_energy() {
  const std::vector<double> energy = of_root(comm_, [this] {
    const auto mine = engine_->elastic_energy();
    return mine ? std::vector{*mine} : std::vector<double>();
  });
  return energy.empty() ? std::nullopt : std::optional(energy[0]);
}

std::optional<slab::Works> RootEngine::works() {
  const std::vector<double> works = of_root(comm_, [this] {
    const auto mine = engine_->works();
    return mine ? std::vector{mine->input, mine->slab, mine->viscous} : std::vector<double>();
  });
  return works.empty() ? std::nullopt : std::optional(slab::Works{works[0], works[1], works[2]});
}

double RootEngine::self_check() const {
  return of_root(comm_, [this] { return std::vector{engine_->self_check()}; })[0];
}

void RootEngine::exchange(std::int64_t step, Archive& archive) {
  std::vector<Relay::Entry> entries;
  // The others learn what there is by its names, one a line, an array's behind a tab.
  const std::string names = parallel::from_root(comm_, [&] {
    Relay relay(entries, false);
    engine_->exchange(step, relay);
    std::string lines;
    for (const auto& [name, array, numbers] : entries) {
      lines += (array != nullptr ? "\t" : "") + name + "\n";
    }
    return lines;
  });
  entries.resize(static_cast<std::size_t>(std::ranges::count(names, '\n')));
  std::size_t i = 0;
  for (std::string_view left = names; !left.empty(); ++i) {
    auto& [name, array, numbers] = entries[i];
    const bool is_array = left.front() == '\t';
    name = left.substr(is_array ? 1 : 0, left.find('\n') - (is_array ? 1 : 0));
    left.remove_prefix(left.find('\n') + 1);
    if (is_array) {
      parallel::Vector& whole = taken(array);
      archive.split(name, whole);
      if (archive.restores()) {
        const parallel::ReadAccess access(whole);
        numbers.assign(access.values().begin(), access.values().end());
      }
    } else {
      if (archive.restores()) {
        numbers.clear();  // however many there were
      }
      archive.numbers(name, numbers);
    }
  }
  if (archive.restores()) {
    parallel::on_root(comm_, [&] {
      Relay relay(entries, true);
      engine_->exchange(step, relay);
    });
    share_sample();
  }
}

}  // namespace masing::engine
