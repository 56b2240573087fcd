// A corpus of random problems: how often verdicts, intervals and grid convergence indices are
// right. The true orders are those of Propositions 3.1 and 4.1 and of the schemes; errors in time
// of leapfrog are of order two where F is smooth. Prints the counts by kind; fails where a share
// misses what src/README.md states.
//   corpus [--studies n] [--seed n]    n studies of each kind (20)

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "corpus/defects.hpp"
#include "corpus/random_problem.hpp"
#include "parallel/session.hpp"
#include "slab/scheme.hpp"
#include "study/given.hpp"
#include "study/reference.hpp"
#include "study/refinement.hpp"
#include "study/run.hpp"

using namespace masing;
using corpus::Chance;
using corpus::Defect;
using corpus::Force;
using slab::Rule;
using slab::Scheme;
using study::Refine;
using study::Verdict;

namespace {

constexpr double tolerance = 0.1;

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
  constexpr int dense = 120;
  add(Refine::steps, euler, right, "exact", jumping, dense);
  add(Refine::cells, euler, right, "cells-inf", jumping, dense);
  add(Refine::steps, leapfrog, right, "exact", smooth, dense);
  add(Refine::cells, leapfrog, midpoint, "cells-inf", smooth, dense);
  add(Refine::cells, euler, midpoint, "cells-inf", jumping, dense);
  add(Refine::both, leapfrog, midpoint, "exact", smooth, dense);
  return kinds;
}

