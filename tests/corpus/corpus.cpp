// A corpus of random problems: how often verdicts, intervals and grid convergence indices are
// right. The true orders are what scheme and rule promise, Propositions 3.1 and 4.1 and order two
// of leapfrog for a smooth F and of midpoint. Prints the counts by kind, and fails where a share of
// all of them misses what src/README.md states.
//   corpus [--studies n] [--seed n] [--only NAME]
//     n studies of each kind (2), a tenth of those of 120 levels in time

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "corpus/defects.hpp"
#include "corpus/random_problem.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "parallel/session.hpp"
#include "slab/scheme.hpp"
#include "study/refinement.hpp"
#include "study/study_spec.hpp"
#include "support/options.hpp"
#include "support/world.hpp"

using namespace masing;
using corpus::Chance;
using corpus::Defect;
using corpus::Force;
using slab::Rule;
using slab::Scheme;
using statistics::Verdict;
using study::Refine;

namespace {

constexpr double tolerance = 0.1;
constexpr int dense = 120;  // levels
struct Kind {
  std::string name;
  Refine refine;
  Scheme scheme;
  Rule rule;
  std::string reference;
  Force force;
  int levels;  // 5 or 8 doublings, or 120 levels
};

std::vector<Kind> all_kinds() {
  constexpr auto euler = Scheme::euler;
  constexpr auto leapfrog = Scheme::leapfrog;
  constexpr auto right = Rule::right;
  constexpr auto midpoint = Rule::midpoint;
  constexpr auto smooth = Force::smooth;
  constexpr auto jumping = Force::jumping;
  std::vector<Kind> kinds;
  const auto add = [&](Refine refine, Scheme scheme, Rule rule, const std::string& reference,
                       Force force, int levels) {
    const char* what = refine == Refine::steps   ? "steps"
                       : refine == Refine::cells ? "cells"
                                                 : "both";
    kinds.push_back({fmt::format("{} {} {} {} {} {}", what, slab::info(scheme).name,
                                 rule == right ? "right" : "midpoint", reference,
                                 force == smooth ? "smooth" : "jumping", levels),
                     refine, scheme, rule, reference, force, levels});
  };
  for (const int levels : {5, 8}) {
    for (const Force force : {smooth, jumping}) {
      for (const char* reference : {"exact", "exact-time", "finest", "successive"}) {
        add(Refine::steps, euler, right, reference, force, levels);
      }
      for (const char* reference : {"cells-inf", "finest", "successive"}) {
        add(Refine::cells, euler, right, reference, force, levels);
      }
      add(Refine::cells, euler, midpoint, "cells-inf", force, levels);
      for (const char* reference : {"exact", "finest", "successive"}) {
        add(Refine::both, euler, right, reference, force, levels);
      }
    }
    add(Refine::steps, leapfrog, right, "exact", smooth, levels);
    add(Refine::steps, leapfrog, right, "finest", smooth, levels);
    add(Refine::cells, leapfrog, midpoint, "finest", smooth, levels);
    add(Refine::both, leapfrog, midpoint, "exact", smooth, levels);
  }
  add(Refine::steps, euler, right, "exact", jumping, dense);
  add(Refine::cells, euler, right, "cells-inf", jumping, dense);
  add(Refine::steps, leapfrog, right, "exact", smooth, dense);
  add(Refine::cells, leapfrog, midpoint, "cells-inf", smooth, dense);
  add(Refine::cells, euler, midpoint, "cells-inf", jumping, dense);
  add(Refine::both, leapfrog, midpoint, "exact", smooth, dense);
  return kinds;
}

/// A ladder that begins where a study of the problem makes sense.
std::string random_levels(const Kind& kind, const cli::Configuration& c, Chance& chance) {
  const double stiff = (c.k0 + 2) / c.mass;  // ω² at most
  const double growth = chance.between(0.1, 0.8);
  const double growing = stiff * c.final_time * c.final_time / 2 / growth;
  const double stable = std::sqrt(stiff) * c.final_time / 0.4;
  const double least_steps =
      kind.scheme == Scheme::euler ? std::max(1000.0, growing) : std::max(300.0, stable);
  const std::int64_t n = 200 * static_cast<std::int64_t>(std::ceil(least_steps / 200));
  const std::int64_t p = 30 + 10 * chance.below(8);
  const int turn = chance.below(3);
  if (kind.levels == dense) {
    const std::int64_t wide = kind.refine == Refine::cells ? 256 : 32;
    const std::int64_t first = kind.refine == Refine::cells ? p : n;
    return kind.refine == Refine::both
               ? fmt::format("{}:{}:{}:{}:{}", p, n, wide * p, wide * n, kind.levels)
               : fmt::format("{}:{}:{}", first, wide * first, kind.levels);
  }
  std::string levels;
  std::int64_t cells = p;
  std::int64_t steps = n;
  for (int j = 0; j < kind.levels; ++j) {
    levels += j > 0 ? "," : "";
    levels += kind.refine == Refine::steps   ? fmt::to_string(steps)
              : kind.refine == Refine::cells ? fmt::to_string(cells)
                                             : fmt::format("{}:{}", cells, steps);
    // Both: along one ray, or in turn, or by chance.
    const int which = kind.refine != Refine::both || turn == 0 ? 2
                      : turn == 1                              ? j % 2
                                                               : chance.below(3);
    cells *= which == 1 ? 1 : 2;
    steps *= which == 0 ? 1 : 2;
  }
  return levels;
}

/// How many of how many.
struct Share {
  int part = 0;
  int whole = 0;

