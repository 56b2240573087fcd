// A corpus of random problems: how often verdicts, intervals and grid convergence indices are
// right. The true orders are what scheme and rule promise, Propositions 3.1 and 4.1 and order two
// of leapfrog for a smooth F and of midpoint. Fails where a share of all studies misses what
// src/slab/README.md states.
//   corpus [--studies n] [--seed n] [--only NAME]
//     n studies of each kind (2), a tenth of those of 120 levels in time

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "corpus/chance.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "parallel/session.hpp"
#include "study/refinement.hpp"
#include "support/options.hpp"
#include "support/world.hpp"

using namespace masing;
using corpus::Chance;
using statistics::Verdict;
using study::Refine;

namespace {

std::string random_threshold(Chance& chance) {
  const double least = chance.between(0.05, 0.3);
  const double rise = chance.between(0.3, 1.2);
  const double place = chance.between(0.2, 0.5);
  const std::string all[] = {
      fmt::format("{:.3f}+{:.3f}*s", least, rise),
      fmt::format("{:.3f}+{:.3f}*s^2", least, rise),
      fmt::format("{:.3f}-{:.3f}*s", least + rise, 0.9 * rise),
      fmt::format("{:.3f}+{:.3f}*sin({:.3f}*s)", least + 0.3, least, 4 + 8 * place),
      fmt::format("s<{0:.3f}?{1:.3f}:{1:.3f}+{2:.3f}*(s-{0:.3f})", place, least, rise),
      fmt::format("{:.3f}", least + 0.1)};
  return all[chance.below(6)];
}

std::string random_force(Chance& chance, bool jumps) {
  const double a = chance.between(0.2, 0.7);
  const double b = chance.between(0.1, 0.4);
  const double slow = chance.between(0.2, 0.9);
  const double fast = chance.between(0.9, 2.0);
  const std::string all[] = {
      fmt::format("{:.3f}*sin({:.4f}*t)+{:.3f}*cos({:.4f}*t)", a, slow, b, fast),
      fmt::format("{:.3f}*cos({:.4f}*t)", a, slow),
      fmt::format("{:.3f}*sin({:.4f}*t)*exp(-0.02*t)+{:.3f}*sin({:.4f}*t)", a, slow, b, fast),
      fmt::format("{:.3f}*square({:.4f}*t)", a, slow / 6),
      fmt::format("{:.3f}*sawtooth({:.4f}*t)+{:.3f}*cos({:.4f}*t)", a, slow / 6, b, fast),
      fmt::format("{:.3f}*triangle({:.4f}*t)+{:.3f}*square({:.4f}*t)", a, slow / 6, b, fast / 6)};
  return all[chance.below(3) + (jumps ? 3 : 0)];
}

/// A study's problem: m, k0, k(s), η(s) (monotone, wavy, in part flat or all), u0(s), F(t), x0, y0
/// and T by chance; quiet, by turning points.
given::Options random_problem(Chance& chance, bool jumps) {
  given::Options c = given::options("engine=memory; field-points=100; field-samples=25; quiet");
  c["final-time"] = fmt::format("{}", std::round(chance.between(8, 30)));
  const char* stiffnesses[] = {"1", "2-s", "1+0.5*sin(2*pi*s)", "exp(-s)", "0.7+s"};
  c["stiffness"] = stiffnesses[chance.below(5)];
  c["threshold"] = random_threshold(chance);
  c["force"] = random_force(chance, jumps);
  const auto rounded = [&](double low, double high) {
    return fmt::format("{}", std::round(1000 * chance.between(low, high)) / 1000);
  };
  if (chance.below(4) == 0) {
    c["initial-u"] = fmt::format("{}*({})", rounded(-0.8, 0.8), c["threshold"]);
  }
  if (chance.below(3) == 0) {
    c["k0"] = rounded(0, 0.5);
  }
  if (chance.below(3) == 0) {
    c["mass"] = rounded(0.5, 2);
  }
  if (chance.below(4) == 0) {
    c["x0"] = rounded(-0.3, 0.3);
    c["y0"] = rounded(-0.5, 0.5);
  }
  return c;
}

constexpr double tolerance = 0.1;
constexpr int many = 120;  // levels

/// What is refined, scheme, rule, reference, force and number of levels: 5 or 8 doublings, or 120.
struct Kind {
  explicit Kind(std::string its_name) : name(std::move(its_name)) {
    const std::vector<std::string> words = base::split(name, ' ');
    options = {
        {"refine", words[0]}, {"scheme", words[1]}, {"rule", words[2]}, {"reference", words[3]}};
    jumps = words[4] == "jumping";
    levels = std::stoi(words[5]);
  }

