#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <span>

#include "base/aligned.hpp"
#include "benchmark/native_loops.hpp"
#include "benchmark/timing.hpp"
#include "engine/engines.hpp"
#include "engine/time_loop.hpp"
#include "rheology/catalogue.hpp"

namespace masing::benchmark {

namespace {

constexpr double step = 0.5;          // δt; a wave of small amplitude passes an element in 1
constexpr double wavelength = 250.0;  // in elements
constexpr double amplitude = 0.3;     // of the velocity; the strength is at a velocity of about 1/2
constexpr std::int64_t longest = engine::Pace::longest_chunk;

/// Returns the initial velocity of node i: a standing wave of the given wavelength.
double start_velocity(double i) {
  return amplitude * std::sin(2 * std::numbers::pi / wavelength * i);
}

/// Returns a chain of `elements` elements with k = 1, η = s, m = κ = θ = 1 that begins with the
/// velocities start_velocity().
engine::RunSpec wave(std::int64_t elements, std::int64_t steps) {
  slab::Slab shape;
  shape.stiffness = base::Function("1", 's');
  shape.threshold = base::Function("s", 's');
  shape.space = slab::Continuum{};
  const auto velocity = std::make_shared<const base::Function>(
      fmt::format("{}*sin(2*pi/{}*i)", amplitude, wavelength), 'i');
  engine::MasingChain chain;
  chain.shapes = {shape};
  chain.parameters.model = &rheology::catalogue_entry("masing-chain");
  chain.parameters.parameters.elements = elements;
  auto& values = chain.parameters.parameters.sequences;
  values["m"] = 1.0;
  values["k"] = 1.0;
  values["y0"] = velocity;
  chain.force_node = elements;
  return {std::move(chain), base::Function(), {step * static_cast<double>(steps), steps}};
}

/// The engine of a wave, with the arrays that it fills.
class WaveEngine {
 public:
  WaveEngine(const parallel::Communicator& comm, std::int64_t elements)
      : run_(wave(elements, std::int64_t{1} << 40)), engine_(engine::make_chain(comm, run_)) {}

  void operator()(std::int64_t count) {
    for (const std::int64_t end = step_ + count; step_ < end;) {
      const auto size = static_cast<std::size_t>(std::min(end - step_, longest));
      engine_->advance({.first = step_,
                        .force = std::span(force_).first(size + 1),
                        .x = std::span(samples_[0]).first(size),
                        .y = std::span(samples_[1]).first(size),
                        .restoring = std::span(samples_[2]).first(size)});
      step_ += static_cast<std::int64_t>(size);
    }
  }
  [[nodiscard]] std::span<const double> x() { return engine_->chain()->x(); }

 private:
  engine::RunSpec run_;
  std::unique_ptr<engine::Engine> engine_;
  std::int64_t step_ = 0;
  std::vector<double> force_ = std::vector<double>(longest + 1);
  std::array<std::vector<double>, 3> samples_{
      std::vector<double>(longest), std::vector<double>(longest), std::vector<double>(longest)};
};

/// The obvious loop for the same chain: velocity Verlet, with baseline_step() for each element.
class ObviousChain {
 public:
  ObviousChain(std::int64_t elements, std::int64_t sliders)
      : x_(static_cast<std::size_t>(elements) + 1),
        y_(x_.size()),
        a_(x_.size()),
        f_(x_.size() + 1),
        u_(x_.size() * static_cast<std::size_t>(sliders)),
        sliders_(sliders) {
    for (std::int64_t s = 0; s < sliders; ++s) {
      threshold_.push_back((static_cast<double>(s) + 0.5) / static_cast<double>(sliders));
    }
    stiffness_.assign(threshold_.size(), 1.0 / static_cast<double>(sliders));
    for (std::size_t i = 1; i < y_.size(); ++i) {
      y_[i] = start_velocity(static_cast<double>(i));
    }
  }

  void operator()(std::int64_t count) {
    for (std::int64_t p = 0; p < count; ++p) {
      double below = 0.0;
      for (std::size_t i = 1; i < x_.size(); ++i) {
        const double rise = step * (y_[i] + 0.5 * step * a_[i]);
        x_[i] += rise;
        f_[i] = baseline_step(u_.data() + i * threshold_.size(), threshold_.data(),
                              stiffness_.data(), sliders_, rise - below);
        below = rise;
      }
      for (std::size_t i = 1; i < x_.size(); ++i) {
        const double next = f_[i + 1] - f_[i];
        y_[i] += 0.5 * step * (a_[i] + next);
        a_[i] = next;
      }
    }
  }
  [[nodiscard]] std::span<const double> x() const { return x_; }