  void count(bool is_in) {
    part += is_in ? 1 : 0;
    whole += 1;
  }
  void add(const Share& other) {
    part += other.part;
    whole += other.whole;
  }
  [[nodiscard]] double percent() const { return whole == 0 ? 100.0 : 100.0 * part / whole; }
  [[nodiscard]] std::string text() const {
    return whole == 0 ? fmt::format("{:>15}", "-")
                      : fmt::format("{:>6}{:>6.1f} %", whole, percent());
  }
};

/// What is counted of a kind.
struct Counts {
  Share as_expected;
  Share not_as_expected;
  Share held;        // the interval holds the true order
  Share wrong;       // a wrong expectation is as expected
  Share asymptotic;  // as expected of ladders of the first order and five levels in their range
  Share dense;       // as expected of ladders of the second order and 120 levels
  Share bounds;      // the grid convergence index bounds the error
  Share named;       // levels are named to decide what is undecided
  Share hints;       // they decide it

  void add(const Counts& other) {
    for (const auto share :
         {&Counts::as_expected, &Counts::not_as_expected, &Counts::held, &Counts::wrong,
          &Counts::asymptotic, &Counts::dense, &Counts::bounds, &Counts::named, &Counts::hints}) {
      (this->*share).add(other.*share);
    }
  }
};

void print(const std::string& name, const Counts& n) {
  std::string text = fmt::format("{:<44}", name);
  for (const Share& share : {n.as_expected, n.not_as_expected, n.held, n.wrong, n.asymptotic,
                             n.dense, n.bounds, n.named, n.hints}) {
    text += share.text();
  }
  std::puts(text.c_str());
  std::fflush(stdout);
}

/// Whether five errors or more all fall with the true order.
bool is_asymptotic(const study::Study& made, std::size_t q, double order) {
  int errors = 0;
  for (const study::LevelResult& at : made.cases) {
    errors += std::isfinite(at.errors[q]) ? 1 : 0;
    const double pair = at.orders[q];
    if (std::isfinite(pair) && std::abs(pair - order) > tolerance) {
      return false;
    }
  }
  return errors >= 5;
}

/// x(T) and y(T) that the ladder goes to.
study::PhasePoint limit_of(const parallel::Communicator& comm, const study::StudySpec& spec) {
  engine::RunSpec run = spec.run;
  auto& model = std::get<engine::Masing>(run.model);
  if (spec.refine != Refine::steps) {
    model.slab.space = slab::Continuum{};
  }
  if (spec.refine != Refine::cells) {
    model.method = engine::Method::exact;
    run.time.steps = 10;
  }
  const parallel::Communicator ranks =
      support::all_or_one(comm, engine::is_split(run, comm.size()));
  const engine::Setup setup = engine::make_setup(ranks, run);
  engine::Stepper stepper(ranks, *setup.engine, run);
  engine::Samples samples = stepper.start();
  for (std::int64_t step = 0; step < run.time.steps; step = samples.last_step()) {
    const std::int64_t count = std::min(engine::Pace::longest_chunk, run.time.steps - step);
    stepper.share(step, count, count);
    samples = stepper.advance(step);
  }
  return {samples.x.back(), samples.y.back()};
}

Counts counted(const parallel::Communicator& comm, const Kind& kind, std::uint64_t seed) {
  Chance chance(seed);
  given::Options c = corpus::random_problem(chance, kind.force);
  c["refine"] = study::name_of(kind.refine);
  c["scheme"] = slab::info(kind.scheme).name;
  c["rule"] = slab::name_of(kind.rule);
  c["reference"] = kind.reference;
  c["steps"] = "2000";
  c["cells"] = fmt::to_string(20 + 10 * chance.below(20));
  if (kind.refine == Refine::steps && kind.reference == "exact") {
    c["cells"] = "inf";
  }
  if (kind.refine != Refine::steps && c["threshold"].find('s') == std::string::npos) {
    c["threshold"] += "+0.5*s";  // else there is no error but that of k
  }
  c["levels"] =
      random_levels(kind, given::requested(cli::Command::converge, c).configuration, chance);
  const study::StudySpec planned = given::spec_of(c);
  const auto true_order = [&](const std::string& quantity) {
    const auto& model = std::get<engine::Masing>(planned.run.model);
    return study::promised_order(model, kind.refine, planned.reference, quantity).order;
  };
  for (const char* quantity : {"x", "y", "u", "u_cells"}) {
    // Of u at the cells' points only where that is of another order, and against the continuum.
    const bool is_u_cells = quantity == std::string("u_cells");
    if (!is_u_cells || (true_order(quantity) != true_order("u") &&
                        (kind.reference == "exact" || kind.reference == "cells-inf"))) {
      std::string& orders = c["expect-order"];
      orders += fmt::format("{}{}={}", orders.empty() ? "" : ",", quantity, true_order(quantity));
    }
  }
  auto spec = given::spec_of(c);
  const study::Study made = study::make_study(comm, spec);
  Counts n;
  for (std::size_t q = 0; q < made.results.size(); ++q) {
    const study::QuantityResult& found = made.results[q];
    if (!found.expected || found.verdict == Verdict::undefined || found.verdict == Verdict::exact) {
      continue;
    }
    const double order = true_order(found.expected->quantity);
    n.as_expected.count(found.verdict == Verdict::as_expected);
    n.not_as_expected.count(found.verdict == Verdict::not_as_expected);
    n.held.count(std::abs(found.observed() - order) <= found.uncertainty());
    bool is_wrong = false;
    for (const double shift : {-1.0, -0.5, 0.5, 1.0}) {
      const study::ExpectedOrder other{.quantity = found.expected->quantity,
                                       .order = order + shift};
      is_wrong = is_wrong || statistics::judge(other, found.observed(), found.uncertainty(),
                                               tolerance) == Verdict::as_expected;
    }
    n.wrong.count(is_wrong);
    if (order == 1 && kind.levels < dense && is_asymptotic(made, q, order)) {
      n.asymptotic.count(found.verdict == Verdict::as_expected);
    }
    if (order == 2 && kind.levels == dense) {
      n.dense.count(found.verdict == Verdict::as_expected);
    }
  }
  // The limit is known of what is measured against it; the ladders of other references are alike.
  if (kind.levels < dense && (kind.reference == "exact" || kind.reference == "exact-time" ||
                              kind.reference == "cells-inf")) {
    const study::PhasePoint limit = limit_of(comm, spec);
    study::Study scalars = made;
    scalars.results.clear();
    spec.reference = study::make_reference("successive", kind.refine, spec.levels, spec.run.model);
    study::find_results(spec, scalars);
    const study::LevelResult& last = made.cases.back();
    for (const auto& [index, error] :
         {std::pair(scalars.results[study::Errors::x].extrapolated->index,
                    std::abs(last.final_x - limit.x)),
          {scalars.results[study::Errors::y].extrapolated->index,
           std::abs(last.final_y - limit.y)}}) {
      if (std::isfinite(index) && error > made.floors[study::Errors::x]) {
        n.bounds.count(index >= error);
      }
    }
  }
  const std::string levels = made.conclusions.deciding_levels;
  constexpr std::uint64_t one_of = 16;
  if (made.verdict == Verdict::undecided && kind.levels < dense) {
    n.named.count(!levels.empty());
    if (!levels.empty() && seed % one_of == 0) {
      c["levels"] = levels;
      const study::Study again = study::make_study(comm, given::spec_of(c));
      n.hints.count(again.verdict != Verdict::undecided);
    }
  }
  return n;
}

/// Ladders of schemes with a defect: how many are as expected.
Counts with_defect(Defect defect, int levels, std::uint64_t seed) {
  Chance chance(seed);
  const cli::Configuration c =
      given::requested(cli::Command::converge, corpus::random_problem(chance, Force::smooth))
          .configuration;
  const int count = levels;
  std::vector<long> steps;
  statistics::ErrorLadder ladder{.steps = {{}}};
  for (int j = 0; j < count; ++j) {
    const double factor = std::pow(32.0, j / (count - 1.0));
    const long n = 25 * std::lround(16 * factor * std::ceil(c.final_time / 10));
    if (steps.empty() || n > steps.back()) {
      steps.push_back(n);
      ladder.steps[0].levels.push_back(c.final_time / static_cast<double>(n));
      ladder.steps[0].references.push_back(0.0);
    }
  }
  ladder.errors = corpus::defective_errors(c, defect, steps);
  constexpr double floor = 1e-11;
  const statistics::Fit fit = statistics::fit_order(ladder, floor);
  const study::ExpectedOrder two{.quantity = "x", .order = 2.0};
  Counts n;
  const Verdict verdict = statistics::judge(two, fit.order, fit.uncertainty, tolerance);
  n.as_expected.count(verdict == Verdict::as_expected);
  n.not_as_expected.count(verdict == Verdict::not_as_expected);
  return n;
}

/// What a study that asks for it gets at least or at most, in percent.
bool is_within(const char* what, double percent, double least, double most) {
  const bool is_good = percent >= least && percent <= most;
  if (!is_good) {
    std::puts(fmt::format("{}: {:.2f} %, not in {} to {} %", what, percent, least, most).c_str());
  }
  return is_good;
}

/// How many studies of a kind are made; of those that take long none in a short run.
int studies_of(const Kind& kind, int studies) {
  const bool is_short = kind.levels == 5 || (kind.levels == dense && kind.refine == Refine::cells);
  const int tenth = studies / 10;
  return is_short ? studies : kind.levels == dense ? tenth : tenth > 0 ? studies : 0;
}

int run(const parallel::Communicator& comm, int studies, std::uint64_t seed,
        const std::string& only) {
  constexpr std::uint64_t apart = 1000003;
  const auto seeds_of = [&](std::uint64_t kind, int count) {
    std::vector<std::uint64_t> seeds(static_cast<std::size_t>(count));
    std::iota(seeds.begin(), seeds.end(), (1000 * seed + kind) * apart);
    return seeds;
  };
  std::string heading = fmt::format("{:<44}", "kind");
  for (const char* share : {"as expected", "not", "held", "wrong", "first order", "120 levels",
                            "index", "ladder named", "it decides"}) {
    heading += fmt::format("{:>15}", share);
  }
  std::puts(heading.c_str());
  Counts all;
  std::uint64_t number = 0;
  for (const Kind& kind : all_kinds()) {
    ++number;
    if (kind.name.find(only) == std::string::npos) {
      continue;
    }
    const auto seeds = seeds_of(number, studies_of(kind, studies));
    if (seeds.empty()) {
      continue;
    }
    Counts n;
    for (const std::uint64_t each : seeds) {
      n.add(counted(comm, kind, each));
    }
    print(kind.name, n);
    all.add(n);
  }
  print("all", all);
  Counts caught;
  for (const auto& [what, defect] : {std::pair("u0 shifted by 1e-4", Defect::u0_shifted),
                                     {"one step too many", Defect::one_step_too_many}}) {
    for (const int levels : {6, dense}) {
      const std::string name = fmt::format("{} {} levels", what, levels);
      Counts n;
      for (const std::uint64_t each : seeds_of(number, levels == dense ? studies / 10 : studies)) {
        n.add(with_defect(defect, levels, each));
      }
      print(name, n);
      caught.add(n);
    }
  }
  bool is_good =
      is_within("right expectations not as expected", all.not_as_expected.percent(), 0, 1);
  is_good &= is_within("intervals that hold the true order", all.held.percent(), 95, 100);
  is_good &= is_within("wrong expectations as expected", all.wrong.percent(), 0, 1);
  is_good &= is_within("first order as expected", all.asymptotic.percent(), 90, 100);
  is_good &= is_within("second order of 120 levels as expected", all.dense.percent(), 90, 100);
  is_good &= is_within("errors that the index bounds", all.bounds.percent(), 95, 100);
  constexpr int enough = 20;  // of which 90 % mean something
  is_good &= all.hints.whole < enough ||
             is_within("ladders named that decide", all.hints.percent(), 90, 100);
  is_good &= is_within("defects as expected", caught.as_expected.percent(), 0, 1);
  return is_good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int studies = 2;
  std::uint64_t seed = 3;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i];
    if (key == "--studies") {
      studies = std::atoi(argv[i + 1]);
    } else if (key == "--seed") {
      seed = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (key == "--only") {
      only = argv[i + 1];
    }
  }
  parallel::Session session({});
  return session.run(
      [&](const parallel::Communicator& comm) { return run(comm, studies, seed, only); });
}