  std::string name;
  given::Options options;
  bool jumps;
  int levels;
};

std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds;
  for (const char* levels : {"5", "8"}) {
    for (const char* force : {" smooth ", " jumping "}) {
      for (const std::string kind :
           {"steps euler right exact", "steps euler right exact-time", "steps euler right finest",
            "steps euler right successive", "cells euler right cells-inf",
            "cells euler right finest", "cells euler right successive",
            "cells euler midpoint cells-inf", "both euler right exact", "both euler right finest",
            "both euler right successive"}) {
        kinds.emplace_back(kind + force + levels);
      }
    }
    for (const std::string kind :
         {"steps leapfrog right exact", "steps leapfrog right finest",
          "cells leapfrog midpoint finest", "both leapfrog midpoint exact"}) {
      kinds.emplace_back(kind + " smooth " + levels);
    }
  }
  for (const char* kind :
       {"steps euler right exact jumping 120", "cells euler right cells-inf jumping 120",
        "steps leapfrog right exact smooth 120", "cells leapfrog midpoint cells-inf smooth 120",
        "cells euler midpoint cells-inf jumping 120", "both leapfrog midpoint exact smooth 120"}) {
    kinds.emplace_back(kind);
  }
  return kinds;
}

/// A ladder that begins where a study of the problem makes sense.
std::string random_levels(int count, const cli::Values& values, Chance& chance) {
  const double stiff = (values.real("k0") + 2) / values.real("mass");  // ω² at most
  const double final_time = values.real("final-time");
  const auto refine = values.choice<Refine>("refine");
  const double growth = chance.between(0.1, 0.8);
  const double least_steps = values.text("scheme") == "euler"
                                 ? std::max(1000.0, stiff * final_time * final_time / 2 / growth)
                                 : std::max(300.0, std::sqrt(stiff) * final_time / 0.4);
  std::int64_t steps = 200 * static_cast<std::int64_t>(std::ceil(least_steps / 200));
  std::int64_t cells = 30 + 10 * chance.below(8);
  const auto text = [&](std::int64_t finer) {
    return refine == Refine::steps   ? fmt::to_string(finer * steps)
           : refine == Refine::cells ? fmt::to_string(finer * cells)
                                     : fmt::format("{}:{}", finer * cells, finer * steps);
  };
  const int turn = chance.below(3);
  if (count == many) {
    return fmt::format("{}:{}:{}", text(1), text(refine == Refine::cells ? 256 : 32), many);
  }
  std::string levels;
  for (int j = 0; j < count; ++j) {
    levels += (j > 0 ? "," : "") + text(1);
    // Both: along one ray, or in turn, or by chance.
    const int which = refine != Refine::both || turn == 0 ? 2 : turn == 1 ? j % 2 : chance.below(3);
    cells *= which == 1 ? 1 : 2;
    steps *= which == 0 ? 1 : 2;
  }
  return levels;
}

/// What is counted, and which part of it, in percent, all kinds must have at least and at most.
struct Counted {
  const char* what = "";
  double least = 0.0;
  double most = 100.0;
};

enum Count { not_as_expected, held, wrong, asymptotic, dense, bounds, hints };