double true_order(const Kind& kind, const std::string& quantity) {
  const engine::Masing model{.slab = {.rule = kind.rule}, .scheme = kind.scheme};
  return study::promised_order(model, kind.refine, quantity);
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
  if (kind.levels > 8) {
    const std::int64_t wide = kind.refine == Refine::cells ? 128 : 32;
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

struct Counts {
  int orders = 0;
  int as_expected = 0;
  int not_as_expected = 0;
  int held = 0;        // the interval holds the true order
  int wrong = 0;       // a wrong expectation is as expected
  int asymptotic = 0;  // ladders with every pair of the true order
  int asymptotic_as_expected = 0;
  int indices = 0;  // grid convergence indices
  int bounds = 0;   // that bound the error
  int hints = 0;
  int hints_decide = 0;

  void add(const Counts& o) {
    orders += o.orders;
    as_expected += o.as_expected;
    not_as_expected += o.not_as_expected;
    held += o.held;
    wrong += o.wrong;
    asymptotic += o.asymptotic;
    asymptotic_as_expected += o.asymptotic_as_expected;
    indices += o.indices;
    bounds += o.bounds;
    hints += o.hints;
    hints_decide += o.hints_decide;
  }
};

double percent(int part, int whole) {
  return whole == 0 ? NAN : 100.0 * part / whole;
}

void print(const std::string& name, const Counts& n) {
  std::fputs(
      fmt::format(
          "{:<44}{:>6}{:>8.1f}{:>7.1f}{:>7.1f}{:>7.2f}{:>7}{:>7.1f}{:>7}{:>7.1f}{:>6}{:>6.0f}\n",
          name, n.orders, percent(n.as_expected, n.orders), percent(n.not_as_expected, n.orders),
          percent(n.held, n.orders), percent(n.wrong, n.orders), n.asymptotic,
          percent(n.asymptotic_as_expected, n.asymptotic), n.indices, percent(n.bounds, n.indices),
          n.hints, percent(n.hints_decide, n.hints))
          .c_str(),
      stdout);
  std::fflush(stdout);
}

bool is_asymptotic(const study::Study& made, std::size_t q, double order) {
  for (std::size_t l = 1; l < made.cases.size(); ++l) {
    const double pair = made.cases[l].orders.*study::quantities[q].value;
    if (std::isfinite(pair) && std::abs(pair - order) > tolerance) {
      return false;
    }
  }
  return true;
}

/// x(T) and y(T) that the ladder goes to.
study::Recording::Motion limit_of(const parallel::Communicator& comm,
                                  const study::StudySpec& spec) {
  engine::RunSpec run = spec.run;
  auto& model = std::get<engine::Masing>(run.model);
  if (spec.refine != Refine::steps) {
    model.slab.space = slab::Continuum{};
  }
  if (spec.refine != Refine::cells) {
    model.method = engine::Method::exact;
    run.time.steps = 10;
  }
  const auto runs = study::run_all(comm, spec, {{.run = run, .title = "limit"}});
  return runs.front().recording->at(run.time.steps, run.time.steps);
}

Counts counted(const parallel::Communicator& comm, const Kind& kind, std::uint64_t seed) {
  Chance chance(seed);
  cli::Configuration c = corpus::random_problem(chance, kind.force);
  c.refine = kind.refine;
  c.scheme = kind.scheme;
  c.rule = kind.rule;
  c.reference = kind.reference;
  c.steps = 2000;
  c.space = slab::Cells{20 + 10 * chance.below(20)};
  if (kind.refine == Refine::steps && kind.reference == "exact") {
    c.space = slab::Continuum{};
  }
  if (kind.refine != Refine::steps && c.threshold.find('s') == std::string::npos) {
    c.threshold += "+0.5*s";  // else there is no error but that of k
  }
  c.level_text = random_levels(kind, c, chance);
  const study::Study made = study::refine(comm, given::spec_of(c));
  Counts n;
  for (std::size_t q = 0; q < made.results.size(); ++q) {
    const study::QuantityResult& found = made.results[q];
    if (!found.expected || found.verdict == Verdict::undefined) {
      continue;
    }
    const double order = true_order(kind, found.expected->quantity);
    n.orders += 1;
    if (std::getenv("SHOW") &&
        (found.verdict == Verdict::not_as_expected || std::getenv("SHOW")[0] == '2')) {
      std::string t;
      for (const auto& at : made.cases)
        t += fmt::format(" {:.2f}", at.orders.*study::quantities[q].value);
      fmt::print(
          "  {} {} k={} eta={} u0={} F={} k0={} m={} x0={} T={} lev={}\n   p {:.3f} +- {:.3f} stat "
          "{:.3f} struct {:.3f} D {:.3f} lv {} {}\n",
          seed, found.expected->quantity, c.stiffness, c.threshold, c.initial_u, c.force, c.k0,
          c.mass, c.x0, c.final_time, c.level_text.substr(0, 60), found.observed, found.uncertainty,
          found.fit.statistical, found.fit.structural, found.fit.next_term, found.fit.levels,
          t.substr(0, 100));
    }
    n.as_expected += found.verdict == Verdict::as_expected ? 1 : 0;
    n.not_as_expected += found.verdict == Verdict::not_as_expected ? 1 : 0;
    n.held += std::abs(found.observed - order) <= found.uncertainty ? 1 : 0;
    bool is_wrong = false;
    for (const double shift : {-0.5, 0.5, 1.0, -1.0}) {
      const study::ExpectedOrder other{.quantity = found.expected->quantity,
                                       .order = order + shift};
      is_wrong = is_wrong ||
                 judge(other, found.observed, found.uncertainty, tolerance) == Verdict::as_expected;
    }
    n.wrong += is_wrong ? 1 : 0;
    if (kind.levels <= 8 && is_asymptotic(made, q, order)) {
      n.asymptotic += 1;
      n.asymptotic_as_expected += found.verdict == Verdict::as_expected ? 1 : 0;
    }
  }
  // The limit is known of what is measured against it; the ladders of other references are alike.
  if (kind.levels <= 8 && (kind.reference == "exact" || kind.reference == "exact-time" ||
                           kind.reference == "cells-inf")) {
    auto spec = given::spec_of(c);
    const auto limit = limit_of(comm, spec);
    study::Study scalars = made;
    scalars.results.clear();
    spec.reference = study::make_reference("successive", kind.refine, spec.levels, spec.run.model);
    study::find_results(spec, scalars);
    const study::LevelResult& last = made.cases.back();
    for (const auto& [index, error] :
         {std::pair(scalars.extrapolated_x.index, std::abs(last.final_x - limit.x)),
          {scalars.extrapolated_y.index, std::abs(last.final_y - limit.y)}}) {
      if (std::isfinite(index) && error > made.floors.x) {
        n.indices += 1;
        n.bounds += index >= error ? 1 : 0;
      }
    }
  }
  if (made.verdict == Verdict::undecided && kind.levels == 8 && seed % 4 == 0) {
    c.level_text = made.conclusions.deciding_levels;
    const study::Study again = study::refine(comm, given::spec_of(c));
    n.hints += 1;
    n.hints_decide += again.verdict != Verdict::undecided ? 1 : 0;
  }
  return n;
}

/// Ladders of schemes with a defect: how many are as expected.
Counts with_defect(Defect defect, int levels, std::uint64_t seed) {
  Chance chance(seed);
  const cli::Configuration c = corpus::random_problem(chance, Force::smooth);
  const int count = levels;
  std::vector<long> steps;
  study::ErrorLadder ladder{.steps = {{}}};
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
  const study::Fit fit = study::fit_order(ladder, 1e-11);
  const study::ExpectedOrder two{.quantity = "x", .order = 2.0};
  Counts n;
  const Verdict verdict = judge(two, fit.order, fit.uncertainty, tolerance);
  n.orders = 1;
  n.as_expected = verdict == Verdict::as_expected ? 1 : 0;
  n.not_as_expected = verdict == Verdict::not_as_expected ? 1 : 0;
  n.held = std::abs(fit.order - 2) <= fit.uncertainty ? 1 : 0;
  if (std::getenv("SHOW")) {
    std::string t;
    for (std::size_t l = 1; l < ladder.errors.size() && count < 10; ++l)
      t += fmt::format(" {:.2f}",
                       std::log(ladder.errors[l - 1] / ladder.errors[l]) /
                           std::log(ladder.steps[0].levels[l - 1] / ladder.steps[0].levels[l]));
    fmt::print("  {} {:.3f} +- {:.3f} scatter {:.3f} levels {} e {:.2e} {:.2e} {}\n", seed,
               fit.order, fit.uncertainty, fit.scatter, fit.levels, ladder.errors.front(),
               ladder.errors.back(), t);
  }
  return n;
}

}  // namespace

int main(int argc, char** argv) {
  int studies = 20;
  std::uint64_t seed = 1;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--studies")
      studies = std::atoi(argv[i + 1]);
    if (std::string(argv[i]) == "--seed")
      seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::string(argv[i]) == "--only")
      only = argv[i + 1];
  }
  parallel::Session session({});
  return session.run([&](const parallel::Communicator& comm) {
    std::fputs(fmt::format("{:<44}{:>6}{:>8}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>6}{:>6}\n",
                           "kind", "orders", "as", "not", "held", "wrong", "asym", "as", "GCI",
                           "bound", "hints", "ok")
                   .c_str(),
               stdout);
    Counts all;
    std::uint64_t number = 0;
    for (const Kind& kind : all_kinds()) {
      ++number;
      if (kind.name.find(only) == std::string::npos)
        continue;
      Counts n;
      for (int i = 0; i < studies; ++i) {
        try {
          n.add(counted(comm, kind,
                        (seed * 1000 + number) * 1000003 + static_cast<std::uint64_t>(i)));
        } catch (const std::exception& e) {
          fmt::print("{} {}: {}\n", kind.name, i, e.what());
        }
      }
      print(kind.name, n);
      all.add(n);
    }
    if (all.orders)
      print("all", all);
    for (const int levels : {6, 120})
      for (const auto& [name, defect] : {std::pair("defect none", Defect::none),
                                         {"defect split", Defect::split_left_out},
                                         {"defect u0", Defect::u0_shifted},
                                         {"defect late", Defect::one_step_too_many}}) {
        if (std::string(name).find(only) == std::string::npos)
          continue;
        Counts n;
        for (int i = 0; i < studies; ++i)
          n.add(with_defect(defect, levels, seed * 1000003 + static_cast<std::uint64_t>(i)));
        print(fmt::format("{} {}", name, levels), n);
      }
    return 0;
  });
}