 private:
  std::vector<double> x_, y_, a_, f_;
  base::AlignedVector u_;
  std::int64_t sliders_;
  base::AlignedVector threshold_, stiffness_;
};

constexpr std::array<std::int64_t, 2> slider_counts{10, 100};

/// Returns the largest error of x beside P = ∞ after one wave has passed, over the largest |x|, for
/// each of `slider_counts`.
std::vector<double> errors_of_loops(const parallel::Communicator& root) {
  constexpr std::int64_t elements = 1000;
  constexpr std::int64_t steps = 1000;
  WaveEngine reference(root, elements);
  reference(steps);
  std::vector<double> errors;
  for (const std::int64_t sliders : slider_counts) {
    ObviousChain chain(elements, sliders);
    chain(steps);
    double error = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < chain.x().size(); ++i) {
      error = std::max(error, std::abs(chain.x()[i] - reference.x()[i]));
      size = std::max(size, std::abs(reference.x()[i]));
    }
    errors.push_back(error / size);
  }
  return errors;
}

}  // namespace

void measure_chains(const parallel::Communicator& comm, const Effort& effort, Report& report) {
  std::vector<double> elements{1e3, 1e4, 1e5, 1e6};
  std::erase_if(elements, [&](double n) { return n > static_cast<double>(effort.largest); });
  if (elements.empty()) {
    return;
  }
  std::vector<Timing> all_ranks;
  std::array<std::vector<Timing>, 1 + slider_counts.size()> one_rank;
  for (const double n : elements) {
    const auto count = static_cast<std::int64_t>(n);
    const auto per_element = [n](Timing timing) {
      std::ranges::for_each(timing, [n](double& seconds) { seconds /= n; });
      return timing;
    };
    const auto timings = on_first(comm, 1, [&](const parallel::Communicator& root) {
      WaveEngine engine(root, count);
      std::vector<ObviousChain> loops;
      loops.reserve(slider_counts.size());
      for (const std::int64_t sliders : slider_counts) {
        loops.emplace_back(count, sliders);
      }
      return measure(root, effort, {std::ref(engine), std::ref(loops[0]), std::ref(loops[1])});
    });
    for (std::size_t w = 0; w < one_rank.size(); ++w) {
      one_rank[w].push_back(per_element(timings[w]));
    }
    WaveEngine engine(comm, count);
    all_ranks.push_back(per_element(measure(comm, effort, {std::ref(engine)}).front()));
  }
  const auto error = on_first(comm, 1, [&](const parallel::Communicator& root) {
                       const std::vector<double> errors = errors_of_loops(root);
                       return std::vector<Timing>{{errors[0], errors[1], 0.0}};
                     }).front();
  report.columns.push_back(
      {"/chain/elements", {"elements of the chain", "n"}, elements, "elements"});
  report.table +=
      fmt::format("\n{:44} {:>12}     [least, most]\n", "a step of a chain, an element", "median");
  const auto add = [&](const std::string& name, const std::string& what,
                       const std::vector<Timing>& timings, const std::string& remark) {
    add_columns(report, "/chain/" + name, {what + ": seconds an element and step", "t", "", "s"},
                timings, "elements");
    for (std::size_t i = 0; i < elements.size(); ++i) {
      report.table += fmt::format("{:44} {}{}\n", fmt::format("{}, n = {:g}", what, elements[i]),
                                  in_words(timings[i]), remark);
    }
  };
  add("one_rank", "engine memory, P = inf, one rank", one_rank[0], "");
  add("all_ranks", "engine memory, P = inf, all ranks", all_ranks, "");
  for (std::size_t w = 0; w < slider_counts.size(); ++w) {
    const std::string name = fmt::format("{} sliders", slider_counts[w]);
    add(fmt::format("sliders_{}", slider_counts[w]), "the obvious loop, " + name, one_rank[w + 1],
        fmt::format("  error {:.1e}", error[w]));
    report.facts["/chain"][fmt::format("error_{}", slider_counts[w])] = error[w];
  }
}

}  // namespace masing::benchmark