constexpr Counted counted_of_all[] = {
    {"right expectations not as expected", 0, 0.2},
    {"intervals that hold the true order", 97.5, 100},
    {"wrong expectations as expected", 0, 0.2},
    {"ladders of the first order in their range as expected", 90, 100},
    {"ladders of the second order and 120 levels as expected", 90, 100},
    {"errors that the grid convergence index bounds", 95, 100},
    {"ladders named that decide", 90, 100}};
static_assert(std::size(counted_of_all) == hints + 1);

struct Share {
  int part = 0;
  int whole = 0;

  void count(bool is_in) {
    part += is_in ? 1 : 0;
    whole += 1;
  }
};

using Counts = std::array<Share, std::size(counted_of_all)>;

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
study::Point limit_of(const parallel::Communicator& comm, const study::StudySpec& spec) {
  engine::RunSpec run = spec.run;
  if (spec.refine != Refine::steps) {
    run.model = run.model->at(slab::Continuum{}, 0);
  }
  if (spec.refine != Refine::cells) {
    run.method = engine::Method::exact;
    run.time.steps = 10;
  }
  const parallel::Communicator ranks =
      support::all_or_one(comm, engine::is_split(run, comm.size()));
  const engine::Setup setup = engine::make_setup(ranks, run);
  engine::Stepper stepper(ranks, *setup.engine, run);
  engine::Motion motion = stepper.start();
  for (std::int64_t step = 0; step < run.time.steps; step = motion.last_step()) {
    const std::int64_t count = std::min(engine::Pace::longest_chunk, run.time.steps - step);
    stepper.share(step, count, count);
    motion = stepper.advance(step);
  }
  return {motion.x.back(), motion.y.back()};
}

Counts counted(const parallel::Communicator& comm, const Kind& kind, std::uint64_t seed) {
  Chance chance(seed);
  given::Options c = random_problem(chance, kind.jumps);
  const std::string reference = kind.options.at("reference");
  const std::string refine = kind.options.at("refine");
  c.insert(kind.options.begin(), kind.options.end());
  c["steps"] = "2000";
  c["cells"] = fmt::to_string(20 + 10 * chance.below(20));
  if (refine == "steps" && reference == "exact") {
    c["cells"] = "inf";
  }
  if (refine != "steps" && c["threshold"].find('s') == std::string::npos) {
    c["threshold"] += "+0.5*s";  // else there is no error but that of k
  }
  c["levels"] = refine == "both" ? "10:100,20:200" : "100,200";
  c["levels"] =
      random_levels(kind.levels, given::requested(cli::Command::converge, c).values, chance);
  const study::StudySpec planned = given::spec_of(c);
  const auto true_order = [&](const std::string& name) {
    const auto all = planned.run.model->quantities();
    const auto& quantity = *std::ranges::find(all, name, &study::Quantity::name);
    return study::promised_order(*planned.run.model, planned.refine, planned.reference, quantity)
        .order;
  };
  for (const char* quantity : {"x", "y", "u", "u_cells"}) {
    // Of u at the cells' points only where that is of another order, and against the continuum.
    const bool is_u_cells = quantity == std::string("u_cells");
    if (!is_u_cells || (true_order(quantity) != true_order("u") &&
                        (reference == "exact" || reference == "cells-inf"))) {
      std::string& orders = c["expect-order"];
      orders += fmt::format("{}{}={}", orders.empty() ? "" : ",", quantity, true_order(quantity));
    }
  }
  auto spec = given::spec_of(c);
  const study::Study made = study::make_study(comm, spec);
  Counts n{};
  for (std::size_t q = 0; q < made.results.size(); ++q) {
    const study::QuantityResult& found = made.results[q];
    if (!found.expected || found.verdict == Verdict::undefined || found.verdict == Verdict::exact) {
      continue;
    }
    const double order = true_order(found.expected->quantity);
    n[not_as_expected].count(found.verdict == Verdict::not_as_expected);
    n[held].count(std::abs(found.observed() - order) <= found.fit.uncertainty);
    bool is_wrong = false;
    for (const double shift : {-1.0, -0.5, 0.5, 1.0}) {
      const study::ExpectedOrder other{.quantity = found.expected->quantity,
                                       .order = order + shift};
      is_wrong = is_wrong || statistics::judge(other, found.observed(), found.fit.uncertainty,
                                               tolerance) == Verdict::as_expected;
    }
    n[wrong].count(is_wrong);
    if (order == 1 && kind.levels < many && is_asymptotic(made, q, order)) {
      n[asymptotic].count(found.verdict == Verdict::as_expected);
    }
    if (order == 2 && kind.levels == many) {
      n[dense].count(found.verdict == Verdict::as_expected);
    }
  }
  // The limit is known of what is measured against it; the ladders of other references are alike.
  if (kind.levels < many &&
      (reference == "exact" || reference == "exact-time" || reference == "cells-inf")) {
    const study::Point limit = limit_of(comm, spec);
    study::Study scalars = made;
    scalars.results.clear();
    spec.reference =
        study::make_reference("successive", planned.refine, spec.levels, *spec.run.model);
    study::find_results(spec, scalars);
    const study::LevelResult& last = made.cases.back();
    for (const auto& [index, error] :
         {std::pair(scalars.results[study::Errors::x].extrapolated->index,
                    std::abs(last.final_x - limit.x)),
          {scalars.results[study::Errors::y].extrapolated->index,
           std::abs(last.final_y - limit.y)}}) {
      if (std::isfinite(index) && error > made.floors[study::Errors::x]) {
        n[bounds].count(index >= error);
      }
    }
  }
  const std::string levels = made.conclusions.deciding_levels;
  if (made.verdict == Verdict::undecided && kind.levels < many && !levels.empty() &&
      seed % 16 == 0) {  // one of 16
    c["levels"] = levels;
    const study::Study again = study::make_study(comm, given::spec_of(c));
    n[hints].count(again.verdict != Verdict::undecided);
  }
  return n;
}

/// Says which part of all is within its limits, by two standard deviations of a share of so many.
bool are_within(const Counts& all) {
  constexpr int enough = 20;  // studies, for the last share to be checked
  bool are_good = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [what, least, most] = counted_of_all[i];
    const auto scatter = [&](double percent) {
      return 2 * std::sqrt(percent * (100 - percent) / std::max(all[i].whole, 1));
    };
    const double percent = all[i].whole == 0 ? 100.0 : 100.0 * all[i].part / all[i].whole;
    const bool is_good = (i == hints && all[i].whole < enough) ||
                         (percent >= least - scatter(least) && percent <= most + scatter(most));
    fmt::print("{}: {:.2f} % of {}{}\n", what, percent, all[i].whole,
               is_good ? "" : fmt::format(", not {} to {} %", least, most));
    are_good = are_good && is_good;
  }
  return are_good;
}

int run(const parallel::Communicator& comm, int studies, std::uint64_t seed,
        const std::string& only) {
  Counts all{};
  std::uint64_t number = 1000 * seed;
  for (const Kind& kind : all_kinds()) {
    ++number;
    // Of those that take long there are fewer, none in a short run.
    const bool is_short =
        kind.levels == 5 || (kind.levels == many && kind.options.at("refine") == "cells");
    const int count = kind.name.find(only) == std::string::npos ? 0
                      : is_short                                ? studies
                      : kind.levels == many                     ? studies / 10
                      : studies >= 10                           ? studies
                                                                : 0;
    for (int i = 0; i < count; ++i) {
      const Counts n = counted(comm, kind, number * 1000003 + static_cast<std::uint64_t>(i));
      for (std::size_t j = 0; j < all.size(); ++j) {
        all[j].part += n[j].part;
        all[j].whole += n[j].whole;
      }
    }
  }
  return are_within(all) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int studies = std::atoi(corpus::option(argc, argv, "studies", "2").c_str());
  const std::uint64_t seed = std::stoull(corpus::option(argc, argv, "seed", "3"));
  parallel::Session session({});
  return session.run([&](const parallel::Communicator& comm) {
    return run(comm, studies, seed, corpus::option(argc, argv, "only", ""));
  });
}
